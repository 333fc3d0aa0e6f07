#include "app/input_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "text/units.h"

namespace rwin::app {
namespace {

// What the recording did to the packets, one item an artefact.
std::vector<std::string> quality_words(const RunInfo& info) {
  const analysis::CaptureQuality& q = info.engine.quality;
  std::vector<std::string> words;
  const auto add = [&](std::uint64_t count, std::string_view text) {
    if (count > 0) words.push_back(fmt::format("{} {}", grouped(count), text));
  };
  add(q.duplicates - q.routed_duplicates, "recorded twice");
  add(q.routed_duplicates, "recorded again at another hop or outside their tunnel");
  add(q.out_of_order, "out of order");
  add(q.effect_first, "recorded before what they answer (two clocks, or a mirror port)");
  add(q.clock_steps, "times the clock was set, or nothing recorded for an hour");
  add(q.wild_stamps, "with a time stamp far from all others");
  if (q.gap_bytes > 0)
    words.push_back(volume_text(q.gap_bytes) + " acknowledged but never captured");
  add(info.kernel_drops.value_or(0), "lost by the system while capturing");
  add(info.interface_drops.value_or(0), "lost by the interface");
  return words;
}

}  // namespace

InputWords input_words(const RunInfo& info) {
  InputWords words;
  std::vector<std::string>& head = words.head;
  head.push_back(info.names[0]);
  if (info.names.size() > 1) words.more = fmt::format(" and {} more", info.names.size() - 1);
  if (info.first_ns) {
    head.push_back(utc_text(*info.first_ns));
    head.push_back(time_text((*info.last_ns - *info.first_ns) / 1000));
  }
  head.push_back(fmt::format("{} packets", grouped(info.decode.packets)));
  head.push_back(
      fmt::format("{} TCP flow{}", grouped(info.connections), info.connections == 1 ? "" : "s"));
  head.push_back(
      fmt::format("{} cut, {} damaged", grouped(info.decode.cut), grouped(info.decode.malformed)));
  std::string not_used;
  for (std::size_t i = 1; i < info.decode.by_status.size(); ++i) {
    if (info.decode.by_status[i] == 0) continue;
    not_used +=
        fmt::format("{}{} {}", not_used.empty() ? "" : ", ", grouped(info.decode.by_status[i]),
                    capture::word(static_cast<capture::DecodeStatus>(i)));
  }
  std::replace(not_used.begin(), not_used.end(), '_', '-');
  if (!not_used.empty()) words.notes.push_back("not used: " + not_used);
  const auto faults = quality_words(info);
  if (!faults.empty())
    words.notes.push_back(fmt::format("capture quality: {}", fmt::join(faults, "; ")));
  if (!info.filter.empty()) words.notes.push_back("filter: " + info.filter);
  for (const std::string& warning : info.warnings) words.notes.push_back("warning: " + warning);
  return words;
}

}  // namespace rwin::app
