#include "bench/packet_writer.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace rwin::bench {
namespace {

void put16(std::uint8_t* p, std::uint32_t v) {
  p[0] = static_cast<std::uint8_t>(v >> 8U);
  p[1] = static_cast<std::uint8_t>(v);
}
void put32(std::uint8_t* p, std::uint32_t v) {
  put16(p, v >> 16U);
  put16(p + 2, v);
}

// Ones' complement sum of RFC 1071 over an even number of bytes.
std::uint32_t add_words(const std::uint8_t* p, std::size_t bytes, std::uint32_t sum) {
  for (std::size_t i = 0; i < bytes; i += 2)
    sum += static_cast<std::uint32_t>(p[i] << 8U | p[i + 1]);
  return sum;
}
std::uint32_t fold(std::uint32_t sum) {
  while (sum >> 16U) sum = (sum & 0xffffU) + (sum >> 16U);
  return ~sum & 0xffffU;
}

void put_tcp(std::uint8_t* t, const Endpoints& ends, const Packet& p, std::uint32_t options) {
  put16(t, p.from_server ? ends.server_port : ends.client_port);
  put16(t + 2, p.from_server ? ends.client_port : ends.server_port);
  put32(t + 4, p.seq);
  put32(t + 8, p.flags & kAck ? p.ack : 0);
  t[12] = static_cast<std::uint8_t>((20 + options) / 4 << 4U);
  t[13] = p.flags;
  put16(t + 14, p.window);
  // Payload is all zero, so it adds nothing to the checksum.
  const std::uint32_t pseudo = add_words(t - 8, 8, 6 + 20 + options + p.payload);
  put16(t + 16, fold(add_words(t, 20 + options, pseudo)));
}

std::uint32_t put_options(std::uint8_t* o, const Endpoints& ends, const Packet& p) {
  if (p.flags & kSyn) {
    const std::uint8_t shift = p.from_server ? 7 : ends.client_shift;
    const std::array<std::uint8_t, 10> head = {2, 4, 0x05, 0xb4, 4, 2, 8, 10, 0, 0};
    std::copy_n(head.begin(), 8, o);
    put32(o + 8, p.ts_value);
    put32(o + 12, p.ts_echo);
    const std::array<std::uint8_t, 4> tail = {1, 3, 3, shift};
    std::copy(tail.begin(), tail.end(), o + 16);
    return 20;
  }
  const std::array<std::uint8_t, 4> head = {1, 1, 8, 10};
  std::copy(head.begin(), head.end(), o);
  put32(o + 4, p.ts_value);
  put32(o + 8, p.ts_echo);
  if (p.sack_from == p.sack_to) return 12;
  const std::array<std::uint8_t, 4> sack = {1, 1, 5, 10};
  std::copy(sack.begin(), sack.end(), o + 12);
  put32(o + 16, p.sack_from);
  put32(o + 20, p.sack_to);
  return 24;
}

}  // namespace

PacketWriter::PacketWriter(std::FILE* file) : file_(file) {
  std::setvbuf(file_, buffer_.data(), _IOFBF, buffer_.size());
  const std::uint32_t header[6] = {0xa1b2c3d4, 0x00040002, 0, 0, kSnap, 1};
  put(header, sizeof header);
}

void PacketWriter::write(const Endpoints& ends, const Packet& p) {
  std::array<std::uint8_t, kSnap> bytes{};
  const std::uint32_t options = put_options(bytes.data() + 54, ends, p);
  const std::uint32_t total = 40 + options + p.payload;
  put_ethernet_and_ip(bytes.data(), ends, p, total);
  put_tcp(bytes.data() + 34, ends, p, options);
  const std::uint32_t original = 14 + total;
  const std::uint32_t captured = std::min(original, kSnap);
  const std::uint32_t record[4] = {static_cast<std::uint32_t>(p.time / 1'000'000),
                                   static_cast<std::uint32_t>(p.time % 1'000'000), captured,
                                   original};
  put(record, sizeof record);
  put(bytes.data(), captured);
}

bool PacketWriter::flush() {
  return good_ && std::fflush(file_) == 0 && std::setvbuf(file_, nullptr, _IONBF, 0) == 0;
}

void PacketWriter::put(const void* data, std::size_t size) {
  good_ = good_ && std::fwrite(data, 1, size, file_) == size;
}

void PacketWriter::put_ethernet_and_ip(std::uint8_t* b, const Endpoints& ends, const Packet& p,
                                       std::uint32_t total) {
  b[0] = b[6] = 2;
  b[5] = p.from_server ? 1 : 2;
  b[11] = p.from_server ? 2 : 1;
  put16(b + 12, 0x0800);
  std::uint8_t* ip = b + 14;
  ip[0] = 0x45;
  put16(ip + 2, total);
  put16(ip + 4, ++ip_id_);
  put16(ip + 6, 0x4000);
  ip[8] = p.from_server ? 57 : 64;
  ip[9] = 6;
  put32(ip + 12, p.from_server ? ends.server_ip : ends.client_ip);
  put32(ip + 16, p.from_server ? ends.client_ip : ends.server_ip);
  put16(ip + 10, fold(add_words(ip, 20, 0)));
}

}  // namespace rwin::bench
