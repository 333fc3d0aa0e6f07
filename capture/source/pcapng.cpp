#include "capture/source/pcapng.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "capture/source/link_type.h"
#include "capture/source/pcap_file.h"

namespace rwin::capture {
namespace {

constexpr std::uint32_t kInterfaceBlock = 1;
constexpr std::uint32_t kOldPacketBlock = 2;
constexpr std::uint32_t kSimplePacketBlock = 3;
constexpr std::uint32_t kEnhancedPacketBlock = 6;
constexpr std::uint32_t kByteOrderMagic = 0x1a2b3c4d;
constexpr std::uint16_t kOptionEnd = 0;
constexpr std::uint16_t kOptionTimeResolution = 9;
constexpr std::uint16_t kOptionTimeOffset = 14;

constexpr std::uint32_t kLargestBlock =
    16U << 20U;  // blocks that are looked into; the same limit as libpcap's
constexpr std::size_t kMostInterfaces = 65'536;
constexpr std::uint32_t kSmallestBlock = 12;  // type, length, length again
constexpr std::uint32_t kSmallestSection = 28;
constexpr std::uint32_t kBlockHead = 8;

struct Interface {
  std::uint32_t link_type = 0;
  std::uint32_t snap_length = 0;  // 0: none
  TimeScale scale;
};

class PcapngFile final : public PacketSource {
 public:
  PcapngFile(std::unique_ptr<Stream> stream, std::string name, std::unique_ptr<Filter> filter)
      : stream_(std::move(stream)),
        window_(*stream_),
        name_(std::move(name)),
        filter_(std::move(filter)) {}

  // Reads the first section header; false: warning() has the reason.
  bool start() { return next_block() && block_.type == kSectionHeaderBlock && read_section(); }

  // Reads on to the first packet block and leaves it for next(): then the interfaces are known.
  void read_to_first_packet() {
    while (state_ == Read::packet && !block_waits_) {
      if (!next_block()) return;
      if (is_packet(block_.type)) {
        block_waits_ = true;
      } else {
        read_other_block();
      }
    }
  }

  // The link type to name in an error when the filter suits no interface; nullptr when one suits or
  // none is known.
  const Interface* unfiltered_interface() {
    for (const Interface& interface : interfaces_) {
      if (filter_->prepare(interface.link_type) == nullptr) return nullptr;
    }
    return interfaces_.empty() ? nullptr : &interfaces_.front();
  }

  Read next(RawPacket& out) override {
    while (state_ == Read::packet) {
      if (!block_waits_ && !next_block()) break;
      block_waits_ = false;
      if (!is_packet(block_.type)) {
        read_other_block();
        continue;
      }
      if (!read_packet(out)) break;
      out.record = ++records_;
      if (!filter_->active() || filter_->matches(out)) return Read::packet;
      ++filtered_out_;
      note_unfilterable(out.link_type);
    }
    return state_;
  }

  [[nodiscard]] std::string warning() const override { return warning_; }
  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] double progress() const override { return stream_->progress(); }
  [[nodiscard]] std::uint64_t filtered_out() const override { return filtered_out_; }

 private:
  // The block just read. Body is nullptr for blocks that are skipped.
  struct Block {
    std::uint32_t type = 0;
    const std::uint8_t* body = nullptr;
    std::uint32_t size = 0;  // of the body
  };

  static bool is_packet(std::uint32_t type) {
    return type == kEnhancedPacketBlock || type == kSimplePacketBlock || type == kOldPacketBlock;
  }

  [[nodiscard]] std::uint16_t u16(const std::uint8_t* p) const {
    std::uint16_t v = 0;
    std::memcpy(&v, p, sizeof v);
    return swapped_ ? __builtin_bswap16(v) : v;
  }
  [[nodiscard]] std::uint32_t u32(const std::uint8_t* p) const {
    std::uint32_t v = 0;
    std::memcpy(&v, p, sizeof v);
    return swapped_ ? __builtin_bswap32(v) : v;
  }
  [[nodiscard]] std::uint64_t u64_option(const std::uint8_t* p) const {
    std::uint64_t v = 0;
    std::memcpy(&v, p, sizeof v);
    return swapped_ ? __builtin_bswap64(v) : v;
  }

  bool stop(const std::string& what) {
    state_ = Read::cut;
    warning_ =
        display_name(name_) + ": " + what + " after " + std::to_string(records_) + " packets";
    return false;
  }
  bool damaged(const std::string& what) { return stop("damaged (" + what + ")"); }
  bool ended_early() {
    return stop(stream_->fault().empty() ? "cut in the middle of a record" : stream_->fault());
  }

  // Reads the next block into block_; false at the end or at damage (state_ tells).
  bool next_block() {
    const std::uint8_t* head = window_.want(kBlockHead);
    if (head == nullptr) {
      if (window_.available() > 0 || !stream_->fault().empty()) return ended_early();
      state_ = Read::end;
      return false;
    }
    std::memcpy(&block_.type, head, sizeof block_.type);
    if (block_.type == kSectionHeaderBlock && !find_byte_order()) return false;
    head = window_.want(kBlockHead);
    block_.type = u32(head);
    const std::uint32_t length = u32(head + 4);
    if (!length_good(head, length)) return false;
    if (length > kLargestBlock) return skip_large(length);
    const std::uint8_t* block = window_.want(length);
    if (block == nullptr) return ended_early();
    if (u32(block + length - 4) != length) return damaged("the two lengths of a block differ");
    block_.body = block + kBlockHead;
    block_.size = length - kSmallestBlock;
    window_.take(length);
    return true;
  }

  // A section says in its first bytes how it is stored; nothing after the type can be read before
  // that is known.
  bool find_byte_order() {
    const std::uint8_t* head = window_.want(12);
    if (head == nullptr) return ended_early();
    std::uint32_t magic = 0;
    std::memcpy(&magic, head + 8, sizeof magic);
    if (magic != kByteOrderMagic && __builtin_bswap32(magic) != kByteOrderMagic) {
      return damaged("no byte-order mark in a section header");
    }
    swapped_ = magic != kByteOrderMagic;
    return true;
  }

  bool length_good(const std::uint8_t* head, std::uint32_t length) {
    const std::uint32_t least =
        block_.type == kSectionHeaderBlock ? kSmallestSection : kSmallestBlock;
    if (length >= least && length % 4 == 0) return true;
    if (is_pcap_magic(head)) {
      return stop(
          "a capture of another kind follows in the same file; give the captures as files of their "
          "own; stopped");
    }
    return damaged("block length " + std::to_string(length));
  }

  // Blocks of that size can only be ones that we do not look into (secrets, name tables, custom
  // data).
  bool skip_large(std::uint32_t length) {
    if (is_packet(block_.type) || block_.type == kInterfaceBlock ||
        block_.type == kSectionHeaderBlock) {
      return damaged("block of " + std::to_string(length) + " bytes");
    }
    if (!window_.discard(length - 4)) return ended_early();
    const std::uint8_t* tail = window_.want(4);
    if (tail == nullptr) return ended_early();
    if (u32(tail) != length) return damaged("the two lengths of a block differ");
    window_.take(4);
    block_.body = nullptr;
    block_.size = 0;
    return true;
  }

  bool read_other_block() {
    if (block_.type == kSectionHeaderBlock) return read_section();
    return block_.type == kInterfaceBlock ? read_interface() : true;
  }

  // Body: byte-order mark, version, section length (not used: the blocks tell where they end),
  // options.
  bool read_section() {
    const std::uint16_t major = u16(block_.body + 4);
    if (major != 1)
      return stop("pcapng version " + std::to_string(major) + " is not known; stopped");
    interfaces_.clear();
    return walk_options(16, [](std::uint16_t, const std::uint8_t*, std::uint16_t) {});
  }

  // Body: link type, reserved, snap length, options.
  bool read_interface() {
    if (block_.size < 8)
      return damaged("interface block of " + std::to_string(block_.size) + " bytes");
    if (interfaces_.size() >= kMostInterfaces) return damaged("more than 65536 interfaces");
    Interface interface;
    interface.link_type = dlt_of_link_type(u16(block_.body));
    interface.snap_length = u32(block_.body + 4);
    std::uint8_t resolution = 6;
    std::int64_t offset = 0;
    const bool good =
        walk_options(8, [&](std::uint16_t code, const std::uint8_t* value, std::uint16_t size) {
          if (code == kOptionTimeResolution && size == 1) resolution = value[0];
          if (code == kOptionTimeOffset && size == 8)
            offset = static_cast<std::int64_t>(u64_option(value));
        });
    if (!good) return false;
    interface.scale = TimeScale(resolution, offset);
    interfaces_.push_back(interface);
    return true;
  }

  // Options: code, length, value padded to four bytes. An option that leaves its block is damage.
  template <class Visit>
  bool walk_options(std::uint32_t at, Visit visit) {
    while (block_.size - at >= 4) {
      const std::uint16_t code = u16(block_.body + at);
      const std::uint16_t size = u16(block_.body + at + 2);
      if (code == kOptionEnd) return true;
      const std::uint32_t padded = (std::uint32_t{size} + 3) / 4 * 4;
      if (padded > block_.size - at - 4)
        return damaged("option of " + std::to_string(size) + " bytes leaves its block");
      visit(code, block_.body + at + 4, size);
      at += 4 + padded;
    }
    return true;
  }

  bool read_packet(RawPacket& out) {
    if (block_.type == kSimplePacketBlock) return read_simple_packet(out);
    // Enhanced: interface (4), time high, time low, captured, original. Old: interface (2), drops
    // (2), then the same.
    constexpr std::uint32_t kFixed = 20;
    if (block_.size < kFixed)
      return damaged("packet block of " + std::to_string(block_.size) + " bytes");
    const std::uint8_t* body = block_.body;
    const std::uint32_t number = block_.type == kEnhancedPacketBlock ? u32(body) : u16(body);
    if (number >= interfaces_.size())
      return damaged("packet of an interface that was not announced");
    const Interface& interface = interfaces_[number];
    out.captured = u32(body + 12);
    if (out.captured > block_.size - kFixed) return damaged("packet longer than its block");
    out.time_ns = interface.scale.to_ns(std::uint64_t{u32(body + 4)} << 32U | u32(body + 8));
    out.link_type = interface.link_type;
    out.original = u32(body + 16);
    out.data = body + kFixed;
    last_time_ns_ = out.time_ns;
    return true;
  }

  // Original length and bytes only. No time stamp is stored: it gets the one of the packet before
  // it.
  bool read_simple_packet(RawPacket& out) {
    if (block_.size < 4)
      return damaged("packet block of " + std::to_string(block_.size) + " bytes");
    if (interfaces_.empty()) return damaged("packet of an interface that was not announced");
    const Interface& interface = interfaces_.front();
    out.original = u32(block_.body);
    out.captured = std::min(out.original, block_.size - 4);
    if (interface.snap_length != 0) out.captured = std::min(out.captured, interface.snap_length);
    out.time_ns = last_time_ns_;
    out.link_type = interface.link_type;
    out.data = block_.body + 4;
    return true;
  }

  void note_unfilterable(std::uint32_t link_type) {
    if (!warning_.empty() || filter_->prepare(link_type) == nullptr) return;
    warning_ = display_name(name_) + ": the filter cannot be used on packets of link type " +
               std::string(link_type_name(link_type)) + "; they were left out";
  }

  std::unique_ptr<Stream> stream_;
  Window window_;
  std::string name_;
  std::unique_ptr<Filter> filter_;
  Block block_;
  bool swapped_ = false;
  bool block_waits_ = false;  // block_ is a packet that next() has still to give
  std::vector<Interface> interfaces_;
  std::int64_t last_time_ns_ = 0;
  std::uint64_t records_ = 0;
  std::uint64_t filtered_out_ = 0;
  Read state_ = Read::packet;
  std::string warning_;
};

}  // namespace

Result<std::unique_ptr<PacketSource>> open_pcapng(std::unique_ptr<Stream> stream, std::string name,
                                                  std::unique_ptr<Filter> filter) {
  Filter& words = *filter;
  auto source = std::make_unique<PcapngFile>(std::move(stream), std::move(name), std::move(filter));
  if (!source->start()) {
    return Error{ErrorCode::not_a_capture, source->warning(),
                 "not one packet can be read from it; copy or record it again", -1};
  }
  if (words.active()) {
    source->read_to_first_packet();
    if (const auto* interface = source->unfiltered_interface())
      return words.refusal(interface->link_type);
  }
  return std::unique_ptr<PacketSource>(std::move(source));
}

}  // namespace rwin::capture
