// pcapng savefiles (draft-ietf-opsawg-pcapng): a reader of our own, because libpcap refuses files
// whose interfaces differ in link type.
#pragma once

#include <memory>
#include <string>

#include "capture/source/filter.h"
#include "capture/source/source.h"
#include "capture/source/stream.h"

namespace rwin::capture {

inline constexpr std::uint32_t kSectionHeaderBlock =
    0x0a0d0d0a;  // reads the same in both byte orders

// `stream` stands at the file's first byte, which is a section header block. Errors: not_a_capture
// (no section header that can be read), bad_filter (compiles for none of the link types that the
// file announces before its first packet).
Result<std::unique_ptr<PacketSource>> open_pcapng(std::unique_ptr<Stream> stream, std::string name,
                                                  std::unique_ptr<Filter> filter);

// Units of an interface's time stamps -> nanoseconds since 1970.
class TimeScale {
 public:
  TimeScale() = default;
  // if_tsresol: a power of ten, or of two with the highest bit set; if_tsoffset: seconds to add.
  TimeScale(std::uint8_t resolution, std::int64_t offset_seconds);
  // Saturates at the limits of 64-bit nanoseconds (year 2262).
  [[nodiscard]] std::int64_t to_ns(std::uint64_t ticks) const;

 private:
  bool power_of_two_ = false;
  std::uint8_t exponent_ = 6;
  std::uint64_t multiply_ = 1000;  // power of ten, exponent up to 9
  std::uint64_t divide_ = 1;       // power of ten, exponent above 9; 0: finer than 64 bits can hold
  std::int64_t offset_seconds_ = 0;
};

}  // namespace rwin::capture
