// The windows of a direction, and the window test (METHOD part 2).
#include <algorithm>

#include "tests/reference/figures.h"

namespace rwin::reference {
namespace {

std::int64_t bytes(const Ack& a, std::uint8_t shift) {
  return a.unscaled ? a.field : std::int64_t{a.field} << shift;
}

}  // namespace

Windows windows(const Figures& f, std::uint8_t shift) {
  Windows out;
  std::vector<std::int64_t> all;
  std::int64_t edge = INT64_MIN;
  std::int64_t acked = INT64_MIN;
  for (const Ack& a : f.acks) {
    if (a.unscaled || (a.repeats && a.field != 0)) continue;
    const std::int64_t w = bytes(a, shift);
    all.push_back(w);
    if (a.ack < acked) continue;  // overtaken: an edge of long ago
    // Less than a unit of the scale is rounding.
    if (edge != INT64_MIN && a.ack + w < edge - (std::int64_t{1} << shift)) {
      ++out.shrunk_count;
      out.shrunk_bytes = std::max(out.shrunk_bytes, static_cast<std::uint64_t>(edge - a.ack - w));
    }
    edge = a.ack + w;
    acked = a.ack;
  }
  if (all.empty()) return out;
  out.first = all.front();
  std::sort(all.begin(), all.end());
  out.low = all.front();
  out.high = all.back();
  out.median = all[(all.size() - 1) / 2];
  return out;
}

std::vector<Edge> edges(const Figures& f, std::size_t count, std::uint8_t shift) {
  std::vector<Edge> out;
  std::int64_t acked = 0;
  bool unscaled = false;
  for (std::size_t i = 0; i < count; ++i) {
    const Ack& a = f.acks[i];
    const std::int64_t edge = a.ack + bytes(a, shift);
    if (!out.empty()) {
      // RFC 9293 3.10.7.4: an older segment does not change the window. Two ACKs of the same
      // number cannot be told apart but by their data: the larger window counts.
      if (a.ack < acked) continue;
      if (a.ack == acked && !unscaled && !a.carries_data && edge <= out.back().edge) continue;
    }
    acked = a.ack;
    unscaled = a.unscaled;
    out.push_back({a.t, edge});
  }
  return out;
}

std::int64_t permitted_since(const std::vector<Edge>& edges, std::int64_t end) {
  if (edges.empty()) return kAlways;
  if (edges.back().edge < end) return kNever;
  std::size_t i = edges.size();
  while (i > 0 && edges[i - 1].edge >= end) --i;
  return i == 0 ? kAlways : edges[i].t;
}

std::size_t known_acks(const Figures& f, const Data& d, std::int64_t d_s) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < d.acks_before; ++i) {
    if (f.acks[i].t <= d.t - d_s) n = i + 1;
  }
  return n;
}

std::optional<std::int64_t> flight(const Figures& f, const Data& d, std::int64_t d_s) {
  const std::size_t n = known_acks(f, d, d_s);
  std::optional<std::int64_t> acked;
  for (std::size_t i = 0; i < n; ++i) acked = std::max(acked.value_or(0), f.acks[i].ack);
  if (!acked) return std::nullopt;
  return std::max(d.end, d.sent_before) - *acked;
}

std::optional<std::int64_t> headroom(const Figures& f, const Data& d, std::int64_t d_s,
                                     std::uint8_t shift) {
  const auto known = edges(f, known_acks(f, d, d_s), shift);
  if (known.empty()) return std::nullopt;
  return known.back().edge - d.end;
}

}  // namespace rwin::reference
