#include "app/options.h"

#include <gtest/gtest.h>

#include <set>

#include "app/closest.h"
#include "app/command_table.h"
#include "tests/app/parsed_options.h"

namespace rwin::app {
namespace {

TEST(Options, WordsAreFilesWithoutRead) {
  const Options o = good({"a.pcap", "b.pcap", "-f", "tcp port 80"});
  EXPECT_EQ(o.files, (std::vector<std::string>{"a.pcap", "b.pcap"}));
  EXPECT_EQ(o.filter, "tcp port 80");
}

TEST(Options, Dashboard) {
  const Options o = good({"--tui", "--theme", "light", "--glyphs", "block", "--names", "--no-mouse",
                          "--refresh", "250", "a.pcap"});
  EXPECT_TRUE(o.tui);
  EXPECT_EQ(o.theme, ThemeWanted::light);
  EXPECT_EQ(o.glyphs, "block");
  EXPECT_TRUE(o.names);
  EXPECT_FALSE(o.mouse);
  EXPECT_EQ(o.refresh_ms, 250);
  EXPECT_FALSE(good({"a.pcap"}).tui);
  EXPECT_FALSE(good({"--names", "-n", "a.pcap"}).names);
  EXPECT_EQ(bad({"--tui", "-J", "a.pcap"}),
            "--tui shows on the terminal, and there is another output");
  EXPECT_EQ(bad({"--tui", "-o", "x", "a.pcap"}),
            "--tui shows on the terminal, and there is another output");
  EXPECT_EQ(bad({"--theme", "pink", "a.pcap"}), "--theme pink: not understood");
  EXPECT_EQ(bad({"--glyphs", "runes", "a.pcap"}), "--glyphs runes: not understood");
  EXPECT_EQ(bad({"--refresh", "50", "a.pcap"}), "--refresh 50: not understood");
}

TEST(Options, WordsAreFilterWithRead) {
  const Options o =
      good({"-r", "a", "-r", "b", "-f", "tcp or udp", "host", "10.0.0.1", "or", "port", "80"});
  EXPECT_EQ(o.files, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(o.filter, "(tcp or udp) and (host 10.0.0.1 or port 80)");
  EXPECT_EQ(good({"-r", "a", "port", "80"}).filter, "port 80");
  EXPECT_EQ(good({"-r", "-"}).files, std::vector<std::string>{"-"});
  EXPECT_EQ(good({"-"}).files, std::vector<std::string>{"-"});
}

TEST(Options, DashDashEndsOptions) {
  EXPECT_EQ(good({"--", "-odd-name"}).files, std::vector<std::string>{"-odd-name"});
}

TEST(Options, TakesEveryValue) {
  const Options o = good({"x",
                          "-J",
                          "--target-rate",
                          "25Mi",
                          "--top",
                          "0",
                          "--min-bytes=64Ki",
                          "-o",
                          "out",
                          "--color",
                          "never",
                          "--ascii",
                          "--units",
                          "bytes",
                          "-q",
                          "-v",
                          "--assume-wscale",
                          "203.0.113.77=7",
                          "--assume-wscale",
                          "[2001:db8::1]=0"});
  EXPECT_EQ(o.format, Format::json);
  EXPECT_EQ(o.target_bps, 25.0 * 1024 * 1024);
  EXPECT_EQ(o.top, 0U);
  EXPECT_EQ(o.min_bytes, 65536U);
  EXPECT_EQ(o.output, "out");
  EXPECT_EQ(o.color, ColorWhen::never);
  EXPECT_TRUE(o.ascii && o.quiet && o.verbose);
  EXPECT_EQ(o.units, Units::bytes);
  ASSERT_EQ(o.assume_wscale.size(), 2U);
  EXPECT_EQ(o.assume_wscale[0].shift, 7);
  EXPECT_EQ(o.assume_wscale[1].address.family, 6);
}

TEST(Options, ZeroIsNoLimit) {
  EXPECT_EQ(good({"x", "--min-bytes", "0"}).min_bytes, 0U);
  EXPECT_EQ(good({"x", "--top", "0"}).top, 0U);
}

TEST(Options, BundlesFlags) {
  const Options o = good({"-qJ", "x"});
  EXPECT_TRUE(o.quiet);
  EXPECT_EQ(o.format, Format::json);
}

TEST(Options, ExplainTakesAWordOrNone) {
  EXPECT_EQ(good({"--explain"}).mode, Mode::explain);
  EXPECT_EQ(good({"--explain"}).explain_code, "");
  EXPECT_EQ(good({"--explain", "loss"}).explain_code, "loss");
}

TEST(Options, PagesAndPictures) {
  EXPECT_EQ(good({"x", "--html", "p.html", "--svg", "d"}).html, "p.html");
  EXPECT_EQ(good({"x", "--html", "p.html", "--svg", "d"}).svg_dir, "d");
  EXPECT_EQ(good({"x", "-J", "--html", "p.html"}).format, Format::json);
  EXPECT_EQ(good({"compare", "x", "y", "--html", "p.html"}).html, "p.html");
  EXPECT_EQ(bad({"x", "--html", "-"}), "--html writes a file beside the report");
  EXPECT_EQ(bad({"x", "--html", ""}), "--html writes a file beside the report");
  EXPECT_EQ(bad({"x", "--html", "p", "-o", "p"}), "--html and --output name the same file");
  EXPECT_EQ(bad({"compare", "x", "y", "--html", "-"}), "--html writes a file beside the report");
  EXPECT_EQ(bad({"x", "--svg", ""}), "--svg writes pictures into a folder");
  EXPECT_EQ(bad({"x", "--tui", "--html", "p"}),
            "--tui shows on the terminal, and --html and --svg write a report");
  EXPECT_EQ(bad({"-i", "lo", "--html", "p"}), "--html and --svg are drawn from files");
}

TEST(Options, FailOnTakesClassAndCauseWords) {
  EXPECT_EQ(
      good({"x", "--fail-on", "receiver-window,congestion", "--fail-on", "bandwidth"}).fail_on,
      (std::vector<std::string>{"receiver-window", "congestion", "bandwidth"}));
  EXPECT_EQ(bad({"x", "--fail-on", "receiver-window,nonsense"}),
            "--fail-on nonsense: no such limit or cause");
  EXPECT_EQ(bad({"x", "--fail-on", ""}), "--fail-on : no such limit or cause");
}

TEST(Options, SaysWhatIsWrong) {
  EXPECT_EQ(bad({}), "no capture to read");
  EXPECT_EQ(bad({"--jsno", "x"}), "unknown option --jsno");
  EXPECT_EQ(bad({"-x", "x"}), "unknown option -x");
  EXPECT_EQ(bad({"x", "--target-rate", "25MB"}), "--target-rate 25MB: not understood");
  EXPECT_EQ(bad({"x", "--top", "many"}), "--top many: not understood");
  EXPECT_EQ(bad({"x", "--color", "red"}), "--color red: not understood");
  EXPECT_EQ(bad({"x", "--units", "nibbles"}), "--units nibbles: not understood");
  EXPECT_EQ(bad({"x", "--assume-wscale", "1.2.3.4=15"}),
            "--assume-wscale 1.2.3.4=15: not understood");
  EXPECT_EQ(bad({"x", "--assume-wscale", "1.2.3.4"}), "--assume-wscale 1.2.3.4: not understood");
  EXPECT_EQ(bad({"x", "--json", "--csv"}), "more than one of --json, --jsonl and --csv");
  EXPECT_EQ(bad({"-r"}), "option -r needs an argument: -r FILE");
  EXPECT_EQ(bad({"-", "-"}), "standard input (-) given more than once");
}

TEST(Options, SuggestsTheOptionThatWasMeant) {
  const auto parsed = parse_options({"--tagret-rate", "5M", "x"});
  ASSERT_TRUE(std::holds_alternative<Failure>(parsed));
  EXPECT_EQ(std::get<Failure>(parsed).hint, "did you mean --target-rate?");
}

TEST(Options, SuggestsTheCommandThatWasMeant) {
  const auto hint = [](const std::vector<std::string>& words) {
    const auto parsed = parse_options(words);
    return std::holds_alternative<Failure>(parsed) ? std::get<Failure>(parsed).hint : "taken";
  };
  EXPECT_EQ(hint({"tnue", "--rate", "50M", "--rtt", "184ms"}), "did you mean rwin tune?");
  EXPECT_EQ(hint({"capture.pcap", "--rtt", "184ms"}), "rwin --help lists the options");
  EXPECT_EQ(hint({"runs", "--jsno"}), "did you mean --json?");  // no option of `run`'s own
  EXPECT_EQ(hint({"tune.d", "--frob", "5M"}), "rwin --help lists the options");
  EXPECT_EQ(hint({"cal", "--top"}), "rwin --help explains it");
  EXPECT_EQ(closest_command("cehck"), "check");
  EXPECT_EQ(closest_command("compere"), "compare");
  EXPECT_EQ(closest_command("r"), "");
  EXPECT_EQ(closest_command("tune.pcap"), "");
  EXPECT_EQ(good({"rnu", "a.pcap"}).command_meant, "run");
  EXPECT_EQ(good({"a.pcap", "rnu"}).command_meant, "");
  EXPECT_EQ(good({"-r", "rnu"}).command_meant, "");
  EXPECT_EQ(good({"./rnu"}).command_meant, "");
}

TEST(Options, OtherCommandsAreToldApartFromFiles) {
  EXPECT_EQ(good({"./run"}).files, std::vector<std::string>{"./run"});
}

TEST(Options, TuneTakesALine) {
  const Options o = good({"tune", "--rate", "50M", "--rtt", "184ms", "--link", "ptm"});
  EXPECT_EQ(o.mode, Mode::tune);
  EXPECT_EQ(o.tune.line.rate_bps, 50e6);
  EXPECT_EQ(o.tune.line.rtt_us, 184'000);
  EXPECT_EQ(o.tune.line.link, rules::Link::ptm);
  EXPECT_EQ(o.tune.action, TuneAction::show);
  EXPECT_EQ(o.tune.command, "rwin tune --rate 50M --rtt 184ms --link ptm");
  EXPECT_EQ(good({"tune", "--rate", "1 Gbit/s", "--rtt", "1s", "-o", "a'b\n"}).tune.command,
            "rwin tune --rate '1 Gbit/s' --rtt 1s -o 'a'\\''b?'");
  EXPECT_EQ(good({"tune", "--rate", "1M", "--rtt", "1s", "-J"}).tune.format, TuneFormat::json);
  EXPECT_EQ(good({"tune", "--rate", "1M", "--rtt", "1s", "--format", "sysctl.d"}).tune.format,
            TuneFormat::sysctl_d);
}

TEST(Options, TuneChangesTheHostOnlyWhenTold) {
  const Options apply = good({"tune", "--rate", "1M", "--rtt", "1s", "--apply", "--yes"});
  EXPECT_EQ(apply.tune.action, TuneAction::apply);
  EXPECT_TRUE(apply.tune.yes);
  EXPECT_EQ(good({"tune", "--revert", "--root", "/x"}).tune.root, "/x");
  EXPECT_EQ(bad({"tune"}), "tune needs --rate and --rtt");
  EXPECT_EQ(bad({"tune", "--apply"}), "tune needs --rate and --rtt");
  EXPECT_EQ(bad({"tune", "--apply", "--revert"}), "--apply and --revert exclude each other");
  EXPECT_EQ(bad({"tune", "--revert", "--rate", "1M", "--rtt", "1s"}),
            "--revert puts back what was there: it takes no --rate");
  EXPECT_EQ(bad({"tune", "--rate", "1M", "--rtt", "1s", "--yes"}),
            "--yes answers --apply or --revert");
  EXPECT_EQ(bad({"tune", "--rate", "1M", "--rtt", "1s", "--apply", "--platform", "macos"}),
            "--apply changes this host: it takes no --platform");
  EXPECT_EQ(bad({"tune", "--rate", "1M", "--rtt", "1s", "--apply", "--format", "sh"}),
            "--apply prints text or JSON");
  EXPECT_EQ(bad({"tune", "--rate", "1M", "--rtt", "1s", "--format", "yaml"}),
            "--format yaml: not understood");
  EXPECT_EQ(bad({"tune", "--rate", "1M", "--rtt", "1s", "-J", "--format", "sh"}),
            "--json and another --format");
  EXPECT_EQ(bad({"tune", "--revert", "--root", ""}), "--root needs a folder");
  EXPECT_EQ(bad({"tune", "50M"}), "tune does not take the word 50M");
}

TEST(Options, CheckTakesALineOrNone) {
  EXPECT_EQ(good({"check"}).mode, Mode::check);
  EXPECT_EQ(good({"check", "--rtt", "50ms"}).check.line.rtt_us, 50'000);
  EXPECT_EQ(good({"check", "--fail-on", "any,scaling-off"}).fail_on,
            (std::vector<std::string>{"any", "scaling-off"}));
  EXPECT_EQ(bad({"check", "--fail-on", "bandwidth"}), "--fail-on bandwidth: no such finding");
  EXPECT_EQ(bad({"check", "--rate", "5M"}), "--rate without --rtt tells no window");
}

TEST(Options, CompareTakesTwoCaptures) {
  const Options o = good({"compare", "a", "b", "-J", "-f", "port 80"});
  EXPECT_EQ(o.mode, Mode::compare);
  EXPECT_EQ(o.files, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(o.format, Format::json);
  EXPECT_EQ(o.filter, "(port 80)");
  EXPECT_EQ(bad({"compare", "a"}), "compare needs two captures, 1 given");
  EXPECT_EQ(bad({"compare", "-", "-"}), "standard input (-) given more than once");
}

TEST(Options, CalcNeedsEnough) {
  EXPECT_EQ(good({"calc", "--rate", "25M", "--rtt", "330ms"}).mode, Mode::calc);
  EXPECT_EQ(good({"calc", "--mtu", "1492"}).mode, Mode::calc);
  EXPECT_EQ(good({"calc", "--help"}).mode, Mode::help);
  EXPECT_EQ(good({"calc", "--help"}).help_of, "calc");
  EXPECT_EQ(bad({"calc"}), "calc needs two of --rate, --rtt and --window, or --mtu");
  EXPECT_EQ(bad({"calc", "--rate", "25M"}),
            "calc needs two of --rate, --rtt and --window, or --mtu");
  EXPECT_EQ(bad({"calc", "--rate", "25M", "--rtt", "28"}), "--rtt 28: not understood");
  EXPECT_EQ(bad({"calc", "--rate", "25M", "--rtt", "28ms", "--link", "dsl"}),
            "--link dsl: not understood");
  EXPECT_EQ(bad({"calc", "25M"}), "calc does not take the word 25M");
  EXPECT_EQ(bad({"calc", "--mtu", "20"}), "--mtu 20: not understood");
  EXPECT_EQ(bad({"calc", "--window", "64Ki", "--rtt", "1s", "--link", "atm"}),
            "--link says what --rate counts, and there is no --rate");
}

TEST(WantedFormat, IsKnownBeforeTheRestIsUnderstood) {
  EXPECT_EQ(wanted_format({"--nonsense", "-J"}), Format::json);
  EXPECT_EQ(wanted_format({"-qJ"}), Format::json);
  EXPECT_EQ(wanted_format({"--jsonl", "--top"}), Format::jsonl);
  EXPECT_EQ(wanted_format({"-oJ.txt", "x"}), Format::text);
  EXPECT_EQ(wanted_format({"--", "-J"}), Format::text);
}

// One table feeds the parser and the help.
TEST(OptionTable, HelpNamesEveryOptionOnce) {
  const std::string help(help_text());
  std::set<std::string_view> names;
  for (const OptionSpec& spec : kOptions) {
    EXPECT_TRUE(names.insert(spec.names).second) << spec.names;
    const std::string long_name(spec.names.substr(spec.names.find("--")));
    const bool shown = help.find(long_name) != std::string::npos;
    EXPECT_EQ(shown, !spec.help.empty()) << long_name;
  }
  for (const CommandSpec& command : kCommands) {
    for (const OptionSpec& spec : command.options) {
      const std::string long_name(spec.names.substr(spec.names.find("--")));
      EXPECT_NE(command_help_text(command.name).find(long_name), std::string::npos) << long_name;
    }
  }
}

TEST(OptionTable, HelpFitsAnEightyColumnTerminal) {
  std::vector<std::string> texts = {std::string(help_text())};
  for (const CommandSpec& command : kCommands) texts.push_back(command_help_text(command.name));
  for (const std::string& text : texts) {
    std::size_t start = 0;
    while (start < text.size()) {
      const std::size_t end = std::min(text.find('\n', start), text.size());
      EXPECT_LE(end - start, 80U) << text.substr(start, end - start);
      start = end + 1;
    }
  }
}

}  // namespace
}  // namespace rwin::app
