// Random numbers that are the same everywhere (the standard's distributions are not).
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace rwin::sim {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  // SplitMix64 (Steele, Lea, Flood 2014).
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  // 0 <= x < 1.
  double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  double real(double low, double high) { return low + (high - low) * unit(); }
  // Every factor is as likely as any other: for rates, delays and sizes.
  double spread(double low, double high) { return low * std::pow(high / low, unit()); }
  std::int64_t whole(std::int64_t low, std::int64_t high) {  // both included
    return low + static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool chance(double share) { return unit() < share; }
  template <class T>
  T pick(std::initializer_list<T> list) {
    return list.begin()[static_cast<std::size_t>(next() % list.size())];
  }

 private:
  std::uint64_t state_;
};

}  // namespace rwin::sim
