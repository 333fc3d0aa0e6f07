#include "capture/source/pcap_file.h"

#include "capture/source/plain_pcap.h"

#include <fcntl.h>
#include <pcap/pcap.h>
#include <stdio_ext.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

namespace rwin::capture {
namespace {

constexpr std::uint32_t kMicroMagic = 0xa1b2c3d4;
constexpr std::uint32_t kNanoMagic = 0xa1b23c4d;
constexpr std::uint32_t kModifiedMagic = 0xa1b2cd34;

bool is_magic(std::uint32_t value) {
  return value == kMicroMagic || value == kNanoMagic || value == kModifiedMagic;
}

ssize_t read_stream(void* cookie, char* to, std::size_t size) {
  auto* stream = static_cast<Stream*>(cookie);
  const std::size_t got = stream->read(reinterpret_cast<std::uint8_t*>(to), size);
  return got == 0 && !stream->fault().empty() ? -1 : static_cast<ssize_t>(got);
}

class PcapFile final : public PacketSource {
 public:
  PcapFile(std::unique_ptr<Stream> stream, std::string name, std::unique_ptr<Filter> filter)
      : stream_(std::move(stream)),
        name_(std::move(name)),
        filter_(std::move(filter)),
        buffer_(kReadBytes) {}
  ~PcapFile() override {
    if (pcap_ != nullptr) {
      pcap_close(pcap_);  // closes the FILE too
    } else if (file_ != nullptr) {
      std::fclose(file_);
    }
  }
  PcapFile(const PcapFile&) = delete;
  PcapFile& operator=(const PcapFile&) = delete;

  // The file header; empty when good, else libpcap's message.
  std::string start() {
    const std::span<const std::uint8_t> head = stream_->peek(kFileHeader);
    if (head.size() < kFileHeader) {
      return stream_->fault().empty() ? "cut inside the file header" : stream_->fault();
    }
    std::memcpy(head_.data(), head.data(), kFileHeader);
    if (!open_file_for_libpcap()) return "out of memory";
    std::setvbuf(file_, buffer_.data(), _IOFBF, buffer_.size());
    __fsetlocking(
        file_,
        FSETLOCKING_BYCALLER);  // one reader: no lock for each of libpcap's two freads a record
    char error[PCAP_ERRBUF_SIZE] = "";
    pcap_ = pcap_fopen_offline_with_tstamp_precision(file_, PCAP_TSTAMP_PRECISION_NANO, error);
    if (pcap_ == nullptr) return error;
    link_type_ = static_cast<std::uint32_t>(pcap_datalink(pcap_));
    return "";
  }

  [[nodiscard]] std::uint32_t link_type() const { return link_type_; }

  Read next(RawPacket& out) override {
    while (state_ == Read::packet) {
      pcap_pkthdr* header = nullptr;
      const u_char* bytes = nullptr;
      const int result = pcap_next_ex(pcap_, &header, &bytes);
      if (result != 1) {
        finish(result);
        break;
      }
      if (header->caplen == 0 && header->len == 0 && another_file_begins(*header)) {
        go_on_with_next_file(*header);
        continue;
      }
      ++records_;
      // The stored second is an unsigned 32-bit number; libpcap gives it signed in the host's byte
      // order.
      out.time_ns =
          static_cast<std::int64_t>(static_cast<std::uint32_t>(header->ts.tv_sec)) * 1'000'000'000 +
          header->ts.tv_usec;
      out.record = records_;
      out.link_type = link_type_;
      out.captured = header->caplen;
      out.original = header->len;
      out.data = bytes;
      if (!filter_->active() || filter_->matches(out)) return Read::packet;
      ++filtered_out_;
    }
    return state_;
  }

  [[nodiscard]] std::string warning() const override { return warning_; }
  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] double progress() const override { return stream_->progress(); }
  [[nodiscard]] std::uint64_t filtered_out() const override { return filtered_out_; }

 private:
  // Plain files directly: stdio copies small pieces out of a stream of ours byte by byte.
  bool open_file_for_libpcap() {
    const int own = stream_->rewound_descriptor();
    const int fd = own >= 0 ? fcntl(own, F_DUPFD_CLOEXEC, 0) : -1;
    if (fd >= 0) {
      file_ = fdopen(fd, "rb");
      if (file_ == nullptr) ::close(fd);
    } else {
      file_ = fopencookie(stream_.get(), "rb", {read_stream, nullptr, nullptr, nullptr});
    }
    return file_ != nullptr;
  }

  void cut(const std::string& what) {
    state_ = Read::cut;
    warning_ =
        display_name(name_) + ": " + what + " after " + std::to_string(records_) + " packets";
  }

  void finish(int result) {
    const std::string message = result == PCAP_ERROR ? pcap_geterr(pcap_) : "";
    if (!stream_->fault().empty()) {
      cut(stream_->fault());
    } else if (result == PCAP_ERROR_BREAK) {
      state_ = Read::end;
    } else if (message.rfind("truncated", 0) == 0) {
      cut("cut in the middle of a record");
    } else {
      cut("damaged (" + printable(message) + ")");
    }
  }

  // Two files one after the other (cat a.pcap b.pcap): a file header read as a record header has
  // the magic as second and, time zone and accuracy being 0, no bytes. Goes on when the second file
  // is of the same kind: the last 8 bytes of its header (snap length, link type) are still ahead.
  [[nodiscard]] bool another_file_begins(const pcap_pkthdr& header) const {
    const auto second = static_cast<std::uint32_t>(header.ts.tv_sec);
    return is_magic(second) || is_magic(__builtin_bswap32(second));
  }

  void go_on_with_next_file(const pcap_pkthdr& header) {
    std::array<std::uint32_t, 2> rest{};
    if (std::fread(rest.data(), sizeof rest, 1, pcap_file(pcap_)) != 1) {
      cut("cut inside the header of a second capture");
      return;
    }
    const std::uint32_t magic = in_file_order(head_[0]);
    const bool same = magic != kModifiedMagic &&
                      static_cast<std::uint32_t>(header.ts.tv_sec) == magic &&
                      rest[1] == head_[5] && in_file_order(rest[0]) <= in_file_order(head_[4]);
    if (!same)
      cut("a second capture of another kind follows in the same file; give the captures as files "
          "of their own; stopped");
  }

  [[nodiscard]] std::uint32_t in_file_order(std::uint32_t value) const {
    return pcap_is_swapped(pcap_) != 0 ? __builtin_bswap32(value) : value;
  }

  std::unique_ptr<Stream> stream_;
  std::string name_;
  std::unique_ptr<Filter> filter_;
  std::vector<char> buffer_;
  std::FILE* file_ = nullptr;
  pcap_t* pcap_ = nullptr;
  std::array<std::uint32_t, kFileHeader / 4>
      head_{};  // magic, version, zone, accuracy, snap length, link type
  std::uint32_t link_type_ = 0;
  std::uint64_t records_ = 0;
  std::uint64_t filtered_out_ = 0;
  Read state_ = Read::packet;
  std::string warning_;
};

}  // namespace

bool is_pcap_magic(const std::uint8_t* bytes) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes, sizeof value);
  return is_magic(value) || is_magic(__builtin_bswap32(value));
}

Result<std::unique_ptr<PacketSource>> open_pcap(std::unique_ptr<Stream> stream, std::string name,
                                                std::unique_ptr<Filter> filter, PcapReader reader) {
  const std::string shown = display_name(name);
  const auto unusable = [&](const std::string& problem) {
    return Error{ErrorCode::not_a_capture, shown + ": " + printable(problem),
                 "not one packet can be read from it; copy or record it again", -1};
  };
  Filter& words = *filter;
  const std::span<const std::uint8_t> head = stream->peek(kFileHeader);
  std::uint32_t magic = 0;
  if (head.size() >= kFileHeader) std::memcpy(&magic, head.data(), sizeof magic);
  const bool modified = magic == kModifiedMagic || magic == __builtin_bswap32(kModifiedMagic);
  std::unique_ptr<PacketSource> out;
  std::uint32_t link_type = 0;
  PcapHeader header;
  const bool ours = reader == PcapReader::own && head.size() >= kFileHeader && !modified;
  if (ours) {
    if (const std::string problem = read_pcap_header(head.data(), header); !problem.empty())
      return unusable(problem);
  }
  if (ours && !header.old) {
    link_type = header.link_type;
    out = read_plain_pcap(std::move(stream), std::move(name), std::move(filter), header);
  } else {
    auto source = std::make_unique<PcapFile>(std::move(stream), std::move(name), std::move(filter));
    if (const std::string problem = source->start(); !problem.empty()) return unusable(problem);
    link_type = source->link_type();
    out = std::move(source);
  }
  if (words.prepare(link_type) != nullptr) return words.refusal(link_type);
  return out;
}

}  // namespace rwin::capture
