// Capture filters as users write them: checked, compiled for several link types, used on a packet.
#include <netdb.h>

#include <array>
#include <string>

#include "capture/source/filter.h"
#include "capture/source/source.h"
#include "fuzz/targets.h"

// Names must not be looked up on the network: none exists here. (libpcap asks these.)
extern "C" int getaddrinfo(const char*, const char*, const struct addrinfo*, struct addrinfo**) {
  return EAI_NONAME;
}
extern "C" struct netent* getnetbyname(const char*) { return nullptr; }
extern "C" int getnetbyname_r(const char*, struct netent*, char*, size_t, struct netent** result,
                              int*) {
  *result = nullptr;
  return 0;
}

namespace rwin::fuzz {

void filter_text(Input input) {
  const std::string text(input.begin(), input.end());
  if (text.find('\0') != std::string::npos) return;  // no argument holds one
  capture::FilterFault fault;
  const bool good = capture::filter_ok(text, fault);
  require(good || !fault.message.empty(), "a fault has a message");
  require(fault.position >= -1 && fault.position <= static_cast<int>(text.size()),
          "the place of a fault is in the text");
  capture::Filter filter(text);
  if (!filter.active()) return;
  static constexpr std::array<std::uint8_t, 60> kBytes = {
      2, 0, 0, 0,  0, 2, 2, 0,  0, 0, 0, 1,  8, 0, 0x45, 0,    0,    40, 0,
      0, 0, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2,    0x9c, 0x40, 1,  0xbb};
  for (const std::uint32_t link_type : {1U, 12U, 113U, 105U}) {
    if (filter.prepare(link_type) != nullptr) continue;
    for (const std::uint32_t size : {0U, 20U, 60U}) {
      (void)filter.matches({.time_ns = 1,
                            .record = 1,
                            .link_type = link_type,
                            .captured = size,
                            .original = 60,
                            .data = kBytes.data()});
    }
  }
}

}  // namespace rwin::fuzz
