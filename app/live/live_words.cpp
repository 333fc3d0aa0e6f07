#include "app/live/live_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "text/units.h"

namespace rwin::app {
namespace {

constexpr int kLeastSnap = 128;  // link, IPv6 and TCP options must fit
constexpr int kMostSnap = 262'144;

// "30", "500ms", "5m", "2h" to milliseconds.
std::optional<std::int64_t> parse_duration_ms(const std::string& text) {
  std::string number = text;
  std::int64_t unit_us = 1'000'000;
  if (!text.empty() && (text.back() == 'm' || text.back() == 'h')) {
    number.pop_back();
    unit_us *= text.back() == 'm' ? 60 : 3600;
  }
  const bool bare = !number.empty() && number.find_first_not_of("0123456789.") == std::string::npos;
  const auto us = parse_time_us(bare ? number + "s" : number);
  if (!us || (!bare && number != text)) return std::nullopt;
  return std::max<std::int64_t>(*us * (unit_us / 1'000'000) / 1000, 1);
}

// As tcpdump: a bare number counts millions of bytes.
std::optional<std::uint64_t> parse_rotate_size(const std::string& text) {
  const bool bare = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  if (bare) {
    const auto millions = parse_count(text, 1, 1'000'000);
    return millions ? std::optional(*millions * 1'000'000) : std::nullopt;
  }
  return parse_size(text);
}

template <class Out, class Parse>
std::optional<Failure> take(const Words& words, OptionId id, std::string_view name,
                            std::string_view forms, Out& out, Parse parse) {
  if (!words.has(id)) return std::nullopt;
  const auto value = parse(words[id].last());
  if (!value) {
    return usage_failure(fmt::format("{} {}: not understood", name, words[id].last()),
                         fmt::format("use {}", forms));
  }
  out = static_cast<Out>(*value);
  return std::nullopt;
}

std::string joined_filter(const Words& words) {
  std::vector<std::string> parts = words[OptionId::filter].values;
  if (!words.rest.empty()) parts.push_back(fmt::format("{}", fmt::join(words.rest, " ")));
  if (parts.size() == 1) return parts[0];
  return parts.empty() ? "" : fmt::format("({})", fmt::join(parts, ") and ("));
}

std::optional<Failure> check(const Words& words, const LiveChoice& live) {
  if (words.has(OptionId::read))
    return usage_failure("-i and -r together", "watch an interface, or read a capture");
  if (words.has(OptionId::promiscuous) && words.has(OptionId::no_promiscuous))
    return usage_failure("--promiscuous and --no-promiscuous together", "choose one");
  if (live.rotate_bytes > 0 && live.write.empty())
    return usage_failure("-C without -w", "-w FILE names the files that -C begins");
  if (live.rotate_files > 0 && live.rotate_bytes == 0)
    return usage_failure("-W without -C", "-C SIZE says when a new file begins");
  if (live.write == "-")
    return usage_failure("-w cannot write to standard output: the report goes there",
                         "tcpdump -w - writes packets to a pipe");
  return std::nullopt;
}

}  // namespace

std::optional<Failure> read_live(const Words& words, Options& options) {
  LiveChoice& live = options.live;
  options.mode = Mode::live;
  live.interfaces = words[OptionId::interface].values;
  live.promiscuous = words.has(OptionId::promiscuous);
  live.sandbox = !words.has(OptionId::no_sandbox);
  live.report = words.has(OptionId::report);
  const auto text = [&](OptionId id, std::string& out) {
    if (words.has(id)) out = words[id].last();
  };
  text(OptionId::write, live.write);
  text(OptionId::user, live.user);
  text(OptionId::metrics, live.metrics);
  auto optional_failure = [&]() -> std::optional<Failure> {
    if (auto f = take(words, OptionId::rotate_size, "-C", "million bytes, or a size as 64Ki or 10M",
                      live.rotate_bytes, parse_rotate_size))
      return f;
    if (auto f =
            take(words, OptionId::rotate_files, "-W", "a number from 1 to 9999", live.rotate_files,
                 [](const std::string& t) { return parse_count(t, 1, 9999); }))
      return f;
    if (auto f = take(words, OptionId::snaplen, "--snaplen",
                      fmt::format("bytes from {} to {}: headers must fit", kLeastSnap, kMostSnap),
                      live.snap_length,
                      [](const std::string& t) { return parse_count(t, kLeastSnap, kMostSnap); }))
      return f;
    if (auto f = take(words, OptionId::buffer, "--buffer", "a size from 64Ki to 1Gi",
                      live.buffer_bytes, [](const std::string& t) {
                        const auto size = parse_size(t);
                        return size && *size >= 65'536 && *size <= (1U << 30) ? size : std::nullopt;
                      }))
      return f;
    if (words.has(OptionId::count)) {
      live.count = parse_count(words[OptionId::count].last(), 1, UINT64_MAX);
      if (!live.count)
        return usage_failure("--count " + words[OptionId::count].last() + ": not understood",
                             "use a whole number from 1");
    }
    if (words.has(OptionId::duration)) {
      live.duration_ms = parse_duration_ms(words[OptionId::duration].last());
      if (!live.duration_ms)
        return usage_failure("--duration " + words[OptionId::duration].last() + ": not understood",
                             "use seconds as 30, or 500ms, 5m, 2h");
    }
    return take(words, OptionId::interval, "--interval", "a time from 100ms to 1h, as 1s or 5m",
                live.interval_ms, [](const std::string& t) {
                  const auto ms = parse_duration_ms(t);
                  return ms && *ms >= 100 && *ms <= 3'600'000 ? ms : std::nullopt;
                });
  }();
  if (optional_failure) return optional_failure;
  options.filter = joined_filter(words);
  return check(words, live);
}

std::optional<Failure> refuse_live_options(const Words& words) {
  constexpr std::array<std::pair<OptionId, std::string_view>, 12> kLiveOnly = {
      {{OptionId::write, "-w"},
       {OptionId::rotate_size, "-C"},
       {OptionId::rotate_files, "-W"},
       {OptionId::snaplen, "--snaplen"},
       {OptionId::buffer, "--buffer"},
       {OptionId::count, "--count"},
       {OptionId::duration, "--duration"},
       {OptionId::promiscuous, "--promiscuous"},
       {OptionId::user, "--relinquish-privileges"},
       {OptionId::no_sandbox, "--no-sandbox"},
       {OptionId::metrics, "--metrics"},
       {OptionId::interval, "--interval"}}};
  for (const auto& [id, name] : kLiveOnly) {
    if (words.typed(id))
      return usage_failure(fmt::format("{} is of a live capture, and there is no -i", name),
                           "sudo rwin -i any watches all interfaces");
  }
  return std::nullopt;
}

RunWords split_run(const std::vector<std::string>& arguments) {
  RunWords out;
  std::size_t i = 0;
  while (i < arguments.size()) {
    const std::string& word = arguments[i];
    if (word == "--") {
      ++i;
      break;
    }
    if (word.size() < 2 || word[0] != '-') break;
    out.own.push_back(word);
    ++i;
    // An option whose argument is the next word.
    for (const OptionSpec& spec : kOptions) {
      if (spec.argument.empty() || spec.argument.front() == '[') continue;
      const auto names = split(spec.names, ',');
      if (std::find(names.begin(), names.end(), word) == names.end()) continue;
      if (i < arguments.size()) out.own.push_back(arguments[i++]);
      break;
    }
  }
  out.command.assign(arguments.begin() + static_cast<std::ptrdiff_t>(i), arguments.end());
  return out;
}

}  // namespace rwin::app
