#include "packet.h"

#include <algorithm>
#include <stdexcept>

namespace rwin::netlab {
namespace {

constexpr int kEndOfOptions = 0;
constexpr int kNoOperation = 1;
constexpr int kWindowScale = 3;
constexpr uint8_t kTcp = 6;

uint16_t get16(const Frame& frame, size_t at) {
  return static_cast<uint16_t>(frame[at] << 8 | frame[at + 1]);
}

void put16(Frame& frame, size_t at, uint16_t value) {
  frame[at] = static_cast<uint8_t>(value >> 8);
  frame[at + 1] = static_cast<uint8_t>(value & 0xff);
}

uint32_t sum16(const Frame& frame, size_t from, size_t to) {
  uint32_t sum = 0;
  for (size_t i = from; i + 1 < to; i += 2) sum += get16(frame, i);
  if ((to - from) % 2 != 0) sum += static_cast<uint32_t>(frame[to - 1] << 8);
  return sum;
}

// The checksum of RFC 9293, section 3.1, computed anew.
void fix_checksum(const TcpPlace& at, Frame& frame) {
  put16(frame, at.tcp + 16, 0);
  size_t addresses = at.v6 ? at.ip + 8 : at.ip + 12;
  uint32_t sum = sum16(frame, addresses, addresses + (at.v6 ? 32 : 8));
  sum += kTcp + static_cast<uint32_t>(at.end - at.tcp);
  sum += sum16(frame, at.tcp, at.end);
  while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
  put16(frame, at.tcp + 16, static_cast<uint16_t>(~sum & 0xffff));
}

}  // namespace

std::optional<TcpPlace> find_tcp(const Frame& frame, size_t link_header) {
  TcpPlace at;
  at.ip = link_header;
  if (frame.size() < at.ip + 40) return std::nullopt;
  at.v6 = frame[at.ip] >> 4 == 6;
  if (at.v6) {
    if (frame[at.ip + 6] != kTcp) return std::nullopt;
    at.tcp = at.ip + 40;
    at.end = at.tcp + get16(frame, at.ip + 4);
  } else {
    if (frame[at.ip] >> 4 != 4 || frame[at.ip + 9] != kTcp) return std::nullopt;
    at.tcp = at.ip + static_cast<size_t>(frame[at.ip] & 15) * 4;
    at.end = at.ip + get16(frame, at.ip + 2);
  }
  if (at.end > frame.size() || at.tcp + 20 > at.end) return std::nullopt;
  if (at.tcp + static_cast<size_t>(frame[at.tcp + 12] >> 4) * 4 > at.end) return std::nullopt;
  at.syn = (frame[at.tcp + 13] & 2) != 0;
  at.ack = (frame[at.tcp + 13] & 16) != 0;
  return at;
}

bool Rewriter::rewrite_syn(const Rewrite& rules, const TcpPlace& at, Frame& frame) {
  bool changed = false;
  shift_ = 0;
  size_t end = at.tcp + static_cast<size_t>(frame[at.tcp + 12] >> 4) * 4;
  for (size_t i = at.tcp + 20; i < end && frame[i] != kEndOfOptions;) {
    if (frame[i] == kNoOperation) {
      ++i;
      continue;
    }
    if (i + 1 >= end || frame[i + 1] < 2 || i + frame[i + 1] > end) break;
    size_t next = i + frame[i + 1];
    if (frame[i] == kWindowScale && next == i + 3) {
      shift_ = std::min<int>(frame[i + 2], 14);
      if (rules.strip_scale != 0)
        std::fill_n(frame.begin() + static_cast<long>(i), 3, kNoOperation);
      if (rules.strip_scale == 0 && rules.zero_scale != 0) frame[i + 2] = 0;
      changed = rules.strip_scale != 0 || rules.zero_scale != 0;
    }
    i = next;
  }
  return changed;
}

bool Rewriter::apply(const Rewrite& rules, const TcpPlace& at, Frame& frame) {
  bool changed = at.syn && rewrite_syn(rules, at, frame);
  if (rules.clamp_window > 0) {
    int shift = at.syn ? 0 : shift_;  // the window of a SYN is never scaled
    auto most = static_cast<uint32_t>(rules.clamp_window) >> shift;
    if (get16(frame, at.tcp + 14) > most) {
      put16(frame, at.tcp + 14, static_cast<uint16_t>(most));
      changed = true;
    }
  }
  if (changed) fix_checksum(at, frame);
  return changed;
}

CaptureFile::CaptureFile(const char* path, uint32_t snap_length, bool ethernet)
    : file_(std::fopen(path, "wb")), snap_length_(snap_length) {
  if (file_ == nullptr) throw std::runtime_error(std::string("cannot write ") + path);
  const uint32_t link_type = ethernet ? 1 : 101;
  const uint32_t header[6] = {0xa1b23c4d, 4U << 16 | 2U, 0, 0, snap_length, link_type};
  std::fwrite(header, sizeof header, 1, file_);
}

CaptureFile::~CaptureFile() { std::fclose(file_); }

void CaptureFile::write(int64_t time_ns, const Frame& frame) {
  auto length = static_cast<uint32_t>(frame.size());
  const uint32_t kept = std::min(length, snap_length_);
  const uint32_t header[4] = {static_cast<uint32_t>(time_ns / 1000000000),
                              static_cast<uint32_t>(time_ns % 1000000000), kept, length};
  std::fwrite(header, sizeof header, 1, file_);
  std::fwrite(frame.data(), kept, 1, file_);
}

}  // namespace rwin::netlab
