// What libtins reads as a TCP packet as well is read alike.
// Form of the input: a byte that chooses the link layer, then the packet.
#include <tins/tins.h>

#include <cstring>
#include <memory>

#include "capture/decode/decode.h"
#include "fuzz/targets.h"

namespace rwin::fuzz {
namespace {

struct Kind {
  std::uint32_t link_type;
  std::unique_ptr<Tins::PDU> (*parse)(Input);
};

template <class Head>
std::unique_ptr<Tins::PDU> parse(Input bytes) {
  return std::make_unique<Head>(bytes.data(), static_cast<std::uint32_t>(bytes.size()));
}
constexpr Kind kKinds[] = {{1, parse<Tins::EthernetII>},
                           {228, parse<Tins::IP>},
                           {229, parse<Tins::IPv6>},
                           {113, parse<Tins::SLL>}};

// The innermost layer of that kind.
template <class Layer>
const Layer* innermost(const Tins::PDU& packet) {
  const Layer* found = nullptr;
  for (const Tins::PDU* at = &packet; at != nullptr; at = at->inner_pdu())
    if (at->pdu_type() == Layer::pdu_flag) found = static_cast<const Layer*>(at);
  return found;
}

void compare_addresses(const analysis::Segment& s, const Tins::PDU& packet) {
  const auto* ip = innermost<Tins::IP>(packet);
  const auto* ip6 = innermost<Tins::IPv6>(packet);
  if (s.source.address.family == 4 && ip != nullptr) {
    const std::uint32_t from = ip->src_addr(), to = ip->dst_addr();
    require(std::memcmp(&from, s.source.address.bytes.data(), 4) == 0, "IPv4 source");
    require(std::memcmp(&to, s.destination.address.bytes.data(), 4) == 0, "IPv4 destination");
    require(ip->ttl() == s.ttl && ip->id() == s.ip_id, "TTL and identification");
  } else if (s.source.address.family == 6 && ip6 != nullptr) {
    require(std::equal(s.source.address.bytes.begin(), s.source.address.bytes.end(),
                       ip6->src_addr().begin()),
            "IPv6 source");
    require(ip6->hop_limit() == s.ttl, "hop limit");
  }
}

void compare_options(const analysis::Segment& s, const Tins::TCP& tcp) {
  // libtins goes on where we stop: behind damage and behind the end of the list (RFC 9293 3.2).
  if (s.options_cut || tcp.search_option(Tins::TCP::EOL) != nullptr) return;
  const auto* stamps = tcp.search_option(Tins::TCP::TSOPT);
  require((stamps != nullptr) == (s.timestamps == analysis::Presence::known), "time stamps");
  if (!s.has(analysis::flag::kSyn)) return;
  require((tcp.search_option(Tins::TCP::MSS) != nullptr) == s.mss.known(), "MSS");
  require((tcp.search_option(Tins::TCP::WSCALE) != nullptr) == s.window_scale.known(), "scale");
  require((tcp.search_option(Tins::TCP::SACK_OK) != nullptr) == s.sack_permitted.known(),
          "SACK permitted");
}

}  // namespace

void differential(Input input) {
  Reader reader(input);
  const Kind& kind = kKinds[reader.u8() % std::size(kKinds)];
  const Input bytes = reader.rest();
  const auto size = static_cast<std::uint32_t>(bytes.size());
  analysis::Segment segment;
  const capture::RawPacket packet{.time_ns = 1,
                                  .record = 1,
                                  .link_type = kind.link_type,
                                  .captured = size,
                                  .original = size,
                                  .data = bytes.data()};
  if (capture::decode(packet, segment) != capture::DecodeStatus::ok) return;
  if (segment.tunnel != analysis::Tunnel::none) return;  // libtins opens none
  std::unique_ptr<Tins::PDU> parsed;
  try {
    parsed = kind.parse(bytes);
  } catch (const std::exception&) {
    return;
  }
  const auto* tcp = innermost<Tins::TCP>(*parsed);
  if (tcp == nullptr) return;
  require(tcp->sport() == segment.source.port && tcp->dport() == segment.destination.port, "ports");
  require(tcp->seq() == segment.seq && tcp->ack_seq() == segment.ack, "sequence numbers");
  require(tcp->window() == segment.window, "window");
  require(static_cast<std::uint8_t>(tcp->flags()) == segment.flags, "flags");
  compare_addresses(segment, *parsed);
  compare_options(segment, *tcp);
}

}  // namespace rwin::fuzz
