#include "app/live/live_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <thread>

#include "app/dashboard/kept_report.h"
#include "app/dashboard/live_view.h"
#include "app/live/capture_setup.h"
#include "app/live/command_flows.h"
#include "app/live/flow_book.h"
#include "app/live/live_lines.h"
#include "app/live/packet_file.h"
#include "app/live/session.h"
#include "app/style.h"
#include "text/text.h"

namespace rwin::app {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kCommandLookMs = 5;     // a short command's connections must be met while they live
constexpr int kAfterCommandMs = 150;  // the last ACKs still belong to it

volatile std::sig_atomic_t ended_by = 0;

extern "C" void on_end(int number) { ended_by = number; }

void catch_ends() {
  struct sigaction action {};
  action.sa_handler = on_end;
  sigemptyset(&action.sa_mask);
  for (const int number : {SIGTERM, SIGHUP}) sigaction(number, &action, nullptr);
}

std::string counts(const RunInfo& info) {
  return fmt::format("{} packets captured, {} dropped by the system, {} dropped by the interface",
                     info.decode.packets, info.kernel_drops.value_or(0),
                     info.interface_drops.value_or(0));
}

// One capture, from the set-up to its report.
class LiveRun {
 public:
  LiveRun(const Options& options, const LiveHooks& hooks)
      : options_(options), hooks_(hooks), out_(options.mode == Mode::run ? 2 : 1) {}
  int go();

 private:
  [[nodiscard]] bool running() const { return options_.mode == Mode::run; }
  void start_session();
  void watch();
  void show();
  DashboardSource dashboard_source();
  std::string save_packets();
  std::optional<Failure> run_command();
  void say_what_the_command_said();
  ExitCode report();
  [[nodiscard]] bool stopped() const { return *hooks_.stop != 0 || ended_by != 0; }

  const Options& options_;
  const LiveHooks& hooks_;
  Output out_;
  CaptureSetup setup_;
  std::unique_ptr<Report> report_;
  LiveReport* lines_ = nullptr;  // report_, where it is JSON lines
  Metrics metrics_;
  PacketFile packets_;                     // key W
  std::optional<Failure> output_failure_;  // of the analysis thread until the session has ended
  std::unique_ptr<LiveSession> session_;
  std::unique_ptr<CommandFlows> flows_;
  std::optional<int> command_code_;
  std::string said_at_end_;            // of the packets that W saved
  std::optional<DashboardEnd> shown_;  // how the dashboard ended, where there was one
  std::atomic<bool> command_over_{false};
};

void LiveRun::start_session() {
  SessionOptions s;
  s.kind = running() ? "run" : "live";
  s.names = options_.live.interfaces;
  s.filter = options_.filter;
  s.target_bps = options_.target_bps;
  s.interface_bps = setup_.interface_bps;
  s.assume_wscale = options_.assume_wscale;
  s.interval_ms = options_.tui ? options_.refresh_ms : options_.live.interval_ms;
  s.chart_points = options_.tui ? kLiveChartPoints : 0;
  s.duration_ms = options_.live.duration_ms;
  s.count = options_.live.count;
  s.local = setup_.local;
  if (setup_.writer || options_.tui) {
    s.on_packet = [this](const capture::RawPacket& packet) {
      if (setup_.writer) setup_.writer->write(packet);
      packets_.write(packet);
    };
    s.on_pause = [this] {
      if (setup_.writer) setup_.writer->flush();
      packets_.flush();
    };
  }
  s.on_snapshot = [this](const LiveSnapshot& snapshot) {
    if (lines_ != nullptr) lines_->snapshot(snapshot);
    if (options_.live.metrics.empty() || output_failure_) return;
    metrics_.add(snapshot);
    output_failure_ = setup_.metrics.write(metrics_.text());
  };
  session_ = std::make_unique<LiveSession>(std::move(setup_.source), std::move(s));
}

void LiveRun::watch() {
  std::uint64_t number = 0;
  while (!session_->ended()) {
    if (stopped() || out_.broken_pipe()) session_->stop();
    number = session_->wait_after(number, 100)->number;
  }
}

DashboardSource LiveRun::dashboard_source() {
  DashboardSource source;
  source.over = [this] { return stopped() || command_over_; };
  source.save = [this] {
    const SnapshotPtr newest = session_->latest();
    return save_reports(options_, newest->now_ns, [&](Report& report) {
      report.begin(newest->info);
      for (const LiveFlow& flow : newest->flows) {
        Judged judged = *flow.judged;
        judged.local = flow.local;
        report.connection(std::move(judged));
      }
      report.end(newest->info, hosts_of(*newest), ExitCode::ok);
    });
  };
  source.save_packets = [this] { return save_packets(); };
  source.saving = [this] { return !packets_.path().empty(); };
  source.set_filter = [this](const std::string& words) {
    const auto error = session_->change_filter(words);
    return error ? error->message + "; the filter before stays" : std::string();
  };
  return source;
}

std::string LiveRun::save_packets() {
  if (!packets_.path().empty()) return packets_.end();
  const SnapshotPtr newest = session_->latest();
  for (const capture::InterfaceStatus& i : newest->interfaces) {
    if (i.link_type != newest->interfaces[0].link_type)
      return "one file cannot hold these interfaces: their link types differ";
  }
  if (newest->interfaces.empty()) return "not yet";
  const std::string path = save_stem(newest->now_ns) + ".pcap";
  const auto begun = packets_.begin({.path = path,
                                     .link_type = newest->interfaces[0].link_type,
                                     .snap_length = options_.live.snap_length,
                                     .only_new = true});
  return begun.ok() ? fmt::format("packets from now on: {}; W ends it", path)
                    : begun.error().message;
}

// The dashboard, until the user quits, the capture's end is asked for, or the command is over.
void LiveRun::show() {
  auto end = view_session(options_, *session_, dashboard_source());
  if (const auto* failure = std::get_if<Failure>(&end)) {
    hooks_.say(*failure);
    return;
  }
  shown_ = std::move(std::get<DashboardEnd>(end));
  if (const std::string text = packets_.end(); !text.empty()) said_at_end_ = text;
  // Ctrl-C was meant for the command as well.
  if (running() && shown_->interrupted) ended_by = SIGINT;
}

void LiveRun::say_what_the_command_said() {
  std::FILE* const file = setup_.command_output.get();
  if (file == nullptr) return;
  std::rewind(file);
  std::array<char, 65536> block{};
  while (const std::size_t n = std::fread(block.data(), 1, block.size(), file))
    std::fwrite(block.data(), 1, n, stdout);
  std::fflush(stdout);
}

std::optional<Failure> LiveRun::run_command() {
  flows_ = std::make_unique<CommandFlows>(getpid());
  if (auto failure = setup_.command.start()) {
    failure->message = fmt::format("cannot run {}: {}", options_.live.command[0], failure->message);
    command_code_ = setup_.command.poll();
    return failure;
  }
  bool told = false;
  std::optional<Clock::time_point> over;
  while (!over || Clock::now() - *over < std::chrono::milliseconds(kAfterCommandMs)) {
    if (!over) flows_->look();
    command_code_ = setup_.command.poll();
    if (command_code_ && !over) over = Clock::now();
    // The terminal sends SIGINT to the command as well; what was meant for this program alone is
    // passed on. The capture goes on until the command has ended.
    if (ended_by != 0 && !told) {
      told = true;
      setup_.command.signal(ended_by);
    }
    usleep(kCommandLookMs * 1000);
  }
  session_->stop();
  command_over_ = true;
  return std::nullopt;
}

ExitCode LiveRun::report() {
  std::function<bool(const Judged&)> wanted;
  RunInfo& info = session_->info();
  if (running() && !flows_->empty()) {
    wanted = [this](const Judged& j) {
      return flows_->has(j.connection.client, j.connection.server);
    };
  } else if (running() && info.connections > 0) {
    info.warnings.push_back(
        "no connection could be told to be the command's: all that were seen meanwhile are listed");
  }
  if (setup_.writer && !setup_.writer->fault().empty())
    output_failure_ = Failure{ExitCode::failed, setup_.writer->fault(), "", {}, -1};
  // A dashboard leaves a few lines, and the whole report only where that was asked for.
  KeptReport kept;
  const bool brief = shown_ && !running() && !shown_->full_report;
  const bool matched = session_->report(brief ? kept : *report_,
                                        output_failure_ ? output_failure_->code : ExitCode::ok,
                                        options_.fail_on, wanted);
  if (brief && !shown_->terminal_gone) print_short_verdict(*kept.snapshot(), options_);
  if (!options_.quiet) {
    if (!said_at_end_.empty()) hooks_.warn(said_at_end_);
    for (const std::string& warning : info.warnings) hooks_.warn(warning);
    hooks_.warn(counts(info));
  }
  const auto failure = out_.broken_pipe() ? std::nullopt : out_.commit();
  if (output_failure_) return hooks_.say(*output_failure_);
  if (failure) return hooks_.say(*failure);
  return matched ? ExitCode::fail_on : ExitCode::ok;
}

int LiveRun::go() {
  catch_ends();
  if (const auto failure = set_up(options_, setup_, out_))
    return static_cast<int>(hooks_.fail(*failure));
  Environment environment = gather_environment(running() ? 2 : 1);
  if (!options_.output.empty()) environment.terminal = false;
  if (!environment.terminal) environment.columns = 0;
  const Style style = decide_style(options_, environment);
  if (options_.format == Format::jsonl) {
    auto lines = make_live_lines(out_);
    lines_ = lines.get();
    report_ = std::move(lines);
  } else {
    report_ = make_report(out_, options_, style);
  }
  if (!options_.quiet && !setup_.note.empty()) hooks_.warn(setup_.note);
  if (!options_.quiet && !running() && !options_.tui && options_.format == Format::text &&
      gather_environment(2).terminal)
    hooks_.warn(fmt::format("watching {}; Ctrl-C ends it and prints the report",
                            fmt::join(options_.live.interfaces, ", ")));
  if (lines_ != nullptr) {
    RunInfo info;
    info.kind = running() ? "run" : "live";
    info.names = options_.live.interfaces;
    info.filter = options_.filter;
    info.target_bps = options_.target_bps;
    info.interface_bps = setup_.interface_bps;
    lines_->begin(info);
  }
  start_session();
  if (running()) {
    std::optional<Failure> failure;
    if (options_.tui) {
      std::thread command([&] { failure = run_command(); });
      show();
      command.join();
      say_what_the_command_said();
    } else {
      failure = run_command();
    }
    if (failure) {
      session_->stop();
      hooks_.say(*failure);
      return command_code_.value_or(static_cast<int>(ExitCode::failed));
    }
  } else if (options_.tui) {
    show();
    session_->stop();
    watch();
  } else {
    watch();
  }
  const ExitCode code = report();
  if (command_code_ && *command_code_ != 0) return *command_code_;
  return static_cast<int>(code);
}

}  // namespace

bool wants_dashboard(const Options& options) {
  if (options.tui) return true;
  return options.mode == Mode::live && options.format == Format::text && options.output.empty() &&
         !options.live.report && isatty(STDOUT_FILENO) == 1 && isatty(STDIN_FILENO) == 1;
}

int run_live(const Options& options, const LiveHooks& hooks) {
  if (options.tui && isatty(STDOUT_FILENO) != 1) {
    return static_cast<int>(hooks.fail({ExitCode::usage,
                                        "--tui needs a terminal, and standard output is none",
                                        "without --tui the report is printed at the end",
                                        {},
                                        -1}));
  }
  Options own = options;
  own.tui = wants_dashboard(options);
  return LiveRun(own, hooks).go();
}

int run_interfaces(const LiveHooks& hooks) {
  const auto list = capture::list_interfaces();
  if (!list.ok()) return static_cast<int>(hooks.fail(failure_from(list.error(), "")));
  Output out;
  for (const capture::InterfaceInfo& i : list.value()) {
    out.write(
        fmt::format("{:<16}{}{}{}\n", escape_terminal(i.name, true), i.up ? "up" : "down",
                    i.loopback ? ", loopback" : "",
                    i.description.empty() ? "" : ", " + escape_terminal(i.description, true)));
  }
  if (out.broken_pipe()) return 0;
  if (const auto failure = out.commit()) return static_cast<int>(hooks.fail(*failure));
  return 0;
}

}  // namespace rwin::app
