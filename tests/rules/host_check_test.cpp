#include "rules/host_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rwin::rules {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

HostFacts sane() {
  HostFacts h;
  h.release = "6.1.0-18-amd64";
  for (const auto& [key, value] : std::initializer_list<std::pair<const char*, const char*>>{
           {"net.ipv4.tcp_rmem", "4096\t131072\t6291456"},
           {"net.ipv4.tcp_wmem", "4096\t16384\t4194304"},
           {"net.ipv4.tcp_window_scaling", "1"},
           {"net.ipv4.tcp_moderate_rcvbuf", "1"},
           {"net.ipv4.tcp_adv_win_scale", "1"},
           {"net.ipv4.tcp_timestamps", "1"},
           {"net.ipv4.tcp_sack", "1"},
           {"net.core.rmem_max", "212992"},
           {"net.core.wmem_max", "212992"},
           {"net.ipv4.tcp_mem", "189000 252000 378000"}})
    h.knobs[key] = {value, true};
  h.routes.emplace();
  h.sockets.emplace();
  return h;
}

HostCheck check(const HostFacts& h) {
  return check_host(Catalogue::built_in(), h, std::nullopt, std::nullopt);
}
HostCheck check(const HostFacts& h, double rate_bps, std::int64_t rtt_us) {
  return check_host(Catalogue::built_in(), h, line_need({rate_bps, rtt_us, Link::payload}), {});
}
std::vector<std::string> codes(const HostCheck& c) {
  std::vector<std::string> out;
  for (const HostFinding& f : c.findings) out.push_back(f.code);
  return out;
}

TEST(HostCheckTest, SaneHost) {
  const HostCheck c = check(sane());
  EXPECT_THAT(codes(c), IsEmpty());
  EXPECT_EQ(c.largest_window, 3'145'728U);
  EXPECT_EQ(c.start_window, 65'536U);
  EXPECT_EQ(c.shift, 7);
  EXPECT_EQ(c.fixed_window, 212'992U);
  EXPECT_EQ(c.full_buffers, 164U);  // 252000 pages of 4096
  EXPECT_EQ(c.enough, std::nullopt);
  // 252 Mbit/s at 100 ms with Linux' defaults.
  const auto at_100 = std::find_if(c.rates.begin(), c.rates.end(),
                                   [](const RateAtRtt& r) { return r.rtt_us == 100'000; });
  EXPECT_NEAR(at_100->bps, 251.7e6, 0.1e6);
}

TEST(HostCheckTest, EnoughOrNotForALine) {
  EXPECT_EQ(check(sane(), 50e6, 184'000).enough, true);
  const HostCheck c = check(sane(), 1e9, 100'000);
  EXPECT_EQ(c.enough, false);
  EXPECT_THAT(codes(c), ElementsAre("buffer-capped", "send-buffer-capped"));
  EXPECT_THAT(c.findings[0].change,
              ElementsAre("sudo sysctl -w net.ipv4.tcp_rmem=\"4096 131072 25001472\""));
  EXPECT_TRUE(c.limits());
}

TEST(HostCheckTest, LoweredCeiling) {
  HostFacts h = sane();
  h.knobs["net.ipv4.tcp_rmem"].value = "4096 87380 180000";
  const HostCheck c = check(h);
  EXPECT_THAT(codes(c), ElementsAre("buffer-capped"));
  EXPECT_EQ(c.largest_window, 90'000U);
  EXPECT_EQ(check(h, 1e6, 10'000).enough, true) << "small lines are served";
  EXPECT_THAT(codes(check(h, 1e6, 10'000)), IsEmpty());
}

TEST(HostCheckTest, ScalingOff) {
  HostFacts h = sane();
  h.knobs["net.ipv4.tcp_window_scaling"].value = "0";
  const HostCheck c = check(h, 50e6, 184'000);
  EXPECT_EQ(codes(c).front(), "scaling-off");
  EXPECT_EQ(c.largest_window, 65'535U);
  EXPECT_EQ(c.shift, 0);
  EXPECT_EQ(c.enough, false);
  EXPECT_THAT(c.findings[0].change, ElementsAre("sudo sysctl -w net.ipv4.tcp_window_scaling=1"));
}

TEST(HostCheckTest, AutotuningOff) {
  HostFacts h = sane();
  h.knobs["net.ipv4.tcp_moderate_rcvbuf"].value = "0";
  const HostCheck c = check(h);
  EXPECT_EQ(codes(c).front(), "autotuning-off");
  EXPECT_EQ(c.largest_window, 65'536U);
  EXPECT_EQ(c.findings[0].severity, Severity::limits);
}

TEST(HostCheckTest, RouteWithAWindow) {
  HostFacts h = sane();
  h.routes->push_back({"198.51.100.0/24", "198.51.100.0/24 dev eth1", "eth1", 40'000});
  h.routes->push_back({"default", "default via 192.0.2.1 dev eth0", "eth0", 0});
  HostCheck c = check(h, 50e6, 184'000);
  EXPECT_THAT(codes(c), ElementsAre("window-clamped"));
  EXPECT_EQ(c.findings[0].severity, Severity::limits);
  EXPECT_THAT(c.findings[0].text, HasSubstr("198.51.100.0/24"));
  EXPECT_EQ(c.findings[0].change[0], "sudo ip route replace 198.51.100.0/24 dev eth1");
  EXPECT_EQ(c.largest_window, 3'145'728U) << "to everywhere else";
  (*h.routes)[1].window = 65'535;
  c = check(h, 50e6, 184'000);
  EXPECT_EQ(c.largest_window, 65'535U) << "the default route counts for the whole";
  EXPECT_EQ(c.enough, false);
}

TEST(HostCheckTest, ProgramsThatFixTheirBuffers) {
  HostFacts h = sane();
  h.sockets->push_back({"192.0.2.10:873", "198.51.100.7:4000", 131'072, true, "rsync"});
  h.sockets->push_back({"192.0.2.10:80", "198.51.100.7:4001", 131'072, false, ""});
  h.sockets->push_back({"192.0.2.10:81", "198.51.100.7:4002", 131'072, std::nullopt, ""});
  const HostCheck c = check(h, 50e6, 184'000);
  EXPECT_THAT(codes(c), ElementsAre("buffer-fixed"));
  EXPECT_THAT(c.findings[0].text, HasSubstr("rsync fixed the receive buffer"));
  EXPECT_EQ(c.findings[0].severity, Severity::limits);
  EXPECT_EQ(c.sockets_unknown, 1U);
  EXPECT_EQ(check(h).findings[0].severity, Severity::note);
  h.sockets->push_back({"192.0.2.10:873", "", 131'072, true, "rsync"});
  EXPECT_THAT(check(h).findings[0].text, HasSubstr("and 1 more")) << "one finding a program";
  EXPECT_EQ(check(h).findings.size(), 1U);
}

TEST(HostCheckTest, OddSettings) {
  HostFacts h = sane();
  h.knobs["net.ipv4.tcp_adv_win_scale"].value = "-2";
  h.knobs["net.ipv4.tcp_sack"].value = "0";
  h.knobs["net.ipv4.tcp_timestamps"].value = "0";
  h.knobs["net.ipv4.tcp_mem"].value = "100 200 300";
  h.persisted.push_back({"net.ipv4.tcp_rmem", "4096 131072 212992", "/etc/sysctl.d/99-x.conf"});
  h.persisted.push_back({"net.ipv4.tcp_sack", "0", "/etc/sysctl.d/99-x.conf"});
  h.interrupted = true;
  EXPECT_THAT(codes(check(h, 10e6, 10'000)),
              ElementsAre("window-share", "memory-pressure", "sack-off", "interrupted",
                          "timestamps-off", "file-differs"));
}

TEST(HostCheckTest, EveryFindingIsListed) {
  for (const char* code : {"scaling-off", "interrupted"}) EXPECT_TRUE(is_host_finding(code));
  EXPECT_FALSE(is_host_finding("any"));
}

TEST(HostCheckTest, NothingKnownIsNotAnAnswer) {
  const HostCheck c = check({}, 1e6, 1'000);
  EXPECT_EQ(c.largest_window, std::nullopt);
  EXPECT_EQ(c.enough, std::nullopt);
  EXPECT_THAT(codes(c), IsEmpty());
}

}  // namespace
}  // namespace rwin::rules
