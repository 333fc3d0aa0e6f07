// The objects of the JSON contract (schema 1), shared by the document, the lines and `calc`.
#pragma once

#include "app/json_writer.h"
#include "app/report.h"

namespace rwin::app {

inline constexpr int kSchema = 1;

// Key `key`, an array.
void write_strings(JsonWriter& json, std::string_view key, const std::vector<std::string>& values);
void write_tool(JsonWriter& json);                           // key "tool"
void write_source(JsonWriter& json, const RunInfo& info);    // key "source"
void write_capture(JsonWriter& json, const RunInfo& info);   // key "capture"
void write_settings(JsonWriter& json, const RunInfo& info);  // key "settings"
void write_warnings(JsonWriter& json, const RunInfo& info);  // key "warnings"
void write_error(JsonWriter& json, const Failure* failure);  // key "error", null for none

// The members of the JSON lines "start" and "end" behind "event".
void write_start_fields(JsonWriter& json, const RunInfo& info);
void write_end_fields(JsonWriter& json, const RunInfo& info,
                      const std::vector<rules::HostSummary>& hosts, ExitCode code);
// Those of the line "finding"; `direction`: index in judged.connection.directions.
void write_finding_fields(JsonWriter& json, const Judged& judged, std::size_t direction);

// The members of a connection, between brackets that the caller writes.
void write_connection_fields(JsonWriter& json, const Judged& judged);
void write_verdict(JsonWriter& json, const rules::Verdict& verdict);            // a value
void write_advice(JsonWriter& json, const std::vector<rules::Advice>& advice);  // a value
void write_host(JsonWriter& json, const rules::HostSummary& host);              // a value

// Key "local": this host's end of a live connection. Kernel figures are of the data that this host
// sends, but for the receive buffer.
void write_local(JsonWriter& json, const LocalSocket& local);

// blocked / busy, or nullopt where either is not known.
std::optional<double> receiver_blocked_share(const analysis::DirectionResult& direction);
// Share of each class of the connection's length; the shares add up to 1.
std::array<double, analysis::kLimitCount> limit_shares(const analysis::DirectionResult& direction);

}  // namespace rwin::app
