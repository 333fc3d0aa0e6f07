// Packets to a capture file, while they pass: pcap with nanoseconds, one file or several in turn.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "capture/decode/decode.h"
#include "capture/result.h"

namespace rwin::capture {

struct WriterOptions {
  std::string path;
  std::uint32_t link_type = 1;
  int snap_length = 192;
  std::uint64_t rotate_bytes = 0;  // a new file after that many; 0: one file
  std::uint32_t files = 0;         // at most so many, the oldest is written over; 0: no bound
  bool only_new = false;           // refuse where the file is there already, or a link
};

class CaptureWriter {
 public:
  virtual ~CaptureWriter() = default;
  virtual void write(const RawPacket& packet) = 0;
  // What was written so far can be read by others.
  virtual void flush() = 0;
  // Empty while all is well; else one line. After a fault nothing more is written.
  [[nodiscard]] virtual const std::string& fault() const = 0;
  [[nodiscard]] virtual std::uint64_t packets() const = 0;
};

// Creates the first file. Names as tcpdump's: with rotate_bytes FILE, FILE1, FILE2 ...; with
// `files` FILE0 ... FILE9 (as many digits as needed), over and over.
Result<std::unique_ptr<CaptureWriter>> open_writer(const WriterOptions& options);

}  // namespace rwin::capture
