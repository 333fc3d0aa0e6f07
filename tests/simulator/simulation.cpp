#include "tests/simulator/simulation.h"

#include <algorithm>

#include "tests/simulator/receiver.h"
#include "tests/simulator/sender.h"
#include "tests/simulator/way.h"

namespace rwin::sim {
namespace {

constexpr Time kLongest = 600 * kSecond;
constexpr Time kHost = 10 * kUs;  // from the card to TCP

// What the box beside the receiver makes of a packet.
Packet boxed(const BoxSpec& box, std::uint8_t shift, Packet p) {
  if (p.syn && p.scale) {
    if (p.from_sender ? box.strip_sender_scale : box.strip_receiver_scale) p.scale.reset();
    if (!p.from_sender && p.scale && box.zero_receiver_shift) p.scale = 0;
  }
  if (!p.from_sender && box.clamp > 0) {
    const std::uint8_t by = p.syn ? 0 : shift;
    p.window = static_cast<std::uint16_t>(
        std::min<std::int64_t>(p.window, std::max<std::int64_t>(1, box.clamp >> by)));
  }
  return p;
}

}  // namespace

Outcome simulate(const Spec& spec) {
  Outcome out;
  out.spec = spec;
  Clock clock;
  Random random(spec.seed);
  std::array<Recorder, kPlaces> recorders;
  const auto see = [&](Place place, const Packet& p) {
    recorders[static_cast<std::size_t>(place)].see(clock.now(), p);
  };
  const auto near = static_cast<Time>(static_cast<double>(spec.delay) * spec.middle);
  const Time far = spec.delay - near;
  Way data(clock, random, spec.data, near, far, spec.narrow_first);
  Way acks(clock, random, spec.acks, far, near, !spec.narrow_first);
  Receiver receiver(clock, spec, [&](const Packet& p) {
    see(Place::receiver, p);
    acks.send(boxed(spec.box, spec.receiver.scale.value_or(0), p));
  });
  Sender sender(
      clock, spec,
      [&](const Packet& p) {
        see(Place::sender, p);
        data.send(p);
      },
      [&] { return receiver.pressed(); });
  data.connect([&](const Packet& p) { see(Place::middle, p); },
               [&](const Packet& p) {
                 const Packet q = boxed(spec.box, spec.receiver.scale.value_or(0), p);
                 see(Place::receiver, q);
                 clock.after(kHost, [&receiver, q] { receiver.on_packet(q); });
               });
  acks.connect([&](const Packet& p) { see(Place::middle, p); },
               [&](const Packet& p) {
                 see(Place::sender, p);
                 clock.after(kHost, [&sender, p] { sender.on_packet(p); });
               });
  clock.at(0, [&] {
    if (spec.upload)
      sender.open();
    else
      receiver.open();
  });
  clock.run(kLongest);
  out.finished = sender.done();
  out.truth = sender.log().close(data.busy(), spec.base_rtt());
  out.truth.data_sent = sender.sent();
  out.truth.data_again = sender.sent_again();
  for (std::size_t i = 0; i < kPlaces; ++i)
    out.captures[i] = recorders[i].segments(
        spec, spec.recording.offload && i != static_cast<std::size_t>(Place::middle));
  return out;
}

}  // namespace rwin::sim
