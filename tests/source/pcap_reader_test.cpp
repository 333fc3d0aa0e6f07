// Our reader of classic files against libpcap's, on the captures of the project.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "capture/source/pcap_file.h"

namespace rwin::capture {
namespace {

std::unique_ptr<PacketSource> open_with(const std::string& path, PcapReader reader) {
  auto stream = unpack(std::move(open_stream(path).value()), path);
  return std::move(
      open_pcap(std::move(stream.value().stream), path, std::make_unique<Filter>(""), reader)
          .value());
}

TEST(PcapReader, OursGivesWhatLibpcapGives) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(RWIN_PCAPS)) {
    if (entry.path().string().find(".pcap.gz") == std::string::npos) continue;
    SCOPED_TRACE(entry.path().filename().string());
    ++files;
    const auto own = open_with(entry.path().string(), PcapReader::own);
    const auto theirs = open_with(entry.path().string(), PcapReader::libpcap);
    RawPacket a;
    RawPacket b;
    for (Read state = Read::packet; state == Read::packet;) {
      state = own->next(a);
      ASSERT_EQ(state, theirs->next(b));
      if (state != Read::packet) break;
      ASSERT_EQ(a.time_ns, b.time_ns);
      ASSERT_EQ(a.link_type, b.link_type);
      ASSERT_EQ(a.captured, b.captured);
      ASSERT_EQ(a.original, b.original);
      ASSERT_TRUE(std::equal(a.data, a.data + a.captured, b.data));
    }
    EXPECT_EQ(own->warning(), theirs->warning());
  }
  EXPECT_GT(files, 5);
}

}  // namespace
}  // namespace rwin::capture
