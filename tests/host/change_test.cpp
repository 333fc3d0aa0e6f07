// A change of the host is whole or not there, whatever ends the program half-way. The host is a
// tree of files.
#include "capture/host/change.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "capture/host/settings.h"

namespace rwin::capture {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr const char* kRmem = "net.ipv4.tcp_rmem";
constexpr const char* kMax = "net.core.rmem_max";

class HostChangeTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = "/tmp/rwin-change-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
    put(sysctl_path(root_, kRmem), "4096\t131072\t300000\n");
    put(sysctl_path(root_, kMax), "212992\n");
  }
  void TearDown() override { fs::remove_all(root_); }

  static void put(const std::string& path, const std::string& text) {
    fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path) << text;
  }
  static std::string get(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  [[nodiscard]] std::string value(const char* key) const {
    return read_sysctl(root_, key).value_or("none");
  }
  [[nodiscard]] std::string drop_in() const { return root_ + std::string(kDropIn); }
  [[nodiscard]] std::string journal() const { return root_ + std::string(kJournal); }

  // Files in the folder of the drop-in.
  [[nodiscard]] std::size_t files() const {
    const fs::path folder = fs::path(drop_in()).parent_path();
    if (!fs::exists(folder)) return 0;
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  }

  void expect_untouched() const {
    EXPECT_EQ(value(kRmem), "4096\t131072\t300000");
    EXPECT_EQ(value(kMax), "212992");
    EXPECT_EQ(files(), 0U);
  }
  // As before, but for blanks.
  void expect_as_before() const {
    EXPECT_TRUE(same_value(value(kRmem), "4096 131072 300000")) << value(kRmem);
    EXPECT_EQ(value(kMax), "212992");
    EXPECT_EQ(files(), 0U);
  }
  void expect_applied() const {
    EXPECT_EQ(value(kRmem), "4096 131072 2300992");
    EXPECT_EQ(value(kMax), "2300992");
    EXPECT_EQ(files(), 1U);
    EXPECT_THAT(get(drop_in()), HasSubstr("\nnet.ipv4.tcp_rmem = 4096 131072 2300992\n"));
    EXPECT_THAT(get(drop_in()), HasSubstr("\n# was net.core.rmem_max = 212992\n"));
  }

  // What the commands do: lock, recover, act.
  enum class Act { apply, revert };
  std::optional<Error> act(Act what, const std::function<void(std::string_view)>& on_step = {}) {
    HostChange change(root_, on_step);
    if (auto error = change.lock()) return error;
    if (auto error = change.recover()) return error;
    if (what == Act::revert) {
      const auto kept = change.kept();
      if (!kept.ok()) return kept.error();
      return kept.value().set.empty() ? std::nullopt : change.revert();
    }
    return change.apply({{kMax, "2300992"}, {kRmem, "4096 131072 2300992"}}, "test");
  }

  // A child that dies before its step number `at`; false when it came to its end before that.
  bool dies_at(Act what, int at) {
    const pid_t child = fork();
    if (child == 0) {
      int step = 0;
      act(what, [&](std::string_view) {
        if (++step == at) _exit(9);
      });
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status) == 9;
  }

  std::string root_;
};

TEST_F(HostChangeTest, AppliesAndReverts) {
  EXPECT_EQ(act(Act::apply), std::nullopt);
  expect_applied();
  EXPECT_EQ(act(Act::revert), std::nullopt);
  expect_as_before();
  EXPECT_EQ(act(Act::revert), std::nullopt);
  expect_as_before();
}

TEST_F(HostChangeTest, ASecondChangeKeepsTheFirstOldValues) {
  EXPECT_EQ(act(Act::apply), std::nullopt);
  {
    HostChange change(root_);
    ASSERT_EQ(change.lock(), std::nullopt);
    EXPECT_EQ(change.apply({{kRmem, "4096 131072 9000000"}}, "test"), std::nullopt);
    EXPECT_EQ(change.kept().value().set.size(), 2U);
  }
  EXPECT_EQ(value(kMax), "2300992");
  EXPECT_THAT(get(drop_in()), HasSubstr("net.core.rmem_max = 2300992\n"));
  EXPECT_EQ(act(Act::revert), std::nullopt);
  expect_as_before();
}

TEST_F(HostChangeTest, KilledAtAnyStepASecondRunApplies) {
  int at = 1;
  for (; dies_at(Act::apply, at); ++at) {
    EXPECT_EQ(act(Act::apply), std::nullopt) << at;
    expect_applied();
    EXPECT_EQ(act(Act::revert), std::nullopt) << at;
    expect_as_before();
    TearDown();
    SetUp();
  }
  EXPECT_GT(at, 5);
}

TEST_F(HostChangeTest, KilledAtAnyStepARevertGivesTheOldState) {
  for (int at = 1; dies_at(Act::apply, at); ++at) {
    EXPECT_EQ(act(Act::revert), std::nullopt) << at;
    expect_as_before();
    TearDown();
    SetUp();
  }
}

TEST_F(HostChangeTest, KilledWhileReverting) {
  for (int at = 1;; ++at) {
    ASSERT_EQ(act(Act::apply), std::nullopt);
    const bool died = dies_at(Act::revert, at);
    EXPECT_EQ(act(Act::revert), std::nullopt) << at;
    expect_as_before();
    if (!died) break;
  }
}

TEST_F(HostChangeTest, KilledWhileRecovering) {
  // Die after the values are set, then again at every step of what puts them back.
  for (int at = 1;; ++at) {
    ASSERT_TRUE(dies_at(Act::apply, 4));
    ASSERT_TRUE(fs::exists(journal()));
    const bool died = dies_at(Act::revert, at);
    EXPECT_EQ(act(Act::revert), std::nullopt) << at;
    expect_as_before();
    if (!died) break;
  }
}

// The second value cannot be written: the first one is put back, no file appears.
TEST_F(HostChangeTest, AFailureChangesNothing) {
  HostChange change(root_, [&](std::string_view step) {
    if (step == "set net.ipv4.tcp_rmem") {
      fs::remove(sysctl_path(root_, kRmem));
      fs::create_directory(sysctl_path(root_, kRmem));
    }
    if (step == "recover net.ipv4.tcp_rmem") {
      fs::remove(sysctl_path(root_, kRmem));
      put(sysctl_path(root_, kRmem), "");
    }
  });
  ASSERT_EQ(change.lock(), std::nullopt);
  const auto error = change.apply({{kMax, "2300992"}, {kRmem, "4096 131072 2300992"}}, "test");
  ASSERT_TRUE(error);
  EXPECT_THAT(error->message, HasSubstr("cannot set net.ipv4.tcp_rmem"));
  expect_as_before();
}

// What the kernel does not take is noticed by reading back.
TEST_F(HostChangeTest, AValueThatIsNotTakenIsNoticed) {
  fs::remove(sysctl_path(root_, kMax));
  fs::create_symlink("/dev/null", sysctl_path(root_, kMax));
  const auto error = write_sysctl(root_, kMax, "2300992");
  ASSERT_TRUE(error);
  EXPECT_THAT(error->message, HasSubstr("after 2300992 was written"));
}

// Somebody else may write in the folder but not the values: nothing is begun.
TEST_F(HostChangeTest, AValueThatMayNotBeWrittenChangesNothing) {
  if (geteuid() == 0) {  // root may write everything: as somebody else
    const pid_t child = fork();
    if (child == 0) {
      fs::create_directories(fs::path(drop_in()).parent_path());
      fs::permissions(fs::path(drop_in()).parent_path(), fs::perms::all);
      fs::permissions(root_, fs::perms::all);
      if (setuid(65534) != 0) _exit(3);
      const auto error = act(Act::apply);
      _exit(error && error->code == ErrorCode::missing_privilege && files() == 0 ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(WEXITSTATUS(status), 0);
  } else {
    fs::permissions(sysctl_path(root_, kRmem), fs::perms::owner_read);
    const auto error = act(Act::apply);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code, ErrorCode::missing_privilege);
  }
  expect_untouched();
}

TEST_F(HostChangeTest, AMissingValueChangesNothing) {
  HostChange change(root_);
  ASSERT_EQ(change.lock(), std::nullopt);
  EXPECT_TRUE(change.apply({{kMax, "2300992"}, {"net.ipv4.none", "1"}}, "test"));
  expect_untouched();
}

TEST_F(HostChangeTest, OneAtATime) {
  HostChange first(root_);
  ASSERT_EQ(first.lock(), std::nullopt);
  HostChange second(root_);
  const auto error = second.lock();
  ASSERT_TRUE(error);
  EXPECT_THAT(error->message, HasSubstr("another rwin tune"));
}

TEST_F(HostChangeTest, AJournalThatIsNotOursStopsEverything) {
  put(journal(), "rwin-journal 1\nvalue net.core.rmem_max\n");
  const auto error = act(Act::apply);
  ASSERT_TRUE(error);
  EXPECT_THAT(error->message, HasSubstr("cannot understand"));
  EXPECT_EQ(value(kMax), "212992");
  EXPECT_TRUE(fs::exists(journal()));
}

TEST_F(HostChangeTest, SettingsKnowANamespaceOfItsOwn) {
  const std::vector<std::string> keys = {kRmem, kMax, "net.ipv4.tcp_mem"};
  auto settings = read_settings(root_, keys);
  ASSERT_TRUE(settings.ok());
  EXPECT_TRUE(settings.value().own_namespace);
  EXPECT_EQ(settings.value().values["net.ipv4.tcp_mem"].value, std::nullopt);
  put(sysctl_path(root_, "net.ipv4.tcp_mem"), "1 2 3\n");
  put(sysctl_path(root_, "kernel.osrelease"), "6.1.0-18-amd64\n");
  settings = read_settings(root_, keys);
  EXPECT_FALSE(settings.value().own_namespace);
  EXPECT_EQ(settings.value().release, "6.1.0-18-amd64");
  EXPECT_FALSE(read_settings(root_ + "/none", keys).ok());
}

// sysctl.d(5): by file name over all folders, an earlier folder hides the same name, the last
// assignment wins, /etc/sysctl.conf comes last.
TEST_F(HostChangeTest, FilesAreReadInTheOrderOfTheSystem) {
  const auto last = [&] {
    const auto settings = read_settings(root_, {kRmem, kMax});
    const auto& kept = settings.value().persisted;
    return kept.empty() ? std::string("none") : kept.back().value + " " + kept.back().file;
  };
  EXPECT_EQ(last(), "none");
  put(root_ + "/usr/lib/sysctl.d/50-a.conf", "net.core.rmem_max = 1\n");
  put(root_ + "/etc/sysctl.d/10-b.conf", "net.core.rmem_max=2\n");
  EXPECT_EQ(last(), "1 /usr/lib/sysctl.d/50-a.conf");
  put(root_ + "/etc/sysctl.d/50-a.conf", "# net.core.rmem_max = 9\n; x\n-net/core/rmem_max = 3\n");
  EXPECT_EQ(last(), "3 /etc/sysctl.d/50-a.conf");
  put(root_ + "/etc/sysctl.conf", "net.core.rmem_max\t=\t4\nother = 1\n");
  EXPECT_EQ(last(), "4 /etc/sysctl.conf");
}

}  // namespace
}  // namespace rwin::capture
