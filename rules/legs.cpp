#include "rules/legs.h"

#include <algorithm>

#include "rules/text.h"

namespace rwin::rules {

using analysis::Limit;

void Legs::add(const analysis::ConnectionResult& connection,
               const analysis::DirectionResult& direction) {
  const bool held = direction.limit == Limit::receiver_window;
  if ((!held && direction.limit != Limit::sender_app) || direction.bytes < kFewestBytes) return;
  std::vector<Leg>& list = held ? held_ : waiting_;
  if (list.size() >= kMost) return;
  const bool up = direction.from_client;
  const auto& sender = (up ? connection.client : connection.server).address;
  const auto& receiver = (up ? connection.server : connection.client).address;
  const std::int64_t from = connection.start_ns + direction.first_data_us * 1000;
  list.push_back({from, from + direction.duration_us * 1000, direction.bytes,
                  held ? receiver : sender, held ? sender : receiver});
}

std::vector<std::string> Legs::notes(const analysis::Address& host) const {
  std::vector<std::string> out;
  for (const Leg& in : held_) {
    if (!(in.host == host)) continue;
    for (const Leg& on : waiting_) {
      if (!(on.host == host)) continue;
      // The same amount, at the same time.
      const std::uint64_t more = std::max(in.bytes, on.bytes);
      const std::uint64_t less = std::min(in.bytes, on.bytes);
      const std::int64_t both = std::min(in.to_ns, on.to_ns) - std::max(in.from_ns, on.from_ns);
      if (less * 10 < more * 9 || both * 10 < (in.to_ns - in.from_ns) * 8) continue;
      out.push_back("It hands on what it receives: the leg from " + format_address(in.peer) +
                    " is held by its receive window, and the leg to " + format_address(on.peer) +
                    " only waits for that.");
    }
  }
  return out;
}

}  // namespace rwin::rules
