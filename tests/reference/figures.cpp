#include "tests/reference/figures.h"

#include <algorithm>

namespace rwin::reference {
namespace {

using analysis::Segment;
namespace flag = analysis::flag;

constexpr std::int64_t kBase = std::int64_t{1} << 33;
constexpr std::int64_t kReorderUs = 3'000;
constexpr std::int64_t kDisorderUs = 10'000;

// Walks the list once and keeps everything it has seen.
class Reader {
 public:
  Reader(const Conversation& c, int sender) : c_(c), sender_(sender) {}
  Figures read();

 private:
  struct Stamped {
    std::int64_t start, end, t;
    const Segment* s;
  };
  void begin_at(std::uint32_t seq) {
    f_.origin = f_.highest = acked_ = kBase + seq;
    started_ = true;
  }
  [[nodiscard]] std::int64_t number(std::uint32_t seq) const {
    return f_.highest + static_cast<std::int32_t>(seq - static_cast<std::uint32_t>(f_.highest));
  }
  void on_data(const Line& l);
  bool probe(const Line& l, std::int64_t start);
  void on_ack(const Line& l);
  void judge_old(Data& d, const Line& l);
  [[nodiscard]] bool seen(std::int64_t byte) const;
  void count_zeros();
  void finish();

  const Conversation& c_;
  int sender_;
  Figures f_;
  bool started_ = false, syn_ = false, ack_seen_ = false, fin_ = false, early_ = false;
  std::int64_t acked_ = 0, fin_at_ = 0;
  std::uint32_t last_field_ = 0;
  std::vector<Stamped> captured_;  // data segments so far
  struct Progress {
    std::int64_t t, from, to;
  };
  std::vector<Progress> progress_;  // acknowledgements that advanced
};

// Was this byte in a captured segment?
bool Reader::seen(std::int64_t byte) const {
  return std::any_of(captured_.begin(), captured_.end(),
                     [&](const Stamped& s) { return s.start <= byte && byte < s.end; });
}

bool Reader::probe(const Line& l, std::int64_t start) {
  const Segment& s = *l.s;
  if (s.payload > 1 || s.has(flag::kFin) || s.has(flag::kRst) || s.has(flag::kSyn)) return false;
  const bool shut = ack_seen_ && last_field_ == 0;
  const bool old_byte = start == f_.highest - 1 && acked_ >= f_.highest - 1;
  const bool next_byte = s.payload == 1 && shut && start == f_.highest && acked_ == f_.highest;
  if (!old_byte && !next_byte) return false;
  if (f_.highest == f_.origin && s.payload == 0 && !shut) return false;
  ++(shut ? f_.probes : f_.keep_alives);
  return true;
}

// Data that does not begin behind all that was sent: sent again, or overtaken on the way?
void Reader::judge_old(Data& d, const Line& l) {
  const std::int64_t top = std::min(d.end, d.sent_before);
  std::int64_t unseen = -1;
  bool all_acked_late = true;
  for (std::int64_t b = d.start; b < top;) {
    std::int64_t next = top;  // nothing changes up to here
    const auto border = [&](std::int64_t v) {
      if (v > b) next = std::min(next, v);
    };
    border(f_.origin);
    for (const Stamped& s : captured_) {
      border(s.start);
      border(s.end);
    }
    for (const Progress& p : progress_) {
      border(p.from);
      border(p.to);
    }
    const bool missing = b >= f_.origin && !seen(b);  // before: sent before the recording began
    if (missing && b >= acked_ && unseen < 0) unseen = b;
    const bool acked_now = !progress_.empty() && progress_.back().from <= b &&
                           b < progress_.back().to && l.t - progress_.back().t <= kDisorderUs;
    all_acked_late = all_acked_late && missing && acked_now;
    b = next;
  }
  if (all_acked_late && d.end <= d.sent_before) {
    d.reordered = true;  // captured behind its own ACK
    return;
  }
  if (unseen >= 0) {
    const Segment* newest = nullptr;
    std::int64_t high = -1;
    std::int64_t since = INT64_MAX;
    for (const Stamped& s : captured_) {
      if (s.end > high) {
        high = s.end;
        newest = s.s;
      }
      if (s.start > unseen) since = std::min(since, s.t);
    }
    const bool stamps = l.s->timestamps == analysis::Presence::known &&
                        newest->timestamps == analysis::Presence::known;
    const auto ahead = static_cast<std::int32_t>(l.s->tsval - newest->tsval);
    const auto ids = static_cast<std::int16_t>(l.s->ip_id - newest->ip_id);
    const bool numbered = l.s->ip_id != 0 && newest->ip_id != 0 && ids < 0 && ids > -1000;
    const bool soon = l.t - since <= kReorderUs;
    if ((stamps && ahead < 0) || numbered || (soon && !(stamps && ahead > 2))) {
      d.reordered = true;
      return;
    }
  }
  d.again = true;
}

void Reader::on_data(const Line& l) {
  const Segment& s = *l.s;
  if (!started_) begin_at(s.seq);
  const std::int64_t start = number(s.seq) + (s.has(flag::kSyn) ? 1 : 0);
  Data d{l.t, start, start + s.payload, f_.highest};
  d.acks_before = f_.acks.size();
  if (probe(l, start)) {
    d.probe = true;
    f_.data.push_back(d);
    return;
  }
  if (s.has(flag::kFin)) {
    fin_ = true;
    fin_at_ = d.end;
  }
  if (s.payload == 0) return;
  if (++f_.segments == 1) {
    for (Ack& a : f_.acks) {
      if (a.unscaled) a.ack = f_.origin;  // a SYN permits from the first byte on
    }
  }
  f_.wire_bytes += s.payload;
  if (s.has(flag::kPsh)) ++f_.pushed;
  const bool began_under_way =
      f_.segments == 1 && !syn_ && f_.highest == f_.origin && start > f_.highest;
  if (began_under_way)
    f_.origin = f_.highest = start;
  else if (d.start < f_.highest)
    judge_old(d, l);
  if (d.again) ++f_.retransmitted;
  if (d.reordered) ++f_.reordered;
  f_.highest = std::max(f_.highest, d.end);
  captured_.push_back({d.start, d.end, l.t, &s});
  f_.data.push_back(d);
}

void Reader::on_ack(const Line& l) {
  const Segment& s = *l.s;
  if (!started_) begin_at(s.ack);
  ++f_.ack_count;
  std::int64_t ack = number(s.ack);
  if (fin_ && ack > fin_at_) ack = fin_at_;
  if (ack > f_.highest + (std::int64_t{1} << 30)) return;
  if (ack > f_.highest && !ack_seen_ && f_.segments == 0 && f_.highest == f_.origin)
    f_.origin = f_.highest = acked_ = ack;
  Ack a{l.t, ack, s.window};
  a.carries_data = s.payload > 0;
  a.repeats = ack_seen_ && ack <= acked_ && s.window == last_field_ && f_.highest <= acked_;
  a.data_before = f_.segments;
  f_.highest = std::max(f_.highest, ack);
  if (ack > acked_) {
    progress_.push_back({l.t, acked_, ack});
    acked_ = ack;
  }
  ack_seen_ = true;
  last_field_ = s.window;
  // Before there is anything to hold back only the last word counts; a window that is shut when the
  // recording begins holds back what went before.
  const bool early = f_.segments == 0 && progress_.empty() && !(s.window == 0 && !syn_);
  if (early) a.repeats = false;
  if (early && early_)
    f_.acks.back() = a;
  else
    f_.acks.push_back(a);
  early_ = early;
}

void Reader::count_zeros() {
  std::int64_t since = -1;
  std::int64_t last = 0;
  for (const Ack& a : f_.acks) {
    if (a.unscaled || (a.repeats && a.field != 0)) continue;
    last = a.t;
    f_.field_max = std::max(f_.field_max, a.field);
    if (a.field == 0) {
      ++f_.zero_count;
      if (since < 0) {
        since = a.t;
        ++f_.zero_episodes;
      }
    } else if (since >= 0) {
      f_.zero_us += a.t - since;
      since = -1;
    }
  }
  if (since >= 0) f_.zero_us += last - since;
}

void Reader::finish() {
  count_zeros();
  f_.bytes = static_cast<std::uint64_t>(f_.highest - f_.origin);
  // Bytes acknowledged that no capture of them precedes, nor follows at once.
  for (const Progress& p : progress_) {
    for (std::int64_t b = std::max(p.from, f_.origin); b < p.to;) {
      std::int64_t next = p.to;
      bool there = false;
      for (const Stamped& s : captured_) {
        if (s.start > b) next = std::min(next, s.start);
        if (s.start <= b && b < s.end && s.t <= p.t + kDisorderUs) {
          there = true;
          next = std::min(next, s.end);
          break;
        }
      }
      if (!there) f_.gap_bytes += static_cast<std::uint64_t>(next - b);
      b = next;
    }
  }
  std::int64_t last_data = -1;
  std::size_t last_index = 0;
  for (const Data& d : f_.data) {
    if (d.probe) continue;
    if (last_data < 0) f_.first_data_us = d.t;
    last_data = d.t;
    last_index = d.acks_before;
  }
  // Up to the ACK that covers all, or the last one; a window that is shut behind all data may hold
  // back more.
  std::int64_t end = std::max<std::int64_t>(last_data, 0);
  bool drained = false;
  for (std::size_t i = last_index; i < f_.acks.size(); ++i) {
    const Ack& a = f_.acks[i];
    if (a.repeats && a.field != 0) continue;
    const bool shut = a.field == 0 && a.ack >= f_.highest;
    if (!drained || shut) end = a.t;
    drained = drained || a.ack >= f_.highest;
  }
  f_.duration_us = f_.segments > 0 ? end - f_.first_data_us : 0;
}

Figures Reader::read() {
  for (const Line& l : c_.lines) {
    const Segment& s = *l.s;
    if (l.side == sender_) {
      if (s.has(flag::kSyn) && (!started_ || f_.highest == f_.origin)) {
        begin_at(s.seq + 1);
        syn_ = true;
      }
      const bool pure = s.payload == 0 && !s.has(flag::kSyn) && !s.has(flag::kFin);
      if (!s.has(flag::kRst) && (!pure || started_)) on_data(l);
    } else if (s.has(flag::kSyn)) {
      Ack a{l.t, f_.origin, s.window};
      a.unscaled = true;
      if (!f_.acks.empty() && f_.segments == 0)
        f_.acks.back() = a;
      else
        f_.acks.push_back(a);
      last_field_ = s.window;
    } else if (s.has(flag::kAck) && !s.has(flag::kRst)) {
      on_ack(l);
    }
  }
  finish();
  return f_;
}

}  // namespace

Figures figures(const Conversation& c, int sender) { return Reader(c, sender).read(); }

}  // namespace rwin::reference
