#include "app/live/live_lines.h"

#include <map>
#include <string>
#include <vector>

#include "app/json_fields.h"
#include "text/address.h"

namespace rwin::app {
namespace {

class LiveLines final : public LiveReport {
 public:
  explicit LiveLines(Output& out) : out_(out) {}

  // At the start of the capture, and again by the report at its end.
  void begin(const RunInfo& info) override {
    if (begun_) return;
    begun_ = true;
    line("start", [&](JsonWriter& json) { write_start_fields(json, info); });
    flush();
  }

  void snapshot(const LiveSnapshot& now) override {
    for (const LiveFlow& flow : now.flows) {
      Told& told = told_[flow.id];
      if (flow.packets != told.packets) interval(now, flow);
      told.packets = flow.packets;
      findings(*flow.judged, told);
      if (flow.over) end_of(*flow.judged, told);
    }
    // What the snapshot has forgotten is over and told.
    const std::uint64_t oldest = now.flows.empty() ? UINT64_MAX : now.flows.front().id;
    std::erase_if(told_,
                  [&](const auto& entry) { return entry.second.ended && entry.first < oldest; });
    flush();
  }

  void connection(Judged&& judged) override {
    Told& told = told_[judged.connection.id];
    findings(judged, told);
    end_of(judged, told);
  }

  void end(const RunInfo& info, const std::vector<rules::HostSummary>& hosts,
           ExitCode code) override {
    line("end", [&](JsonWriter& json) { write_end_fields(json, info, hosts, code); });
    flush();
  }

  void failure(const RunInfo& info, const Failure& failure) override {
    begin(info);
    line("error", [&](JsonWriter& json) { write_error(json, &failure); });
    flush();
  }

 private:
  struct Told {
    std::uint64_t packets = 0;
    std::map<bool, std::string> verdicts;  // by direction (from the client)
    bool ended = false;
  };

  void interval(const LiveSnapshot& now, const LiveFlow& flow) {
    const analysis::ConnectionResult& c = flow.judged->connection;
    line("interval", [&](JsonWriter& json) {
      json.field("time_ns", now.now_ns);
      json.field("connection", flow.id);
      for (const auto& [name, end] :
           {std::pair("client", &c.client), std::pair("server", &c.server)}) {
        json.key(name);
        json.begin_object();
        json.text_or_null("ip", address_text(end->address));
        json.field("port", end->port);
        json.end_object();
      }
      json.field("packets", flow.packets);
      json.field("client_bytes", flow.bytes[0]);
      json.field("server_bytes", flow.bytes[1]);
      json.rounded_field("client_rate_bps", std::optional(flow.rate_bps[0]));
      json.rounded_field("server_rate_bps", std::optional(flow.rate_bps[1]));
      json.key("limits");
      json.begin_array();
      for (std::size_t i = 0; i < c.directions.size(); ++i) {
        json.begin_object();
        json.field("sender", c.directions[i].from_client ? "client" : "server");
        json.field("limit", analysis::word(flow.judged->assessments[i].verdict.limit));
        json.field("receiver_blocked_share", receiver_blocked_share(c.directions[i]));
        json.end_object();
      }
      json.end_array();
      if (flow.local) write_local(json, *flow.local);
    });
  }

  void findings(const Judged& judged, Told& told) {
    const auto& directions = judged.connection.directions;
    for (std::size_t i = 0; i < directions.size(); ++i) {
      const rules::Verdict& verdict = judged.assessments[i].verdict;
      std::string now = std::string(analysis::word(verdict.limit)) + " " + verdict.cause;
      std::string& before = told.verdicts[directions[i].from_client];
      if (verdict.limit == analysis::Limit::unknown || now == before) continue;
      before = std::move(now);
      line("finding", [&](JsonWriter& json) { write_finding_fields(json, judged, i); });
    }
  }

  void end_of(const Judged& judged, Told& told) {
    if (told.ended) return;
    told.ended = true;
    line("flow_end", [&](JsonWriter& json) { write_connection_fields(json, judged); });
  }

  template <class Fields>
  void line(std::string_view event, Fields fields) {
    JsonWriter json(text_);
    json.begin_object();
    json.field("event", event);
    fields(json);
    json.end_object();
    text_ += '\n';
  }
  void flush() {
    out_.write(text_);
    text_.clear();
  }

  Output& out_;
  std::string text_;
  std::map<std::uint64_t, Told> told_;  // by connection
  bool begun_ = false;
};

}  // namespace

std::unique_ptr<LiveReport> make_live_lines(Output& out) {
  return std::make_unique<LiveLines>(out);
}

}  // namespace rwin::app
