// Every tunnel that rwin opens, around a packet.
#pragma once

#include <functional>
#include <vector>

#include "analysis/tunnel.h"
#include "tests/support/packet_builder.h"

namespace rwin::test {

struct Wrap {
  const char* name;
  analysis::Tunnel tunnel;
  std::function<Bytes(const Bytes&)> around;  // an IP packet -> an IP packet
};

// `version`: of the IP packets that go in.
std::vector<Wrap> wraps(int version);

}  // namespace rwin::test
