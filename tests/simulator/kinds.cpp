#include "tests/simulator/kinds.h"

#include <algorithm>
#include <cmath>

namespace rwin::sim {
namespace {

constexpr double kMbit = 1e6 / 8;

std::int64_t bytes_of(double v) { return static_cast<std::int64_t>(v); }

// Path and hosts that all kinds share; nothing here limits by itself.
Spec base(Random& r, Time shortest, Time longest, double slowest, double fastest) {
  Spec s;
  s.upload = r.chance(0.3);
  s.mss = r.pick<std::uint16_t>({1460, 1460, 1460, 1440, 1400, 1360, 1220});
  s.timestamps = r.chance(0.8);
  s.sack = r.chance(0.9);
  s.delay = bytes_of(r.spread(static_cast<double>(shortest), static_cast<double>(longest)) / 2);
  s.middle = r.real(0.15, 0.85);
  s.narrow_first = r.chance(0.5);
  s.data.rate = r.spread(slowest * kMbit, fastest * kMbit);
  s.acks.rate = s.data.rate;
  s.data.jitter = r.chance(0.5) ? r.whole(10, 200) * kUs : 0;
  s.acks.jitter = r.chance(0.5) ? r.whole(10, 200) * kUs : 0;
  s.sender.cubic = r.chance(0.8);
  s.sender.fill_edge = r.chance(0.2);
  s.receiver.scale = r.pick<std::uint8_t>({7, 7, 8, 6, 10, 2});
  s.receiver.ack_every = r.chance(0.8) ? 2 : 1;
  s.receiver.batch = r.chance(0.4) ? r.whole(20, 120) * kUs : 0;
  s.recording.offload = r.chance(0.3);
  s.recording.jitter = r.chance(0.3) ? r.whole(1, 60) * kUs : 0;
  return s;
}

// A window that never matters.
void open_window(Random& r, Spec& s) {
  s.receiver.buffer = 16 << 20;
  s.receiver.scale = r.pick<std::uint8_t>({8, 9, 10});
}

double bdp(const Spec& s) { return s.data.rate * static_cast<double>(s.base_rtt()) / 1e9; }

// A window that is `low` to `high` of what the path holds, at least `least` segments.
std::int64_t small_window(Random& r, const Spec& s, double low, double high, int least) {
  const double w = bdp(s) * r.spread(low, high);
  return std::max(bytes_of(w), least * s.segment());
}

// Long enough for `rounds` windows, in 300 to 3,000 segments.
void size_for(Random& r, Spec& s, std::int64_t window, double low, double high) {
  const auto bytes = bytes_of(static_cast<double>(window) * r.spread(low, high));
  s.application.total = std::clamp(bytes, 300 * s.segment(), 3'000 * s.segment());
}

// Rates and delays where the window must be below a fifth to a half of the path.
Spec window_path(Random& r) {
  Spec s = base(r, 8 * kMs, 300 * kMs, 8, 200);
  while (bdp(s) < 60'000) s = base(r, 8 * kMs, 300 * kMs, 8, 200);
  s.recording.cut_handshake = r.chance(0.15);
  return s;
}

Spec window_fixed(Random& r) {
  Spec s = window_path(r);
  s.receiver.buffer = std::min(small_window(r, s, 0.05, 0.5, 6), 150 * s.segment());
  size_for(r, s, s.receiver.buffer, 20, 80);
  return s;
}

Spec window_tiny(Random& r) {
  Spec s = window_path(r);
  s.receiver.scale = r.chance(0.5) ? std::optional<std::uint8_t>(0) : std::nullopt;
  s.receiver.buffer = bytes_of(r.real(2.0, 4.0) * static_cast<double>(s.segment()));
  s.application.total = r.whole(100, 300) * s.segment();
  return s;
}

Spec window_unscaled(Random& r) {
  Spec s = window_path(r);
  while (bdp(s) < 140'000) s = window_path(r);
  (r.chance(0.5) ? s.receiver.scale : s.sender.scale).reset();
  s.receiver.buffer = r.pick<std::int64_t>({65'535, 65'535, 32'768, 17'520, 200'000});
  size_for(r, s, std::min<std::int64_t>(65'535, s.receiver.buffer), 20, 80);
  return s;
}

Spec scaling_stripped(Random& r) {
  Spec s = window_path(r);
  while (bdp(s) < 140'000) s = window_path(r);
  s.recording.cut_handshake = false;
  // From the SYN: who answers hears of no scaling and offers none. (From the SYN-ACK: the one who
  // answered goes on scaling, see shift_zeroed().)
  (s.upload ? s.box.strip_sender_scale : s.box.strip_receiver_scale) = true;
  s.receiver.buffer = 1 << 20;
  size_for(r, s, 65'535, 20, 50);
  return s;
}

Spec shift_zeroed(Random& r) {
  Spec s = window_path(r);
  s.recording.cut_handshake = false;
  s.box.zero_receiver_shift = true;
  s.receiver.scale = r.pick<std::uint8_t>({2, 4});
  s.receiver.buffer = std::int64_t{1} << r.whole(16, 18);
  while (bdp(s) < 140'000) s.data.rate *= 1.3;
  s.acks.rate = s.data.rate;
  s.application.total = r.whole(300, 1'200) * s.segment();
  return s;
}

Spec window_clamped(Random& r) {
  Spec s = window_path(r);
  s.recording.cut_handshake = false;
  const std::int64_t window = std::min(small_window(r, s, 0.1, 0.5, 8), 150 * s.segment());
  s.box.clamp = window;
  open_window(r, s);
  size_for(r, s, window, 20, 60);
  return s;
}

Spec window_capped(Random& r) {
  Spec s = window_path(r);
  s.receiver.grow_to = std::min(small_window(r, s, 0.1, 0.5, 20), 120 * s.segment());
  s.receiver.buffer = std::max<std::int64_t>(s.receiver.grow_to / 3, 8 * s.segment());
  size_for(r, s, s.receiver.grow_to, 20, 60);
  return s;
}

Spec window_reordered(Random& r) {
  Spec s = window_path(r);
  // One needless recovery at first must not matter.
  s.receiver.buffer = r.whole(8, 20) * s.segment();
  size_for(r, s, s.receiver.buffer, 70, 120);
  s.sack = true;
  s.recording.cut_handshake = false;
  s.data.reorder = r.real(0.002, 0.02);
  s.data.reorder_by = r.whole(300, 1'500) * kUs;
  s.data.duplicate = r.chance(0.3) ? 0.005 : 0;
  return s;
}

Spec reader_slow(Random& r) {
  Spec s = base(r, 4 * kMs, 150 * kMs, 8, 100);
  s.receiver.reader = s.data.rate * r.spread(0.08, 0.5);
  const double round = s.receiver.reader * static_cast<double>(s.base_rtt()) / 1e9;
  s.receiver.buffer = std::max(bytes_of(round * r.real(2.5, 5)), 30 * s.segment());
  size_for(r, s, s.receiver.buffer, 8, 20);
  return s;
}

Spec reader_pauses(Random& r) {
  Spec s = base(r, 4 * kMs, 100 * kMs, 8, 100);
  s.receiver.buffer = r.whole(20, 80) * s.segment();
  const Time fill =
      bytes_of(static_cast<double>(s.receiver.buffer) / s.data.rate * 1e9) + 3 * s.base_rtt();
  s.receiver.pause_every = fill * r.whole(6, 12);
  s.receiver.pause_for = bytes_of(static_cast<double>(s.receiver.pause_every) * r.real(0.7, 0.85));
  const double on = static_cast<double>(s.receiver.pause_every - s.receiver.pause_for) / 1e9;
  const double round = std::max(static_cast<double>(s.base_rtt()) / 1e9,
                                static_cast<double>(s.receiver.buffer) / s.data.rate);
  const double per_period = static_cast<double>(s.receiver.buffer) * (1 + on / round);
  s.application.total =
      std::clamp(bytes_of(per_period * r.real(5, 9)), 200 * s.segment(), 3'000 * s.segment());
  return s;
}

// Buffers that never matter, a path that is full soon and for long.
Spec full_path(Random& r) {
  Spec s = base(r, 5 * kMs, 120 * kMs, 4, 50);
  while (bdp(s) > 110 * 1500.0) s = base(r, 5 * kMs, 120 * kMs, 4, 50);
  s.data.queue = std::max(bytes_of(bdp(s) * r.real(1.0, 3)), std::int64_t{20 * 1500});
  s.sender.hystart = false;
  open_window(r, s);
  s.application.total =
      std::clamp<std::int64_t>(bytes_of(30 * (bdp(s) + static_cast<double>(s.data.queue))),
                               1'200 * s.segment(), 4'000 * s.segment());
  return s;
}

// A window above what the path holds, so that a queue stands but nothing is lost.
Spec full_path_and_window(Random& r) {
  Spec s = full_path(r);
  const double window = std::max(bdp(s) * r.real(1.3, 2.0), 24.0 * 1500);
  s.receiver.buffer = bytes_of(window);
  s.data.queue = bytes_of(4 * window);
  s.application.total = std::max(s.application.total, 40 * s.receiver.buffer);
  return s;
}

Spec loss(Random& r) {
  Spec s = base(r, 10 * kMs, 150 * kMs, 20, 200);
  s.sack = r.chance(0.85);
  s.data.loss = r.spread(0.005, 0.04);
  // Far from what the path could carry, by the square root law.
  while (bdp(s) < 6 * 1.22 * 1500 / std::sqrt(s.data.loss)) s.data.rate *= 1.2;
  s.acks.rate = s.data.rate;
  open_window(r, s);
  s.application.total = r.whole(600, 2'000) * s.segment();
  return s;
}

Spec short_chunks(Random& r) {
  Spec s = base(r, 4 * kMs, 150 * kMs, 10, 200);
  open_window(r, s);
  s.application.kind = ApplicationSpec::Kind::chunks;
  s.application.chunk = r.whole(300, 6 * s.segment());
  if (s.application.chunk % s.segment() == 0) s.application.chunk += 100;
  const double rate = std::min(s.data.rate * r.spread(0.05, 0.4), 600'000.0);
  s.application.every = bytes_of(static_cast<double>(s.application.chunk) / rate * 1e9);
  // The congestion window must grow past it early on.
  const std::int64_t rounds = 25 * s.base_rtt() / s.application.every;
  s.application.total = s.application.chunk * std::max(r.whole(200, 400), rounds);
  return s;
}

Spec pauses(Random& r) {
  Spec s = base(r, 4 * kMs, 100 * kMs, 10, 200);
  open_window(r, s);
  s.application.kind = ApplicationSpec::Kind::chunks;
  s.application.chunk = r.whole(8 * s.segment(), 90 * s.segment());
  const double lasts = 6 * static_cast<double>(s.base_rtt()) +
                       1e9 * static_cast<double>(s.application.chunk) / s.data.rate;
  s.application.every = bytes_of(lasts * r.real(2.5, 8));
  s.application.total = s.application.chunk * r.whole(6, 15);
  s.sender.idle_restart = r.chance(0.5);
  return s;
}

Spec answers(Random& r) {
  Spec s = base(r, 4 * kMs, 100 * kMs, 10, 200);
  open_window(r, s);
  s.upload = false;
  s.application.kind = ApplicationSpec::Kind::answers;
  s.application.chunk = r.whole(200, 9 * s.segment());
  s.application.every = r.chance(0.5) ? 1 * kMs : r.whole(5, 200) * kMs;
  s.application.total = s.application.chunk * r.whole(60, 150);
  return s;
}

Spec send_buffer(Random& r) {
  Spec s = window_path(r);
  s.recording.cut_handshake = false;
  open_window(r, s);
  s.sender.send_buffer = std::min(small_window(r, s, 0.08, 0.4, 8), 150 * s.segment());
  size_for(r, s, s.sender.send_buffer, 25, 60);
  return s;
}

Spec paced(Random& r) {
  Spec s = base(r, 15 * kMs, 150 * kMs, 20, 200);
  s.sender.pace =
      std::max(s.data.rate * r.spread(0.08, 0.4), 12e9 * 1500 / static_cast<double>(s.base_rtt()));
  while (s.data.rate < 2 * s.sender.pace) s.data.rate *= 1.3;
  s.acks.rate = s.data.rate;
  const double round = s.sender.pace * static_cast<double>(s.base_rtt()) / 1e9;
  s.application.total =
      std::clamp(bytes_of(round * r.real(25, 50)), 300 * s.segment(), 4'000 * s.segment());
  open_window(r, s);
  return s;
}

Spec slow_start(Random& r) {
  Spec s = base(r, 20 * kMs, 300 * kMs, 60, 400);
  while (bdp(s) < 400 * 1500.0) s = base(r, 20 * kMs, 300 * kMs, 60, 400);
  open_window(r, s);
  s.application.total = r.whole(60, 400) * s.segment();
  return s;
}

}  // namespace

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {"window-fixed", window_fixed},
      {"window-tiny", window_tiny},
      {"window-unscaled", window_unscaled},
      {"scaling-stripped", scaling_stripped},
      {"shift-zeroed", shift_zeroed, true},
      {"window-clamped", window_clamped, true},
      {"window-capped", window_capped},
      {"window-reordered", window_reordered},
      {"reader-slow", reader_slow},
      {"reader-pauses", reader_pauses},
      {"full-path", full_path},
      {"full-path-window", full_path_and_window},
      {"loss", loss},
      {"short-chunks", short_chunks},
      {"pauses", pauses},
      {"answers", answers},
      {"send-buffer", send_buffer},
      {"paced", paced},
      {"slow-start", slow_start},
  };
  return all;
}

Spec make(const Kind& kind, std::uint64_t seed) {
  Random random(seed);
  Spec s = kind.make(random);
  s.kind = kind.name;
  s.seed = seed;
  return s;
}

}  // namespace rwin::sim
