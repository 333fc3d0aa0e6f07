#include "rules/stalls.h"

#include <algorithm>

#include "rules/text.h"

namespace rwin::rules {
namespace {

constexpr std::int64_t kShortestNs = 1'000'000'000;  // a window low for less is everyday life
constexpr std::int64_t kTogetherNs = 1'000'000'000;  // begun within that of each other
constexpr std::size_t kFewest = 3;

}  // namespace

std::optional<Stall> stall_of(const analysis::ConnectionResult& connection,
                              const analysis::DirectionResult& direction) {
  if (direction.low_window_us * 1000 < kShortestNs) return std::nullopt;
  const auto& receiver = direction.from_client ? connection.server : connection.client;
  const std::int64_t from = connection.start_ns + direction.low_window_at_us * 1000;
  return Stall{from, from + direction.low_window_us * 1000, receiver.port,
               direction.retransmitted_segments > 0};
}

void Stalls::add(const Stall& stall) {
  if (list_.size() < kMost) {
    list_.push_back(stall);
    return;
  }
  list_[next_] = stall;
  next_ = (next_ + 1) % kMost;
}

void Stalls::tell(HostSummary& host) const {
  std::vector<Stall> sorted = list_;
  std::sort(sorted.begin(), sorted.end(),
            [](const Stall& a, const Stall& b) { return a.from_ns < b.from_ns; });
  std::size_t best = 0;
  std::size_t count = 0;
  for (std::size_t first = 0, end = 0; first < sorted.size(); ++first) {
    while (end < sorted.size() && sorted[end].from_ns - sorted[first].from_ns <= kTogetherNs) ++end;
    if (end - first > count) {
      best = first;
      count = end - first;
    }
  }
  if (count < kFewest) return;
  const std::vector<Stall> group(sorted.begin() + static_cast<std::ptrdiff_t>(best),
                                 sorted.begin() + static_cast<std::ptrdiff_t>(best + count));
  host.stalled_together = count;
  const bool one_port = std::all_of(group.begin(), group.end(),
                                    [&](const Stall& s) { return s.port == group.front().port; });
  const bool dropped =
      std::any_of(group.begin(), group.end(), [](const Stall& s) { return s.sent_again; });
  std::int64_t longest_ns = 0;
  for (const Stall& s : group) longest_ns = std::max(longest_ns, s.to_ns - s.from_ns);
  const std::string how = "The windows of " + format_count(count) +
                          " connections into this host fell within one second and stayed low for " +
                          format_time(longest_ns / 1000);
  if (one_port) {
    host.cause = "reader-stopped";
    host.notes.push_back(how + ", all at port " + std::to_string(group.front().port) +
                         ": the process behind this port did not read. Larger buffers would only "
                         "delay that.");
    return;
  }
  host.cause = "host-memory";
  host.notes.push_back(how + ", at different ports" +
                       (dropped ? ", and data was sent again there" : "") +
                       ": host memory pressure suspected. Look into the kernel log for \"out of "
                       "memory -- consider tuning tcp_mem\" and at net.ipv4.tcp_mem (in pages, for "
                       "the whole host).");
}

}  // namespace rwin::rules
