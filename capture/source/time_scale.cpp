#include <limits>

#include "capture/source/pcapng.h"

namespace rwin::capture {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr auto kLatest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

std::uint64_t power_of_ten(int exponent) {
  std::uint64_t value = 1;
  for (int i = 0; i < exponent; ++i) value *= 10;
  return value;
}

std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  return b != 0 && a > kLatest / b ? kLatest : a * b;
}

// 2^-exponent seconds; below 2^-34 s (0.06 ns) the fraction's last bits do not matter.
std::uint64_t binary_to_ns(std::uint64_t ticks, std::uint8_t exponent) {
  const std::uint64_t seconds = exponent < 64 ? ticks >> exponent : 0;
  std::uint64_t fraction = exponent < 64 ? ticks - (seconds << exponent) : ticks;
  int bits = exponent;
  if (bits > 34) {
    const int drop = bits - 34;
    fraction = drop < 64 ? fraction >> drop : 0;
    bits = 34;
  }
  const std::uint64_t whole = times(seconds, kSecond);
  const std::uint64_t part = fraction * kSecond >> bits;
  return whole > kLatest - part ? kLatest : whole + part;
}

}  // namespace

TimeScale::TimeScale(std::uint8_t resolution, std::int64_t offset_seconds)
    : power_of_two_((resolution & 0x80U) != 0),
      exponent_(static_cast<std::uint8_t>(resolution & 0x7fU)),
      offset_seconds_(offset_seconds) {
  if (power_of_two_) return;
  multiply_ = exponent_ <= 9 ? power_of_ten(9 - exponent_) : 1;
  divide_ = exponent_ <= 9 ? 1 : exponent_ - 9 <= 19 ? power_of_ten(exponent_ - 9) : 0;
}

std::int64_t TimeScale::to_ns(std::uint64_t ticks) const {
  std::uint64_t ns = 0;
  if (power_of_two_) {
    ns = binary_to_ns(ticks, exponent_);
  } else if (divide_ == 1) {
    ns = times(ticks, multiply_);
  } else {
    ns = divide_ == 0 ? 0 : ticks / divide_;
    if (ns > kLatest) ns = kLatest;
  }
  const auto base = static_cast<std::int64_t>(ns);
  if (offset_seconds_ == 0) return base;
  std::int64_t offset_ns = 0;
  std::int64_t sum = 0;
  const bool overflow =
      __builtin_mul_overflow(offset_seconds_, static_cast<std::int64_t>(kSecond), &offset_ns) ||
      __builtin_add_overflow(base, offset_ns, &sum);
  if (!overflow) return sum;
  return offset_seconds_ > 0 ? std::numeric_limits<std::int64_t>::max()
                             : std::numeric_limits<std::int64_t>::min();
}

}  // namespace rwin::capture
