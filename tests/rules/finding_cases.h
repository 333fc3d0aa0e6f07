// One case for each finding, for the tests that go through all of them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "flows.h"

namespace rwin::rules::test {

struct NamedCase {
  std::string cause;  // what the verdict must say
  Case value;
};

inline Case at_25_megabit(Case c) {
  c.settings.target_bps = 25e6;
  return c;
}

inline Case class_of(Limit limit) {
  Case c = download();
  c.direction.limit = limit;
  c.direction.window_max = 3'000'000;
  return c;
}

inline Case unscaled_window() {
  Case c = at_25_megabit(window_limited(65'535, 184'000));
  c.direction.scale = {Presence::absent, 0, false};
  c.direction.window_field_max = 65'535;
  return c;
}

// Every answer of the other end in a request, as in a chat of two programs.
inline void answer_with(Case& c, std::uint32_t segments) {
  DirectionResult back;
  back.from_client = true;
  back.segments = segments;
  c.connection.directions.push_back(back);
}

inline std::vector<NamedCase> finding_cases() {
  std::vector<NamedCase> cases;
  const auto add = [&](std::string cause, const std::function<Case()>& make) {
    cases.push_back({std::move(cause), make()});
  };
  add("scaling-absent-receiver", [] {
    Case c = unscaled_window();
    c.connection.client_offer = offer("mss,sok,ts", 64, 64240, -1);
    c.connection.server_offer = offer("mss,sok,ts", 64, 65160, -1);
    return c;
  });
  add("scaling-absent-sender", [] {
    Case c = unscaled_window();
    c.connection.server_offer = offer("mss,sok,ts", 64, 65160, -1);
    c.connection.place = analysis::Place::server;
    return c;
  });
  add("scaling-stripped", [] {
    Case c = unscaled_window();
    c.connection.client_offer = offer("mss,sok,ts,nop,nop,nop,nop", 64, 64240, -1);
    c.connection.server_offer = offer("mss,sok,ts", 64, 65160, -1);
    c.connection.place = analysis::Place::server;
    return c;
  });
  add("scale-rewritten", [] {
    Case c = at_25_megabit(window_limited(502, 100'000));
    c.direction.scale.shift = 0;
    c.direction.window_field_max = 502;
    c.connection.client_offer = linux_offer(0);
    return c;
  });
  add("window-shrunk", [] {
    Case c = at_25_megabit(window_limited(262'144));
    c.direction.shrunk_count = 3;
    c.direction.shrunk_bytes = 131'072;
    return c;
  });
  add("silly-window", [] {
    Case c = at_25_megabit(window_limited(1'536, 30'000));
    c.connection.client_offer = offer("mss", 64, 1536, 0);
    c.direction.scale.shift = 0;
    c.direction.window_field_max = 1'536;
    return c;
  });
  add("window-granularity", [] {
    Case c = at_25_megabit(window_limited(32'768));
    c.direction.scale.shift = 14;
    return c;
  });
  add("window-clamped", [] {
    Case c = at_25_megabit(window_limited(64'512, 100'000));
    c.direction.scale.shift = 10;
    c.connection.client_offer = linux_offer(10);
    c.direction.window_field_max = 63;
    return c;
  });
  add("autotuning-slow", [] {
    Case c = at_25_megabit(window_limited(500'000));
    c.direction.window_first = 65'536;
    c.direction.window_still_growing = true;
    return c;
  });
  add("buffer-fixed", [] { return at_25_megabit(window_limited(32'768)); });
  add("buffer-capped", [] {
    Case c = at_25_megabit(window_limited(262'144));
    c.direction.window_first = 65'536;
    c.direction.window_max_at_us = 4'000'000;
    return c;
  });
  add("reader-slow", [] {
    Case c = class_of(Limit::receiver_app);
    c.direction.zero_window_count = 20;
    c.direction.zero_window_episodes = 10;
    c.direction.zero_window_us = 500'000;
    return c;
  });
  add("host-memory", [] {
    Case c = class_of(Limit::receiver_app);
    c.direction.zero_window_count = 20;
    c.direction.shrunk_count = 1;
    c.direction.shrunk_bytes = 130'000;
    return c;
  });
  add("loss", [] {
    Case c = class_of(Limit::congestion);
    c.direction.retransmitted_segments = 14;
    return c;
  });
  add("mtu-black-hole", [] {
    Case c = class_of(Limit::congestion);
    c.direction.bytes = 5'000;
    c.direction.segments = 12;
    c.direction.retransmitted_segments = c.direction.timeouts = 6;
    c.direction.longest_stall_us = 12'000'000;
    return c;
  });
  add("nagle-delayed-ack", [] {
    Case c = class_of(Limit::sender_app);
    c.direction.rtt_base_us = 300;
    c.direction.rtt_p90_us = 40'300;
    c.direction.short_segments = 350;
    c.direction.flight_p50 = 1'760;
    return c;
  });
  add("request-response", [] {
    Case c = class_of(Limit::sender_app);
    c.direction.pushed_segments = 40;
    answer_with(c, 40);
    return c;
  });
  add("protocol-window", [] {
    Case c = class_of(Limit::sender_buffer);
    c.connection.server.port = 22;
    c.direction.flight_max = 2'110'000;
    c.direction.flight_p50 = 2'090'000;
    c.direction.window_max = 6'000'000;
    answer_with(c, 200);
    return c;
  });
  add("buffer-fixed", [] {  // of the sender
    Case c = at_25_megabit(class_of(Limit::sender_buffer));
    c.direction.flight_max = c.direction.flight_p50 = 16'384;
    return c;
  });
  add("", [] {  // a server that caps its rate
    Case c = class_of(Limit::sender_paced);
    c.direction.goodput_bps = 6.4e6;
    c.direction.capacity_bps = 25e6;
    c.direction.capacity_from = analysis::CapacityFrom::dispersion;
    return c;
  });
  return cases;
}

}  // namespace rwin::rules::test
