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

}  // namespace rwin::app
