// A direction of a connection as the reports for people keep it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "analysis/result.h"
#include "app/live/local_socket.h"
#include "rules/assess.h"

namespace rwin::app {

struct Finding {
  std::uint64_t id = 0;  // of the connection
  analysis::Endpoint sender, receiver;
  std::int64_t length_us = 0;  // of the connection
  analysis::Tunnel tunnel = analysis::Tunnel::none;
  std::shared_ptr<const analysis::TunnelEnds> tunnel_ends;
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

}  // namespace rwin::app
