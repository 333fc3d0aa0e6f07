// One line a data direction, for a spreadsheet (RFC 4180). Unknown is an empty field.
#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "app/json_fields.h"
#include "app/report.h"
#include "app/words.h"
#include "text/address.h"
#include "text/text.h"

namespace rwin::app {
namespace {

constexpr std::size_t kBufferBytes = 1 << 20;
constexpr std::string_view kHeader =
    "id,client_ip,client_port,server_ip,server_port,start_ns,end_ns,end,sender,bytes,wire_bytes,"
    "duration_us,"
    "goodput_bps,segments,retransmitted_segments,retransmitted_bytes,spurious_segments,reordered_"
    "segments,"
    "capture_gap_bytes,longest_stall_us,rtt_base_us,rtt_p50_us,window_scale_state,window_scale_"
    "shift,"
    "window_max_bytes,window_p50_bytes,zero_windows,capacity_bps,receiver_blocked_share,limit,"
    "cause,confidence,"
    "ceiling_bps,potential_bps,gain,summary,advice,change_host\n";

class CsvReport : public Report {
 public:
  explicit CsvReport(Output& out) : out_(out) {}

  void begin(const RunInfo&) override { buffer_ += kHeader; }

  void connection(Judged&& judged) override {
    const analysis::ConnectionResult& c = judged.connection;
    for (std::size_t i = 0; i < c.directions.size(); ++i)
      row(c, c.directions[i], judged.assessments[i]);
    if (buffer_.size() >= kBufferBytes) flush();
  }

  void end(const RunInfo&, const std::vector<rules::HostSummary>&, ExitCode) override { flush(); }

  // No rows: the error is on standard error, and a header alone would look like a result.
  void failure(const RunInfo&, const Failure&) override {}

 private:
  void row(const analysis::ConnectionResult& c, const analysis::DirectionResult& d,
           const rules::Assessment& a) {
    const rules::Verdict& v = a.verdict;
    first_ = true;
    put(c.id);
    text(address_text(c.client.address));
    put(c.client.port);
    text(address_text(c.server.address));
    put(c.server.port);
    put(c.start_ns);
    put(c.end_ns);
    text(word(c.end));
    text(d.from_client ? "client" : "server");
    put(d.bytes);
    put(d.wire_bytes);
    put(d.duration_us);
    rounded(d.goodput_bps);
    put(d.segments);
    put(d.retransmitted_segments);
    put(d.retransmitted_bytes);
    put(d.spurious_segments);
    put(d.reordered_segments);
    put(d.capture_gap_bytes);
    put(d.longest_stall_us);
    maybe(d.rtt_base_us);
    maybe(d.rtt_p50_us);
    text(word(d.scale.state));
    maybe(d.scale.state == analysis::Presence::known ? std::optional(int{d.scale.shift})
                                                     : std::nullopt);
    maybe(d.window_max);
    maybe(d.window_p50);
    put(d.zero_window_count);
    rounded(d.capacity_bps);
    maybe(receiver_blocked_share(d));
    text(analysis::word(v.limit));
    text(v.cause);
    text(rules::word(v.confidence));
    rounded(v.ceiling_bps);
    rounded(v.potential_bps);
    put(std::round(v.gain * 1000) / 1000);
    text(v.summary);
    text(a.advice.empty() ? std::string_view{} : std::string_view(a.advice[0].id));
    text(a.advice.empty() ? std::string_view{} : std::string_view(a.advice[0].host));
    buffer_ += '\n';
  }

  void separate() {
    if (!first_) buffer_ += ',';
    first_ = false;
  }
  template <class T>
  void put(T number) {
    separate();
    fmt::format_to(std::back_inserter(buffer_), "{}", number);
  }
  template <class T>
  void maybe(const std::optional<T>& number) {
    if (number) {
      put(*number);
    } else {
      separate();
    }
  }
  void rounded(const std::optional<double>& number) {
    separate();
    if (number && std::isfinite(*number))
      fmt::format_to(std::back_inserter(buffer_), "{:.0f}", *number);
  }
  void text(std::string_view value) {
    separate();
    append_csv_text(buffer_, value);
  }
  void flush() {
    out_.write(buffer_);
    buffer_.clear();
  }

  Output& out_;
  std::string buffer_;
  bool first_ = true;
};

}  // namespace

void append_csv_text(std::string& out, std::string_view value) {
  const std::string shown = escape_terminal(value, false);
  const bool formula =
      !shown.empty() && std::string_view("=+-@").find(shown.front()) != std::string_view::npos;
  if (!formula && shown.find_first_of(",\"") == std::string_view::npos) {
    out += shown;
    return;
  }
  out += '"';
  if (formula) out += '\'';
  for (const char c : shown) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

std::unique_ptr<Report> make_csv_report(Output& out) { return std::make_unique<CsvReport>(out); }

}  // namespace rwin::app
