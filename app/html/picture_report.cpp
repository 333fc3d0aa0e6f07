#include "app/html/picture_report.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "app/html/flow_html.h"
#include "app/html/report_html.h"

namespace rwin::app {

PictureReport::PictureReport(const Options& options, Output& page)
    : options_(options),
      how_{options.units, true, options.target_bps, std::nullopt},
      findings_(options.top, options.min_bytes),
      page_(page) {}

std::optional<Failure> PictureReport::make_folder() {
  if (options_.svg_dir.empty() || mkdir(options_.svg_dir.c_str(), 0777) == 0) return std::nullopt;
  const int error = errno;
  struct stat there {};
  if (stat(options_.svg_dir.c_str(), &there) == 0 && S_ISDIR(there.st_mode)) return std::nullopt;
  return Failure{
      ExitCode::failed,
      fmt::format("cannot make the folder {}: {}", options_.svg_dir, std::strerror(error)),
      "check the path and its permissions",
      {},
      -1};
}

void PictureReport::begin(const RunInfo& info) { how_.interface_bps = info.interface_bps; }

void PictureReport::end(const RunInfo& info, const std::vector<rules::HostSummary>& hosts,
                        ExitCode) {
  findings_.sort();
  const auto shown = findings_.shown(options_.verbose);
  if (!options_.html.empty()) {
    page_.write(html::report_page(
        {info, hosts, shown, findings_.answer(info, options_.units), findings_.left_out(), how_}));
  }
  if (!options_.svg_dir.empty()) write_pictures(shown);
  complete_ = true;
}

void PictureReport::write_pictures(const std::vector<FindingList::Shown>& shown) {
  for (const auto& [finding, full] : shown) {
    const html::Columns columns = html::columns_of(*finding);
    for (const html::Picture& picture :
         html::pictures_of(*finding, columns, html::scales_of(*finding, columns), how_)) {
      Output file;
      failure_ = file.open(
          fmt::format("{}/{}-{}.svg", options_.svg_dir, html::flow_id(*finding), picture.key),
          options_.files, false, "--svg");
      if (failure_) return;
      file.write(html::svg_file(picture, html::flow_name(*finding)));
      failure_ = file.commit();
      if (failure_) return;
    }
  }
}

std::optional<Failure> PictureReport::commit() {
  if (failure_) return failure_;
  if (!complete_ || options_.html.empty()) return std::nullopt;
  return page_.commit();
}

bool wants_pictures(const Options& options) {
  return !options.html.empty() || !options.svg_dir.empty();
}

void BothReports::begin(const RunInfo& info) {
  pictures_.begin(info);
  report_.begin(info);
}

void BothReports::connection(Judged&& judged) {
  // The other report gets all but the charts.
  std::vector<analysis::SampleSeries> charts;
  for (analysis::DirectionResult& d : judged.connection.directions)
    charts.push_back(std::exchange(d.samples, {}));
  report_.connection(Judged(judged));
  for (std::size_t i = 0; i < charts.size(); ++i)
    judged.connection.directions[i].samples = std::move(charts[i]);
  pictures_.connection(std::move(judged));
}

void BothReports::end(const RunInfo& info, const std::vector<rules::HostSummary>& hosts,
                      ExitCode code) {
  pictures_.end(info, hosts, code);
  report_.end(info, hosts, code);
}

void BothReports::failure(const RunInfo& info, const Failure& failure) {
  report_.failure(info, failure);
}

Outcome analyze_with_pictures(const Options& options, Report& report, PictureReport& pictures,
                              const volatile std::sig_atomic_t& stop, bool show_progress) {
  Options reading = options;
  reading.chart_points = html::kColumns;
  reading.chart_sequence = true;
  BothReports both(report, pictures);
  return analyze(reading, both, stop, show_progress);
}

}  // namespace rwin::app
