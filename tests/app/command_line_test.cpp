// The real program: what it says and how it ends, above all where something is wrong.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/app/program.h"

namespace rwin::app::test {
namespace {

using nlohmann::json;
using rwin::test::build;
using rwin::test::Bytes;
using rwin::test::ethernet;
using rwin::test::Ipv4;
using rwin::test::Tcp;

std::size_t line_count(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

Capture udp_only() {
  Capture capture;
  for (int i = 0; i < 3; ++i)
    capture.add(1'000'000 + i, ethernet(0x0800, build(Ipv4{.protocol = 17}, Bytes(16, 0))));
  return capture;
}

class CommandLine : public ::testing::Test {
 protected:
  Folder folder_;
  std::string download_ = folder_.file("download.pcap", window_limited_download(20).bytes());

  // One line on standard error that begins "rwin: " and has a hint; nothing on standard output.
  void expect_refused(const std::vector<std::string>& arguments, int code, const std::string& part,
                      const RunWith& with = {}) const {
    const Ran text = run_program(arguments, with);
    EXPECT_EQ(text.code, code) << text.err;
    EXPECT_EQ(text.out, "");
    EXPECT_EQ(text.err.substr(0, 6), "rwin: ");
    EXPECT_NE(text.err.find(part), std::string::npos) << text.err;
    EXPECT_NE(text.err.find("; "), std::string::npos) << text.err;
    EXPECT_EQ(line_count(text.err), 1U) << text.err;
    std::vector<std::string> with_json = {"-J"};
    with_json.insert(with_json.end(), arguments.begin(), arguments.end());
    expect_json_error(run_program(with_json, with), code);
  }

  static void expect_json_error(const Ran& ran, int code) {
    EXPECT_EQ(ran.code, code);
    ASSERT_TRUE(json::accept(ran.out)) << ran.out;
    const json doc = json::parse(ran.out);
    EXPECT_EQ(doc["error"]["code"], code);
    EXPECT_FALSE(doc["error"]["message"].get<std::string>().empty());
    EXPECT_EQ(doc["connections"], json::array());
    EXPECT_EQ(doc["hosts"], json::array());
    for (const char* key : {"schema", "tool", "source", "capture", "settings"})
      EXPECT_TRUE(doc.contains(key)) << key;
  }
};

TEST_F(CommandLine, RefusesMissingFile) {
  expect_refused({folder_.path("none.pcap")}, 1, "none.pcap");
}

TEST_F(CommandLine, RefusesDirectory) { expect_refused({folder_.path("")}, 1, "directory"); }

TEST_F(CommandLine, RefusesEmptyFile) { expect_refused({folder_.file("empty", "")}, 1, "empty"); }

TEST_F(CommandLine, RefusesTextFile) {
  expect_refused(
      {folder_.file("notes.txt", "just some text, much longer than the header of a capture\n")}, 1,
      "notes.txt");
}

TEST_F(CommandLine, RefusesUnreadableFile) {
  chmod(download_.c_str(), 0);
  RunWith with;
  with.unprivileged = true;
  if (run_program({"-V"}, with).code != 0) GTEST_SKIP() << "nobody may not run the program here";
  expect_refused({download_}, 1, "ermission", with);
}

TEST_F(CommandLine, RefusesUnknownOption) {
  expect_refused({"--frobnicate", download_}, 2, "--frobnicate");
}

TEST_F(CommandLine, RefusesNothingToRead) { expect_refused({}, 2, "no capture"); }

TEST_F(CommandLine, NamesUnknownLinkType) {
  Capture capture(147);
  capture.add(0, Bytes(64, 0));
  expect_refused({folder_.file("user.pcap", capture.bytes())}, 1, "147");
}

TEST_F(CommandLine, ShowsWhereAFilterIsWrong) {
  const Ran ran = run_program({"-r", download_, "tcp", "prot", "80"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_NE(ran.err.find("\n  tcp prot 80\n      ^\n"), std::string::npos) << ran.err;
  EXPECT_EQ(line_count(ran.err), 3U);
  expect_json_error(run_program({"-J", "-r", download_, "tcp", "prot", "80"}), 2);
}

TEST_F(CommandLine, CutFileGivesPartialResult) {
  std::string bytes = read_file(download_);
  bytes.resize(bytes.size() - 30);
  const std::string cut = folder_.file("cut.pcap", bytes);
  const Ran text = run_program({cut});
  EXPECT_EQ(text.code, 4);
  EXPECT_NE(text.out.find("Exit code 4"), std::string::npos);
  EXPECT_EQ(line_count(text.err), 1U) << text.err;
  const Ran doc = run_program({"-J", cut});
  EXPECT_EQ(doc.code, 4);
  const json parsed = json::parse(doc.out);
  EXPECT_EQ(parsed["connections"].size(), 1U);
  EXPECT_EQ(parsed["error"], nullptr);
  EXPECT_EQ(parsed["warnings"].size(), 1U);
  EXPECT_EQ(run_program({"-q", cut}).err, "");
}

TEST_F(CommandLine, NoTcpIsAnAnswer) {
  const std::string file = folder_.file("udp.pcap", udp_only().bytes());
  const Ran text = run_program({file});
  EXPECT_EQ(text.code, 0);
  EXPECT_NE(text.out.find("No TCP in this capture"), std::string::npos);
  const json doc = json::parse(run_program({"-J", file}).out);
  EXPECT_EQ(doc["capture"]["packets"], 3);
  EXPECT_EQ(doc["capture"]["tcp_packets"], 0);
  EXPECT_EQ(doc["capture"]["not_used"]["not_tcp"], 3);
  EXPECT_EQ(doc["error"], nullptr);
}

TEST_F(CommandLine, CaptureWithoutPacketsIsAnAnswer) {
  const std::string file = folder_.file("none.pcap", Capture().bytes());
  EXPECT_EQ(run_program({file}).code, 0);
  const Ran doc = run_program({"-J", file});
  EXPECT_EQ(doc.code, 0);
  EXPECT_EQ(json::parse(doc.out)["source"]["first_ns"], nullptr);
}

TEST_F(CommandLine, FilterThatRefusesAllSaysSo) {
  const Ran ran = run_program({"-r", download_, "udp"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_NE(ran.err.find("filter refused all"), std::string::npos) << ran.err;
}

TEST_F(CommandLine, ReadsStandardInput) {
  RunWith with;
  with.input = download_;
  const Ran ran = run_program({"-J", "-"}, with);
  EXPECT_EQ(ran.code, 0);
  json piped = json::parse(ran.out);
  json named = json::parse(run_program({"-J", download_}).out);
  EXPECT_EQ(piped["connections"], named["connections"]);
}

TEST_F(CommandLine, DoesNotWaitForATerminal) {
  const Ran ran = run_on_terminal({"-"}, 80);
  EXPECT_EQ(ran.code, 2);
  EXPECT_NE(ran.out.find("standard input is a terminal"), std::string::npos) << ran.out;
}

TEST_F(CommandLine, SameInputSameBytes) {
  EXPECT_EQ(run_program({"-J", download_}).out, run_program({"-J", download_}).out);
}

TEST_F(CommandLine, WritesAFileWhole) {
  const std::string target = folder_.path("report.json");
  const Ran ran = run_program({"-J", "-o", target, download_});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(read_file(target), run_program({"-J", download_}).out);
  // A failure of a text report leaves the old file alone.
  EXPECT_EQ(run_program({"-o", target, folder_.path("none.pcap")}).code, 1);
  EXPECT_TRUE(json::accept(read_file(target)));
}

TEST_F(CommandLine, NeverOverwritesItsInput) {
  const std::string before = read_file(download_);
  EXPECT_EQ(run_program({"-o", download_, download_}).code, 2);
  const std::string other = folder_.path("link.pcap");
  ASSERT_EQ(symlink(download_.c_str(), other.c_str()), 0);
  EXPECT_EQ(run_program({"-o", other, download_}).code, 2);
  EXPECT_EQ(read_file(download_), before);
}

TEST_F(CommandLine, SaysWhenItCannotWrite) {
  expect_refused({"-o", folder_.path("no/such/folder/x"), download_}, 1, "cannot write");
  expect_refused({"-o", folder_.path(""), download_}, 1, "cannot write");
  EXPECT_EQ(run_program({"-o", "/dev/full", download_}).code, 1);
}

TEST_F(CommandLine, ClosedPipeIsQuiet) {
  RunWith with;
  with.close_output = true;
  for (const char* format : {"-J", "--jsonl", "--csv", "--ascii"}) {
    const Ran ran = run_program({format, download_}, with);
    EXPECT_EQ(ran.code, 0) << format;
    EXPECT_EQ(ran.err, "") << format;
  }
}

TEST_F(CommandLine, InterruptReportsWhatThereIs) {
  Bytes input = window_limited_download(20).bytes();
  input.resize(input.size() / 2);
  const Ran doc = run_interrupted({"-J", "-"}, input);
  EXPECT_EQ(doc.code, 130) << doc.err;
  const json parsed = json::parse(doc.out);
  EXPECT_EQ(parsed["connections"].size(), 1U);
  EXPECT_EQ(parsed["error"], nullptr);
  EXPECT_NE(doc.err.find("interrupted"), std::string::npos) << doc.err;
  EXPECT_NE(run_interrupted({"-"}, input).out.find("Exit code 130"), std::string::npos);
}

TEST_F(CommandLine, FailOnMakesItsOwnExitCode) {
  const json doc = json::parse(run_program({"-J", download_}).out);
  const std::string limit = doc["connections"][0]["directions"][0]["verdict"]["limit"];
  EXPECT_EQ(run_program({"--fail-on", limit, download_}).code, 10);
  EXPECT_EQ(
      run_program({"--fail-on", limit == "congestion" ? "bandwidth" : "congestion", download_})
          .code,
      0);
  EXPECT_EQ(run_program({"--fail-on", "nonsense", download_}).code, 2);
}

TEST_F(CommandLine, TextIsSevenBitWithoutEscapesInAPipe) {
  const std::string odd =
      folder_.file("h\xC3\xBCtte \x1b[2J.pcap", window_limited_download(3).bytes());
  const Ran ran = run_program({odd});
  EXPECT_EQ(ran.code, 0);
  for (const char c : ran.out)
    EXPECT_TRUE(c == '\n' || (c >= 0x20 && c < 0x7F)) << static_cast<int>(c);
  EXPECT_TRUE(json::accept(run_program({"-J", odd}).out));
  const Ran missing = run_program({folder_.path("\x1b[31mred")});
  EXPECT_EQ(missing.err.find('\x1b'), std::string::npos);
}

TEST_F(CommandLine, ColourFollowsTerminalAndOptions) {
  EXPECT_NE(run_on_terminal({download_}, 100).out.find("\033["), std::string::npos);
  EXPECT_EQ(run_on_terminal({download_}, 100, {"NO_COLOR=1"}).out.find('\033'), std::string::npos);
  EXPECT_EQ(run_on_terminal({"--color", "never", download_}, 100).out.find('\033'),
            std::string::npos);
  EXPECT_NE(
      run_on_terminal({"--color", "always", download_}, 100, {"NO_COLOR=1"}).out.find("\033["),
      std::string::npos);
  EXPECT_NE(run_program({"--color", "always", download_}).out.find("\033["), std::string::npos);
}

TEST_F(CommandLine, ReportIsAsWideAsTheTerminal) {
  const auto widest = [](const std::string& text) {
    std::size_t most = 0;
    for (std::size_t start = 0; start < text.size();) {
      const std::size_t end = std::min(text.find("\r\n", start), text.size());
      // Commands are never broken; they stand deeper than everything else.
      if (text.compare(start, 13, std::string(13, ' ')) != 0) most = std::max(most, end - start);
      start = end + 2;
    }
    return most;
  };
  const std::size_t narrow = widest(run_on_terminal({"--color", "never", download_}, 60).out);
  const std::size_t wide = widest(run_on_terminal({"--color", "never", download_}, 120).out);
  EXPECT_LE(narrow, 60U);
  EXPECT_GT(wide, 80U);
  EXPECT_LE(wide, 120U);
}

TEST_F(CommandLine, JsonCountsWhatTheCaptureHas) {
  const json doc = json::parse(run_program({"-J", download_}).out);
  EXPECT_EQ(doc["capture"]["packets"], 5 + 20 * 24);
  EXPECT_EQ(doc["capture"]["tcp_packets"], doc["capture"]["packets"]);
  ASSERT_EQ(doc["connections"].size(), 1U);
  const json& c = doc["connections"][0];
  EXPECT_EQ(c["client"]["ip"], "10.0.0.1");
  EXPECT_EQ(c["client"]["port"], 40000);
  EXPECT_EQ(c["role_from"], "syn");
  const json& d = c["directions"][0];
  EXPECT_EQ(d["sender"], "server");
  EXPECT_EQ(d["bytes"], 20 * 16 * 1000);
  EXPECT_EQ(d["window"]["scale"]["state"], "absent");
  EXPECT_EQ(d["window"]["max_bytes"], 16000);
  EXPECT_EQ(d["verdict"]["limit"], "receiver-window");
}

// The invariants that scripts may count on, for whatever was captured.
void expect_invariants(const json& doc) {
  for (const json& c : doc["connections"]) {
    const std::int64_t length =
        (c["end_ns"].get<std::int64_t>() - c["start_ns"].get<std::int64_t>()) / 1000;
    for (const json& d : c["directions"]) {
      double sum = 0;
      for (const auto& [name, share] : d["shares"].items()) {
        EXPECT_GE(share.get<double>(), 0);
        sum += share.get<double>();
      }
      EXPECT_NEAR(sum, 1, 1e-6);
      std::int64_t at = 0;
      ASSERT_FALSE(d["timeline"].empty());
      for (const json& piece : d["timeline"]) {
        EXPECT_EQ(piece["start_us"], at);
        EXPECT_GE(piece["duration_us"], 0);
        at += piece["duration_us"].get<std::int64_t>();
      }
      EXPECT_LE(std::abs(at - length), 1) << c["id"];
    }
  }
}

TEST_F(CommandLine, TimelineHasNoGapAndSharesAddUp) {
  expect_invariants(json::parse(run_program({"-J", download_}).out));
  expect_invariants(json::parse(
      run_program({"-J", folder_.file("short.pcap", window_limited_download(1).bytes())}).out));
}

TEST_F(CommandLine, LinesAndCsvAgreeWithTheDocument) {
  const json doc = json::parse(run_program({"-J", download_}).out);
  const std::string lines = run_program({"--jsonl", download_}).out;
  const std::size_t at = lines.find("{\"event\":\"flow_end\"");
  ASSERT_NE(at, std::string::npos);
  json flow = json::parse(lines.substr(at, lines.find('\n', at) - at));
  flow.erase("event");
  EXPECT_EQ(flow, doc["connections"][0]);
  EXPECT_EQ(line_count(run_program({"--csv", download_}).out),
            1 + doc["connections"][0]["directions"].size());
}

TEST_F(CommandLine, CalcAnswersInBothForms) {
  EXPECT_NE(run_program({"calc", "--rate", "25M", "--rtt", "330ms"}).out.find("1,031,250 B"),
            std::string::npos);
  const json doc = json::parse(run_program({"calc", "--rate", "25Mi", "--rtt", "28ms", "-J"}).out);
  EXPECT_EQ(doc["calc"]["needed_window_bytes"], 91750);
  expect_json_error(run_program({"calc", "-J", "--rtt", "5"}), 2);
}

TEST_F(CommandLine, WritesAPageBesideTheReport) {
  const std::string page = folder_.path("page.html");
  const std::string pictures = folder_.path("pictures");
  const Ran plain = run_program({download_});
  const Ran ran = run_program({download_, "--html", page, "--svg", pictures});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, plain.out);
  const std::string text = read_file(page);
  EXPECT_EQ(text.substr(0, 15), "<!DOCTYPE html>");
  EXPECT_NE(text.find("<svg"), std::string::npos);
  EXPECT_EQ(read_file(pictures + "/flow-1-down-window.svg").substr(0, 5), "<svg ");
  const json doc = json::parse(run_program({"-J", download_, "--html", page}).out);
  EXPECT_EQ(doc["connections"].size(), 1U);
  // Where nothing can be read an old page stays; captures are never overwritten.
  EXPECT_EQ(run_program({folder_.path("none.pcap"), "--html", page}).code, 1);
  EXPECT_EQ(read_file(page).substr(0, 15), "<!DOCTYPE html>");
  EXPECT_NE(run_program({download_, "--html", download_}).err.find("--html"), std::string::npos);
  EXPECT_EQ(run_program({download_, "--svg", page}).code, 1);
  EXPECT_EQ(run_program({"compare", download_, download_, "--html", page}).code, 0);
  EXPECT_NE(read_file(page).find("<h3>Before</h3>"), std::string::npos);
}

TEST_F(CommandLine, ExplainsItsWords) {
  const Ran list = run_program({"--explain"});
  EXPECT_EQ(list.code, 0);
  EXPECT_NE(list.out.find("receiver-window\n"), std::string::npos);
  std::size_t start = 0;
  while (start < list.out.size()) {
    const std::size_t end = list.out.find('\n', start);
    const std::string code = list.out.substr(start, end - start);
    const Ran one = run_program({"--explain", code});
    EXPECT_EQ(one.code, 0) << code;
    EXPECT_GT(one.out.size(), 40U) << code;
    start = end + 1;
  }
  // Pictures stand as they are.
  EXPECT_NE(run_program({"--explain", "loss"}).out.find("\n      |======= 2 ======= x  "),
            std::string::npos);
  expect_refused({"--explain", "nonsense"}, 2, "nonsense");
  expect_refused({"--explain", "nonsense"}, 2, "one of ack-path, ");
}

TEST_F(CommandLine, HelpAndVersionGoToStandardOutput) {
  EXPECT_EQ(run_program({"-h"}).code, 0);
  EXPECT_NE(run_program({"--help"}).out.find("--target-rate"), std::string::npos);
  EXPECT_EQ(run_program({"--version"}).out.substr(0, 5), "rwin ");
  EXPECT_EQ(run_program({"-h"}).err, "");
}

// The name of a file that is not there may be a command's; of one that is there it is not.
TEST_F(CommandLine, AFileThatIsNotThereMayBeACommand) {
  const test::Folder folder;
  const test::RunWith here{.folder = folder.path("")};
  EXPECT_EQ(test::run_program({"tnue"}, here).err,
            "rwin: cannot read tnue: no such file; check the name and the folder; or did you mean "
            "rwin tune?\n");
  std::filesystem::create_symlink("rum", folder.path("rum"));
  const test::Ran loop = test::run_program({"rum"}, here);
  EXPECT_EQ(loop.code, 1);
  EXPECT_NE(loop.err.find("cannot read rum: "), std::string::npos) << loop.err;
  EXPECT_EQ(loop.err.find("did you mean"), std::string::npos) << loop.err;
}

}  // namespace
}  // namespace rwin::app::test
