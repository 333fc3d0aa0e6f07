// Frames of the emulated link: where the TCP header is, what a middlebox changes in it, and a
// capture file of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <vector>

namespace rwin::netlab {

using Frame = std::vector<uint8_t>;

// Offsets in bytes from the start of the frame. Only whole TCP over IPv4 or IPv6 without extension
// headers is found.
struct TcpPlace {
  size_t ip = 0;
  size_t tcp = 0;
  size_t end = 0;  // end of the IP packet
  bool v6 = false;
  bool syn = false;
  bool ack = false;
};

// `link_header` is 14 for Ethernet frames, 0 for bare IP packets.
std::optional<TcpPlace> find_tcp(const Frame& frame, size_t link_header);

// What a middlebox does to segments in one direction (RFC 7323, section 2: window scale).
struct Rewrite {
  double strip_scale = 0;   // 1: window-scale options of SYNs become NOPs
  double zero_scale = 0;    // 1: their shift becomes 0
  double clamp_window = 0;  // largest window in bytes that passes; 0: all
};

// Applies rules to one direction. Remembers the shift that the SYN announced, since a clamp needs
// it.
class Rewriter {
 public:
  // Changes the segment in place, checksum included. True when something changed.
  bool apply(const Rewrite& rules, const TcpPlace& at, Frame& frame);

 private:
  bool rewrite_syn(const Rewrite& rules, const TcpPlace& at, Frame& frame);

  int shift_ = 0;
};

// A classic capture file with nanosecond stamps.
class CaptureFile {
 public:
  CaptureFile(const char* path, uint32_t snap_length, bool ethernet);
  ~CaptureFile();
  CaptureFile(const CaptureFile&) = delete;
  CaptureFile& operator=(const CaptureFile&) = delete;

  // `time_ns` since 1970 UTC.
  void write(int64_t time_ns, const Frame& frame);

 private:
  std::FILE* file_;
  uint32_t snap_length_;
};

}  // namespace rwin::netlab
