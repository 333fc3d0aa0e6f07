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

// Null: not a classic capture file.
std::unique_ptr<PacketSource> open_with(const std::string& path, PcapReader reader) {
  auto stream = unpack(std::move(open_stream(path).value()), path);
  if (!stream.ok()) return nullptr;
  auto source =
      open_pcap(std::move(stream.value().stream), path, std::make_unique<Filter>(""), reader);
  return source.ok() ? std::move(source.value()) : nullptr;
}

// How many classic files there were.
int compare_below(const std::filesystem::path& folder) {
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().string().find(".pcap") == std::string::npos) continue;
    SCOPED_TRACE(entry.path().string());
    const auto own = open_with(entry.path().string(), PcapReader::own);
    const auto theirs = open_with(entry.path().string(), PcapReader::libpcap);
    if (!own || !theirs) continue;
    ++files;
    RawPacket a;
    RawPacket b;
    for (Read state = Read::packet; state == Read::packet;) {
      state = own->next(a);
      EXPECT_EQ(state, theirs->next(b));
      if (state != Read::packet) break;
      const bool same = a.time_ns == b.time_ns && a.link_type == b.link_type &&
                        a.captured == b.captured && a.original == b.original &&
                        std::equal(a.data, a.data + a.captured, b.data);
      EXPECT_TRUE(same) << "record " << a.record;
      if (!same) break;
    }
    EXPECT_EQ(own->warning(), theirs->warning());
  }
  return files;
}

TEST(PcapReader, OursGivesWhatLibpcapGives) { EXPECT_GT(compare_below(RWIN_PCAPS), 5); }

// Captures of others, where they are there.
TEST(PcapReader, OursGivesWhatLibpcapGivesOnOtherCaptures) {
  const std::filesystem::path shared = std::filesystem::path(RWIN_PCAPS) / ".." / ".." / "shared";
  if (!std::filesystem::exists(shared)) GTEST_SKIP() << "no folder of captures";
  EXPECT_GT(compare_below(shared / "truth"), 50);
  EXPECT_GT(compare_below(shared / "captures"), 10);
}

}  // namespace
}  // namespace rwin::capture
