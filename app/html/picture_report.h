// The report as a page (--html) and as single pictures (--svg): what is kept of it, and its files.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/analyze.h"
#include "app/finding_list.h"
#include "app/finding_words.h"
#include "app/report.h"

namespace rwin::app {

class PictureReport : public Report {
 public:
  // `page` is open where a page is wanted.
  PictureReport(const Options& options, Output& page);
  // For --svg, before reading.
  std::optional<Failure> make_folder();
  // After the end: commits the page. What went wrong with it or the pictures.
  std::optional<Failure> commit();

  void begin(const RunInfo& info) override;
  void connection(Judged&& judged) override { findings_.add(std::move(judged)); }
  void end(const RunInfo& info, const std::vector<rules::HostSummary>& hosts,
           ExitCode code) override;
  void failure(const RunInfo&, const Failure&) override {}  // an old page stays as it is

 private:
  void write_pictures(const std::vector<FindingList::Shown>& shown);

  const Options& options_;
  FindingText how_;
  FindingList findings_;
  Output& page_;
  bool complete_ = false;
  std::optional<Failure> failure_;
};

bool wants_pictures(const Options& options);

// One connection for two reports; pictures are drawn by `pictures` only.
class BothReports : public Report {
 public:
  BothReports(Report& report, PictureReport& pictures) : report_(report), pictures_(pictures) {}
  void begin(const RunInfo& info) override;
  void connection(Judged&& judged) override;
  void end(const RunInfo& info, const std::vector<rules::HostSummary>& hosts,
           ExitCode code) override;
  void failure(const RunInfo& info, const Failure& failure) override;

 private:
  Report& report_;
  PictureReport& pictures_;
};

// analyze() for both.
Outcome analyze_with_pictures(const Options& options, Report& report, PictureReport& pictures,
                              const volatile std::sig_atomic_t& stop, bool show_progress);

}  // namespace rwin::app
