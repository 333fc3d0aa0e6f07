#include "app/live/capture_setup.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "app/live/host_sockets.h"
#include "text/shell.h"
#include "text/text.h"

#if defined(__linux__)
#include "capture/host/link_speed.h"
#endif

namespace rwin::app {
namespace {

std::string call_of(const Options& options) {
  if (options.mode == Mode::run) {
    std::string call = "rwin run --";
    for (const std::string& word : options.live.command) call += " " + shell_word(word);
    return call;
  }
  return "rwin -i " + shell_word(options.live.interfaces[0]);
}

std::optional<Failure> open_writer(const Options& options, CaptureSetup& setup) {
  const LiveChoice& live = options.live;
  if (live.write.empty()) return std::nullopt;
  const auto interfaces = setup.source->status();
  for (const capture::InterfaceStatus& i : interfaces) {
    if (i.link_type != interfaces[0].link_type) {
      return Failure{ExitCode::failed,
                     fmt::format("-w cannot hold the packets of {} and {}: their link types differ",
                                 interfaces[0].name, i.name),
                     "-i any gives all interfaces one link type, or start rwin once for each",
                     {},
                     -1};
    }
  }
  auto writer = capture::open_writer({live.write, interfaces[0].link_type, live.snap_length,
                                      live.rotate_bytes, live.rotate_files});
  if (!writer.ok()) return failure_from(writer.error(), "");
  setup.writer = std::move(writer.value());
  return std::nullopt;
}

std::optional<Failure> open_outputs(const Options& options, CaptureSetup& setup, Output& out,
                                    bool in_place) {
  if (auto failure = open_writer(options, setup)) return failure;
  if (auto failure = out.open(options.output, {options.live.write}, in_place)) return failure;
  if (!options.live.metrics.empty()) return setup.metrics.open(options.live.metrics, in_place);
  return std::nullopt;
}

}  // namespace

Failure failure_from(const capture::Error& error, const std::string& filter) {
  Failure failure{ExitCode::failed, error.message, error.hint, {}, -1};
  switch (error.code) {
    case capture::ErrorCode::bad_filter:
      failure.code = ExitCode::usage;
      failure.context = filter;
      failure.caret = error.position;
      break;
    case capture::ErrorCode::missing_privilege:
      failure.code = ExitCode::privilege;
      break;
    case capture::ErrorCode::not_readable:
    case capture::ErrorCode::not_a_capture:
    case capture::ErrorCode::unsupported:
      break;
  }
  return failure;
}

Failure missing_privilege(const std::string& interface, const std::string& call) {
  Failure failure{ExitCode::privilege,
                  fmt::format("cannot capture on {}: permission missing ({})", interface,
                              capture::kCaptureRight.name),
                  "sudo " + call,
                  {},
                  -1};
  const std::string shown = escape_terminal(call, true);
  failure.more = fmt::format(
      "  once          sudo {}\n"
      "  permanently   {}\n"
      "  no capture    rwin -r file.pcap needs no privilege\n",
      shown, capture::kCaptureRight.permanently);
  return failure;
}

std::optional<Failure> set_up(const Options& options, CaptureSetup& setup, Output& out) {
  const LiveChoice& live = options.live;
  const std::string& first = live.interfaces[0];
  if (!capture::can_capture()) return missing_privilege(first, call_of(options));
  const auto user = capture::user_after_opening(live.user);
  if (!user.ok()) return failure_from(user.error(), "");

  auto source = capture::open_live(
      {live.interfaces, options.filter, live.snap_length, live.promiscuous, live.buffer_bytes});
  if (!source.ok()) {
    if (source.error().code == capture::ErrorCode::missing_privilege)
      return missing_privilege(first, call_of(options));
    return failure_from(source.error(), options.filter);
  }
  setup.source = std::move(source.value());
  const capture::User caller = capture::caller();
  if (options.mode == Mode::run) {
    if (options.tui) setup.command_output.reset(std::tmpfile());
    const int output = setup.command_output ? fileno(setup.command_output.get()) : -1;
    if (auto failure = Command::prepare(live.command, caller, output, setup.command))
      return failure;
  }
#if defined(__linux__)
  setup.interface_bps = capture::slowest_link_bps("", live.interfaces);
#endif
  setup.local = host_sockets();  // owners that only now may be seen

  // Called by root itself, the outputs belong to root: opened before it becomes another user, who
  // may neither make files there nor rename them.
  const bool before = caller.uid == 0 && user.value().uid != 0;
  if (before && live.rotate_bytes > 0) {
    return Failure{
        ExitCode::usage,
        fmt::format("-C makes files later on, as {}, who may not do so here", user.value().name),
        "-Z root, or -Z with a user who may write there",
        {},
        -1};
  }
  if (before) {
    if (auto failure = open_outputs(options, setup, out, true)) return failure;
  }
  const bool watch_roots_command = options.mode == Mode::run && caller.uid == 0;
  const auto gone = capture::relinquish(user.value(), watch_roots_command);
  if (!gone.ok()) return failure_from(gone.error(), "");
  if (!before) {
    if (auto failure = open_outputs(options, setup, out, false)) return failure;
  }
  if (!live.sandbox) {
    setup.note = "the sandbox is off (--no-sandbox)";
    return std::nullopt;
  }
  capture::SandboxNeeds needs;
  // On the dashboard w saves reports and n asks for names.
  needs.internet = options.tui;
  needs.create_files =
      options.tui ||
      (!before && (live.rotate_bytes > 0 || !options.output.empty() || !live.metrics.empty()));
  if (!capture::enter_sandbox(needs)) setup.note = "the kernel has no seccomp: no sandbox";
  return std::nullopt;
}

}  // namespace rwin::app
