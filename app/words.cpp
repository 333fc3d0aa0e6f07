#include "app/words.h"

#include <array>

namespace rwin::app {

using analysis::CapacityFrom;
using analysis::End;
using analysis::Limit;
using analysis::Place;
using analysis::Presence;
using analysis::RoleFrom;
using analysis::RttMethod;

std::string_view word(RoleFrom from) {
  switch (from) {
    case RoleFrom::syn:
      return "syn";
    case RoleFrom::syn_ack:
      return "syn-ack";
    case RoleFrom::ports:
      return "ports";
    case RoleFrom::first_packet:
      return "first-packet";
  }
  return {};
}

std::string_view word(End end) {
  switch (end) {
    case End::fin:
      return "fin";
    case End::rst:
      return "rst";
    case End::open:
      return "open";
    case End::expired:
      return "expired";
  }
  return {};
}

std::string_view word(Place place) {
  switch (place) {
    case Place::client:
      return "client";
    case Place::server:
      return "server";
    case Place::middle:
      return "middle";
    case Place::unknown:
      return "unknown";
  }
  return {};
}

std::string_view word(Presence presence) {
  switch (presence) {
    case Presence::known:
      return "known";
    case Presence::absent:
      return "absent";
    case Presence::unknown:
      return "unknown";
  }
  return {};
}

std::string_view word(RttMethod method) {
  switch (method) {
    case RttMethod::none:
      return {};
    case RttMethod::timestamps:
      return "timestamps";
    case RttMethod::seq_ack:
      return "seq-ack";
    case RttMethod::handshake:
      return "handshake";
    case RttMethod::release_lag:
      return "release-lag";
  }
  return {};
}

std::string_view word(CapacityFrom from) {
  switch (from) {
    case CapacityFrom::none:
      return {};
    case CapacityFrom::dispersion:
      return "dispersion";
    case CapacityFrom::delivery_rate:
      return "delivery-rate";
  }
  return {};
}

const LimitText& limit_text(Limit limit) {
  // Order of the enumeration.
  static constexpr std::array<LimitText, analysis::kLimitCount> kText = {{
      {'W', "window", "RECEIVER WINDOW limits"},
      {'R', "receiving program", "RECEIVING PROGRAM limits"},
      {'L', "loss", "loss limits"},
      {'B', "line full", "a full line limits"},
      {'A', "sender idle", "the sending program limits"},
      {'U', "send buffer", "the send buffer limits"},
      {'P', "sender paced", "the sender's own pace limits"},
      {'S', "slow start", "slow start limits"},
      {'H', "handshake", "the handshake fills"},
      {'C', "closing", "the end fills"},
      {'?', "unknown", "no verdict:"},
  }};
  return kText[static_cast<std::size_t>(limit)];
}

}  // namespace rwin::app
