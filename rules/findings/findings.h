// The findings: each looks at one direction and, where it applies, adds its notes, what is
// unproven, and the advice. One file each; the table in table.cpp says for which classes and in
// which order they are asked.
#pragma once

#include <span>
#include <string_view>

#include "rules/advise.h"
#include "rules/flow.h"

namespace rwin::rules {

struct Finding {
  std::string_view cause;  // word of the method; empty where the class says it all
  unsigned limits;         // bit (1 << Limit) for each class in which it is asked
  // True when this is the cause; only then has it touched the outcome.
  bool (*apply)(const Flow& flow, Outcome& outcome);
};

// In the order in which they are asked: the first that applies names the cause.
std::span<const Finding> all_findings();

namespace findings {

// receiver-window
bool scaling_stripped(const Flow&, Outcome&);
bool scaling_absent_sender(const Flow&, Outcome&);
bool scaling_absent_receiver(const Flow&, Outcome&);
bool scale_rewritten(const Flow&, Outcome&);
bool window_shrunk(const Flow&, Outcome&);
bool silly_window(const Flow&, Outcome&);
bool window_granularity(const Flow&, Outcome&);
bool window_clamped(const Flow&, Outcome&);
bool autotuning_slow(const Flow&, Outcome&);
bool buffer_fixed(const Flow&, Outcome&);
bool buffer_capped(const Flow&, Outcome&);
// receiver-app
bool host_memory(const Flow&, Outcome&);
bool no_window_update(const Flow&, Outcome&);
bool reader_stopped(const Flow&, Outcome&);
bool reader_slow(const Flow&, Outcome&);
// congestion, bandwidth
bool mtu_black_hole(const Flow&, Outcome&);
bool large_segments_lost(const Flow&, Outcome&);
bool ack_path(const Flow&, Outcome&);
bool timeout(const Flow&, Outcome&);
bool loss(const Flow&, Outcome&);
bool full_line(const Flow&, Outcome&);
// sender
bool nagle_delayed_ack(const Flow&, Outcome&);
bool protocol_window(const Flow&, Outcome&);
bool request_response(const Flow&, Outcome&);
bool idle(const Flow&, Outcome&);
bool send_buffer_capped(const Flow&, Outcome&);
bool send_buffer_fixed(const Flow&, Outcome&);
bool capped_server(const Flow&, Outcome&);
bool short_transfer(const Flow&, Outcome&);
// unknown
bool not_told(const Flow&, Outcome&);

}  // namespace findings
}  // namespace rwin::rules
