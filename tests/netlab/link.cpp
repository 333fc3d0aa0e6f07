#include "link.h"

#include <algorithm>
#include <utility>

namespace rwin::netlab {

double* LinkRules::field(const std::string& name) {
  const std::pair<const char*, double*> fields[] = {{"rate", &rate},
                                                    {"delay_ms", &delay_ms},
                                                    {"queue", &queue},
                                                    {"loss", &loss},
                                                    {"reorder", &reorder},
                                                    {"reorder_ms", &reorder_ms},
                                                    {"drop_syn", &drop_syn},
                                                    {"strip_ws", &rewrite.strip_scale},
                                                    {"zero_ws", &rewrite.zero_scale},
                                                    {"clamp_win", &rewrite.clamp_window}};
  for (const auto& [word, value] : fields) {
    if (name == word) return value;
  }
  return nullptr;
}

void Link::arrive(int64_t now, Frame frame) {
  ++counts.in_packets;
  counts.in_bytes += frame.size();
  int64_t due = now + half_delay();
  if (!before_.empty())
    due = std::max(due, before_.back().due);  // a shorter delay does not reorder
  before_.push_back({due, 0, std::move(frame)});
}

int64_t Link::next_middle() const { return before_.empty() ? kNever : before_.front().due; }

bool Link::lost(const TcpPlace& at) {
  if (at.syn && rules.drop_syn >= 1) {
    rules.drop_syn -= 1;
    return true;
  }
  return happens(rules.loss);
}

void Link::pass_middle(const Observer& seen) {
  int64_t now = before_.front().due;
  Frame frame = std::move(before_.front().frame);
  before_.pop_front();
  auto at = find_tcp(frame, link_header_);
  if (!at) {  // neighbour discovery and the like: not part of the experiment
    ++counts.other_protocol;
    return;
  }
  seen(now, frame);
  if (lost(*at)) {
    ++counts.drop_loss;
    return;
  }
  if (rewriter_.apply(rules.rewrite, *at, frame)) ++counts.rewritten;

  auto size = static_cast<double>(frame.size());
  double waiting = static_cast<double>(std::max<int64_t>(line_free_ - now, 0)) * rules.rate / 8e9;
  if (waiting > 0 && waiting + size > rules.queue) {
    ++counts.drop_queue;
    return;
  }
  counts.max_queue_bytes = std::max(counts.max_queue_bytes, static_cast<uint64_t>(waiting + size));
  line_free_ = std::max(line_free_, now) + static_cast<int64_t>(size * 8e9 / rules.rate);
  given_ += size;
  int64_t due = line_free_ + half_delay();
  if (happens(rules.reorder)) {
    due += static_cast<int64_t>(rules.reorder_ms * 1e6);
    ++counts.reordered;
  }
  after_.push({due, ++order_, std::move(frame)});
}

int64_t Link::next_event() const {
  // A packet may pass the middle late on the caller's clock without harm, as long as it is done
  // before it departs.
  int64_t middle = before_.empty() ? kNever : before_.front().due + half_delay();
  return std::min(middle, after_.empty() ? kNever : after_.top().due);
}

bool Link::depart(int64_t now, Frame& frame) {
  if (after_.empty() || after_.top().due > now) return false;
  double late_us = static_cast<double>(now - after_.top().due) / 1e3;
  counts.late_sum_us += late_us;
  counts.late_max_us = std::max(counts.late_max_us, late_us);
  counts.late_over_1ms += late_us > 1000;
  frame = after_.top().frame;
  after_.pop();
  ++counts.out_packets;
  counts.out_bytes += frame.size();
  return true;
}

double Link::carried(int64_t now) const {
  return given_ - static_cast<double>(std::max<int64_t>(line_free_ - now, 0)) * rules.rate / 8e9;
}

double Link::queue_ms(int64_t now) const {
  return static_cast<double>(std::max<int64_t>(line_free_ - now, 0)) / 1e6;
}

}  // namespace rwin::netlab
