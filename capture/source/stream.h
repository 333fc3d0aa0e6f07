// Bytes of one input, decompressed where needed. What follows (pcap, pcapng) never asks where they
// come from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "capture/result.h"

namespace rwin::capture {

// Bytes that are read at a time. Fuzzers get few: their small files then cross as many borders as
// large ones do.
#if defined(RWIN_SMALL_READS)
inline constexpr std::size_t kReadBytes = 512;
#else
inline constexpr std::size_t kReadBytes = 256 * 1024;
#endif

class Stream {
 public:
  // Bytes in front of those of an exchanged buffer, free for what is left of the one before.
  static constexpr std::size_t kHeadroom = 64 * 1024;

  virtual ~Stream() = default;

  // The next bytes, from kHeadroom on, in a buffer that lies ready: `buffer` is given for it. Their
  // number; 0 when none lies ready (read() tells more).
  std::size_t exchange(std::vector<std::uint8_t>& buffer) {
    return ahead_at_ < ahead_.size() || !fault_.empty() ? 0 : swap(buffer);
  }

  // Up to `size` bytes; 0 at the end or after a fault. Less than `size` does not mean the end
  // (pipes).
  std::size_t read(std::uint8_t* to, std::size_t size);

  // The next bytes without taking them: `size` of them, or fewer when the input ends before.
  std::span<const std::uint8_t> peek(std::size_t size);

  // Why reading stopped early (damaged compression, read error, interrupted by a signal); empty at
  // a clean end.
  [[nodiscard]] const std::string& fault() const { return fault_; }

  // A plain regular file's descriptor, set back to where reading began, for a reader that reads it
  // itself instead of calling read(); -1 for anything else. It stays the stream's.
  virtual int rewound_descriptor() { return -1; }

  // Fraction of the file read, 0..1; negative when its size is unknown.
  [[nodiscard]] virtual double progress() const = 0;

 protected:
  virtual std::size_t fill(std::uint8_t* to, std::size_t size) = 0;
  // exchange() of a stream that has such buffers.
  virtual std::size_t swap(std::vector<std::uint8_t>& /*buffer*/) { return 0; }
  void set_fault(std::string text) { fault_ = std::move(text); }

 private:
  std::vector<std::uint8_t> ahead_;  // peeked, not yet read
  std::size_t ahead_at_ = 0;
  std::string fault_;
};

// Opens a file, or standard input for "-". Error not_readable: missing, directory, no permission,
// terminal.
Result<std::unique_ptr<Stream>> open_stream(const std::string& path);

struct Unpacked {
  std::unique_ptr<Stream> stream;
  std::string packing;  // "gzip", "xz + gzip" (outermost last); empty: not compressed, the bytes
                        // pass unchanged
};

// Recognises compression by the first bytes, nested ones too: gzip, xz, lzma, zstd, bzip2, lz4,
// compress, all inside libarchive. Filters that would start a program are never used: the file must
// not choose what is executed. Error not_a_capture: compressed, but damaged before the first byte;
// unsupported: compressed, and libarchive is missing.
// `name` is for the message.
Result<Unpacked> unpack(std::unique_ptr<Stream> packed, const std::string& name);

// `text` fit for one line on a terminal: control characters become '?'.
std::string printable(const std::string& text);

// How messages call an input: the file name, or "standard input" for "-".
std::string display_name(const std::string& path);

// Contiguous view on a stream for block formats: a buffer that slides.
class Window {
 public:
  explicit Window(Stream& stream) : stream_(stream) {}

  // `size` contiguous bytes at the read position, or nullptr when the input ends before. Valid
  // until the next call.
  const std::uint8_t* want(std::size_t size) {
    return end_ - begin_ >= size ? buffer_.data() + begin_ : read_on(size);
  }
  // Bytes already here, at least those that the last want() could get.
  [[nodiscard]] std::size_t available() const { return end_ - begin_; }
  // Takes `size` bytes that want() has shown; the bytes stay valid until the next want() or
  // discard().
  void take(std::size_t size) { begin_ += size; }
  // Drops `size` bytes, reading on as needed; false when the input ends before.
  bool discard(std::uint64_t size);

 private:
  const std::uint8_t* read_on(std::size_t size);

  Stream& stream_;
  std::vector<std::uint8_t> buffer_;
  std::vector<std::uint8_t> old_;  // what is left of a buffer that is exchanged
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace rwin::capture
