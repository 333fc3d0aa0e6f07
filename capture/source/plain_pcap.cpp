#include "capture/source/plain_pcap.h"

#include <pcap/pcap.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <utility>

#include "capture/source/pcap_file.h"

namespace rwin::capture {
namespace {

// libpcap's bound on a record (MAXIMUM_SNAPLEN); what is larger is damage. Its two link types with
// larger ones carry no TCP.
constexpr std::uint32_t kLargestRecord = 262144;

class PlainPcap final : public PacketSource {
 public:
  PlainPcap(std::unique_ptr<Stream> stream, std::string name, std::unique_ptr<Filter> filter,
            const PcapHeader& header)
      : stream_(std::move(stream)),
        window_(*stream_),
        name_(std::move(name)),
        filter_(std::move(filter)),
        header_(header) {
    std::memcpy(head_.data(), window_.want(kFileHeader), kFileHeader);
    window_.take(kFileHeader);
  }

  Read next(std::span<RawPacket> out, std::size_t& count) override {
    const Read first = next(out[0]);
    count = 1;
    if (first != Read::packet || filter_->active()) return first;
    while (count < out.size() && next_here(out[count])) ++count;
    return Read::packet;
  }

  Read next(RawPacket& out) override {
    while (state_ == Read::packet) {
      const std::uint8_t* record = window_.want(kRecordHeader);
      if (record == nullptr) return finish();
      const std::uint32_t captured = word(record + 8);
      if (captured == 0 && word(record + 12) == 0 && is_pcap_magic(record)) {
        skip_second_header(record);
        continue;
      }
      if (captured > kLargestRecord) {
        cut("damaged (invalid packet capture length " + std::to_string(captured) +
            ", bigger than maximum of " + std::to_string(kLargestRecord) + ")");
        break;
      }
      record = window_.want(kRecordHeader + captured);
      if (record == nullptr) return finish();
      window_.take(kRecordHeader + captured);
      fill(out, record);
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
  void fill(RawPacket& out, const std::uint8_t* record) {
    ++records_;
    out.time_ns = std::int64_t{word(record)} * 1'000'000'000 +
                  std::int64_t{word(record + 4)} * (header_.nanoseconds ? 1 : 1'000);
    out.record = records_;
    out.link_type = header_.link_type;
    out.captured = std::min(word(record + 8), header_.snap_length);
    out.original = word(record + 12);
    out.data = record + kRecordHeader;
  }

  // The next record where it lies in the window already, whole and in no way remarkable.
  bool next_here(RawPacket& out) {
    if (window_.available() < kRecordHeader) return false;
    const std::uint8_t* record = window_.want(kRecordHeader);
    const std::uint32_t captured = word(record + 8);
    const bool usual = captured > 0 && captured <= kLargestRecord;
    if (!usual || window_.available() < kRecordHeader + captured) return false;
    window_.take(kRecordHeader + captured);
    fill(out, record);
    return true;
  }

  [[nodiscard]] std::uint32_t word(const std::uint8_t* at) const {
    std::uint32_t value = 0;
    std::memcpy(&value, at, sizeof value);
    return header_.swapped ? __builtin_bswap32(value) : value;
  }

  void cut(const std::string& what) {
    state_ = Read::cut;
    warning_ =
        display_name(name_) + ": " + what + " after " + std::to_string(records_) + " packets";
  }

  // The input ended where a record should be whole.
  Read finish() {
    if (!stream_->fault().empty())
      cut(stream_->fault());
    else if (window_.available() > 0)
      cut("cut in the middle of a record");
    else
      state_ = Read::end;
    return state_;
  }

  // Two files one after the other (cat a.pcap b.pcap): a file header stands where a record header
  // should. Goes on when the second file is of the same kind.
  void skip_second_header(const std::uint8_t* record) {
    record = window_.want(kFileHeader);
    if (record == nullptr) {
      cut("cut inside the header of a second capture");
      return;
    }
    const bool same = std::memcmp(record, head_.data(), 4) == 0 &&
                      std::memcmp(record + 20, head_.data() + 20, 4) == 0 &&
                      word(record + 16) <= word(head_.data() + 16);
    if (!same) {
      cut("a second capture of another kind follows in the same file; give the captures as files "
          "of their own; stopped");
      return;
    }
    window_.take(kFileHeader);
  }

  std::unique_ptr<Stream> stream_;
  Window window_;
  std::string name_;
  std::unique_ptr<Filter> filter_;
  PcapHeader header_;
  std::array<std::uint8_t, kFileHeader> head_{};
  std::uint64_t records_ = 0;
  std::uint64_t filtered_out_ = 0;
  Read state_ = Read::packet;
  std::string warning_;
};

}  // namespace

std::string read_pcap_header(const std::uint8_t* bytes, PcapHeader& out) {
  std::array<std::uint8_t, kFileHeader> copy{};
  std::memcpy(copy.data(), bytes, kFileHeader);
  std::FILE* file = fmemopen(copy.data(), copy.size(), "rb");
  if (file == nullptr) return "out of memory";
  char error[PCAP_ERRBUF_SIZE] = "";
  pcap_t* pcap = pcap_fopen_offline_with_tstamp_precision(file, PCAP_TSTAMP_PRECISION_NANO, error);
  if (pcap == nullptr) {
    std::fclose(file);
    return error;
  }
  out.link_type = static_cast<std::uint32_t>(pcap_datalink(pcap));
  out.snap_length = static_cast<std::uint32_t>(pcap_snapshot(pcap));
  out.swapped = pcap_is_swapped(pcap) != 0;
  out.old = pcap_major_version(pcap) != 2 || pcap_minor_version(pcap) < 4;
  out.nanoseconds = bytes[out.swapped ? 3 : 0] == 0x4d;  // a1b23c4d, else a1b2c3d4
  pcap_close(pcap);
  return "";
}

std::unique_ptr<PacketSource> read_plain_pcap(std::unique_ptr<Stream> stream, std::string name,
                                              std::unique_ptr<Filter> filter,
                                              const PcapHeader& header) {
  return std::make_unique<PlainPcap>(std::move(stream), std::move(name), std::move(filter), header);
}

}  // namespace rwin::capture
