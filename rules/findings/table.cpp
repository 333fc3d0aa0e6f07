// Which finding is asked for which class, in which order. The only list of findings.
#include <array>

#include "rules/findings/findings.h"

namespace rwin::rules {
namespace {

using analysis::Limit;

template <class... Limits>
constexpr unsigned of(Limits... limits) {
  return ((1U << static_cast<unsigned>(limits)) | ...);
}

constexpr unsigned kWindow = of(Limit::receiver_window);
constexpr unsigned kReader = of(Limit::receiver_app);
constexpr unsigned kSenderHeld =
    of(Limit::sender_buffer, Limit::sender_app, Limit::sender_paced, Limit::unknown);

constexpr std::array kFindings = {
    // A broken handshake explains everything after it; a box that spoils the scale also shows as a
    // sender that stops
    // for no visible reason.
    Finding{"scaling-stripped", kWindow, findings::scaling_stripped},
    Finding{"scaling-absent-sender", kWindow, findings::scaling_absent_sender},
    Finding{"scaling-absent-receiver", kWindow, findings::scaling_absent_receiver},
    Finding{"scale-rewritten", kWindow | kSenderHeld, findings::scale_rewritten},
    Finding{"window-shrunk", kWindow, findings::window_shrunk},
    Finding{"silly-window", kWindow, findings::silly_window},
    Finding{"window-granularity", kWindow, findings::window_granularity},
    Finding{"window-clamped", kWindow, findings::window_clamped},
    Finding{"autotuning-slow", kWindow, findings::autotuning_slow},
    Finding{"buffer-fixed", kWindow, findings::buffer_fixed},
    Finding{"buffer-capped", kWindow, findings::buffer_capped},

    Finding{"host-memory", kReader, findings::host_memory},
    Finding{"no-window-update", kReader, findings::no_window_update},
    Finding{"reader-stopped", kReader, findings::reader_stopped},
    Finding{"reader-slow", kReader, findings::reader_slow},

    Finding{"mtu-black-hole", of(Limit::congestion), findings::mtu_black_hole},
    Finding{"large-segments-lost", of(Limit::congestion), findings::large_segments_lost},
    Finding{"ack-path", of(Limit::congestion, Limit::bandwidth), findings::ack_path},
    Finding{"timeout", of(Limit::congestion), findings::timeout},
    Finding{"loss", of(Limit::congestion), findings::loss},
    Finding{"", of(Limit::bandwidth), findings::full_line},

    Finding{"nagle-delayed-ack", of(Limit::sender_app), findings::nagle_delayed_ack},
    Finding{"protocol-window", of(Limit::sender_app, Limit::sender_buffer),
            findings::protocol_window},
    Finding{"request-response", of(Limit::sender_app), findings::request_response},
    Finding{"idle", of(Limit::sender_app), findings::idle},
    Finding{"buffer-capped", of(Limit::sender_buffer), findings::send_buffer_capped},
    Finding{"buffer-fixed", of(Limit::sender_buffer), findings::send_buffer_fixed},
    Finding{"", of(Limit::sender_paced), findings::capped_server},
    Finding{"", of(Limit::slow_start), findings::short_transfer},
    Finding{"", of(Limit::unknown), findings::not_told},
};

}  // namespace

std::span<const Finding> all_findings() { return kFindings; }

}  // namespace rwin::rules
