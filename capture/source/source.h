// Where records come from: files (pcap, pcapng, compressed), standard input, later live interfaces.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "capture/decode/decode.h"
#include "capture/result.h"

namespace rwin::capture {

enum class Read : std::uint8_t {
  packet,
  end,
  cut
};  // cut: the input ended inside a record or is damaged there

// One input in its own order. The packet's bytes stay valid until the next call.
class PacketSource {
 public:
  virtual ~PacketSource() = default;
  // Fills `out`. `record` counts the records of the file, refused ones too; after merge() it counts
  // what the merge gave. After `end` or `cut` it stays there.
  virtual Read next(RawPacket& out) = 0;
  // As next(), for as many records as lie ready, up to out.size(), which is not 0: with `packet`
  // their `count`, at least 1. The bytes of all of them stay valid until the next call.
  virtual Read next(std::span<RawPacket> out, std::size_t& count) {
    count = 1;
    return next(out[0]);
  }
  // What `cut` means, one line for the user that begins with the input's name ("slow.pcap: cut in
  // the middle of a record after 1234 packets"); several inputs: joined by a semicolon. After `end`
  // it is empty but for one case: packets whose link type the filter cannot be used on were left
  // out.
  [[nodiscard]] virtual std::string warning() const = 0;
  [[nodiscard]] virtual const std::string& name() const = 0;
  // Fraction of the input read, 0..1, or negative when unknown (pipes).
  [[nodiscard]] virtual double progress() const = 0;
  // Records that the filter refused so far.
  [[nodiscard]] virtual std::uint64_t filtered_out() const = 0;
};

// Opens one file ("-" is standard input): pcap of both byte orders and precisions, modified pcap,
// pcapng; plain or compressed (gzip, xz, lzma, zstd, bzip2, lz4, compress, also one in another).
// Two captures of one kind in one file (cat a.pcap b.pcap) are read on; of two kinds, the first one
// and then `cut`. A read that a signal interrupts (handler without SA_RESTART) gives `cut` too.
// `filter` is a BPF expression or empty. Errors, one line each, `hint` says what to do:
// not_readable (missing, directory, permission, terminal), not_a_capture (empty, text, unknown
// format, damaged before the first block or record), bad_filter (with `position` in the
// expression).
Result<std::unique_ptr<PacketSource>> open_file(const std::string& path, const std::string& filter);

// Several sources as one, by time stamp, stable for equal stamps (order of the vector).
std::unique_ptr<PacketSource> merge(std::vector<std::unique_ptr<PacketSource>> sources);

// Checks a BPF expression without opening anything (against Ethernet, and some link types that have
// words of their own): used to refuse a bad filter before the files. `position` is the byte offset
// of the fault, -1 where it cannot be told.
struct FilterFault {
  std::string message;
  int position = -1;
};
bool filter_ok(const std::string& filter, FilterFault& fault);

}  // namespace rwin::capture
