// The engine equals the reference on real captures: those of pcaps/ and, where they are beside the
// project, those with a known truth.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "capture/decode/decode.h"
#include "capture/source/source.h"
#include "tests/reference/compare.h"
#include "tests/reference/conversation.h"

namespace rwin::reference {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> captures_below(const fs::path& folder) {
  std::vector<std::string> out;
  if (!fs::is_directory(folder)) return out;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_regular_file() && name.find(".pcap") != std::string::npos)
      out.push_back(entry.path().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<analysis::Segment> segments_of(const std::string& file) {
  std::vector<analysis::Segment> out;
  auto opened = capture::open_file(file, "");
  if (!opened.ok()) return out;  // some are no captures on purpose
  capture::PacketSource& source = *opened.value();
  capture::RawPacket packet;
  while (source.next(packet) == capture::Read::packet) {
    analysis::Segment segment;
    if (capture::decode(packet, segment) == capture::DecodeStatus::ok) out.push_back(segment);
  }
  return out;
}

// A single record hours from both neighbours has no time of its own (the engine's rule too; its
// tests are in tests/pcaps/distorted_test.cpp).
std::vector<analysis::Segment> without_wild_stamps(std::vector<analysis::Segment> list) {
  constexpr double kHourNs = 3.6e12;
  const auto apart = [&](std::size_t a, std::size_t b) {
    return std::abs(static_cast<double>(list[a].time_ns) - static_cast<double>(list[b].time_ns));
  };
  for (std::size_t i = 1; i + 1 < list.size(); ++i) {
    if (apart(i, i - 1) > kHourNs && apart(i + 1, i - 1) < apart(i + 1, i))
      list[i].time_ns = list[i - 1].time_ns;
  }
  return list;
}

// Header fields overwritten at random: the time between two broken packets is nobody's figure.
bool broken(const std::string& file) { return file.find("reasm_crash") != std::string::npos; }

void compare_all(const std::vector<std::string>& files, std::size_t steps) {
  Compared all;
  for (const std::string& file : files) {
    SCOPED_TRACE(file);
    const auto packets = without_wild_stamps(segments_of(file));
    for (const auto& connection : by_connection(broken(file) ? decltype(packets){} : packets))
      all.add(compare_connection(connection, steps));
    for (const analysis::ConnectionResult& c : run_engine(packets)) expect_sound(c);
    for (const analysis::ConnectionResult& c : run_engine(packets, 512)) expect_sound(c);
  }
  std::printf("%zu captures, %zu connections, %zu segments, %zu of them compared one by one\n",
              files.size(), all.connections, all.segments, all.steps);
}

TEST(ReferenceCaptures, OfTheProject) {
  const auto files = captures_below(fs::path(RWIN_SOURCE_DIR) / "pcaps");
  ASSERT_FALSE(files.empty());
  compare_all(files, 400);
}

TEST(ReferenceCaptures, WithAKnownTruth) {
  const auto files = captures_below(fs::path(RWIN_SOURCE_DIR) / ".." / "shared" / "truth");
  if (files.empty()) GTEST_SKIP() << "../shared/truth is not there";
  compare_all(files, 150);
}

TEST(ReferenceCaptures, OfManyPrograms) {
  const auto files = captures_below(fs::path(RWIN_SOURCE_DIR) / ".." / "shared" / "captures");
  if (files.empty()) GTEST_SKIP() << "../shared/captures is not there";
  compare_all(files, 100);
}

}  // namespace
}  // namespace rwin::reference
