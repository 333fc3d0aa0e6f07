// --rules DIR and --platform, with the real program: a platform in a TOML file alone gives advice,
// a broken file is named with line and reason.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/app/program.h"

namespace rwin::app::test {
namespace {

constexpr const char* kOwn = R"(id = "myos"
title = "My system"

[[signature]]
os = "MyOS 1"
layout = ["mss,sok,ts,nop,ws"]
window = [26280]
scale = [0]

[fix.buffer_fixed]
certainty = "sourced"
look = ["myctl get rcvbuf"]
change = ["myctl set rcvbuf {buffer}"]
persist = ["myctl save"]
undo = ["myctl set rcvbuf <the value from the look step>"]

[tune]
persist = "itself"
commands = ["myctl set rcvbuf {buffer}"]
takes_effect = "at once"
)";

class RulesDir : public ::testing::Test {
 protected:
  RulesDir() { std::filesystem::create_directories(dir_ + "/platforms"); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(dir_ + "/" + name) << text;
  }
  [[nodiscard]] Ran run(std::vector<std::string> arguments) const {
    const bool command =
        arguments[0] == "tune" || arguments[0] == "check" || arguments[0] == "compare";
    arguments.insert(arguments.begin() + (command ? 1 : 0), {"--rules", dir_});
    return run_program(arguments);
  }

  Folder folder_;
  std::string dir_ = folder_.path("rules");
  std::string capture_ =
      std::string(RWIN_SOURCE_DIR) + "/pcaps/article-rwin32k-rtt330-receiver.pcap.gz";
};

TEST_F(RulesDir, APlatformInAFileAloneGivesAdvice) {
  write("platforms/myos.toml", kOwn);
  const Ran ran = run({"--platform", "192.168.1.64=myos", capture_});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.out.find("on 192.168.1.64 (myos): Raise the receive buffer"), std::string::npos);
  EXPECT_NE(ran.out.find("change   myctl set rcvbuf 990432"), std::string::npos) << ran.out;
  // Beside the platforms it may lie in the folder itself.
  std::filesystem::rename(dir_ + "/platforms/myos.toml", dir_ + "/myos.toml");
  EXPECT_NE(run({"--platform", "192.168.1.64=myos", capture_}).out.find("myctl"),
            std::string::npos);
  const Ran tuned = run({"tune", "--rate", "50M", "--rtt", "184ms", "--platform", "myos"});
  EXPECT_EQ(tuned.code, 0) << tuned.err;
  EXPECT_NE(tuned.out.find("myctl set rcvbuf 1150496"), std::string::npos) << tuned.out;
}

TEST_F(RulesDir, ItsSignatureIsEnough) {
  write("platforms/myos.toml", kOwn);
  const Ran ran = run({"-J", capture_});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.out.find("\"os\":\"MyOS 1\""), std::string::npos);
  EXPECT_NE(ran.out.find("myctl set rcvbuf 990432"), std::string::npos);
}

TEST_F(RulesDir, ABrokenFileIsNamedWithLineAndReason) {
  write("platforms/a.toml", std::string(kOwn) + "x = 3\n");
  Ran ran = run({capture_});
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_NE(ran.err.find("a.toml:21: unknown key 'x'"), std::string::npos) << ran.err;
  write("platforms/a.toml", "id = \"a\"\ntitle = \n");
  ran = run({capture_});
  EXPECT_EQ(ran.code, 2);
  EXPECT_NE(ran.err.find("a.toml:2: "), std::string::npos) << ran.err;
  ran = run({"tune", "--rate", "50M", "--rtt", "184ms", "--platform", "linux"});
  EXPECT_EQ(ran.code, 2) << "no command goes on with half of the rules";
  // Two faults: both are told.
  write("platforms/b.toml", "id = \"b\"\ntitle = \"B\"\nlike = \"none\"\n");
  ran = run({capture_});
  EXPECT_NE(ran.err.find("b.toml:3: 'like' must name another platform"), std::string::npos)
      << ran.err;
}

// `check` sizes its advice with the platform file of Linux, `compare` judges with all of them.
TEST_F(RulesDir, CheckAndCompareReadThemToo) {
  const std::string root = folder_.path("host");
  const auto put = [&](const std::string& name, const std::string& text) {
    const std::filesystem::path path = root + "/proc/sys/" + name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text << "\n";
  };
  put("kernel/osrelease", "6.1.0-18-amd64");
  put("net/ipv4/tcp_rmem", "4096 131072 300000");
  put("net/ipv4/tcp_wmem", "4096 16384 4194304");
  put("net/ipv4/tcp_adv_win_scale", "1");
  const std::vector<std::string> check = {"check", "--root", root,   "--rate",
                                          "50M",   "--rtt",  "184ms"};
  write("platforms/linux.toml",
        "id = \"linux\"\nlike = \"linux\"\n[tune]\nsysctl = [\"net.ipv4.tcp_rmem=4096 131072 "
        "9999999\"]\n");
  Ran ran = run(check);
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.out.find("net.ipv4.tcp_rmem=\"4096 131072 9999999\""), std::string::npos)
      << ran.out;
  EXPECT_EQ(run({"compare", capture_, capture_}).code, 0);

  write("platforms/linux.toml", "id = \"linux\"\nlike = \"linux\"\nx = 3\n");
  using Commands = std::vector<std::vector<std::string>>;
  for (const auto& arguments : Commands{check, {"compare", capture_, capture_}}) {
    ran = run(arguments);
    EXPECT_EQ(ran.code, 2) << arguments[0];
    EXPECT_NE(ran.err.find("linux.toml:3: unknown key 'x'"), std::string::npos) << ran.err;
  }
}

TEST_F(RulesDir, AFolderWithoutRulesIsRefused) {
  const Ran empty = run({capture_});
  EXPECT_EQ(empty.code, 2);
  EXPECT_NE(empty.err.find("no rules in it"), std::string::npos) << empty.err;
  const Ran missing = run_program({"--rules", folder_.path("nowhere"), capture_});
  EXPECT_EQ(missing.code, 2);
  EXPECT_NE(missing.err.find("nowhere"), std::string::npos) << missing.err;
}

TEST_F(RulesDir, AnUnknownPlatformIsRefusedWithTheList) {
  Ran ran = run_program({"--platform", "192.168.1.64=nope", capture_});
  EXPECT_EQ(ran.code, 2);
  EXPECT_NE(ran.err.find("no such platform nope; one of "), std::string::npos) << ran.err;
  ran = run_program({"--platform", "192.168.1.64", capture_});
  EXPECT_EQ(ran.code, 2);
  EXPECT_NE(ran.err.find("use ADDRESS=PLATFORM"), std::string::npos) << ran.err;
}

TEST_F(RulesDir, ThePlatformOfAHostIsTheUsersWord) {
  const Ran ran = run_program({"--platform", "192.168.1.64=container", capture_});
  EXPECT_EQ(ran.code, 0);
  EXPECT_NE(ran.out.find("on 192.168.1.64 (container):"), std::string::npos) << ran.out;
}

}  // namespace
}  // namespace rwin::app::test
