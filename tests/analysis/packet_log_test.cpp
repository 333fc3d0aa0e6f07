// A folded connection gives back the packets that were put in.
#include "analysis/packet_log.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "analysis/engine.h"

namespace rwin {
namespace {

using analysis::EventPool;
using analysis::PacketLog;
using analysis::Presence;
using analysis::Segment;

struct Told {
  Segment segment;
  bool from_a = true, wild = false;
};

// All that the log keeps.
void expect_same(const Segment& in, const Segment& out) {
  EXPECT_EQ(in.time_ns, out.time_ns);
  EXPECT_TRUE(in.source == out.source && in.destination == out.destination);
  EXPECT_EQ(in.seq, out.seq);
  EXPECT_EQ(in.ack, out.ack);
  EXPECT_EQ(in.payload, out.payload);
  EXPECT_EQ(in.window, out.window);
  EXPECT_EQ(in.flags, out.flags);
  EXPECT_EQ(in.ttl, out.ttl);
  EXPECT_EQ(in.ip_id, out.ip_id);
  EXPECT_EQ(in.dont_fragment, out.dont_fragment);
  EXPECT_EQ(in.cut, out.cut);
  EXPECT_EQ(in.tunnel, out.tunnel);
  EXPECT_EQ(in.options_cut, out.options_cut);
  EXPECT_EQ(in.mss, out.mss);
  EXPECT_EQ(in.window_scale, out.window_scale);
  EXPECT_EQ(in.sack_permitted, out.sack_permitted);
  EXPECT_EQ(in.timestamps, out.timestamps);
  EXPECT_EQ(in.tsval, out.tsval);
  EXPECT_EQ(in.tsecr, out.tsecr);
  EXPECT_EQ(in.fast_open, out.fast_open);
  EXPECT_EQ(in.multipath, out.multipath);
  ASSERT_EQ(in.sack_count, out.sack_count);
  for (std::size_t i = 0; i < in.sack_count; ++i) EXPECT_EQ(in.sack[i], out.sack[i]);
  EXPECT_EQ(in.option_kind_count, out.option_kind_count);
  EXPECT_EQ(in.option_kinds, out.option_kinds);
}

// Numbers near each other and far apart, every option or none.
class Maker {
 public:
  explicit Maker(unsigned seed) : random_(seed) {}

  Told next() {
    Told told;
    Segment& s = told.segment;
    told.from_a = below(2) == 0;
    told.wild = below(30) == 0;
    time_ns_ += static_cast<std::int64_t>(below(4) == 0   ? below(1000) * 1000
                                          : below(2) == 0 ? below(2'000'000'000)
                                                          : 0);
    s.time_ns = time_ns_;
    s.source = told.from_a ? a : b;
    s.destination = told.from_a ? b : a;
    s.seq = near_or_far(seq_);
    s.ack = near_or_far(ack_);
    s.payload = below(3) == 0 ? 0 : below(20) == 0 ? below(200'000) : 1448;
    s.window = static_cast<std::uint16_t>(below(3) == 0 ? below(65536) : 502);
    s.flags = static_cast<std::uint8_t>(below(3) == 0 ? below(256) : 16);
    s.ttl = static_cast<std::uint8_t>(below(8) == 0 ? below(256) : 64);
    s.ip_id = static_cast<std::uint16_t>(below(4) == 0 ? below(65536) : 7);
    s.dont_fragment = below(2) == 0;
    s.cut = below(8) == 0;
    s.options_cut = below(8) == 0;
    s.fast_open = below(50) == 0;
    s.multipath = below(50) == 0;
    const Presence none = s.options_cut ? Presence::unknown : Presence::absent;
    s.mss.state = s.window_scale.state = s.sack_permitted.state = s.timestamps = none;
    if (below(2) == 0) {
      s.timestamps = Presence::known;
      s.tsval = near_or_far(stamp_);
      s.tsecr = near_or_far(stamp_);
    }
    if (below(6) == 0) {
      s.mss = {Presence::known, static_cast<std::uint16_t>(below(65536))};
      if (below(2) == 0) s.window_scale = {Presence::known, static_cast<std::uint8_t>(below(256))};
      if (below(2) == 0) s.sack_permitted = {Presence::known, true};
      s.option_kind_count = static_cast<std::uint8_t>(below(9));
      for (std::size_t i = 0; i < s.option_kind_count; ++i)
        s.option_kinds[i] = static_cast<std::uint8_t>(below(256));
    }
    if (below(5) == 0) {
      s.sack_count = static_cast<std::uint8_t>(1 + below(3));
      for (std::size_t i = 0; i < s.sack_count; ++i)
        s.sack[i] = {near_or_far(seq_), near_or_far(seq_)};
    }
    return told;
  }

  analysis::Endpoint a{{{192, 0, 2, 1}, 4}, 50000}, b{{{198, 51, 100, 2}, 4}, 80};

 private:
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  std::uint32_t near_or_far(std::uint32_t& base) {
    base += below(10) == 0 ? static_cast<std::uint32_t>(random_()) : below(3000);
    return base;
  }
  std::mt19937 random_;
  std::int64_t time_ns_ = 1'700'000'000'000'000'123;
  std::uint32_t seq_ = 0xfffff000, ack_ = 5, stamp_ = 0xffffff00;
};

TEST(PacketLogTest, GivesBackWhatWasPutIn) {
  EventPool pool;
  for (unsigned seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    Maker maker(seed);
    std::vector<Told> kept;
    Told first = maker.next();
    PacketLog log(first.segment.time_ns);
    unsigned refused = 0;
    for (int i = 0; i < 100; ++i) {
      const Told told = i == 0 ? first : maker.next();
      if (log.append(pool, told.segment, told.from_a, told.wild))
        kept.push_back(told);
      else
        ++refused;
    }
    EXPECT_LE(refused, 20U);  // only what is longer than a block
    ASSERT_EQ(log.packets(), kept.size());
    EXPECT_EQ(log.last_ns(), kept.back().segment.time_ns);
    std::size_t at = 0;
    log.show(maker.a, maker.b, [&](const Segment& s, bool from_a, bool wild) {
      ASSERT_LT(at, kept.size());
      EXPECT_EQ(kept[at].from_a, from_a);
      EXPECT_EQ(kept[at].wild, wild);
      expect_same(kept[at].segment, s);
      ++at;
    });
    EXPECT_EQ(at, kept.size());
    log.clear(pool);
    EXPECT_EQ(log.packets(), 0U);
  }
}

// A download as most are: segments and their ACKs with time stamps, no option else. What a packet
// does not have takes no room.
TEST(PacketLogTest, PlainPacketsTakeFewBytes) {
  EventPool pool;
  const Maker ends(1);
  Segment data;
  data.time_ns = 1'700'000'000'000'000'000;
  data.source = ends.b;
  data.destination = ends.a;
  data.flags = analysis::flag::kAck;
  data.payload = 1448;
  data.window = 501;
  data.ttl = 60;
  data.timestamps = analysis::Presence::known;
  Segment ack = data;
  ack.source = ends.a;
  ack.destination = ends.b;
  ack.payload = 0;
  PacketLog log(data.time_ns);
  for (int i = 0; i < 50; ++i) {
    data.time_ns += 100'000;
    data.seq += 1448;
    data.ip_id++;
    data.tsval++;
    ASSERT_TRUE(log.append(pool, data, false, false));
    ack.time_ns = data.time_ns += 10'000;
    ack.ack = data.seq + 1448;
    ack.window = static_cast<std::uint16_t>(2000 + i);
    ack.ip_id++;
    ack.tsval++;
    ack.tsecr = data.tsval;
    ASSERT_TRUE(log.append(pool, ack, true, false));
  }
  EXPECT_LE(log.bytes(), 100U * 8);
}

TEST(PacketLogTest, RefusesWhatItCannotKeep) {
  EventPool pool;
  Maker maker(1);
  Segment segment = maker.next().segment;
  PacketLog log(segment.time_ns);
  ASSERT_TRUE(log.append(pool, segment, true, false));
  Segment earlier = segment;
  earlier.time_ns -= 1;
  EXPECT_FALSE(log.append(pool, earlier, true, false));
  Segment inside = segment;
  inside.tunnel = analysis::Tunnel::gre;
  EXPECT_FALSE(log.append(pool, inside, true, false));
  EXPECT_EQ(log.packets(), 1U);
}

}  // namespace
}  // namespace rwin
