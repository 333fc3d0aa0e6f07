#include "capture/source/read_ahead.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace rwin::capture::test {
namespace {

constexpr std::size_t kLong = 3'000'001;  // many buffers, the last one not full

std::uint8_t byte_at(std::size_t i) { return static_cast<std::uint8_t>(i * 2654435761U >> 13U); }

// `size` bytes in portions of changing length, then the end or a fault.
class Portions final : public Stream {
 public:
  Portions(std::size_t size, std::string fault) : size_(size), end_(std::move(fault)) {}
  [[nodiscard]] double progress() const override { return 0.5; }

 protected:
  std::size_t fill(std::uint8_t* to, std::size_t size) override {
    const std::size_t n = std::min({size, size_ - at_, 1 + at_ % 70'000});
    for (std::size_t i = 0; i < n; ++i) to[i] = byte_at(at_ + i);
    at_ += n;
    if (n == 0) set_fault(end_);
    return n;
  }

 private:
  std::size_t size_, at_ = 0;
  std::string end_;
};

ReadAhead reader(std::size_t size, const std::string& fault = "") {
  return ReadAhead(std::make_unique<Portions>(size, fault));
}

// How many bytes came, all of them right.
std::size_t read_to_the_end(Stream& stream, std::size_t portion) {
  std::vector<std::uint8_t> bytes(portion);
  std::size_t at = 0;
  while (const std::size_t got = stream.read(bytes.data(), portion)) {
    for (std::size_t i = 0; i < got; ++i) {
      if (bytes[i] != byte_at(at + i)) return 0;
    }
    at += got;
  }
  return at;
}

class ReadAheadTest : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Sizes, ReadAheadTest,
                         testing::Values(1U, 1000U, 262'144U, 262'145U, 524'288U, kLong));

TEST_P(ReadAheadTest, GivesTheSameBytes) {
  for (const std::size_t portion : {std::size_t{997}, std::size_t{65'536}, std::size_t{1} << 20}) {
    auto stream = reader(GetParam());
    EXPECT_EQ(read_to_the_end(stream, portion), GetParam());
    EXPECT_EQ(stream.fault(), "");
    std::uint8_t more = 0;
    EXPECT_EQ(stream.read(&more, 1), 0U);
  }
}

TEST_P(ReadAheadTest, GivesWhatCameBeforeTheFaultThenTheFault) {
  auto stream = reader(GetParam(), "data damaged");
  EXPECT_EQ(read_to_the_end(stream, 10'000), GetParam());
  EXPECT_EQ(stream.fault(), "data damaged");
}

// Records as long as may be, many across the border of two buffers, one longer than any.
TEST_P(ReadAheadTest, AWindowOnItShowsTheSameBytes) {
  auto stream = reader(GetParam(), "data damaged");
  Window window(stream);
  std::size_t at = 0;
  for (std::size_t i = 1;; ++i) {
    const std::size_t length = i == 40 ? 700'000 : i * 7919 % (i % 10 == 0 ? 200'000 : 3'000) + 1;
    const std::uint8_t* bytes = window.want(length);
    if (bytes == nullptr) {
      EXPECT_LT(window.available(), length);
      break;
    }
    for (std::size_t k = 0; k < length; ++k) ASSERT_EQ(bytes[k], byte_at(at + k)) << at;
    window.take(length);
    at += length;
  }
  EXPECT_EQ(at + window.available(), GetParam());
  EXPECT_EQ(stream.fault(), "data damaged");
}

TEST(ReadAhead, MayBeLeftHalfWay) {
  auto stream = reader(kLong);
  std::vector<std::uint8_t> bytes(600'000);
  std::size_t got = 0;
  while (got < 600'000) got += stream.read(bytes.data(), 600'000 - got);
  EXPECT_EQ(stream.progress(), 0.5);
}

}  // namespace
}  // namespace rwin::capture::test
