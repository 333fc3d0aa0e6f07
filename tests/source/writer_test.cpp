#include "capture/source/writer.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/source/capture_bytes.h"

namespace rwin::capture::test {
namespace {

RawPacket packet(const Bytes& bytes, std::int64_t time_ns) {
  RawPacket p;
  p.time_ns = time_ns;
  p.link_type = 1;
  p.captured = static_cast<std::uint32_t>(bytes.size());
  p.original = 1514;
  p.data = bytes.data();
  return p;
}

bool exists(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0;
}

TEST(Writer, WhatIsWrittenReadsBackToTheNanosecond) {
  TempDir dir;
  const std::string path = dir.path() + "/x.pcap";
  const Bytes frame = tcp_frame(443, 100);
  auto writer = open_writer({path, 1, 192, 0, 0});
  ASSERT_TRUE(writer.ok());
  writer.value()->write(packet(frame, 1'700'000'000'123'456'789));
  writer.value()->flush();
  // Read while it is still being written.
  const ReadResult r = read_all(path, "");
  ASSERT_EQ(r.records.size(), 1U);
  EXPECT_EQ(r.records[0].time_ns, 1'700'000'000'123'456'789);
  EXPECT_EQ(r.records[0].data, frame);
  EXPECT_EQ(r.records[0].original, 1514U);
  EXPECT_EQ(writer.value()->packets(), 1U);
  EXPECT_EQ(writer.value()->fault(), "");
}

TEST(Writer, FilesInTurn) {
  TempDir dir;
  const std::string path = dir.path() + "/x";
  const Bytes frame = tcp_frame(443, 100);
  {
    auto writer = open_writer({path, 1, 192, 200, 0});
    ASSERT_TRUE(writer.ok());
    for (int i = 0; i < 6; ++i) writer.value()->write(packet(frame, i));
  }
  std::size_t total = 0;
  for (const char* end : {"", "1", "2"}) total += read_all(path + end, "").records.size();
  EXPECT_GT(read_all(path, "").records.size(), 0U);
  EXPECT_GT(read_all(path + "1", "").records.size(), 0U);
  EXPECT_EQ(total, 6U);
}

TEST(Writer, OldestIsWrittenOver) {
  TempDir dir;
  const std::string path = dir.path() + "/y";
  const Bytes frame = tcp_frame(443, 100);
  {
    auto writer = open_writer({path, 1, 192, 100, 11});
    ASSERT_TRUE(writer.ok());
    for (int i = 0; i < 40; ++i) writer.value()->write(packet(frame, i));
  }
  EXPECT_TRUE(exists(path + "00"));
  EXPECT_TRUE(exists(path + "10"));
  EXPECT_FALSE(exists(path + "11"));
  EXPECT_FALSE(exists(path));
}

TEST(Writer, OnlyNewLeavesWhatIsThere) {
  TempDir dir;
  const std::string path = dir.path() + "/x.pcap";
  const WriterOptions options{.path = path, .only_new = true};
  ASSERT_TRUE(open_writer(options).ok());
  const auto again = open_writer(options);
  ASSERT_FALSE(again.ok());
  EXPECT_NE(again.error().message.find("exists"), std::string::npos) << again.error().message;
  ASSERT_EQ(symlink(path.c_str(), (path + ".link").c_str()), 0);
  EXPECT_FALSE(open_writer({.path = path + ".link", .only_new = true}).ok());
  EXPECT_TRUE(open_writer({.path = path}).ok());
}

TEST(Writer, SaysWhatItCannotDo) {
  const auto missing = open_writer({"/no/such/folder/x.pcap", 1, 192, 0, 0});
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().message,
            "cannot write /no/such/folder/x.pcap: No such file or directory");
  // Full while writing: said, and nothing more is written.
  auto full = open_writer({"/dev/full", 1, 192, 0, 0});
  EXPECT_FALSE(full.ok());
}

}  // namespace
}  // namespace rwin::capture::test
