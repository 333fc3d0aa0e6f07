// Weighted quantiles in fixed memory: log-spaced buckets, at most 3 % wide, each keeping the mean of what fell into it,
// so that a value seen over and over comes back exactly. Clearing and reading touch only the buckets in use.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace rwin::analysis {

class Histogram {
 public:
  void add(std::int64_t value, double weight = 1.0) {
    if (value < 0 || weight <= 0) return;
    const std::size_t i = index(static_cast<std::uint64_t>(value));
    low_ = std::min(low_, i);
    high_ = std::max(high_, i);
    buckets_[i].weight += weight;
    buckets_[i].sum += weight * static_cast<double>(value);
    total_ += weight;
  }
  void clear() {
    for (std::size_t i = low_; i <= high_ && i < kBuckets; ++i) buckets_[i] = {};
    low_ = kBuckets;
    high_ = 0;
    total_ = 0;
  }
  [[nodiscard]] double total() const { return total_; }
  // Quantile q in 0..1; nullopt when empty.
  [[nodiscard]] std::optional<std::int64_t> quantile(double q) const {
    if (total_ <= 0) return std::nullopt;
    double seen = 0;
    std::size_t last = low_;
    for (std::size_t i = low_; i <= high_; ++i) {
      if (buckets_[i].weight <= 0) continue;
      last = i;
      seen += buckets_[i].weight;
      if (seen >= q * total_) break;
    }
    return static_cast<std::int64_t>(buckets_[last].sum / buckets_[last].weight + 0.5);
  }

 private:
  struct Bucket {
    double weight = 0, sum = 0;
  };
  static constexpr int kSub = 32;  // buckets per octave
  static constexpr int kOctaves = 44;
  static constexpr std::size_t kBuckets = static_cast<std::size_t>(kSub) * kOctaves;
  static std::size_t index(std::uint64_t v) {
    if (v < kSub) return static_cast<std::size_t>(v);
    const int octave = static_cast<int>(std::bit_width(v)) - 6;  // v >> octave lies in 32..63
    return std::min(static_cast<std::size_t>(octave + 1) * kSub + static_cast<std::size_t>(v >> std::max(octave, 0)) - kSub,
                    kBuckets - 1);
  }
  std::array<Bucket, kBuckets> buckets_{};
  std::size_t low_ = kBuckets, high_ = 0;
  double total_ = 0;
};

}  // namespace rwin::analysis
