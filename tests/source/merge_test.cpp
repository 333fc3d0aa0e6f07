#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/source/capture_bytes.h"

namespace rwin::capture::test {
namespace {

// Gives one byte per packet from a buffer that the next call overwrites, as libpcap does.
class Scripted final : public PacketSource {
 public:
  Scripted(std::string name, std::vector<std::int64_t> times, Read end = Read::end)
      : name_(std::move(name)), times_(std::move(times)), end_(end) {}

  Read next(RawPacket& out) override {
    byte_ = 0xee;
    if (at_ == times_.size()) return end_;
    byte_ = static_cast<std::uint8_t>(name_[0]);
    out = RawPacket{};
    out.time_ns = times_[at_++];
    out.record = at_;
    out.captured = 1;
    out.original = 1;
    out.data = &byte_;
    return Read::packet;
  }
  [[nodiscard]] std::string warning() const override {
    return end_ == Read::cut ? name_ + ": cut" : "";
  }
  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] double progress() const override {
    return static_cast<double>(at_) / static_cast<double>(times_.size());
  }
  [[nodiscard]] std::uint64_t filtered_out() const override { return 2; }

 private:
  std::string name_;
  std::vector<std::int64_t> times_;
  Read end_;
  std::size_t at_ = 0;
  std::uint8_t byte_ = 0;
};

std::string order_of(const ReadResult& r) {
  std::string text;
  for (const ReadRecord& record : r.records) {
    text += static_cast<char>(record.data.at(0));
    text += std::to_string(record.time_ns) + " ";
  }
  return text;
}

std::unique_ptr<PacketSource> merged(std::vector<std::unique_ptr<PacketSource>> sources) {
  return merge(std::move(sources));
}

template <class... S>
std::vector<std::unique_ptr<PacketSource>> list(S... sources) {
  std::vector<std::unique_ptr<PacketSource>> all;
  (all.push_back(std::move(sources)), ...);
  return all;
}

std::unique_ptr<Scripted> scripted(std::string name, std::vector<std::int64_t> times,
                                   Read end = Read::end) {
  return std::make_unique<Scripted>(std::move(name), std::move(times), end);
}

TEST(Merge, ByTimeAndStable) {
  const auto source =
      merged(list(scripted("a", {1, 4, 4, 9}), scripted("b", {2, 4, 8}), scripted("c", {0, 4})));
  const ReadResult r = read_all(*source);
  EXPECT_EQ(order_of(r), "c0 a1 b2 a4 a4 b4 c4 b8 a9 ");
  EXPECT_EQ(r.end, Read::end);
  EXPECT_EQ(source->name(), "a, b, c");
  EXPECT_EQ(r.filtered_out, 6U);
  EXPECT_DOUBLE_EQ(source->progress(), 1.0);
  for (std::size_t i = 0; i < r.records.size(); ++i) EXPECT_EQ(r.records[i].record, i + 1);
}

TEST(Merge, EachInputKeepsItsOwnOrderWhenItsClockStepsBack) {
  const auto source = merged(list(scripted("a", {5, 2, 6}), scripted("b", {1, 3, 7})));
  EXPECT_EQ(order_of(read_all(*source)), "b1 b3 a5 a2 a6 b7 ");
}

TEST(Merge, OneCutInputDoesNotEndTheOthers) {
  const auto source = merged(list(scripted("a", {1}, Read::cut), scripted("b", {2, 3})));
  const ReadResult r = read_all(*source);
  EXPECT_EQ(order_of(r), "a1 b2 b3 ");
  EXPECT_EQ(r.end, Read::cut);
  EXPECT_EQ(r.warning, "a: cut");
  RawPacket p;
  EXPECT_EQ(source->next(p), Read::cut);
}

TEST(Merge, NoneAndOne) {
  const auto none = merged({});
  EXPECT_EQ(read_all(*none).end, Read::end);
  const auto one = merged(list(scripted("a", {3, 1})));
  EXPECT_EQ(order_of(read_all(*one)), "a3 a1 ");
}

TEST(Merge, FilesOfDifferentKinds) {
  TempDir dir;
  const std::string a =
      dir.file("a", packed("gzip", PcapBytes().record(1, 0, {1}).record(3, 0, {3}).bytes()));
  const std::string b =
      dir.file("b", PcapngBytes().interface(113).enhanced(0, 2'000'000, {2}).bytes());
  const auto source =
      merged(list(std::move(open_file(a, "").value()), std::move(open_file(b, "").value())));
  const ReadResult r = read_all(*source);
  ASSERT_EQ(r.records.size(), 3U);
  EXPECT_EQ(r.records[1], (ReadRecord{2'000'000'000, 2, 113, 1, {2}}));
}

}  // namespace
}  // namespace rwin::capture::test
