#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/source/capture_bytes.h"

namespace rwin::capture::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

void expect_error(const ReadResult& r, ErrorCode code, const char* words) {
  ASSERT_FALSE(r.opened);
  EXPECT_EQ(r.error.code, code) << r.error.message;
  EXPECT_THAT(r.error.message, HasSubstr(words));
  EXPECT_FALSE(r.error.hint.empty());
  EXPECT_THAT(r.error.message + r.error.hint, Not(HasSubstr("\n")));
}

TEST(OpenFile, SaysWhatIsWrong) {
  TempDir dir;
  expect_error(read_all(dir.path() + "/none.pcap"), ErrorCode::not_readable, "no such file");
  expect_error(read_all(dir.path()), ErrorCode::not_readable, "directory");
  expect_error(read_all(dir.file("empty.pcap", "")), ErrorCode::not_a_capture, "is empty");
  expect_error(read_all(dir.file("notes.pcap", "some\ntext\n")), ErrorCode::not_a_capture, "text");
  expect_error(read_all(dir.file("x", Bytes(300, 1))), ErrorCode::not_a_capture, "unknown format");
  expect_error(read_all(dir.file("x", Bytes{0xd4, 0xc3})), ErrorCode::not_a_capture,
               "unknown format");
  expect_error(read_all(dir.file("x", std::string("snoop\0\0\0\0\0\0\2", 12))),
               ErrorCode::not_a_capture, "snoop");
  expect_error(read_all(dir.file("x.zip", "PK\3\4 and more")), ErrorCode::not_a_capture, "zip");
  expect_error(read_all(dir.file("bad\nname", "text")), ErrorCode::not_a_capture, "bad?name");
}

TEST(OpenFile, NoPermission) {
  TempDir dir;
  const std::string path = dir.file("secret.pcap", PcapBytes().bytes());
  std::filesystem::permissions(dir.path(), std::filesystem::perms::all);
  std::filesystem::permissions(path, std::filesystem::perms::none);
  const bool root = geteuid() == 0;
  if (root) {
    ASSERT_EQ(seteuid(65534), 0);
  }
  const ReadResult r = read_all(path);
  if (root) {
    ASSERT_EQ(seteuid(0), 0);
  }
  expect_error(r, ErrorCode::not_readable, "permission denied");
}

// Writes into a pipe from a thread, piece by piece, while it is read as standard input.
ReadResult read_standard_input(const Bytes& bytes, std::size_t piece) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  const int saved = dup(STDIN_FILENO);
  dup2(ends[0], STDIN_FILENO);
  close(ends[0]);
  std::thread writer([&] {
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      const std::size_t size = std::min(piece, bytes.size() - at);
      if (write(ends[1], bytes.data() + at, size) != static_cast<ssize_t>(size)) break;
    }
    close(ends[1]);
  });
  ReadResult r = read_all("-");
  writer.join();
  dup2(saved, STDIN_FILENO);
  close(saved);
  return r;
}

TEST(OpenFile, StandardInput) {
  PcapBytes pcap;
  PcapngBytes next_generation;
  next_generation.interface(1);
  for (unsigned i = 0; i < 500; ++i) {
    pcap.record(i, 0, Bytes(i % 90, 1));
    next_generation.enhanced(0, i, Bytes(i % 90, 1));
  }
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{4096}}) {
    for (const Bytes& plain : {pcap.bytes(), next_generation.bytes()}) {
      EXPECT_EQ(read_standard_input(plain, piece).records.size(), 500U) << piece;
      EXPECT_EQ(read_standard_input(packed("gzip", plain), piece).records.size(), 500U) << piece;
    }
  }
  Bytes cut = pcap.bytes();
  cut.pop_back();
  const ReadResult r = read_standard_input(cut, 4096);
  EXPECT_EQ(r.records.size(), 499U);
  EXPECT_EQ(r.end, Read::cut);
  EXPECT_THAT(r.warning, HasSubstr("standard input: cut"));
  expect_error(read_standard_input({}, 1), ErrorCode::not_a_capture, "standard input is empty");
}

TEST(OpenFile, NamedPipe) {
  TempDir dir;
  const std::string path = dir.path() + "/fifo";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] {
    const Bytes bytes = PcapBytes().record(1, 0, {1, 2}).bytes();
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<long>(bytes.size()));
  });
  auto opened = open_file(path, "");
  writer.join();
  ASSERT_TRUE(opened.ok());
  EXPECT_LT(opened.value()->progress(), 0.0);
  EXPECT_EQ(read_all(*opened.value()).records.size(), 1U);
}

TEST(OpenFile, ProgressGrowsFromZeroToOne) {
  TempDir dir;
  PcapBytes file;
  for (unsigned i = 0; i < 20'000; ++i) file.record(i, 0, Bytes(100));
  auto opened = open_file(dir.file("a.pcap", file.bytes()), "");
  ASSERT_TRUE(opened.ok());
  RawPacket p;
  double last = 0.0;
  bool between = false;
  while (opened.value()->next(p) == Read::packet) {
    const double now = opened.value()->progress();
    EXPECT_GE(now, last);
    between = between || (now > 0.1 && now < 0.9);
    last = now;
  }
  EXPECT_TRUE(between);
  EXPECT_DOUBLE_EQ(last, 1.0);
}

// What others recorded, where the folder is there: every file opens or is refused with reasons, and
// comes to an end.
TEST(OpenFile, CapturesOfOthers) {
  const std::filesystem::path folder =
      std::filesystem::path(RWIN_SOURCE_DIR) / ".." / "shared" / "captures";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no folder of captures";
  int opened = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const ReadResult r = read_all(entry.path().string());
    if (r.opened) ++opened;
    if (!r.opened) {
      EXPECT_EQ(r.error.code, ErrorCode::not_a_capture) << entry.path();
    } else if (r.end == Read::cut) {
      EXPECT_FALSE(r.warning.empty()) << entry.path();
    }
  }
  EXPECT_GT(opened, 50);
}

}  // namespace
}  // namespace rwin::capture::test
