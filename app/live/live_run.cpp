#include "app/live/live_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <optional>

#include "app/dashboard/kept_report.h"
#include "app/dashboard/live_view.h"
#include "app/live/capture_setup.h"
#include "app/live/live_lines.h"
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
  std::variant<bool, Failure> show();
  void watch();
  std::optional<Failure> run_command();
  ExitCode report();
  ExitCode leave();
  [[nodiscard]] bool stopped() const { return *hooks_.stop != 0 || ended_by != 0; }

  const Options& options_;
  const LiveHooks& hooks_;
  Output out_;
  CaptureSetup setup_;
  std::unique_ptr<Report> report_;
  LiveReport* lines_ = nullptr;  // report_, where it is JSON lines
  Metrics metrics_;
  std::optional<Failure> output_failure_;  // of the analysis thread until the session has ended
  std::unique_ptr<LiveSession> session_;
  std::unique_ptr<CommandFlows> flows_;
  std::optional<int> command_code_;
  bool dashboard_ = false;
};

void LiveRun::start_session() {
  SessionOptions s;
  s.kind = running() ? "run" : "live";
  s.names = options_.live.interfaces;
  s.filter = options_.filter;
  s.target_bps = options_.target_bps;
  s.assume_wscale = options_.assume_wscale;
  s.interval_ms = dashboard_ ? options_.refresh_ms : options_.live.interval_ms;
  s.sample_points = dashboard_ ? kLiveChartPoints : 0;
  s.duration_ms = options_.live.duration_ms;
  s.count = options_.live.count;
  s.local = setup_.local;
  if (setup_.writer) {
    s.on_packet = [this](const capture::RawPacket& packet) { setup_.writer->write(packet); };
    s.on_pause = [this] { setup_.writer->flush(); };
  }
  s.on_snapshot = [this](const LiveSnapshot& snapshot) {
    if (lines_ != nullptr) lines_->snapshot(snapshot);
    if (options_.live.metrics.empty() || output_failure_) return;
    metrics_.add(snapshot);
    output_failure_ = setup_.metrics.write(metrics_.text());
  };
  session_ = std::make_unique<LiveSession>(std::move(setup_.source), std::move(s));
}

// The capture as it stands, told to a report.
void tell(const LiveSnapshot& now, Report& report) {
  report.begin(now.info);
  for (const LiveFlow& flow : now.flows) {
    Judged own = *flow.judged;
    own.local = flow.local;
    report.connection(std::move(own));
  }
  report.end(now.info, now.hosts, ExitCode::ok);
}

// The dashboard until the user leaves it. True: the full report is wanted.
std::variant<bool, Failure> LiveRun::show() {
  DashboardSource source;
  source.save = [this] {
    const SnapshotPtr now = session_->latest();
    return save_reports(options_, now->now_ns, [&](Report& report) { tell(*now, report); });
  };
  auto shown = view_session(options_, *session_, std::move(source));
  session_->stop();
  if (auto* failure = std::get_if<Failure>(&shown)) return std::move(*failure);
  const auto& how = std::get<DashboardEnd>(shown);
  if (how.terminal_gone) return false;
  if (!how.full_report && how.last) print_short_verdict(*how.last, options_);
  return how.full_report;
}

void LiveRun::watch() {
  std::uint64_t number = 0;
  while (!session_->ended()) {
    if (stopped() || out_.broken_pipe()) session_->stop();
    number = session_->wait_after(number, 100)->number;
  }
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
  return std::nullopt;
}

// The end without a report.
ExitCode LiveRun::leave() {
  const RunInfo& info = session_->info();
  if (!options_.quiet) hooks_.warn(counts(info));
  if (setup_.writer && !setup_.writer->fault().empty())
    output_failure_ = Failure{ExitCode::failed, setup_.writer->fault(), "", {}, -1};
  return output_failure_ ? hooks_.say(*output_failure_) : ExitCode::ok;
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
  const bool matched = session_->report(
      *report_, output_failure_ ? output_failure_->code : ExitCode::ok, options_.fail_on, wanted);
  if (!options_.quiet) {
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
  dashboard_ = wants_dashboard(options_);
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
  if (!options_.quiet && !running() && options_.format == Format::text && !dashboard_ &&
      gather_environment(2).terminal)
    hooks_.warn(fmt::format("watching {}; Ctrl-C ends it and prints the report",
                            fmt::join(options_.live.interfaces, ", ")));
  if (lines_ != nullptr) {
    RunInfo info;
    info.kind = running() ? "run" : "live";
    info.names = options_.live.interfaces;
    info.filter = options_.filter;
    info.target_bps = options_.target_bps;
    lines_->begin(info);
  }
  start_session();
  if (running()) {
    if (const auto failure = run_command()) {
      session_->stop();
      hooks_.say(*failure);
      return command_code_.value_or(static_cast<int>(ExitCode::failed));
    }
  } else if (dashboard_) {
    const auto full = show();
    if (const auto* failure = std::get_if<Failure>(&full))
      return static_cast<int>(hooks_.say(*failure));
    if (!std::get<bool>(full)) return static_cast<int>(leave());
  } else {
    watch();
  }
  const ExitCode code = report();
  if (command_code_ && *command_code_ != 0) return *command_code_;
  return static_cast<int>(code);
}

}  // namespace

bool wants_dashboard(const Options& options) {
  if (options.mode != Mode::live) return false;
  if (options.tui) return true;
  return options.format == Format::text && options.output.empty() && !options.live.report &&
         isatty(STDOUT_FILENO) == 1 && isatty(STDIN_FILENO) == 1;
}

int run_live(const Options& options, const LiveHooks& hooks) {
  return LiveRun(options, hooks).go();
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
