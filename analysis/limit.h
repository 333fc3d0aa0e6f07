// What can limit a transfer: one word each, the words of the method (see docs/method.md) and of
// every output.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace rwin::analysis {

enum class Limit : std::uint8_t {
  receiver_window,  // blocked by a window that stays at its largest or still grows
  receiver_app,     // blocked by a window that has closed: the program reads too slowly
  congestion,       // loss, recovery, timeouts and the climb afterwards
  bandwidth,        // the path is full
  sender_app,       // the sending program had nothing to send
  sender_buffer,    // flight flat below the window, no loss, no queue
  sender_paced,     // evenly spaced, not released by ACKs: the server caps its rate
  slow_start,       // flight doubles per round trip, no loss yet
  handshake,
  closing,
  unknown,
};
inline constexpr int kLimitCount = 11;
inline constexpr std::array<Limit, kLimitCount> kAllLimits = {
    Limit::receiver_window, Limit::receiver_app,  Limit::congestion,   Limit::bandwidth,
    Limit::sender_app,      Limit::sender_buffer, Limit::sender_paced, Limit::slow_start,
    Limit::handshake,       Limit::closing,       Limit::unknown};

// The word as printed, for example "receiver-window".
std::string_view word(Limit limit);
std::optional<Limit> limit_from_word(std::string_view word);

}  // namespace rwin::analysis
