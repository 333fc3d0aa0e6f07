// A session on packets that a test hands out: the same pipeline as on an interface, without one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>

#include "app/live/flow_book.h"
#include "app/live/session.h"
#include "tests/app/program.h"

namespace rwin::app {
namespace {

using test::window_limited_download;

constexpr std::size_t kFileHeader = 24;
constexpr std::size_t kRecordHeader = 16;

std::uint32_t le32(const rwin::test::Bytes& bytes, std::size_t at) {
  return bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) |
         (static_cast<std::uint32_t>(bytes[at + 3]) << 24);
}

std::uint64_t records(const rwin::test::Bytes& file) {
  std::uint64_t n = 0;
  for (std::size_t at = kFileHeader; at < file.size(); at += kRecordHeader + le32(file, at + 8))
    ++n;
  return n;
}

// Hands out the records of a capture, some at each read, and then waits.
class Replay : public capture::LiveSource {
 public:
  Replay(rwin::test::Bytes file, std::size_t per_read, bool ends)
      : file_(std::move(file)), per_read_(per_read), ends_(ends) {}

  std::size_t read(int timeout_ms,
                   const std::function<void(const capture::RawPacket&)>& sink) override {
    std::size_t n = 0;
    for (; n < per_read_ && at_ < file_.size(); ++n) {
      capture::RawPacket packet;
      packet.time_ns = le32(file_, at_) * 1'000'000'000LL + le32(file_, at_ + 4) * 1000LL;
      packet.captured = le32(file_, at_ + 8);
      packet.original = le32(file_, at_ + 12);
      packet.link_type = 1;
      packet.data = file_.data() + at_ + kRecordHeader;
      at_ += kRecordHeader + packet.captured;
      sink(packet);
    }
    given_ += n;
    if (n == 0 && !ended()) {
      std::unique_lock lock(mutex_);
      woken_.wait_for(lock, std::chrono::milliseconds(timeout_ms), [&] { return awake_; });
    }
    return n;
  }
  capture::Result<bool> change_filter(const std::string& words) override {
    if (words == "bad") return capture::Error{capture::ErrorCode::bad_filter, "no filter", "", 0};
    return true;
  }
  void wake() override {
    const std::lock_guard lock(mutex_);
    awake_ = true;
    woken_.notify_all();
  }
  std::vector<capture::InterfaceStatus> status() override {
    return {{"test0", 1, capture::InterfaceState::up, given_, 7, 3}};
  }
  [[nodiscard]] bool ended() const override { return ends_ && at_ >= file_.size(); }

 private:
  rwin::test::Bytes file_;
  std::size_t per_read_;
  bool ends_;
  std::size_t at_ = kFileHeader;
  std::uint64_t given_ = 0;
  std::mutex mutex_;
  std::condition_variable woken_;
  bool awake_ = false;
};

SessionOptions quick() {
  SessionOptions o;
  o.names = {"test0"};
  o.interval_ms = 10;
  return o;
}

// Keeps what a report is told.
class Kept : public Report {
 public:
  void begin(const RunInfo& i) override { info = i; }
  void connection(Judged&& j) override { judged.push_back(std::move(j)); }
  void end(const RunInfo&, const std::vector<rules::HostSummary>& h, ExitCode c) override {
    hosts = h;
    code = c;
  }
  void failure(const RunInfo&, const Failure&) override { FAIL(); }
  RunInfo info;
  std::vector<Judged> judged;
  std::vector<rules::HostSummary> hosts;
  ExitCode code = ExitCode::failed;
};

TEST(LiveSession, SnapshotsNameTheLimitWhileTheCaptureRuns) {
  const auto file = window_limited_download(30).bytes();
  LiveSession session(std::make_unique<Replay>(file, 40, false), quick());
  SnapshotPtr s = session.latest();
  ASSERT_NE(s, nullptr);
  // Until the last record is judged: from then on nothing moves.
  while (s->flows.empty() || s->info.decode.packets < records(file) ||
         s->flows[0].judged_packets < s->info.decode.packets)
    s = session.wait_after(s->number, 1000);
  EXPECT_FALSE(s->ended);
  ASSERT_EQ(s->flows.size(), 1U);
  const LiveFlow& flow = s->flows[0];
  EXPECT_EQ(flow.judged->assessments.at(0).verdict.limit, analysis::Limit::receiver_window);
  EXPECT_EQ(flow.bytes[1], flow.judged->connection.directions.at(0).bytes);
  EXPECT_EQ(*s->info.kernel_drops, 7U);
  EXPECT_EQ(*s->info.interface_drops, 3U);
  EXPECT_EQ(s->info.link_types, std::vector<std::string>{"EN10MB"});
  EXPECT_EQ(hosts_of(*s).size(), 1U);
  // One more look shares what did not move.
  const SnapshotPtr next = session.wait_after(s->number, 1000);
  EXPECT_GT(next->number, s->number);
  EXPECT_EQ(next->flows.at(0).judged, flow.judged);
  session.stop();
}

TEST(LiveSession, ReportIsThatOfTheEnd) {
  const auto file = window_limited_download(30).bytes();
  std::atomic<std::uint64_t> written{0};
  std::atomic<int> looks{0};
  SessionOptions options = quick();
  options.on_packet = [&](const capture::RawPacket&) { ++written; };
  options.on_snapshot = [&](const LiveSnapshot& s) { looks += s.ended ? 1000 : 1; };
  LiveSession session(std::make_unique<Replay>(file, 40, true), options);
  Kept report;
  EXPECT_TRUE(session.report(report, ExitCode::ok, {"receiver-window"}));
  EXPECT_TRUE(session.ended());
  EXPECT_TRUE(session.latest()->ended);
  EXPECT_GE(looks, 1000);
  EXPECT_LT(looks, 2000);
  EXPECT_EQ(written, report.info.decode.packets);
  EXPECT_EQ(report.info.engine.segments, report.info.decode.packets);
  EXPECT_EQ(report.info.kind, "live");
  EXPECT_EQ(report.code, ExitCode::fail_on);
  ASSERT_EQ(report.judged.size(), 1U);
  EXPECT_EQ(report.hosts.size(), 1U);
}

TEST(LiveSession, AnotherFilterIsToldAndABadOneChangesNothing) {
  const auto file = window_limited_download(30).bytes();
  SessionOptions options = quick();
  options.filter = "tcp port 443";
  LiveSession session(std::make_unique<Replay>(file, 40, false), options);
  const auto fault = session.change_filter("bad");
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->message, "no filter");
  EXPECT_FALSE(session.change_filter("host 192.0.2.10"));
  SnapshotPtr s = session.latest();
  while (s->info.filter != "host 192.0.2.10") s = session.wait_after(s->number, 1000);
  session.stop();
  Kept report;
  session.report(report, ExitCode::ok, {});
  EXPECT_EQ(report.info.filter, "host 192.0.2.10");
  EXPECT_THAT(report.info.warnings,
              testing::Contains(testing::HasSubstr("it began with \"tcp port 443\"")));
}

TEST(LiveSession, CountAndDurationEndIt) {
  const auto file = window_limited_download(30).bytes();
  {
    SessionOptions options = quick();
    options.count = 100;
    LiveSession session(std::make_unique<Replay>(file, 40, false), options);
    Kept report;
    session.report(report, ExitCode::ok, {});
    EXPECT_EQ(report.info.decode.packets, 100U);
  }
  SessionOptions options = quick();
  options.duration_ms = 1;
  LiveSession session(std::make_unique<Replay>(file, 40, false), options);
  Kept report;
  session.report(report, ExitCode::ok, {});
  EXPECT_EQ(report.code, ExitCode::ok);
}

}  // namespace
}  // namespace rwin::app
