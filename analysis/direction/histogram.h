// Weighted quantiles in fixed memory: log-spaced buckets, 2.2 % wide, each keeping the mean of what fell into it, so
// that a value seen over and over comes back exactly.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>

namespace rwin::analysis {

class Histogram {
 public:
  void add(std::int64_t value, double weight = 1.0) {
    if (value < 0 || weight <= 0) return;
    Bucket& b = buckets_[index(static_cast<std::uint64_t>(value))];
    b.weight += weight;
    b.sum += weight * static_cast<double>(value);
    total_ += weight;
  }
  [[nodiscard]] double total() const { return total_; }
  // Quantile q in 0..1; nullopt when empty.
  [[nodiscard]] std::optional<std::int64_t> quantile(double q) const {
    if (total_ <= 0) return std::nullopt;
    double seen = 0;
    const Bucket* last = nullptr;
    for (const Bucket& b : buckets_) {
      if (b.weight <= 0) continue;
      last = &b;
      seen += b.weight;
      if (seen >= q * total_) break;
    }
    return static_cast<std::int64_t>(last->sum / last->weight + 0.5);
  }

 private:
  struct Bucket {
    double weight = 0, sum = 0;
  };
  static constexpr int kSub = 32;       // buckets per octave
  static constexpr int kOctaves = 44;
  static std::size_t index(std::uint64_t v) {
    if (v < kSub) return static_cast<std::size_t>(v);
    const int octave = std::bit_width(v) - 6;  // v >> octave lies in 32..63
    const std::size_t i = static_cast<std::size_t>(octave) * kSub + static_cast<std::size_t>(v >> octave);
    return i < kSub * kOctaves ? i : kSub * kOctaves - 1;
  }
  std::array<Bucket, static_cast<std::size_t>(kSub) * kOctaves> buckets_{};
  double total_ = 0;
};

}  // namespace rwin::analysis
