// The transfers that the dashboard lists: one row a data direction, with the figures that are shown
// and sorted by.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tui/model/snapshot.h"

namespace rwin::tui {

using Names = std::map<analysis::Address, std::string>;  // reverse names, as far as they are known

// Which direction of which connection; the same in every snapshot.
struct FlowId {
  std::uint64_t connection = 0;  // 0: none
  bool from_client = false;
  friend auto operator<=>(const FlowId&, const FlowId&) = default;
};

struct Row {
  FlowId id;
  // Into the snapshot that the row was made from.
  const Connection* connection = nullptr;
  const analysis::DirectionResult* direction = nullptr;
  const rules::Assessment* assessment = nullptr;
  const analysis::Endpoint* sender = nullptr;
  const analysis::Endpoint* receiver = nullptr;

  bool closed = false;     // over at the moment shown
  bool momentary = false;  // rate_bps is of the last moments, else the average of the transfer
  std::optional<double> rate_bps;
  std::optional<double> ceiling_bps;  // window / round trip
  std::optional<std::int64_t> rtt_us;
  std::optional<std::uint64_t> window;
  std::optional<double> use;  // bytes in flight / window, 0 to 1
  double lost_bits = 0;       // what the limit cost; orders the list
  bool tiny = false;          // a few packets, no transfer

  [[nodiscard]] analysis::Limit limit() const { return assessment->verdict.limit; }
};

// One direction as it was around a moment, from its chart.
struct Moment {
  std::optional<std::uint32_t> window, flight, rtt_us;
  double rate_bps = 0;
  std::optional<analysis::Limit> limit;
};
// `at_us`: from the connection's first packet. Rates are averages over `over_us` before it or a
// little more. `end_us`: how far the connection has come; a step that is not over yet counts for as
// long as it is.
Moment moment_of(const analysis::DirectionResult& direction, std::int64_t at_us,
                 std::int64_t over_us, std::int64_t end_us);

// All rows of a snapshot into `rows`, in order of the first packet; directions of a few packets
// beside a larger one are left out. `cursor_ns`: as of then (connections that began later are left
// out), nullopt: now.
void make_rows(const Snapshot& snapshot, std::optional<std::int64_t> cursor_ns,
               std::vector<Row>& rows);
// The same in an order, of those that are listed: thousands of rows are not copied to be sorted.
using RowList = std::vector<const Row*>;
// One row: of the direction at `index`.
Row make_row(const Snapshot& snapshot, const Connection& connection, std::size_t index,
             std::optional<std::int64_t> cursor_ns);

// What is told before the other: open before closed, held by the receiver before anything else
// (that is what rwin is there for), then what lost most, then what moved most.
bool worse(const Row& a, const Row& b);

enum class SortBy : std::uint8_t { lost, rate, ceiling, rtt, window, use, moved, start };
inline constexpr int kSortCount = 8;
std::string_view name_of(SortBy by);  // "speed lost"
// Largest first, unknown last; `turned`: smallest first. Closed ones come after open ones in a live
// capture.
void sort_rows(RowList& rows, SortBy by, bool turned);
// Where a row stood in a list.
struct Place {
  FlowId id;
  std::size_t at = 0;
};
// `rows` in the order in which they stood before, new ones sorted behind them. `before` ascends by
// id and has each place below its size once.
RowList keep_order(const RowList& rows, const std::vector<Place>& before, SortBy by, bool turned);

}  // namespace rwin::tui
