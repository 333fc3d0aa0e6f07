#include "analysis/flow_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "tests/support/seed.h"
#include "tests/support/segment_builder.h"

namespace rwin::test {
namespace {

using analysis::Endpoint;
using analysis::FlowTable;
using analysis::kNoConnection;

// The table next to a std::map that says what must be in it.
class Both {
 public:
  using Key = std::pair<Endpoint, Endpoint>;
  static Key key(const Endpoint& a, const Endpoint& b) { return a < b ? Key{a, b} : Key{b, a}; }

  [[nodiscard]] std::uint32_t find(const Endpoint& a, const Endpoint& b) const {
    const Key wanted = key(a, b);
    return table_.find(a, b, [&](std::uint32_t i) { return keys_[i] == wanted; });
  }
  [[nodiscard]] std::uint32_t oracle(const Endpoint& a, const Endpoint& b) const {
    const auto it = map_.find(key(a, b));
    return it == map_.end() ? kNoConnection : it->second;
  }
  void insert(const Endpoint& a, const Endpoint& b) {
    const auto index = static_cast<std::uint32_t>(keys_.size());
    keys_.push_back(key(a, b));
    table_.insert(a, b, index);
    map_[key(a, b)] = index;
  }
  void erase(const Endpoint& a, const Endpoint& b) {
    table_.erase(a, b, oracle(a, b));
    map_.erase(key(a, b));
  }
  [[nodiscard]] std::size_t size() const { return map_.size(); }
  [[nodiscard]] std::size_t table_size() const { return table_.size(); }
  [[nodiscard]] const std::map<Key, std::uint32_t>& map() const { return map_; }

 private:
  FlowTable table_;
  std::vector<Key> keys_;
  std::map<Key, std::uint32_t> map_;
};

TEST(FlowTable, EitherDirectionFindsTheSameConnection) {
  Both t;
  const Endpoint a = endpoint4(0xc0000201, 40000);
  const Endpoint b = endpoint4(0xc0000202, 443);
  EXPECT_EQ(t.find(a, b), kNoConnection);
  t.insert(b, a);
  EXPECT_EQ(t.find(a, b), 0U);
  EXPECT_EQ(t.find(b, a), 0U);
  EXPECT_EQ(t.find(a, endpoint4(0xc0000202, 444)), kNoConnection);
  // Ports changed over are another connection.
  EXPECT_EQ(t.find(endpoint4(0xc0000201, 443), endpoint4(0xc0000202, 40000)), kNoConnection);
  t.erase(a, b);
  EXPECT_EQ(t.find(b, a), kNoConnection);
  EXPECT_EQ(t.table_size(), 0U);
}

TEST(FlowTable, AHostTalkingToItself) {
  Both t;
  const Endpoint a = endpoint4(0x7f000001, 5000);
  t.insert(a, a);
  EXPECT_EQ(t.find(a, a), 0U);
}

TEST(FlowTable, AddressFamiliesDiffer) {
  Both t;
  Endpoint four = endpoint4(0x01020304, 80);
  Endpoint six = four;
  six.address.family = 6;
  t.insert(four, endpoint4(1, 1));
  EXPECT_EQ(t.find(six, endpoint4(1, 1)), kNoConnection);
}

TEST(FlowTable, AgreesWithAMapThroughGrowthAndErasure) {
  const std::uint64_t seed = test_seed(5);
  SCOPED_TRACE(seed_text(seed));
  std::mt19937_64 random(seed);
  Both t;
  const auto endpoint = [&] {
    Endpoint e = endpoint4(0x0a000000 + static_cast<std::uint32_t>(random() % 40),
                           static_cast<std::uint16_t>(1 + random() % 60));
    if (random() % 4 == 0) e.address.family = 6;
    return e;
  };
  for (int i = 0; i < 300'000; ++i) {
    const Endpoint a = endpoint();
    const Endpoint b = endpoint();
    ASSERT_EQ(t.find(a, b), t.oracle(a, b));
    const bool known = t.oracle(a, b) != kNoConnection;
    // First mostly in, later mostly out: the table grows, and holes are closed behind what leaves.
    const bool wanted = i < 150'000 ? random() % 8 != 0 : random() % 8 == 0;
    if (wanted && !known) t.insert(a, b);
    if (!wanted && known) t.erase(a, b);
    ASSERT_EQ(t.table_size(), t.size());
  }
  for (const auto& [key, index] : t.map()) ASSERT_EQ(t.find(key.second, key.first), index);
}

}  // namespace
}  // namespace rwin::test
