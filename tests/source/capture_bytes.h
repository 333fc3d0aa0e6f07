// Capture files made by hand, byte by byte, for the tests of capture/source.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "capture/source/source.h"

namespace rwin::capture::test {

using Bytes = std::vector<std::uint8_t>;

inline constexpr std::int64_t kSecond = 1'000'000'000;  // ns

enum class Order : std::uint8_t { little, big };

// Appends numbers in one byte order.
class ByteWriter {
 public:
  explicit ByteWriter(Order order) : order_(order) {}
  ByteWriter& u8(unsigned v);
  ByteWriter& u16(unsigned v) { return number(v, 2); }
  ByteWriter& u32(std::uint64_t v) { return number(v, 4); }
  ByteWriter& u64(std::uint64_t v) { return number(v, 8); }
  ByteWriter& raw(const Bytes& bytes);
  ByteWriter& pad4();
  [[nodiscard]] const Bytes& bytes() const { return bytes_; }
  [[nodiscard]] Order order() const { return order_; }

 private:
  ByteWriter& number(std::uint64_t v, int size);

  Order order_;
  Bytes bytes_;
};

inline constexpr std::uint32_t kMicro = 0xa1b2c3d4;
inline constexpr std::uint32_t kNano = 0xa1b23c4d;
inline constexpr std::uint32_t kModified = 0xa1b2cd34;

struct PcapOptions {
  Order order = Order::little;
  std::uint32_t magic = kMicro;
  std::uint32_t snap = 65535;
  std::uint32_t link = 1;
  unsigned minor = 4;  // before 3 the lengths of a record stand the other way round
};

// A classic file that grows record by record.
class PcapBytes {
 public:
  explicit PcapBytes(const PcapOptions& options = {});
  // `fraction` in the file's unit; original = captured unless given.
  PcapBytes& record(std::uint32_t second, std::uint32_t fraction, const Bytes& data,
                    std::uint32_t original = 0);
  [[nodiscard]] const Bytes& bytes() const { return out_.bytes(); }

 private:
  PcapOptions options_;
  ByteWriter out_;
};

// A pcapng file that grows block by block; a new section may change the byte order.
class PcapngBytes {
 public:
  explicit PcapngBytes(Order order = Order::little) : order_(order) { section(order); }
  PcapngBytes& section(Order order, const Bytes& options = {}, unsigned major = 1);
  PcapngBytes& interface(unsigned link, std::uint32_t snap = 0, const Bytes& options = {});
  PcapngBytes& enhanced(std::uint32_t interface, std::uint64_t ticks, const Bytes& data,
                        std::uint32_t original = 0, const Bytes& options = {});
  PcapngBytes& old_packet(unsigned interface, std::uint64_t ticks, const Bytes& data);
  PcapngBytes& simple(const Bytes& data, std::uint32_t original = 0);
  PcapngBytes& block(std::uint32_t type, const Bytes& body);
  [[nodiscard]] const Bytes& bytes() const { return bytes_; }
  [[nodiscard]] ByteWriter writer() const { return ByteWriter(order_); }

 private:
  Order order_;
  Bytes bytes_;
};

// One option with its padding, in the given order.
Bytes option(Order order, unsigned code, const Bytes& value);

// A minimal Ethernet + IPv4 + TCP frame from `from_port` to `to_port`, 54 bytes and `payload` zero
// bytes.
Bytes tcp_frame(unsigned from_port, unsigned to_port, std::size_t payload = 0);
// The same without Ethernet header (raw IP), or behind a Linux cooked header.
Bytes tcp_raw_ip(unsigned from_port, unsigned to_port);
Bytes tcp_cooked(unsigned from_port, unsigned to_port);

// `filter`: gzip, xz, lzma, zstd, bzip2, lz4, compress.
Bytes packed(std::string_view filter, const Bytes& content);

// A folder that goes away with its files.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }
  // Writes a file, returns its path.
  std::string file(const std::string& name, const Bytes& content) const;
  std::string file(const std::string& name, std::string_view text) const;

 private:
  std::string path_;
};

struct ReadRecord {
  std::int64_t time_ns;
  std::uint64_t record;
  std::uint32_t link_type;
  std::uint32_t original;
  Bytes data;
  bool operator==(const ReadRecord&) const = default;
};

struct ReadResult {
  bool opened = false;
  Error error;
  std::vector<ReadRecord> records;
  Read end = Read::end;
  std::string warning;
  std::uint64_t filtered_out = 0;
};

// Opens and reads everything, copying each record while it is valid.
ReadResult read_all(const std::string& path, const std::string& filter = "");
ReadResult read_all(PacketSource& source);

}  // namespace rwin::capture::test
