// Bytes that a capture has not shown yet: gaps in what was sent, and what was acknowledged before
// it was seen.
#include <algorithm>
#include <utility>

#include "analysis/half_flow.h"

namespace rwin::analysis {
namespace {

// Two ports or two clocks can show ACKs before their data. A segment that comes this long after the
// last of them was acknowledged was sent again.
constexpr std::int64_t kCaptureDisorderUs = 2'000'000;

}  // namespace

bool HalfFlow::fills_hole(std::int64_t start, std::int64_t end, std::int64_t& since_us) {
  if (!holes_) return false;
  for (std::uint8_t i = 0; i < holes_->count; ++i) {
    Hole& hole = holes_->list[i];
    if (end <= hole.left || start >= hole.right) continue;
    since_us = hole.since_us;
    if (start <= hole.left && end >= hole.right) {
      hole = holes_->list[--holes_->count];
    } else if (start <= hole.left) {
      hole.left = end;
    } else if (end >= hole.right) {
      hole.right = start;
    } else {
      const Hole rest{end, hole.right, hole.since_us};
      hole.right = start;
      if (holes_->count < holes_->list.size()) holes_->list[holes_->count++] = rest;
    }
    return true;
  }
  return false;
}

HalfFlow::Holes& HalfFlow::holes() {
  if (!holes_) holes_ = std::make_unique<Holes>();
  return *holes_;
}

void HalfFlow::add_late(const Hole& hole) {
  Holes& h = holes();
  for (Hole& known : h.late) {  // ACK after ACK before the data: one stretch
    if (known.right != hole.left || known.right <= known.left) continue;
    known.right = hole.right;
    known.since_us = hole.since_us;
    return;
  }
  h.late[h.next_late] = hole;
  h.next_late = static_cast<std::uint8_t>((h.next_late + 1) % h.late.size());
}

// Takes the bytes off what is still awaited: a second time they would have been sent again.
bool HalfFlow::was_late(std::int64_t start, std::int64_t end, std::int64_t now_us) {
  if (!holes_) return false;
  for (Hole& h : holes_->late) {
    if (h.right <= h.left || start < h.left || end > h.right) continue;
    if (now_us - h.since_us > kCaptureDisorderUs) return false;
    if (start == h.left)
      h.left = end;
    else if (end == h.right)
      h.right = start;
    return true;
  }
  return false;
}

void HalfFlow::add_hole(std::int64_t left, std::int64_t right, std::int64_t now_us) {
  Holes& h = holes();
  if (h.count == h.list.size()) {  // the oldest gives way: what fills it later counts as sent again
    std::move(h.list.begin() + 1, h.list.end(), h.list.begin());
    --h.count;
  }
  h.list[h.count++] = Hole{left, right, now_us};
}

void HalfFlow::drop_holes_below(std::int64_t ack, std::int64_t now_us) {
  if (!holes_) return;
  std::uint8_t kept = 0;
  for (std::uint8_t i = 0; i < holes_->count; ++i) {
    Hole hole = holes_->list[i];
    if (hole.left < ack) {
      const std::int64_t right = std::min(hole.right, ack);
      counters_.gap_bytes += static_cast<std::uint64_t>(right - hole.left);
      add_late(Hole{hole.left, right, now_us});
      hole.left = right;
    }
    if (hole.left < hole.right) holes_->list[kept++] = hole;
  }
  holes_->count = kept;
}

}  // namespace rwin::analysis
