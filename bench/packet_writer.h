// A pcap file of Ethernet, IPv4 and TCP with options, written packet by packet.
#pragma once

#include <cstdint>
#include <cstdio>
#include <vector>

namespace rwin::bench {

inline constexpr std::uint32_t kSnap = 128;                    // bytes stored of each packet
inline constexpr std::int64_t kStart = 1'700'000'000'000'000;  // microseconds since 1970
inline constexpr std::uint8_t kFin = 1, kSyn = 2, kPush = 8, kAck = 16;

// What one packet carries; the writer makes the bytes. Options: SYN: MSS, SACK permitted,
// timestamps, window scale; else timestamps and, when the two differ, one SACK block.
struct Packet {
  std::int64_t time = 0;
  bool from_server = false;
  std::uint8_t flags = 0;
  std::uint32_t seq = 0;
  std::uint32_t ack = 0;
  std::uint16_t window = 0;
  std::uint32_t payload = 0;
  std::uint32_t ts_value = 0;
  std::uint32_t ts_echo = 0;
  std::uint32_t sack_from = 0;
  std::uint32_t sack_to = 0;
};

// The two ends of a flow. The server's shift is 7.
struct Endpoints {
  std::uint32_t client_ip, server_ip;
  std::uint16_t client_port, server_port;
  std::uint8_t client_shift;
};

class PacketWriter {
 public:
  // Writes the file header. `file` stays the caller's, who calls flush() before closing it.
  explicit PacketWriter(std::FILE* file);
  void write(const Endpoints& ends, const Packet& p);
  [[nodiscard]] bool good() const { return good_; }
  // False when anything could not be written; the writer may then not be used any more.
  bool flush();

 private:
  void put(const void* data, std::size_t size);
  void put_ethernet_and_ip(std::uint8_t* b, const Endpoints& ends, const Packet& p,
                           std::uint32_t total);

  std::FILE* file_;
  std::vector<char> buffer_ = std::vector<char>(1U << 20U);
  bool good_ = true;
  std::uint32_t ip_id_ = 0;
};

}  // namespace rwin::bench
