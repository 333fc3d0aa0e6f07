// A finding as pictures: result in, SVG out. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/finding.h"
#include "app/finding_words.h"
#include "app/html/svg.h"

namespace rwin::app::html {

// Steps of a flow's pictures, at most; no value of a step gets lost: its smallest and largest stay.
inline constexpr unsigned kColumns = 800;

// A flow cut into columns of equal time.
struct Columns {
  double step_us = 0;
  Values window_low, window_high;  // bytes; between two advertisements the last one holds
  Values flight;                   // bytes, the most
  Values rtt_low, rtt_high;        // us
  Values rate;                     // bit/s, over two round trips or one column
  Values sent_low, sent_high, again_low, again_high, acked, edge_low, edge_high;  // bytes
  Values resent;                                                                  // segments
  [[nodiscard]] std::size_t size() const { return window_high.size(); }
};
Columns columns_of(const Finding& finding);

// What the axes end at. Two flows that are compared share it.
struct Scales {
  double length_us = 0, bytes = 0, rtt_us = 0, bps = 0, sequence = 0;
};
Scales scales_of(const Finding& finding, const Columns& columns);
Scales joined(const Scales& a, const Scales& b);

struct Picture {
  std::string_view key;  // "window" "rtt" "rate" "sequence" "limits": part of a file's name
  std::string title;
  std::string description;  // what it shows, for who does not see it
  std::string caption;      // how to read it
  std::string svg;
};
// In the order of reading; those of which nothing was measured are left out.
std::vector<Picture> pictures_of(const Finding& finding, const Columns& columns,
                                 const Scales& scales, const FindingText& how);

// As a file of its own.
std::string svg_file(const Picture& picture, std::string_view name);

}  // namespace rwin::app::html
