// One finding of the text report: what limits this direction, how much it costs, and the change
// that lifts it.
#pragma once

#include "app/page.h"
#include "app/report.h"

namespace rwin::app {

// A direction as the text report keeps it.
struct Finding {
  std::uint64_t id = 0;  // of the connection
  analysis::Endpoint sender, receiver;
  std::int64_t length_us = 0;        // of the connection
  std::optional<std::uint16_t> mss;  // what the receiver announced
  bool handshake_seen = false;       // both SYNs
  std::string sender_os, receiver_os;
  analysis::DirectionResult direction;
  rules::Assessment assessment;

  [[nodiscard]] analysis::Limit limit() const { return assessment.verdict.limit; }
  [[nodiscard]] bool window_held() const {
    return limit() == analysis::Limit::receiver_window || limit() == analysis::Limit::receiver_app;
  }
};

// How a finding is shown; the order is the order in the report.
enum class Weight : std::uint8_t {
  full,   // a block with speed, time, cause, fix
  brief,  // one line: the window is not the limit, or no verdict
  tiny,   // left out where there is anything heavier
};
Weight weight_of(const Finding& finding);

// Bits that the limit cost: (what could be - what was) x the time it held. Orders the report.
double lost_bits(const Finding& finding);

struct FindingText {
  Units units = Units::bits;
  bool verbose = false;
  std::optional<double> target_bps;  // the user's
};
void print_finding(Page& page, const Finding& finding, Weight weight, const FindingText& how);

}  // namespace rwin::app
