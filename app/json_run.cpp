// The run as a whole: tool, source, counters, settings, warnings, error.
#include "app/json_fields.h"
#include "app/version.h"

namespace rwin::app {

void write_strings(JsonWriter& json, std::string_view key, const std::vector<std::string>& values) {
  json.key(key);
  json.begin_array();
  for (const std::string& value : values) json.value(value);
  json.end_array();
}

void write_tool(JsonWriter& json) {
  json.key("tool");
  json.begin_object();
  json.field("name", "rwin");
  json.field("version", kVersion);
  json.end_object();
}

void write_source(JsonWriter& json, const RunInfo& info) {
  json.key("source");
  json.begin_object();
  json.field("kind", info.kind);
  write_strings(json, "names", info.names);
  write_strings(json, "link_types", info.link_types);
  json.text_or_null("filter", info.filter);
  json.field("first_ns", info.first_ns);
  json.field("last_ns", info.last_ns);
  json.end_object();
}

void write_capture(JsonWriter& json, const RunInfo& info) {
  json.key("capture");
  json.begin_object();
  json.field("packets", info.decode.packets);
  json.field("tcp_packets", info.decode.tcp_packets);
  json.field("cut", info.decode.cut);
  json.field("malformed", info.decode.malformed);
  json.field("duplicates", info.engine.quality.duplicates);
  json.key("not_used");
  json.begin_object();
  for (std::size_t i = 1; i < info.decode.by_status.size(); ++i) {
    const auto status = static_cast<capture::DecodeStatus>(i);
    if (info.decode.by_status[i] > 0) json.field(capture::word(status), info.decode.by_status[i]);
  }
  json.end_object();
  json.field("kernel_drops", info.kernel_drops);  // a file does not tell
  json.field("interface_drops", info.interface_drops);
  const analysis::CaptureQuality& quality = info.engine.quality;
  json.field("time_steps_back", quality.out_of_order + quality.clock_steps);
  json.key("quality");
  json.begin_object();
  json.field("routed_duplicates", quality.routed_duplicates);
  json.field("out_of_order", quality.out_of_order);
  json.field("effect_first", quality.effect_first);
  json.field("clock_steps", quality.clock_steps);
  json.field("wild_stamps", quality.wild_stamps);
  json.field("gap_bytes", quality.gap_bytes);
  json.end_object();
  json.field("flows_evicted", info.engine.flows_evicted);
  json.end_object();
}

void write_settings(JsonWriter& json, const RunInfo& info) {
  json.key("settings");
  json.begin_object();
  // The interface's speed is the target of those directions only that show no capacity.
  json.rounded_field("target_bps", info.target_bps ? info.target_bps : info.interface_bps);
  json.text_or_null("target_from", info.target_bps      ? "user"
                                   : info.interface_bps ? "interface"
                                                        : "");
  json.end_object();
}

void write_warnings(JsonWriter& json, const RunInfo& info) {
  write_strings(json, "warnings", info.warnings);
}

void write_error(JsonWriter& json, const Failure* failure) {
  json.key("error");
  if (failure == nullptr) {
    json.null();
    return;
  }
  json.begin_object();
  json.field("code", static_cast<int>(failure->code));
  json.field("message", failure->message);
  json.text_or_null("hint", failure->hint);
  json.end_object();
}

void write_start_fields(JsonWriter& json, const RunInfo& info) {
  json.field("schema", kSchema);
  write_tool(json);
  write_source(json, info);
  write_settings(json, info);
}

void write_end_fields(JsonWriter& json, const RunInfo& info,
                      const std::vector<rules::HostSummary>& hosts, ExitCode code) {
  write_capture(json, info);
  json.key("hosts");
  json.begin_array();
  for (const rules::HostSummary& host : hosts) write_host(json, host);
  json.end_array();
  write_warnings(json, info);
  json.field("exit_code", static_cast<int>(code));
  write_error(json, nullptr);
}

}  // namespace rwin::app
