#include "app/analyze.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <span>
#include <thread>

#include "analysis/engine.h"
#include "app/judge.h"
#include "app/live/capture_setup.h"
#include "app/progress.h"
#include "app/workers.h"
#include "capture/decode/fragments.h"
#include "capture/source/source.h"

namespace rwin::app {
namespace {

using capture::DecodeStatus;
using capture::PacketSource;
using capture::RawPacket;
using capture::Read;

// Link types by number as they are met; few, so a list is enough.
class LinkTypes {
 public:
  void add(std::uint32_t type) {
    if (type == last_ && !seen_.empty()) return;
    last_ = type;
    if (std::find(seen_.begin(), seen_.end(), type) != seen_.end()) return;
    seen_.push_back(type);
  }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const std::uint32_t type : seen_) out.emplace_back(capture::link_type_name(type));
    return out;
  }

 private:
  std::uint32_t last_ = 0;
  std::vector<std::uint32_t> seen_;
};

struct Input {
  std::unique_ptr<PacketSource> source;
  std::optional<Failure> failure;
};

Input open_all(const Options& options) {
  Input input;
  std::vector<std::unique_ptr<PacketSource>> sources;
  for (const std::string& file : options.files) {
    auto opened = capture::open_file(file, options.filter);
    if (!opened.ok()) {
      input.failure = failure_from(opened.error(), options.filter);
      std::error_code fault;
      if (!options.command_meant.empty() && &file == &options.files.front() &&
          !std::filesystem::exists(file, fault) && !fault)
        input.failure->hint += fmt::format("; or did you mean rwin {}?", options.command_meant);
      return input;
    }
    sources.push_back(std::move(opened.value()));
  }
  input.source = sources.size() == 1 ? std::move(sources[0]) : capture::merge(std::move(sources));
  return input;
}

// Reads to the end, the cut or the stop. Time stamps widen info.first_ns..last_ns.
Read read_all(PacketSource& source, analysis::Engine& engine, RunInfo& info,
              const volatile std::sig_atomic_t& stop, bool show_progress) {
  constexpr std::uint64_t kProgressEvery = 8192;
  Progress progress(show_progress);
  LinkTypes link_types;
  std::array<RawPacket, 64> packets;
  std::size_t count = 0;
  Read state = Read::end;
  std::int64_t first = INT64_MAX;
  std::int64_t last = INT64_MIN;
  std::uint64_t record = 0;
  std::uint64_t shown = 0;
  analysis::Segment segment;
  capture::Fragments fragments;
  while (stop == 0 && (state = source.next(packets, count)) == Read::packet) {
    for (RawPacket& packet : std::span(packets).first(count)) {
      packet.record = ++record;
      first = std::min(first, packet.time_ns);
      last = std::max(last, packet.time_ns);
      link_types.add(packet.link_type);
      const DecodeStatus status = capture::decode(packet, segment, &fragments);
      info.decode.add(packet, status);
      if (status == DecodeStatus::ok) engine.add(segment);
    }
    if (record / kProgressEvery != shown) {
      shown = record / kProgressEvery;
      progress.update(source.progress(), record);
    }
  }
  info.interrupted = stop != 0;
  info.link_types = link_types.names();
  if (record > 0) {
    info.first_ns = first;
    info.last_ns = last;
  }
  return state;
}

// Warnings, and the failure of an input of which nothing could be used.
std::optional<Failure> check_input(const PacketSource& source, Read state, RunInfo& info) {
  const std::uint64_t packets = info.decode.packets;
  if (state == Read::cut) {
    if (packets == 0 && source.filtered_out() == 0) {
      return Failure{ExitCode::failed,
                     source.warning(),
                     "not one packet can be read; record it again",
                     {},
                     -1};
    }
    info.warnings.push_back(source.warning());
  }
  if (info.interrupted) {
    info.warnings.push_back(
        fmt::format("interrupted after {} packets: the report covers those", packets));
  }
  const std::uint64_t unsupported =
      info.decode.by_status[static_cast<std::size_t>(DecodeStatus::unsupported_link)];
  const std::string types = fmt::format("{}", fmt::join(info.link_types, ", "));
  if (packets > 0 && unsupported == packets) {
    return Failure{ExitCode::failed,
                   fmt::format("{}: link type {} is not supported", info.names[0], types),
                   "record on an Ethernet, Wi-Fi, PPP, cooked (-i any) or raw IP interface",
                   {},
                   -1};
  }
  if (unsupported > 0) {
    info.warnings.push_back(
        fmt::format("{} of {} packets have a link type that is not supported (types: {})",
                    unsupported, packets, types));
  }
  if (packets == 0 && source.filtered_out() > 0) {
    info.warnings.push_back(
        fmt::format("the filter refused all {} packets", source.filtered_out()));
  }
  if (info.engine.flows_evicted > 0) {
    info.warnings.push_back(
        fmt::format("{} connections were left out: too many at once", info.engine.flows_evicted));
  }
  return std::nullopt;
}

// Judges and reports one connection after the other, and adds up their quality. True when --fail-on
// matched.
bool report_connections(const Options& options, const Workers& workers, analysis::Engine& engine,
                        Report& report, rules::HostTable& hosts, const rules::Settings& settings,
                        analysis::CaptureQuality& quality) {
  bool matched = false;
  const bool brief = !report.shows_all();
  const auto judge_one = [&](analysis::ConnectionResult&& connection) {
    return brief ? judge_briefly(std::move(connection), settings)
                 : judge(std::move(connection), settings);
  };
  workers.finish(engine, judge_one, [&](Judged&& judged) {
    quality += judged.connection.quality;
    add_to_hosts(hosts, judged);
    matched = matched || matches(judged, options.fail_on);
    report.connection(std::move(judged));
  });
  return matched;
}

// Every --platform names one of the catalogue.
std::optional<Failure> check_platforms(const Options& options, const rules::Catalogue& catalogue) {
  for (const auto& [address, id] : options.platforms) {
    if (catalogue.has_platform(id)) continue;
    return Failure{ExitCode::usage,
                   fmt::format("--platform: no such platform {}", id),
                   fmt::format("one of {}", fmt::join(catalogue.platform_words(), ", ")),
                   {},
                   -1};
  }
  return std::nullopt;
}

Outcome failed(Report& report, const RunInfo& info, Failure failure) {
  report.failure(info, failure);
  return {failure.code, std::move(failure), info.warnings};
}

}  // namespace

Outcome analyze(const Options& options, Report& report, const volatile std::sig_atomic_t& stop,
                bool show_progress) {
  RunInfo info;
  info.names = options.files;
  info.filter = options.filter;
  info.target_bps = options.target_bps;
  capture::FilterFault fault;
  if (!options.filter.empty() && !capture::filter_ok(options.filter, fault)) {
    return failed(report, info,
                  {ExitCode::usage, "bad filter: " + fault.message,
                   "the language is described in pcap-filter(7)", options.filter, fault.position});
  }
  const unsigned jobs = options.jobs != 0 ? options.jobs : default_jobs();
  // Reading the rules takes as long as reading 100,000 packets: beside them where there is a
  // thread.
  std::jthread rules_reader;
  if (jobs > 1) rules_reader = std::jthread([] { rules::Catalogue::built_in(); });
  if (!options.platforms.empty()) {
    const auto wrong = check_platforms(options, rules::Catalogue::built_in());
    if (wrong) return failed(report, info, *wrong);
  }
  Input input = open_all(options);
  if (input.failure) return failed(report, info, *input.failure);

  analysis::EngineOptions engine_options;
  engine_options.assume_wscale = options.assume_wscale;
  engine_options.sample_points = options.chart_points;
  engine_options.sample_sequence = options.chart_sequence;
  Workers workers(jobs);
  analysis::Engine engine(std::move(engine_options), jobs > 1 ? &workers : nullptr);
  const Read state = read_all(*input.source, engine, info, stop, show_progress);
  engine.end_input();
  info.engine = engine.counters();
  info.connections = engine.connection_count();
  if (const auto failure = check_input(*input.source, state, info))
    return failed(report, info, *failure);
  input.source.reset();

  const rules::Settings settings = settings_of(options);
  rules::HostTable hosts(settings, rules::Catalogue::built_in());
  report.begin(info);
  const bool matched =
      report_connections(options, workers, engine, report, hosts, settings, info.engine.quality);
  ExitCode code = ExitCode::ok;
  if (state == Read::cut) code = ExitCode::partial;
  if (matched) code = ExitCode::fail_on;
  if (info.interrupted) code = ExitCode::interrupted;
  report.end(info, hosts.finish(), code);
  return {code, std::nullopt, info.warnings};
}

}  // namespace rwin::app
