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
  std::int64_t length_us = 0;  // of the connection
  analysis::Tunnel tunnel = analysis::Tunnel::none;
  analysis::DirectionResult direction;
  rules::Assessment assessment;
  std::shared_ptr<const LocalSocket> local;  // this host's end, live; else null
  std::uint64_t same_fix_as =
      0;  // id of a finding printed before whose advice covers this one; 0: none

  // This host sends the data; only with `local`.
  [[nodiscard]] bool sent_here() const { return local->client == direction.from_client; }
  [[nodiscard]] analysis::Limit limit() const { return assessment.verdict.limit; }
};

// Does `other`'s advice name the same changes on the same hosts, with values at least as large?
bool covers(const std::vector<rules::Advice>& other, const std::vector<rules::Advice>& advice);

struct FindingText {
  Units units = Units::bits;
  bool verbose = false;
  std::optional<double> target_bps;     // the user's
  std::optional<double> interface_bps;  // speed of the interface, live
};
// As a block, or in one line.
void print_finding(Page& page, const Finding& finding, bool full, const FindingText& how);

}  // namespace rwin::app
