#include "analysis/event_log.h"

namespace rwin::analysis {
std::uint8_t* EventLog::encode(const Event& e, Base& base, std::uint8_t* p) {
  const bool ack = (e.flags & event::kAck) != 0;
  std::int64_t& last_seq = ack ? base.ack : base.data_end;
  std::uint32_t& last_amount = ack ? base.window : base.length;
  const std::int64_t expected = ack ? last_seq : last_seq + e.amount;
  const unsigned news = ack ? event::kNewStamp : event::kNewEcho;
  const unsigned more = (e.flags & ~news) >> 2U;
  std::uint8_t* head = p++;
  unsigned bits = e.flags & (kIsAck | kSecond);
  if ((e.flags & news) != 0) bits |= kNews;
  if (more != 0) {
    bits |= kMoreFlags;
    *p++ = static_cast<std::uint8_t>(more);
  }
  if (e.time_us == base.time_us)
    bits |= kSameTime;
  else
    p = put_number(p, zigzag(e.time_us - base.time_us));
  if (e.amount == last_amount)
    bits |= kSameAmount;
  else
    p = put_number(p, e.amount);
  if (e.seq == expected)
    bits |= kExpectedSeq;
  else
    p = put_number(p, zigzag(e.seq - expected));
  if (e.sample_us != 0) {
    bits |= kHasSample;
    p = put_number(p, e.sample_us);
  }
  *head = static_cast<std::uint8_t>(bits);
  base.time_us = e.time_us;
  last_seq = e.seq;
  last_amount = e.amount;
  return p;
}

void EventLog::append(EventPool& pool, const Event& event) {
  if (size_ == 0) base_ = Base{};
  std::array<std::uint8_t, kLongest> bytes;
  const auto length = static_cast<std::size_t>(encode(event, base_, bytes.data()) - bytes.data());
  append_record(pool, first_, last_, bytes.data(), length);
  ++size_;
}

}  // namespace rwin::analysis
