// Receivers: what their transfers reach together, beside what the line carries. A window limits
// each stream alone, so several of them may fill a line that one cannot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tui/model/rows.h"

namespace rwin::tui {

struct HostRow {
  analysis::Address address;
  std::string_view os;  // into the snapshot, empty: not recognised
  std::size_t flows = 0, window_limited = 0, unknown = 0;
  std::size_t streams = 0;  // most of them at the same time
  std::optional<double>
      together_bps;  // all of them: of the last moments, else over the time in which one ran
  std::optional<double> line_bps;  // the user's target, else the best capacity seen on its way
  bool line_is_target = false;
  std::optional<std::uint64_t> window_max;
  std::optional<std::int64_t> rtt_us;  // largest base RTT
  std::optional<double> lost_bits;
  std::vector<std::size_t> rows;  // into the rows given, the one that lost most first
};

// One row a receiver, the one that lost most first.
std::vector<HostRow> make_hosts(const Snapshot& snapshot, const std::vector<Row>& rows);

}  // namespace rwin::tui
