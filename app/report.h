// What every report is made from, and the one interface of its four forms (text, JSON, JSON lines,
// CSV).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/engine.h"
#include "analysis/result.h"
#include "app/exit_code.h"
#include "app/live/local_socket.h"
#include "app/options.h"
#include "app/output.h"
#include "app/style.h"
#include "capture/decode/decode.h"
#include "rules/assess.h"

namespace rwin::app {

// The input as a whole. Complete before the first connection is reported.
struct RunInfo {
  std::string kind = "file";  // "file", "live", "run"
  std::vector<std::string> names;
  std::vector<std::string> link_types;  // in the order in which they were met
  std::string filter;
  std::optional<std::int64_t> first_ns, last_ns;  // smallest and largest time stamp
  capture::DecodeCounters decode;
  analysis::EngineCounters engine;
  std::uint64_t connections = 0;
  // Lost while capturing: by the system, by the device. Files do not tell.
  std::optional<std::uint64_t> kernel_drops, interface_drops;
  std::vector<std::string> warnings;    // one line each
  std::optional<double> target_bps;     // the user's
  std::optional<double> interface_bps;  // speed of the interfaces captured on, live
  bool interrupted = false;
};

// How sure the system of an end is, and what its SYN tells of its settings.
struct SystemNote {
  std::optional<double> confidence;  // 0..1; empty: not recognised
  bool ambiguous = false;            // another system fits as well
  std::string setting;               // "autotuning level restricted: ..."; empty: nothing
};

// One connection, judged. `assessments` go with connection.directions, one each.
struct Judged {
  analysis::ConnectionResult connection;
  std::vector<rules::Assessment> assessments;
  std::string client_os, server_os;  // empty: not recognised
  SystemNote client_note{}, server_note{};
  std::shared_ptr<const LocalSocket> local;  // this host's end, live; else null
  bool in_words = true;                      // false: made by judge_briefly()
};

class Report {
 public:
  virtual ~Report() = default;
  virtual void begin(const RunInfo& info) = 0;
  // False: most connections are only counted; those that it shows it puts in words itself.
  [[nodiscard]] virtual bool shows_all() const { return true; }
  // In order of the first packet. The report may keep what it needs by moving it out.
  virtual void connection(Judged&& judged) = 0;
  virtual void end(const RunInfo& info, const std::vector<rules::HostSummary>& hosts,
                   ExitCode code) = 0;
  // Instead of all of the above: nothing could be done. For people it is on standard error already.
  virtual void failure(const RunInfo& info, const Failure& failure) = 0;
};

// A text field of a CSV line: quoted where RFC 4180 asks for it; what steers a terminal stands as a
// number, what a spreadsheet would run as a formula (= + - @ in front) gets a ' before it.
void append_csv_text(std::string& out, std::string_view value);

std::unique_ptr<Report> make_json_report(Output& out);
std::unique_ptr<Report> make_jsonl_report(Output& out);
std::unique_ptr<Report> make_csv_report(Output& out);
std::unique_ptr<Report> make_text_report(Output& out, const Options& options, const Style& style);
std::unique_ptr<Report> make_report(Output& out, const Options& options, const Style& style);

}  // namespace rwin::app
