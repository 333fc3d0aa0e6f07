#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "tests/source/capture_bytes.h"

namespace rwin::capture::test {
namespace {

using ::testing::HasSubstr;

Bytes some_pcap(unsigned records) {
  PcapBytes file;
  std::uint32_t noise = 1;
  for (unsigned i = 0; i < records; ++i) {
    Bytes data(60);
    for (auto& byte : data) {
      noise = noise * 1664525U + 1013904223U;
      byte = static_cast<std::uint8_t>(noise >> 24U);
    }
    file.record(1000 + i, i, data);
  }
  return file.bytes();
}

class Packed : public ::testing::TestWithParam<const char*> {
 protected:
  TempDir dir_;
};

TEST_P(Packed, ReadsLikeThePlainFile) {
  const Bytes plain = some_pcap(200);
  const ReadResult expected = read_all(dir_.file("plain", plain));
  ASSERT_EQ(expected.records.size(), 200U);
  const ReadResult r = read_all(dir_.file("any-name", packed(GetParam(), plain)));
  ASSERT_TRUE(r.opened) << r.error.message;
  EXPECT_EQ(r.records, expected.records);
  EXPECT_EQ(r.end, Read::end) << r.warning;

  const Bytes next_generation = PcapngBytes().interface(1).enhanced(0, 5, {1}).bytes();
  EXPECT_EQ(read_all(dir_.file("ng", packed(GetParam(), next_generation))).records.size(), 1U);
}

TEST_P(Packed, Nested) {
  const Bytes plain = some_pcap(20);
  const ReadResult r = read_all(dir_.file("a", packed("xz", packed(GetParam(), plain))));
  ASSERT_TRUE(r.opened) << r.error.message;
  EXPECT_EQ(r.records.size(), 20U);
}

// Cut at every byte: no crash, never more packets than stored, never a clean end with packets
// missing.
TEST_P(Packed, CutAnywhere) {
  // .Z has neither length nor end mark: cut where a record ends, it is a shorter file.
  const bool no_end_mark = std::string(GetParam()) == "compress";
  const Bytes whole = packed(GetParam(), some_pcap(4));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto end = whole.begin() + static_cast<std::ptrdiff_t>(size);
    const ReadResult r = read_all(dir_.file("cut", Bytes(whole.begin(), end)));
    if (!r.opened) {
      EXPECT_EQ(r.error.code, ErrorCode::not_a_capture) << size;
      EXPECT_FALSE(r.error.message.empty());
      EXPECT_FALSE(r.error.hint.empty());
    } else if (r.records.size() < 4 && (r.end == Read::cut || !no_end_mark)) {
      EXPECT_EQ(r.end, Read::cut) << size;
      EXPECT_THAT(r.warning, HasSubstr("after " + std::to_string(r.records.size()) + " packets"));
    }
  }
}

TEST_P(Packed, TextInsideIsToldApart) {
  const std::string text = "this is a letter, not a capture; it goes on for a while\n";
  const ReadResult r =
      read_all(dir_.file("a", packed(GetParam(), Bytes(text.begin(), text.end()))));
  ASSERT_FALSE(r.opened);
  EXPECT_EQ(r.error.code, ErrorCode::not_a_capture);
  EXPECT_THAT(r.error.message, HasSubstr("content of"));
  EXPECT_THAT(r.error.message, HasSubstr("text"));
}

TEST_P(Packed, NothingInsideIsAnError) {
  // libarchive's writer crashes on nothing to write with these two.
  const std::map<std::string, Bytes> by_hand = {
      {"compress", {0x1f, 0x9d, 0x90}},
      {"lz4", {0x04, 0x22, 0x4d, 0x18, 0x64, 0x40, 0xa7, 0, 0, 0, 0, 0x05, 0x5d, 0xcc, 0x02}}};
  const auto own = by_hand.find(GetParam());
  const ReadResult r =
      read_all(dir_.file("a", own != by_hand.end() ? own->second : packed(GetParam(), {})));
  ASSERT_FALSE(r.opened);
  EXPECT_EQ(r.error.code, ErrorCode::not_a_capture) << r.error.message;
}

INSTANTIATE_TEST_SUITE_P(All, Packed,
                         ::testing::Values("gzip", "xz", "lzma", "zstd", "bzip2", "lz4",
                                           "compress"));

TEST(Unpack, StreamCutInTheMiddleGivesTheFirstPart) {
  TempDir dir;
  for (const char* filter : {"gzip", "xz", "zstd"}) {
    Bytes bytes = packed(filter, some_pcap(20'000));
    bytes.resize(bytes.size() / 2);
    const ReadResult r = read_all(dir.file("half", bytes));
    ASSERT_TRUE(r.opened) << filter << r.error.message;
    EXPECT_GT(r.records.size(), 5'000U) << filter;
    EXPECT_LT(r.records.size(), 15'000U) << filter;
    EXPECT_EQ(r.end, Read::cut);
    EXPECT_THAT(r.warning, HasSubstr(filter));
  }
}

// What libarchive knows by more than the usual first bytes.
TEST(Unpack, UnusualBeginnings) {
  TempDir dir;
  // A skippable frame in front, as pzstd writes it.
  Bytes skipped = {0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4};
  const Bytes frame = packed("zstd", some_pcap(3));
  skipped.insert(skipped.end(), frame.begin(), frame.end());
  EXPECT_EQ(read_all(dir.file("zstd", skipped)).records.size(), 3U);
  // One record, by xz's library with pb = 0, and with a dictionary of 4 KiB.
  const Bytes no_position_bits = {0x03, 0x00, 0x00, 0x80, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff,
                                  0xff, 0xff, 0xff, 0x00, 0x6a, 0x32, 0x59, 0xd9, 0x8c, 0x1a,
                                  0xb1, 0x0f, 0xbd, 0xff, 0x03, 0xb9, 0x0c, 0x43, 0xcf, 0x0a,
                                  0x69, 0x5b, 0xc1, 0x20, 0x95, 0x5c, 0x58, 0x2f, 0x49, 0x43,
                                  0xf2, 0x8e, 0x02, 0xfe, 0x41, 0x93, 0x40};
  const Bytes small_dictionary = {0x5d, 0x00, 0x10, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff,
                                  0xff, 0xff, 0xff, 0x00, 0x6a, 0x30, 0xd1, 0xc8, 0x7d, 0x8b,
                                  0xf8, 0x09, 0x9b, 0xad, 0x94, 0x4b, 0x8a, 0xf3, 0x48, 0x85,
                                  0x41, 0xde, 0x00, 0xe7, 0xaf, 0x0f, 0xc0, 0x01, 0x38, 0x1c,
                                  0x4e, 0x15, 0xff, 0xfe, 0xe1, 0x78, 0x00};
  for (const Bytes& file : {no_position_bits, small_dictionary}) {
    const ReadResult r = read_all(dir.file("lzma", file));
    ASSERT_TRUE(r.opened) << r.error.message;
    EXPECT_EQ(r.records.size(), 1U);
  }
}

TEST(Unpack, TwoMembersOneAfterTheOther) {
  TempDir dir;
  for (const char* filter : {"gzip", "xz", "zstd", "bzip2", "lz4"}) {
    Bytes bytes = packed(filter, some_pcap(5));
    const Bytes second = packed(filter, some_pcap(7));
    bytes.insert(bytes.end(), second.begin(), second.end());
    const ReadResult r = read_all(dir.file("two", bytes));
    ASSERT_TRUE(r.opened) << filter << r.error.message;
    EXPECT_EQ(r.records.size(), 12U) << filter << r.warning;
    EXPECT_EQ(r.end, Read::end) << filter << r.warning;
  }
}

// The magic bytes of formats that libarchive would unpack by starting a program found in PATH: none
// is started.
TEST(Unpack, StartsNoProgram) {
  TempDir dir;
  const std::string mark = dir.path() + "/started";
  for (const char* program : {"lzop", "lrzip", "grzip", "gzip", "zstd", "lz4", "bzip2", "xz"}) {
    const std::string path = dir.file(program, "#!/bin/sh\necho $0 >> '" + mark + "'\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }
  const char* old = std::getenv("PATH");
  const std::string keep = old == nullptr ? "" : old;
  setenv("PATH", (dir.path() + ":" + keep).c_str(), 1);
  const std::string tail(200, 'x');
  const std::vector<std::string> heads = {std::string("\x89LZO\0\r\n\x1a\n", 9),
                                          std::string("LRZI\0\6", 6),
                                          std::string("GRZipII\0\2\4:)", 12)};
  for (const std::string& head : heads) EXPECT_FALSE(read_all(dir.file("a", head + tail)).opened);
  EXPECT_EQ(read_all(dir.file("b", packed("gzip", some_pcap(1)))).records.size(), 1U);
  setenv("PATH", keep.c_str(), 1);
  EXPECT_FALSE(std::filesystem::exists(mark));
}

}  // namespace
}  // namespace rwin::capture::test
