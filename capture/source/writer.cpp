#include "capture/source/writer.h"

#include <pcap/pcap.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "capture/source/plain_pcap.h"
#include "capture/source/stream.h"

namespace rwin::capture {
namespace {

constexpr std::size_t kWriteBuffer = 1 << 20;

class PcapWriter final : public CaptureWriter {
 public:
  explicit PcapWriter(WriterOptions options) : options_(std::move(options)), buffer_(kWriteBuffer) {
    pcap_ = pcap_open_dead_with_tstamp_precision(static_cast<int>(options_.link_type),
                                                 options_.snap_length, PCAP_TSTAMP_PRECISION_NANO);
  }
  ~PcapWriter() override {
    close();
    if (pcap_ != nullptr) pcap_close(pcap_);
  }
  PcapWriter(const PcapWriter&) = delete;
  PcapWriter& operator=(const PcapWriter&) = delete;

  bool open() {
    const std::string path = path_of(number_);
    std::FILE* file =
        pcap_ != nullptr ? std::fopen(path.c_str(), options_.only_new ? "wbxe" : "wbe") : nullptr;
    if (file == nullptr) {
      fail(path);
      return false;
    }
    std::setvbuf(file, buffer_.data(), _IOFBF, buffer_.size());
    dumper_ = pcap_dump_fopen(pcap_, file);
    if (dumper_ == nullptr) {
      fail(path);
      std::fclose(file);
      return false;
    }
    written_ = kFileHeader;
    flush();
    return fault_.empty();
  }

  void write(const RawPacket& packet) override {
    if (dumper_ == nullptr) return;
    if (options_.rotate_bytes > 0 && written_ >= options_.rotate_bytes && !next_file()) return;
    pcap_pkthdr header{};
    header.ts.tv_sec = packet.time_ns / 1'000'000'000;
    header.ts.tv_usec = packet.time_ns % 1'000'000'000;  // nanoseconds, by the precision above
    header.caplen = packet.captured;
    header.len = packet.original;
    pcap_dump(reinterpret_cast<u_char*>(dumper_), &header, packet.data);
    written_ += kRecordHeader + packet.captured;
    ++packets_;
  }

  void flush() override {
    if (dumper_ != nullptr &&
        (pcap_dump_flush(dumper_) != 0 || std::ferror(pcap_dump_file(dumper_)) != 0)) {
      fail(path_of(number_));
      close();
    }
  }

  [[nodiscard]] const std::string& fault() const override { return fault_; }
  [[nodiscard]] std::uint64_t packets() const override { return packets_; }

 private:
  [[nodiscard]] std::string path_of(std::uint32_t number) const {
    if (options_.files > 0) {
      const std::size_t digits = std::to_string(options_.files - 1).size();
      const std::string text = std::to_string(number % options_.files);
      return options_.path + std::string(digits - text.size(), '0') + text;
    }
    return number == 0 ? options_.path : options_.path + std::to_string(number);
  }

  bool next_file() {
    flush();
    if (!fault_.empty()) return false;
    close();
    ++number_;
    return open();
  }

  void close() {
    if (dumper_ != nullptr) pcap_dump_close(dumper_);
    dumper_ = nullptr;
  }

  void fail(const std::string& path) {
    if (fault_.empty()) fault_ = "cannot write " + printable(path) + ": " + std::strerror(errno);
  }

  WriterOptions options_;
  std::vector<char> buffer_;
  pcap_t* pcap_ = nullptr;
  pcap_dumper_t* dumper_ = nullptr;
  std::uint32_t number_ = 0;
  std::uint64_t written_ = 0, packets_ = 0;
  std::string fault_;
};

}  // namespace

Result<std::unique_ptr<CaptureWriter>> open_writer(const WriterOptions& options) {
  auto writer = std::make_unique<PcapWriter>(options);
  if (!writer->open()) {
    return Error{ErrorCode::not_readable, writer->fault(),
                 "choose a folder where you may write, and that has room", -1};
  }
  return std::unique_ptr<CaptureWriter>(std::move(writer));
}

}  // namespace rwin::capture
