// Every tunnel and every link layer that rwin opens, around a packet.
#pragma once

#include <functional>
#include <vector>

#include "analysis/tunnel.h"
#include "tests/support/packet_builder.h"

namespace rwin::test {

struct Wrap {
  const char* name;
  analysis::Tunnel tunnel;
  std::function<Bytes(const Bytes&)> around;  // an IP packet -> a record's bytes
  std::uint32_t link_type = 101;              // of that record; 101: an IP packet
};

// `version`: of the IP packets that go in.
std::vector<Wrap> wraps(int version);

// The same for link layers: no tunnel.
std::vector<Wrap> link_wraps(int version);

}  // namespace rwin::test
