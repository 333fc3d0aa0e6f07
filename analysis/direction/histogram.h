// Weighted quantiles in fixed memory: log-spaced buckets, at most 3 % wide, each keeping the mean
// of what fell into it, so that a value seen over and over comes back exactly. Memory and time go
// with the range of the values.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace rwin::analysis {

class Histogram {
 public:
  // Inline, all but the way to another bucket: it is asked for every packet, and runs of one value
  // are common.
  [[gnu::always_inline]] void add(std::int64_t value, double weight = 1.0) {
    if (value < 0 || weight <= 0) return;
    if (value != last_value_) find(value);
    Bucket& b = buckets_.data()[last_];
    b.weight += weight;
    b.sum += weight * static_cast<double>(value);
    total_ += weight;
  }
  void clear() {
    buckets_.clear();
    total_ = 0;
    last_value_ = -1;
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
    return std::llround(last->sum / last->weight);
  }
  // The value at which the distribution ends in a pile: many values within 4 %, next to none above,
  // clearly fewer just below. nullopt where it fades out instead.
  [[nodiscard]] std::optional<std::int64_t> ceiling() const {
    constexpr double kPile = 0.12, kMostAbove = 0.06, kSharp = 1.6;
    double above = 0;  // weight of what is higher than bucket `top`
    for (std::size_t top = buckets_.size(); top-- > 0 && above <= kMostAbove * total_;) {
      const Bucket& highest = buckets_[top];
      if (highest.weight <= 0) continue;
      const double edge = highest.sum / highest.weight;
      Bucket pile, below;
      for (std::size_t i = top + 1; i-- > 0;) {
        const Bucket& b = buckets_[i];
        if (b.weight <= 0) continue;
        const double value = b.sum / b.weight;
        if (value < 0.84 * edge) break;
        Bucket& part = value >= 0.92 * edge ? pile : below;
        part.weight += b.weight;
        part.sum += b.sum;
      }
      if (pile.weight >= kPile * total_ && pile.weight >= kSharp * below.weight)
        return std::llround(pile.sum / pile.weight);
      above += highest.weight;
    }
    return std::nullopt;
  }

 private:
  struct Bucket {
    double weight = 0, sum = 0;
  };
  static constexpr unsigned kSub = 32;  // buckets per octave
  static constexpr std::size_t kMost = 44 * kSub;

  static std::size_t index(std::uint64_t v) {
    if (v < 2 * kSub) return static_cast<std::size_t>(v);
    const unsigned octave =
        static_cast<unsigned>(std::bit_width(v)) - 6;  // v >> octave lies in 32..63
    return std::min<std::size_t>(octave * kSub + (v >> octave), kMost - 1);
  }
  // The bucket of `value` becomes the last one used.
  void find(std::int64_t value) {
    const std::size_t i = index(static_cast<std::uint64_t>(value));
    if (i - first_ >= buckets_.size()) make(i);
    last_value_ = value;
    last_ = i - first_;
  }
  [[gnu::noinline]] void make(std::size_t i) {
    if (buckets_.empty()) first_ = i;
    if (i < first_) {
      buckets_.insert(buckets_.begin(), first_ - i, Bucket{});
      first_ = i;
    }
    if (i - first_ >= buckets_.size()) buckets_.resize(i - first_ + 1);
  }

  std::vector<Bucket> buckets_;  // of the indices in use, from first_
  std::size_t first_ = 0, last_ = 0;
  std::int64_t last_value_ = -1;
  double total_ = 0;
};

}  // namespace rwin::analysis
