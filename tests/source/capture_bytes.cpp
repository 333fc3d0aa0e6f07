#include "tests/source/capture_bytes.h"

#include <archive.h>
#include <archive_entry.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace rwin::capture::test {

ByteWriter& ByteWriter::u8(unsigned v) {
  bytes_.push_back(static_cast<std::uint8_t>(v));
  return *this;
}

ByteWriter& ByteWriter::raw(const Bytes& bytes) {
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  return *this;
}

ByteWriter& ByteWriter::pad4() {
  while (bytes_.size() % 4 != 0) bytes_.push_back(0);
  return *this;
}

ByteWriter& ByteWriter::number(std::uint64_t v, int size) {
  for (int i = 0; i < size; ++i) {
    const int shift = 8 * (order_ == Order::little ? i : size - 1 - i);
    bytes_.push_back(static_cast<std::uint8_t>(v >> shift));
  }
  return *this;
}

PcapBytes::PcapBytes(const PcapOptions& options) : options_(options), out_(options.order) {
  out_.u32(options.magic)
      .u16(2)
      .u16(options.minor)
      .u32(0)
      .u32(0)
      .u32(options.snap)
      .u32(options.link);
}

PcapBytes& PcapBytes::record(std::uint32_t second, std::uint32_t fraction, const Bytes& data,
                             std::uint32_t original) {
  const auto size = static_cast<std::uint32_t>(data.size());
  const std::uint32_t wire = original == 0 ? size : original;
  const bool old = options_.minor < 3;
  out_.u32(second).u32(fraction).u32(old ? wire : size).u32(old ? size : wire);
  if (options_.magic == kModified) out_.u32(1).u16(0x0800).u8(0).u8(0);
  out_.raw(data);
  return *this;
}

PcapngBytes& PcapngBytes::section(Order order, const Bytes& options, unsigned major) {
  order_ = order;
  return block(
      0x0a0d0d0a,
      writer().u32(0x1a2b3c4d).u16(major).u16(0).u64(~std::uint64_t{0}).raw(options).bytes());
}

PcapngBytes& PcapngBytes::interface(unsigned link, std::uint32_t snap, const Bytes& options) {
  return block(1, writer().u16(link).u16(0).u32(snap).raw(options).bytes());
}

PcapngBytes& PcapngBytes::enhanced(std::uint32_t interface, std::uint64_t ticks, const Bytes& data,
                                   std::uint32_t original, const Bytes& options) {
  const auto size = static_cast<std::uint32_t>(data.size());
  return block(6, writer()
                      .u32(interface)
                      .u32(ticks >> 32U)
                      .u32(ticks)
                      .u32(size)
                      .u32(original == 0 ? size : original)
                      .raw(data)
                      .pad4()
                      .raw(options)
                      .bytes());
}

PcapngBytes& PcapngBytes::old_packet(unsigned interface, std::uint64_t ticks, const Bytes& data) {
  return block(2, writer()
                      .u16(interface)
                      .u16(7)
                      .u32(ticks >> 32U)
                      .u32(ticks)
                      .u32(data.size())
                      .u32(data.size())
                      .raw(data)
                      .pad4()
                      .bytes());
}

PcapngBytes& PcapngBytes::simple(const Bytes& data, std::uint32_t original) {
  return block(3, writer().u32(original == 0 ? data.size() : original).raw(data).pad4().bytes());
}

PcapngBytes& PcapngBytes::block(std::uint32_t type, const Bytes& body) {
  const Bytes padded = writer().raw(body).pad4().bytes();
  const std::uint64_t length = padded.size() + 12;
  const Bytes all = writer().u32(type).u32(length).raw(padded).u32(length).bytes();
  bytes_.insert(bytes_.end(), all.begin(), all.end());
  return *this;
}

Bytes option(Order order, unsigned code, const Bytes& value) {
  return ByteWriter(order)
      .u16(code)
      .u16(static_cast<unsigned>(value.size()))
      .raw(value)
      .pad4()
      .bytes();
}

Bytes tcp_raw_ip(unsigned from_port, unsigned to_port) {
  ByteWriter out(Order::big);
  out.u8(0x45).u8(0).u16(40).u16(1).u16(0x4000).u8(64).u8(6).u16(0).u32(0x0a000001).u32(0x0a000002);
  out.u16(from_port).u16(to_port).u32(1).u32(1).u8(0x50).u8(0x10).u16(1000).u16(0).u16(0);
  return out.bytes();
}

Bytes tcp_frame(unsigned from_port, unsigned to_port, std::size_t payload) {
  ByteWriter out(Order::big);
  out.raw({2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2}).u16(0x0800).raw(tcp_raw_ip(from_port, to_port));
  Bytes bytes = out.bytes();
  bytes.resize(bytes.size() + payload);
  return bytes;
}

Bytes tcp_cooked(unsigned from_port, unsigned to_port) {
  return ByteWriter(Order::big)
      .u16(0)
      .u16(1)
      .u16(6)
      .raw({2, 0, 0, 0, 0, 1, 0, 0})
      .u16(0x0800)
      .raw(tcp_raw_ip(from_port, to_port))
      .bytes();
}

Bytes packed(std::string_view filter, const Bytes& content) {
  archive* out = archive_write_new();
  const bool known =
      archive_write_add_filter_by_name(out, std::string(filter).c_str()) == ARCHIVE_OK;
  archive_write_set_format_raw(out);
  archive_write_set_bytes_in_last_block(out, 1);
  Bytes bytes(content.size() * 2 + 1'000'000);
  std::size_t used = 0;
  const bool open =
      known && archive_write_open_memory(out, bytes.data(), bytes.size(), &used) == ARCHIVE_OK;
  archive_entry* entry = archive_entry_new();
  archive_entry_set_filetype(entry, AE_IFREG);
  const bool good = open && archive_write_header(out, entry) == ARCHIVE_OK &&
                    archive_write_data(out, content.data(), content.size()) ==
                        static_cast<la_ssize_t>(content.size()) &&
                    archive_write_close(out) == ARCHIVE_OK;
  archive_entry_free(entry);
  archive_write_free(out);
  if (!good) throw std::runtime_error("cannot compress with " + std::string(filter));
  bytes.resize(used);
  return bytes;
}

TempDir::TempDir() {
  std::string pattern = (std::filesystem::temp_directory_path() / "rwin-test-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = pattern;
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TempDir::file(const std::string& name, const Bytes& content) const {
  return file(name,
              std::string_view(reinterpret_cast<const char*>(content.data()), content.size()));
}

std::string TempDir::file(const std::string& name, std::string_view text) const {
  std::string path = path_ + "/" + name;
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  if (!out) throw std::runtime_error("cannot write " + path);
  return path;
}

ReadResult read_all(PacketSource& source) {
  ReadResult result;
  result.opened = true;
  RawPacket p;
  while ((result.end = source.next(p)) == Read::packet) {
    result.records.push_back(
        {p.time_ns, p.record, p.link_type, p.original, Bytes(p.data, p.data + p.captured)});
  }
  result.warning = source.warning();
  result.filtered_out = source.filtered_out();
  return result;
}

ReadResult read_all(const std::string& path, const std::string& filter) {
  auto opened = open_file(path, filter);
  if (opened) return read_all(*opened.value());
  ReadResult result;
  result.error = opened.error();
  return result;
}

}  // namespace rwin::capture::test
