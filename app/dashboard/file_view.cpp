#include "app/dashboard/file_view.h"

#include <unistd.h>

#include "app/analyze.h"
#include "app/dashboard/dashboard.h"
#include "app/dashboard/kept_report.h"

namespace rwin::app {

FileViewEnd view_files(const Options& options, const volatile std::sig_atomic_t& stop) {
  KeptReport kept;
  Options reading = options;
  reading.chart_points = 512;
  const bool progress = !options.quiet && isatty(STDERR_FILENO) == 1;
  Outcome outcome = analyze(reading, kept, stop, progress);
  if (outcome.failure)
    return {outcome.code, std::move(outcome.failure), std::move(outcome.warnings)};
  tui::SnapshotPtr snapshot = kept.snapshot();
  DashboardSource source;
  source.latest = [&] { return snapshot; };
  source.save = [&] {
    return save_reports(options, snapshot->now_ns, [&](Report& report) { kept.replay(report); });
  };
  const auto end = run_dashboard(options, source);
  if (const auto* failure = std::get_if<Failure>(&end))
    return {failure->code, *failure, std::move(outcome.warnings)};
  const auto& how = std::get<DashboardEnd>(end);
  if (!how.terminal_gone && how.full_report) {
    Output out;
    kept.replay(
        *make_report(out, options, decide_style(options, gather_environment(STDOUT_FILENO))));
    if (const auto failure = out.commit()) return {failure->code, *failure, {}};
  } else if (!how.terminal_gone) {
    print_short_verdict(*snapshot, options);
  }
  return {outcome.code, std::nullopt, std::move(outcome.warnings)};
}

}  // namespace rwin::app
