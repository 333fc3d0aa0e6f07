#include "analysis/event_log.h"

namespace rwin::analysis {
namespace {

// Head byte of an event.
constexpr unsigned kIsAck = 1;         // event::kAck
constexpr unsigned kSecond = 2;        // event::kPush or event::kDuplicate
constexpr unsigned kMoreFlags = 4;     // a byte with the other flags follows
constexpr unsigned kSameAmount = 8;    // length or window as the last time
constexpr unsigned kExpectedSeq = 16;  // data: right behind the last; ack: as the last
constexpr unsigned kHasSample = 32;
constexpr unsigned kSameTime = 64;
constexpr unsigned kNews = 128;  // event::kNewStamp or event::kNewEcho
constexpr std::size_t kLongest =
    48;  // bytes of one event: head, flags, time 10, seq 10, amount 5, sample 5

}  // namespace

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

const std::uint8_t* EventLog::decode(const std::uint8_t* p, Base& base, Event& e) {
  const unsigned bits = *p++;
  const bool ack = (bits & kIsAck) != 0;
  std::int64_t& last_seq = ack ? base.ack : base.data_end;
  std::uint32_t& last_amount = ack ? base.window : base.length;
  e.flags = static_cast<std::uint16_t>(bits & (kIsAck | kSecond));
  if ((bits & kNews) != 0) e.flags |= ack ? event::kNewStamp : event::kNewEcho;
  if ((bits & kMoreFlags) != 0) e.flags |= static_cast<std::uint16_t>(*p++ << 2U);
  e.time_us = base.time_us + ((bits & kSameTime) != 0 ? 0 : unzigzag(get_number(p)));
  e.amount = (bits & kSameAmount) != 0 ? last_amount : static_cast<std::uint32_t>(get_number(p));
  const std::int64_t expected = ack ? last_seq : last_seq + e.amount;
  e.seq = expected + ((bits & kExpectedSeq) != 0 ? 0 : unzigzag(get_number(p)));
  e.sample_us = (bits & kHasSample) != 0 ? static_cast<std::uint32_t>(get_number(p)) : 0;
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
