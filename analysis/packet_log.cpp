#include "analysis/packet_log.h"

#include <cstring>

namespace rwin::analysis {
namespace {

// Head byte of a packet.
constexpr unsigned kFromB = 1;
constexpr unsigned kMore = 2;  // a second byte follows
constexpr unsigned kSameAck = 4;
constexpr unsigned kExpectedSeq = 8;
constexpr unsigned kSamePayload = 16;
constexpr unsigned kSameWindow = 32;
constexpr unsigned kMicroseconds = 64;  // the time since the last packet is in whole microseconds
constexpr unsigned kSameFlags = 128;
// Second byte.
constexpr unsigned kTraits = 1;   // TTL and traits follow
constexpr unsigned kOptions = 2;  // those of a SYN
constexpr unsigned kSack = 4;
constexpr unsigned kWild = 8;

// Traits: what hardly changes from packet to packet.
constexpr unsigned kDontFragment = 1, kCut = 2, kOptionsCut = 4, kFastOpen = 8, kMultipath = 16;
constexpr unsigned kStampsShift = 5;  // Presence of time stamps: two bits

// Longest packet: every number at its longest, SACK blocks and option kinds.
constexpr std::size_t kLongest = 128;

std::uint8_t traits_of(const Segment& s) {
  return static_cast<std::uint8_t>(
      (s.dont_fragment ? kDontFragment : 0U) | (s.cut ? kCut : 0U) |
      (s.options_cut ? kOptionsCut : 0U) | (s.fast_open ? kFastOpen : 0U) |
      (s.multipath ? kMultipath : 0U) | static_cast<unsigned>(s.timestamps) << kStampsShift);
}

// How an option of a SYN stands that the packet does not have.
Presence usual(const Segment& s) {
  return s.options_cut || !s.has(flag::kSyn) ? Presence::unknown : Presence::absent;
}

bool has_options(const Segment& s) {
  const Presence none = usual(s);
  return s.option_kind_count > 0 || s.mss.state != none || s.window_scale.state != none ||
         s.sack_permitted.state != none;
}

std::uint64_t difference(std::uint32_t to, std::uint32_t from) {
  return zigzag(static_cast<std::int32_t>(to - from));
}
std::uint32_t add_difference(std::uint32_t from, const std::uint8_t*& p) {
  return from + static_cast<std::uint32_t>(unzigzag(get_number(p)));
}

std::uint8_t* put_options(const Segment& s, std::uint8_t* p) {
  *p++ = static_cast<std::uint8_t>(
      static_cast<unsigned>(s.mss.state) | static_cast<unsigned>(s.window_scale.state) << 2 |
      static_cast<unsigned>(s.sack_permitted.state) << 4 | (s.sack_permitted.value ? 64U : 0U));
  p = put_number(p, s.mss.value);
  *p++ = s.window_scale.value;
  *p++ = s.option_kind_count;
  std::memcpy(p, s.option_kinds.data(), s.option_kind_count);
  return p + s.option_kind_count;
}

const std::uint8_t* get_options(const std::uint8_t* p, Segment& s) {
  const unsigned bits = *p++;
  s.mss = {static_cast<Presence>(bits & 3U), static_cast<std::uint16_t>(get_number(p))};
  s.window_scale = {static_cast<Presence>(bits >> 2 & 3U), *p++};
  s.sack_permitted = {static_cast<Presence>(bits >> 4 & 3U), (bits & 64U) != 0};
  s.option_kind_count = *p++;
  s.option_kinds = {};
  std::memcpy(s.option_kinds.data(), p, s.option_kind_count);
  return p + s.option_kind_count;
}

}  // namespace

std::uint8_t* PacketLog::encode(const Segment& s, std::uint8_t traits, bool from_a, bool wild,
                                std::uint8_t* p) const {
  const Base& base = bases_[from_a ? 0 : 1];
  const Base& peer = bases_[from_a ? 1 : 0];
  unsigned more = 0;
  if (s.ttl != base.ttl || traits != base.traits) more |= kTraits;
  if (has_options(s)) more |= kOptions;
  if (s.sack_count > 0) more |= kSack;
  if (wild) more |= kWild;
  unsigned bits = (from_a ? 0U : kFromB) | (more != 0 ? kMore : 0U);
  std::uint8_t* head = p++;
  if (more != 0) *p++ = static_cast<std::uint8_t>(more);
  if ((more & kTraits) != 0) {
    *p++ = s.ttl;
    *p++ = traits;
  }
  const auto passed = static_cast<std::uint64_t>(s.time_ns - last_ns_);
  if (passed % 1000 == 0) {
    bits |= kMicroseconds;
    p = put_number(p, passed / 1000);
  } else {
    p = put_number(p, passed);
  }
  if (s.flags == base.flags)
    bits |= kSameFlags;
  else
    *p++ = s.flags;
  if (s.payload == base.payload)
    bits |= kSamePayload;
  else
    p = put_number(p, s.payload);
  if (s.seq == base.seq)
    bits |= kExpectedSeq;
  else
    p = put_number(p, difference(s.seq, base.seq));
  if (s.ack == base.ack)
    bits |= kSameAck;
  else
    p = put_number(p, difference(s.ack, base.ack));
  if (s.window == base.window)
    bits |= kSameWindow;
  else
    p = put_number(p, s.window);
  p = put_number(p, zigzag(static_cast<std::int16_t>(s.ip_id - base.ip_id)));
  if (s.timestamps == Presence::known) {
    p = put_number(p, difference(s.tsval, base.tsval));
    p = put_number(p, difference(s.tsecr, peer.tsval));
  }
  if ((more & kOptions) != 0) p = put_options(s, p);
  if ((more & kSack) != 0) {
    *p++ = s.sack_count;
    for (std::uint8_t i = 0; i < s.sack_count; ++i) {
      p = put_number(p, difference(s.sack[i].left, s.ack));
      p = put_number(p, difference(s.sack[i].right, s.sack[i].left));
    }
  }
  *head = static_cast<std::uint8_t>(bits);
  return p;
}

const std::uint8_t* PacketLog::decode(const std::uint8_t* p, std::int64_t& last_ns, Bases& bases,
                                      Segment& s, bool& from_a, bool& wild) {
  const unsigned bits = *p++;
  const unsigned more = (bits & kMore) != 0 ? *p++ : 0U;
  from_a = (bits & kFromB) == 0;
  wild = (more & kWild) != 0;
  Base& base = bases[from_a ? 0 : 1];
  Base& peer = bases[from_a ? 1 : 0];
  if ((more & kTraits) != 0) {
    base.ttl = *p++;
    base.traits = *p++;
  }
  s.ttl = base.ttl;
  s.dont_fragment = (base.traits & kDontFragment) != 0;
  s.cut = (base.traits & kCut) != 0;
  s.options_cut = (base.traits & kOptionsCut) != 0;
  s.fast_open = (base.traits & kFastOpen) != 0;
  s.multipath = (base.traits & kMultipath) != 0;
  s.timestamps = static_cast<Presence>(base.traits >> kStampsShift & 3U);
  const std::uint64_t passed = get_number(p);
  last_ns += static_cast<std::int64_t>((bits & kMicroseconds) != 0 ? passed * 1000 : passed);
  s.time_ns = last_ns;
  if ((bits & kSameFlags) == 0) base.flags = *p++;
  if ((bits & kSamePayload) == 0) base.payload = static_cast<std::uint32_t>(get_number(p));
  if ((bits & kExpectedSeq) == 0) base.seq = add_difference(base.seq, p);
  if ((bits & kSameAck) == 0) base.ack = add_difference(base.ack, p);
  if ((bits & kSameWindow) == 0) base.window = static_cast<std::uint16_t>(get_number(p));
  base.ip_id = static_cast<std::uint16_t>(base.ip_id + unzigzag(get_number(p)));
  s.flags = base.flags;
  s.payload = base.payload;
  s.seq = base.seq;
  s.ack = base.ack;
  s.window = base.window;
  s.ip_id = base.ip_id;
  s.tsval = s.tsecr = 0;
  if (s.timestamps == Presence::known) {
    s.tsval = base.tsval = add_difference(base.tsval, p);
    s.tsecr = add_difference(peer.tsval, p);
  }
  if ((more & kOptions) != 0) {
    p = get_options(p, s);
  } else {
    if (s.option_kind_count > 0) s.option_kinds = {};
    s.option_kind_count = 0;
    s.mss = {usual(s), 0};
    s.window_scale = {usual(s), 0};
    s.sack_permitted = {usual(s), false};
  }
  s.sack_count = 0;
  if ((more & kSack) != 0) {
    s.sack_count = *p++;
    for (std::uint8_t i = 0; i < s.sack_count; ++i) {
      s.sack[i].left = add_difference(s.ack, p);
      s.sack[i].right = add_difference(s.sack[i].left, p);
    }
  }
  base.seq += s.sequence_length();
  return p;
}

bool PacketLog::append(EventPool& pool, const Segment& segment, bool from_a, bool wild) {
  if (segment.time_ns < last_ns_ || segment.tunnel != Tunnel::none) return false;
  std::array<std::uint8_t, kLongest> bytes;
  const std::uint8_t traits = traits_of(segment);
  const auto length =
      static_cast<std::size_t>(encode(segment, traits, from_a, wild, bytes.data()) - bytes.data());
  if (length > sizeof(LogBlock::bytes)) return false;
  append_record(pool, first_, last_, bytes.data(), length);
  Base& base = bases_[from_a ? 0 : 1];
  base.traits = traits;
  base.ttl = segment.ttl;
  base.flags = segment.flags;
  base.payload = segment.payload;
  base.seq = segment.seq + segment.sequence_length();
  base.ack = segment.ack;
  base.window = segment.window;
  base.ip_id = segment.ip_id;
  if (segment.timestamps == Presence::known) base.tsval = segment.tsval;
  last_ns_ = segment.time_ns;
  ++packets_;
  return true;
}

std::size_t PacketLog::bytes() const {
  std::size_t sum = 0;
  for (const LogBlock* block = first_; block != nullptr; block = block->next) sum += block->used;
  return sum;
}

void PacketLog::clear(EventPool& pool) {
  pool.give(first_, last_);
  first_ = last_ = nullptr;
  packets_ = 0;
}

}  // namespace rwin::analysis
