// The findings that a report for people tells, however many connections there are: what costs most
// first, at most as many as asked for.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "app/finding.h"
#include "app/report.h"
#include "rules/weight.h"

namespace rwin::app {

// One direction; takes it out of `judged`.
Finding make_finding(Judged& judged, std::size_t index);

class FindingList {
 public:
  // `top`: findings kept at most, 0: all. `min_bytes`: directions that moved less are left out.
  // `settings`: what briefly judged connections were judged with.
  FindingList(std::uint64_t top, std::uint64_t min_bytes, rules::Settings settings = {})
      : top_(top), min_bytes_(min_bytes), settings_(std::move(settings)) {}

  // Takes what it keeps by moving it out.
  void add(Judged&& judged);
  // After the last one.
  void sort();

  // Is it the window, and who is worst off: one to three sentences. After sort().
  [[nodiscard]] std::string answer(const RunInfo& info, Units units) const;
  // What is told, in its order, `full` or in one line. `verbose`: also the tiny ones. Fixes that
  // stand in an earlier one get Finding::same_fix_as.
  struct Shown {
    const Finding* finding;
    bool full;
  };
  std::vector<Shown> shown(bool verbose);
  // "Not shown: 3 connections without data."; empty: everything is. After shown().
  [[nodiscard]] std::string left_out() const;

  [[nodiscard]] std::uint64_t directions() const { return directions_; }
  [[nodiscard]] std::uint64_t without_data() const { return without_data_; }

 private:
  [[nodiscard]] std::uint64_t transfer_count() const;
  [[nodiscard]] std::string other_limits() const;
  [[nodiscard]] std::string only_transfer() const;
  [[nodiscard]] std::string worst_transfer(bool only_one, Units units) const;

  // Smaller comes first: what costs most, then what moved most, then the order of the capture.
  struct Rank {
    bool tiny;
    double not_lost;  // bits, negative
    rules::Weight weight;
    double not_moved;  // bytes, negative
    std::uint64_t id;
    bool from_client;
    friend auto operator<=>(const Rank&, const Rank&) = default;
  };
  struct Kept {
    Rank rank;
    Finding finding;
    [[nodiscard]] bool operator<(const Kept& other) const { return rank < other.rank; }
  };
  static Rank rank_of(const Judged& judged, std::size_t index);
  std::uint64_t top_, min_bytes_;
  rules::Settings settings_;
  std::vector<Kept> kept_;  // until sort() a heap with the least important on top
  std::uint64_t directions_ = 0;
  // Directions that moved more than a few kilobytes, by what limits them.
  std::array<std::uint64_t, analysis::kLimitCount> transfers_{};
  std::uint64_t without_data_ = 0;
  std::uint64_t too_small_ = 0;  // under min_bytes
  std::uint64_t beyond_ = 0;     // more than top
  std::uint64_t tiny_ = 0;       // not worth a line
};

}  // namespace rwin::app
