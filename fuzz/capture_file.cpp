// Capture files of every kind, compressed or not, read to their end with a filter or none; classic
// ones also by libpcap, which must read the same.
// Form of the input: a byte that chooses the filter, then the file.
#include <array>

#include "capture/source/pcap_file.h"
#include "capture/source/source.h"
#include "fuzz/memory_file.h"
#include "fuzz/targets.h"

namespace rwin::fuzz {
namespace {

constexpr std::uint64_t kMostRecords = 5'000;  // a small file can unpack to a huge one

// Of times the low half: a fraction of more than a second, which is damage, is a negative number
// for libpcap.
struct Sum {
  std::uint64_t records = 0, hash = 0;
  capture::Read end = capture::Read::packet;

  void add(std::uint64_t value) { hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL; }
  friend bool operator==(const Sum&, const Sum&) = default;
};

Sum read_all(capture::PacketSource& source) {
  Sum sum;
  capture::RawPacket packet;
  while (sum.records < kMostRecords && (sum.end = source.next(packet)) == capture::Read::packet) {
    ++sum.records;
    require(packet.record >= sum.records, "records are numbered upwards");
    for (const std::uint64_t value :
         {static_cast<std::uint64_t>(static_cast<std::uint32_t>(packet.time_ns)),
          std::uint64_t{packet.link_type}, std::uint64_t{packet.captured},
          std::uint64_t{packet.original}})
      sum.add(value);
    for (std::uint32_t i = 0; i < packet.captured; ++i) sum.add(packet.data[i]);
  }
  if (sum.end == capture::Read::packet) return sum;
  require(source.next(packet) == sum.end, "the end stays the end");
  require(sum.end == capture::Read::end || !source.warning().empty(), "a cut has a reason");
  for (const char c : source.warning())
    require(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f, "a reason is one plain line");
  return sum;
}

void compare_with_libpcap(const std::string& path, const Sum& own) {
  auto stream = capture::open_stream(path);
  require(stream.ok(), "a file in memory opens");
  const auto head = stream.value()->peek(4);
  if (head.size() < 4 || !capture::is_pcap_magic(head.data())) return;
  auto other =
      capture::open_pcap(std::move(stream.value()), path, std::make_unique<capture::Filter>(""),
                         capture::PcapReader::libpcap);
  require(other.ok(), "libpcap opens what we open");
  require(read_all(*other.value()) == own, "libpcap reads the same records");
}

}  // namespace

void capture_file(Input input) {
  static MemoryFile file;
  static constexpr std::array kFilters = {"", "tcp port 443", "vlan or ip6", "greater 100"};
  Reader reader(input);
  const std::string filter = kFilters[reader.u8() % kFilters.size()];
  file.set(reader.rest());
  auto opened = capture::open_file(file.path(), filter);
  if (!opened.ok()) {
    require(!opened.error().message.empty(), "a failure has a reason");
    return;
  }
  const Sum own = read_all(*opened.value());
  if (filter.empty() && own.records < kMostRecords) compare_with_libpcap(file.path(), own);
}

}  // namespace rwin::fuzz
