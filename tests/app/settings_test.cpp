// Options from files and the environment: each of them, who wins, what is refused.
#include "app/settings.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <map>
#include <set>
#include <tuple>

#include "app/command_table.h"
#include "app/option_words.h"
#include "app/options.h"
#include "app/setting_keys.h"
#include "tests/app/program.h"

namespace rwin::app {
namespace {

using test::Folder;
using test::Ran;
using test::run_program;

// An argument that the option takes.
std::string sample(const OptionSpec& spec) {
  static const std::map<std::string_view, std::string> kByForm = {{"N", "200"},
                                                                  {"SIZE", "10M"},
                                                                  {"BYTES", "1400"},
                                                                  {"RATE", "25M"},
                                                                  {"TIME", "300ms"},
                                                                  {"FILE", "x.out"},
                                                                  {"DIR", "rules"},
                                                                  {"IF", "any"},
                                                                  {"EXPR", "port 80"},
                                                                  {"USER", "nobody"},
                                                                  {"ADDR=SHIFT", "192.0.2.1=7"},
                                                                  {"ADDR=ID", "192.0.2.1=linux"},
                                                                  {"NAME", "linux"},
                                                                  {"MS", "700"},
                                                                  {"[CODE]", "loss"},
                                                                  {"LIST", "buffer-capped"}};
  if (!spec.values.empty()) return split(spec.values, ' ').back();
  const auto at = kByForm.find(spec.argument);
  EXPECT_NE(at, kByForm.end()) << spec.names << ": no sample for " << spec.argument;
  return at == kByForm.end() ? "" : at->second;
}

struct Entry {
  std::string_view command;
  OptionSpec spec;
};

// Every option of the program and of each command; `settable`: all but --config.
std::vector<Entry> every_option() {
  std::vector<Entry> all;
  all.reserve(std::size(kOptions));
  for (const OptionSpec& spec : kOptions) all.push_back({"", spec});
  for (const CommandSpec& command : kCommands) {
    for (const OptionSpec& spec : command.options) all.push_back({command.name, spec});
  }
  std::erase_if(all, [](const Entry& e) { return e.spec.id == OptionId::config; });
  return all;
}

std::string key_of(const OptionSpec& spec) { return std::string(long_name(spec).substr(2)); }

std::span<const OptionSpec> options_of(std::string_view command) {
  for (const CommandSpec& one : kCommands) {
    if (one.name == command) return one.options;
  }
  return kOptions;
}

Surroundings outside(std::map<std::string, std::string> variables, std::string system_file = "") {
  return {
      [variables = std::move(variables)](const std::string& name) -> std::optional<std::string> {
        const auto at = variables.find(name);
        return at == variables.end() ? std::nullopt : std::optional(at->second);
      },
      std::move(system_file), static_cast<unsigned>(geteuid())};
}

// The words that a command line without any option has with these settings. Companions, without
// which an option has no meaning, are typed.
Words words_of(const Settings& settings, const Entry& entry) {
  Words words;
  for (const OptionSpec& spec : options_of(entry.command)) words.options[spec.id];
  const auto type = [&](OptionId id) {
    if (entry.spec.id != id && words.options.count(id) > 0)
      words.options[id] = {1, {"x"}, false, {}};
  };
  if (entry.spec.id == OptionId::rotate_size) type(OptionId::write);
  if (entry.spec.id == OptionId::rotate_files) type(OptionId::rotate_size);
  if (entry.spec.id == OptionId::rate) type(OptionId::rtt);
  if (entry.spec.id == OptionId::link) type(OptionId::rate);
  if (entry.spec.id == OptionId::yes) type(OptionId::apply);
  add_settings(settings, entry.command, options_of(entry.command), words);
  return words;
}

void expect_taken(const Settings& settings, const Entry& entry, const std::string& where) {
  const Words words = words_of(settings, entry);
  const Given& given = words[entry.spec.id];
  EXPECT_EQ(given.count, 1U) << entry.command << " " << entry.spec.names;
  EXPECT_EQ(given.where, where);
  if (entry.spec.argument.empty()) {
    EXPECT_TRUE(given.values.empty());
  } else {
    EXPECT_EQ(given.values, std::vector<std::string>{sample(entry.spec)});
  }
}

TEST(Settings, EveryLongOptionIsAKey) {
  for (const Entry& entry : every_option()) {
    const std::string table =
        entry.command.empty() ? "\n" : "[" + std::string(entry.command) + "]\n";
    const std::string value =
        entry.spec.argument.empty() ? "true" : "\"" + sample(entry.spec) + "\"";
    Settings settings;
    const std::string text = fmt::format("{}{} = {}\n", table, key_of(entry.spec), value);
    const auto failure = read_settings_text("f", text, settings.all);
    ASSERT_FALSE(failure) << failure->message;
    expect_taken(settings, entry, "f:2");
  }
}

TEST(Settings, EveryLongOptionIsAVariable) {
  std::set<std::string> names;
  for (const Entry& entry : every_option()) {
    const std::string name = variable_name(entry.command, entry.spec);
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_EQ(name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_"), std::string::npos) << name;
    const auto read = read_settings(
        outside({{name, entry.spec.argument.empty() ? "1" : sample(entry.spec)}}), std::nullopt);
    ASSERT_TRUE(std::holds_alternative<Settings>(read)) << name;
    expect_taken(std::get<Settings>(read), entry, name);
  }
  // Variables of the tests and of building have other names.
  for (const char* other : {"RWIN_UPDATE_GOLDEN", "RWIN_FUZZ_SECONDS", "RWIN_FUZZ_KEEP",
                            "RWIN_DAMAGE_SECONDS", "RWIN_TEST_SEED", "RWIN_KILL_AT", "RWIN_BENCH",
                            "RWIN_SKIP_PACKAGES", "RWIN_TESTS", "RWIN_WERROR", "RWIN_CONFIG"})
    EXPECT_EQ(names.count(other), 0U) << other;
}

TEST(Settings, TheUsersFileWinsOverTheSystems) {
  const Folder folder;
  ASSERT_EQ(mkdir(folder.path("rwin").c_str(), 0700), 0);
  const std::string mine = folder.file("rwin/config.toml", "top = 3\n[tune]\nrate = \"1M\"\n");
  const std::string all = folder.file("all.toml", "top = 4\nunits = \"bytes\"\nrate = \"2M\"\n");
  for (const std::string& path : {mine, all}) chmod(path.c_str(), 0600);
  const auto top_of = [&](std::map<std::string, std::string> variables) {
    variables["XDG_CONFIG_HOME"] = folder.path("").substr(0, folder.path("").size() - 1);
    return parse_options({"x"}, [&](const std::optional<std::string>& file) {
      return read_settings(outside(variables, all), file);
    });
  };
  const auto parsed = top_of({});
  ASSERT_TRUE(std::holds_alternative<Options>(parsed)) << std::get<Failure>(parsed).message;
  EXPECT_EQ(std::get<Options>(parsed).top, 3U);
  EXPECT_EQ(std::get<Options>(parsed).units, Units::bytes);
  EXPECT_EQ(std::get<Options>(top_of({{"RWIN_TOP", "5"}})).top, 5U);
  EXPECT_EQ(std::get<Options>(top_of({{"RWIN_CONFIG", all}})).top, 4U);
  EXPECT_EQ(std::get<Options>(top_of({{"RWIN_CONFIG", ""}})).top, 20U);
}

// What a command line with this file's text means.
std::variant<Options, Failure> with_file(const std::string& text,
                                         const std::vector<std::string>& arguments) {
  return parse_options(arguments, [&](const std::optional<std::string>&) -> SettingsRead {
    Settings settings;
    if (auto failure = read_settings_text("f.toml", text, settings.all)) return *failure;
    return settings;
  });
}
Options good_with(const std::string& text, const std::vector<std::string>& arguments) {
  const auto parsed = with_file(text, arguments);
  if (const auto* failure = std::get_if<Failure>(&parsed)) {
    ADD_FAILURE() << failure->message;
    return {};
  }
  return std::get<Options>(parsed);
}
std::string bad_with(const std::string& text, const std::vector<std::string>& arguments) {
  const auto parsed = with_file(text, arguments);
  const auto* failure = std::get_if<Failure>(&parsed);
  if (failure == nullptr) return "no failure";
  EXPECT_EQ(failure->code, ExitCode::usage);
  EXPECT_FALSE(failure->hint.empty()) << failure->message;
  return failure->message;
}

TEST(Settings, TheCommandLineWins) {
  EXPECT_EQ(good_with("top = 3", {"x"}).top, 3U);
  EXPECT_EQ(good_with("top = 3", {"--top", "7", "x"}).top, 7U);
  EXPECT_EQ(good_with("json = true", {"x"}).format, Format::json);
  EXPECT_EQ(good_with("json = true", {"x", "--json=false"}).format, Format::text);
  EXPECT_EQ(good_with("json = true", {"x", "--csv"}).format, Format::csv);
  EXPECT_FALSE(good_with("tui = true", {"x", "-J"}).tui);
  EXPECT_TRUE(good_with("numeric = true", {"x", "--names"}).names);
  EXPECT_EQ(
      good_with("platform = [\"192.0.2.1=linux\", \"192.0.2.2=wsl2\"]", {"x"}).platforms.size(),
      2U);
}

TEST(Settings, CountWhereTheyHaveAMeaning) {
  // Of live captures, when a file is read.
  EXPECT_EQ(good_with("snaplen = 256\ninterface = \"eth0\"", {"x"}).mode, Mode::read);
  const Options live = good_with("snaplen = 256\ninterface = [\"eth0\", \"eth1\"]", {});
  EXPECT_EQ(live.mode, Mode::live);
  EXPECT_EQ(live.live.snap_length, 256);
  EXPECT_EQ(live.live.interfaces, (std::vector<std::string>{"eth0", "eth1"}));
  EXPECT_EQ(good_with("interface = \"eth0\"", {"-r", "x", "port", "80"}).filter, "port 80");
  EXPECT_EQ(good_with("rotate-size = 5", {"-i", "lo"}).live.rotate_bytes, 0U);
  // Of the line, for the commands that fill it.
  EXPECT_EQ(good_with("rate = \"50M\"\nrtt = \"184ms\"", {"tune"}).tune.line.rate_bps, 50e6);
  EXPECT_EQ(good_with("rate = \"50M\"\nrtt = \"184ms\"", {"tune"}).tune.command,
            "rwin tune --rate 50M --rtt 184ms");
  EXPECT_EQ(good_with("rate = \"50M\"\nrtt = \"184ms\"", {"tune", "--revert"}).tune.action,
            TuneAction::revert);
  EXPECT_FALSE(
      good_with("rate = \"50M\"", {"calc", "--window", "64Ki", "--rtt", "1s"}).calc.rate_bps);
  EXPECT_EQ(good_with("rate = \"5M\"\n[check]\nrate = \"6M\"\nrtt = \"1s\"", {"check"})
                .check.line.rate_bps,
            6e6);
  // Words that mean something else to a command.
  EXPECT_EQ(
      good_with("platform = \"192.0.2.1=linux\"\nfail-on = \"loss\"", {"check"}).fail_on.size(),
      0U);
  EXPECT_EQ(good_with("quiet = true", {"compare", "a", "b"}).quiet, true);
}

TEST(Settings, SuggestWhatWasMeant) {
  const auto hint = [](const std::string& text) {
    std::vector<Setting> all;
    const auto failure = read_settings_text("f.toml", text, all);
    return failure ? failure->hint : std::string("taken");
  };
  EXPECT_EQ(hint("tagret-rate = \"5M\""), "did you mean target-rate?");
  EXPECT_EQ(hint("[tune]\nplatfrom = \"macos\""), "did you mean platform?");
  EXPECT_EQ(hint("[tnue]\nplatform = \"macos\""), "did you mean [tune]?");
  EXPECT_EQ(hint("[serve]\nquiet = true"), "tables are calc, compare, tune, check and run");
  EXPECT_EQ(
      hint("colour-of-the-sky = true"),
      "keys are the long options without their hyphens in front: rwin --print-config shows all");
}

TEST(Settings, FaultsNameTheirPlace) {
  EXPECT_EQ(bad_with("\ntagret-rate = 5", {"x"}), "f.toml:2: unknown key tagret-rate");
  EXPECT_EQ(bad_with("config = \"x\"", {"x"}), "f.toml:1: unknown key config");
  EXPECT_EQ(bad_with("[calc]\nquiet = true", {"x"}), "f.toml:2: unknown key quiet");
  EXPECT_EQ(bad_with("[serve]\nquiet = true", {"x"}), "f.toml:1: there is no command serve");
  EXPECT_EQ(bad_with("quiet = 1", {"x"}), "f.toml:1: quiet has a value of another kind");
  EXPECT_EQ(bad_with("top = true", {"x"}), "f.toml:1: top has a value of another kind");
  EXPECT_EQ(bad_with("read = []", {}), "f.toml:1: read has a value of another kind");
  EXPECT_EQ(bad_with("quiet = true\ntop = \"many\"", {"x"}),
            "f.toml:2: --top many: not understood");
  EXPECT_EQ(bad_with("json = true\ncsv = true", {"x"}),
            "f.toml:1: more than one of --json, --jsonl and --csv");
  EXPECT_EQ(bad_with("top = ", {"x"}).substr(0, 9), "f.toml:1:");
  // A fault of the command line stays one.
  EXPECT_EQ(bad_with("quiet = true", {"x", "--top", "many"}), "--top many: not understood");
  EXPECT_EQ(good_with("top = \"many\"", {"--help"}).mode, Mode::help);
}

TEST(Settings, PrintedOnesCanBeReadBack) {
  Settings settings;
  ASSERT_FALSE(read_settings_text("f",
                                  "top = 7\nfilter = \"port \\\"80\\\"\"\nread = [\"a\", "
                                  "\"\\u00fc\", \"\\t\\u001b\\u202e\\\\\"]\n"
                                  "quiet = true\n[tune]\nrate = \"5M\"\n",
                                  settings.all));
  const std::string text = settings_text(settings, Words{});
  EXPECT_NE(text.find("\ntop = 7  # f:1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nunits = \"bits\"  # default\n"), std::string::npos) << text;
  Settings again;
  const auto failure = read_settings_text("again", text, again.all);
  ASSERT_FALSE(failure) << failure->message;
  const auto find = [&](std::string_view command, OptionId id) {
    for (const Setting& one : again.all) {
      if (one.id == id && one.command == command) return one.values;
    }
    return std::vector<std::string>{"none"};
  };
  EXPECT_EQ(find("", OptionId::filter), std::vector<std::string>{"port \"80\""});
  EXPECT_EQ(find("", OptionId::read), (std::vector<std::string>{"a", "\u00fc", "\t\x1b\u202e\\"}));
  EXPECT_EQ(find("tune", OptionId::rate), std::vector<std::string>{"5M"});
  // The template has every key, in a comment or with what holds without it.
  const std::string all = settings_text({}, {});
  for (const Entry& entry : every_option()) {
    if (entry.spec.id == OptionId::print_config) continue;
    const std::string key = key_of(entry.spec) + " = ";
    EXPECT_TRUE(all.find("\n" + key) != std::string::npos ||
                all.find("\n#" + key) != std::string::npos)
        << key;
  }
}

// Default values that are printed are those that hold.
TEST(Settings, StandardsAreWhatLeavingThemOutAmountsTo) {
  for (const OptionSpec& spec : kOptions) {
    if (spec.standard.empty()) continue;
    const bool live = spec.group == OptionGroup::live;
    const auto parse = [&](std::vector<std::string> more) {
      if (live) more.insert(more.end(), {"-i", "lo"});
      if (!live) more.emplace_back("x");
      return std::get<Options>(parse_options(more));
    };
    const Options with = parse({std::string(long_name(spec)), std::string(spec.standard)});
    const Options without = parse({});
    const auto values = [](const Options& o) {
      return std::tuple(o.live.snap_length, o.live.buffer_bytes, o.live.interval_ms, o.top,
                        o.min_bytes, o.units, o.color, o.theme, o.refresh_ms, o.glyphs);
    };
    EXPECT_EQ(values(with), values(without)) << spec.names;
  }
}

TEST(Settings, FilesOfOthersAreNotObeyed) {
  const Folder folder;
  const std::string path = folder.file("config.toml", "top = 3\n");
  const auto read = [&](unsigned user) {
    Surroundings from = outside({}, path);
    from.user = user;
    return std::get<Settings>(read_settings(from, std::nullopt));
  };
  const unsigned owner = geteuid();
  chmod(path.c_str(), 0664);
  if (owner != 0) {
    EXPECT_EQ(read(owner).all.size(), 1U);
    EXPECT_EQ(read(owner + 1).all.size(), 0U);
    EXPECT_EQ(read(0).all.size(), 0U);
    return;
  }
  // A program of root's obeys a file that only root can write.
  EXPECT_EQ(read(0).all.size(), 0U);
  EXPECT_NE(read(0).warnings.at(0).find("others may write to it"), std::string::npos);
  chmod(path.c_str(), 0644);
  EXPECT_EQ(read(0).all.size(), 1U);
  ASSERT_EQ(chown(path.c_str(), 65534, 65534), 0);
  EXPECT_EQ(read(0).all.size(), 0U);
  EXPECT_NE(read(0).warnings.at(0).find("belongs to another user"), std::string::npos);
  EXPECT_EQ(read(65534).all.size(), 1U);
  EXPECT_EQ(read(1000).all.size(), 0U);
}

TEST(Settings, TheProgramReadsThem) {
  const Folder folder;
  const std::string path = folder.file("c.toml", "json = true\ntop = \"many\"\n");
  const std::string fine = folder.file("fine.toml", "json = true\n");
  const std::string capture = folder.file("d.pcap", test::window_limited_download(20).bytes());
  const Ran wrong = run_program({"--config", path, capture});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.err.find("c.toml:2: --top many: not understood"), std::string::npos) << wrong.err;
  EXPECT_EQ(wrong.out.substr(0, 1), "{");  // the form that was asked for
  test::RunWith with;
  with.environment = {"RWIN_CONFIG=" + fine};
  EXPECT_EQ(run_program({capture}, with).out.substr(0, 1), "{");
  with.environment.push_back("RWIN_JSON=0");
  EXPECT_EQ(run_program({capture}, with).out.substr(0, 4), "rwin");
  with.environment.push_back("RWIN_CSV=true");
  EXPECT_EQ(run_program({capture}, with).out.substr(0, 3), "id,");
  const Ran printed = run_program({"--print-config", "--min-bytes", "5"}, with);
  EXPECT_EQ(printed.code, 0) << printed.err;
  EXPECT_NE(printed.out.find("\nmin-bytes = 5  # command line\n"), std::string::npos);
  EXPECT_NE(printed.out.find("\njson = false  # RWIN_JSON\n"), std::string::npos);
  EXPECT_NE(printed.out.find("\ncsv = true  # RWIN_CSV\n"), std::string::npos);
  EXPECT_EQ(run_program({"--config", folder.path("none"), capture}).code, 2);
}

// Who always wants the dashboard still gets the report in a pipe; asked for by hand it is a
// mistake.
TEST(Settings, ADashboardBySettingNeedsNoTerminal) {
  const Folder folder;
  const std::string config = folder.file("c.toml", "tui = true\n");
  const std::string capture = folder.file("d.pcap", test::window_limited_download(20).bytes());
  const Ran piped = run_program({"--config", config, capture});
  EXPECT_EQ(piped.code, 0) << piped.err;
  EXPECT_EQ(piped.out.substr(0, 4), "rwin");
  EXPECT_EQ(run_program({"--tui", capture}).code, 2);
}

}  // namespace
}  // namespace rwin::app
