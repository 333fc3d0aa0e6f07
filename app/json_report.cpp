// One JSON document, and JSON lines. Both write connection by connection: memory does not grow with
// their number.
#include "app/json_fields.h"
#include "app/report.h"

namespace rwin::app {
namespace {

constexpr std::size_t kJsonBufferBytes = 1 << 20;

// Text on its way to the output.
class Buffer {
 public:
  explicit Buffer(Output& out) : out_(out) { text.reserve(2 * kJsonBufferBytes); }
  void flush_if_full() {
    if (text.size() >= kJsonBufferBytes) flush();
  }
  void flush() {
    out_.write(text);
    text.clear();
  }
  std::string text;

 private:
  Output& out_;
};

void write_hosts(JsonWriter& json, const std::vector<rules::HostSummary>& hosts) {
  json.key("hosts");
  json.begin_array();
  for (const rules::HostSummary& host : hosts) {
    json.line();
    write_host(json, host);
  }
  json.end_array();
}

class JsonReport : public Report {
 public:
  explicit JsonReport(Output& out) : buffer_(out), json_(buffer_.text) {}

  void begin(const RunInfo& info) override {
    JsonWriter& json = json_;
    json.begin_object();
    json.line();
    json.field("schema", kSchema);
    json.line();
    write_tool(json);
    json.line();
    write_source(json, info);
    json.line();
    write_settings(json, info);
    json.line();
    json.key("connections");
    json.begin_array();
  }

  void connection(Judged&& judged) override {
    json_.line();
    json_.begin_object();
    write_connection_fields(json_, judged);
    json_.end_object();
    buffer_.flush_if_full();
  }

  void end(const RunInfo& info, const std::vector<rules::HostSummary>& hosts, ExitCode) override {
    finish(info, hosts, nullptr);
  }

  void failure(const RunInfo& info, const Failure& failure) override {
    begin(info);
    finish(info, {}, &failure);
  }

 private:
  void finish(const RunInfo& info, const std::vector<rules::HostSummary>& hosts,
              const Failure* failure) {
    JsonWriter& json = json_;
    json.end_array();
    json.line();
    write_capture(json, info);
    json.line();
    write_hosts(json, hosts);
    json.line();
    write_warnings(json, info);
    json.line();
    write_error(json, failure);
    buffer_.text += '\n';
    json.end_object();
    buffer_.text += '\n';
    buffer_.flush();
  }

  Buffer buffer_;
  JsonWriter json_;
};

// Each line is an object with "event": start, finding (a direction with a verdict), flow_end (the
// connection as in the document), end or error.
class JsonLines : public Report {
 public:
  explicit JsonLines(Output& out) : buffer_(out) {}

  void begin(const RunInfo& info) override {
    line("start", [&](JsonWriter& json) { write_start_fields(json, info); });
  }

  void connection(Judged&& judged) override {
    const auto& directions = judged.connection.directions;
    for (std::size_t i = 0; i < directions.size(); ++i) {
      if (judged.assessments[i].verdict.limit == analysis::Limit::unknown) continue;
      line("finding", [&](JsonWriter& json) { write_finding_fields(json, judged, i); });
    }
    line("flow_end", [&](JsonWriter& json) { write_connection_fields(json, judged); });
  }

  void end(const RunInfo& info, const std::vector<rules::HostSummary>& hosts,
           ExitCode code) override {
    line("end", [&](JsonWriter& json) { write_end_fields(json, info, hosts, code); });
    buffer_.flush();
  }

  void failure(const RunInfo& info, const Failure& failure) override {
    begin(info);
    line("error", [&](JsonWriter& json) { write_error(json, &failure); });
    buffer_.flush();
  }

 private:
  template <class Fields>
  void line(std::string_view event, Fields fields) {
    JsonWriter json(buffer_.text);
    json.begin_object();
    json.field("event", event);
    fields(json);
    json.end_object();
    buffer_.text += '\n';
    buffer_.flush_if_full();
  }

  Buffer buffer_;
};

}  // namespace

std::unique_ptr<Report> make_json_report(Output& out) { return std::make_unique<JsonReport>(out); }
std::unique_ptr<Report> make_jsonl_report(Output& out) { return std::make_unique<JsonLines>(out); }

}  // namespace rwin::app
