#include "app/json_fields.h"

namespace rwin::app {

void write_local(JsonWriter& json, const LocalSocket& local) {
  json.key("local");
  json.begin_object();
  json.field("end", local.client ? "client" : "server");
  json.field("pid", local.pid > 0 ? std::optional(local.pid) : std::nullopt);
  json.text_or_null("process", local.process);
  json.key("kernel");
  if (local.kernel) {
    const KernelFigures& k = *local.kernel;
    json.begin_object();
    json.field("busy_us", k.busy_us);
    json.field("rwnd_limited_us", k.rwnd_limited_us);
    json.field("sndbuf_limited_us", k.sndbuf_limited_us);
    json.field("retransmitted_segments", k.retransmits);
    json.field("rtt_us", k.rtt_us);
    json.field("receive_space_bytes", k.receive_space);
    json.field("receive_buffer_bytes", k.receive_buffer);
    json.field("send_buffer_bytes", k.send_buffer);
    json.end_object();
  } else {
    json.null();
  }
  json.field("receive_buffer_fixed", local.receive_buffer_fixed);
  json.field("send_buffer_fixed", local.send_buffer_fixed);
  json.end_object();
}

}  // namespace rwin::app
