// show_simulation KIND SEED [sender|middle|receiver [--packets]]: one run in full, to see why a
// property test fails.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "analysis/engine.h"
#include "tests/simulator/kinds.h"
#include "tests/simulator/simulation.h"

namespace {

using namespace rwin;

void print_spec(const sim::Spec& s) {
  std::printf("%s seed %llu: %s, mss %d, ts %d, sack %d, rtt %.2f ms, middle %.2f%s\n",
              s.kind.c_str(), static_cast<unsigned long long>(s.seed),
              s.upload ? "upload" : "download", s.mss, s.timestamps, s.sack,
              static_cast<double>(s.base_rtt()) / 1e6, s.middle,
              s.narrow_first ? ", bottleneck first" : "");
  std::printf("  rate %.2f Mbit/s, bdp %.0f, queue %lld, loss %.4f, reorder %.4f by %.1f ms\n",
              s.data.rate * 8e-6, s.data.rate * static_cast<double>(s.base_rtt()) / 1e9,
              static_cast<long long>(s.data.queue), s.data.loss, s.data.reorder,
              static_cast<double>(s.data.reorder_by) / 1e6);
  std::printf(
      "  total %lld, chunk %lld every %.1f ms, send buffer %lld, pace %.2f Mbit/s, fill %d\n",
      static_cast<long long>(s.application.total), static_cast<long long>(s.application.chunk),
      static_cast<double>(s.application.every) / 1e6, static_cast<long long>(s.sender.send_buffer),
      s.sender.pace * 8e-6, s.sender.fill_edge);
  std::printf(
      "  buffer %lld grows to %lld, shift %d, reader %.2f Mbit/s, pause %.0f of %.0f ms, "
      "ack every %d, batch %.0f us, clamp %lld\n",
      static_cast<long long>(s.receiver.buffer), static_cast<long long>(s.receiver.grow_to),
      s.receiver.scale ? *s.receiver.scale : -1, s.receiver.reader * 8e-6,
      static_cast<double>(s.receiver.pause_for) / 1e6,
      static_cast<double>(s.receiver.pause_every) / 1e6, s.receiver.ack_every,
      static_cast<double>(s.receiver.batch) / 1e3, static_cast<long long>(s.box.clamp));
  std::printf("  offload %d, stamp jitter %.0f us, handshake %s\n", s.recording.offload,
              static_cast<double>(s.recording.jitter) / 1e3,
              s.recording.cut_handshake ? "cut" : "seen");
}

void print_truth(const sim::Outcome& o) {
  std::printf("truth: %s, blocked %.3f, busy %.3f s, sent %llu again %llu, finished %d\n",
              std::string(analysis::word(o.truth.main())).c_str(), o.truth.blocked_share(),
              static_cast<double>(o.truth.busy) / 1e9,
              static_cast<unsigned long long>(o.truth.data_sent),
              static_cast<unsigned long long>(o.truth.data_again), o.finished);
  for (const analysis::Limit l : analysis::kAllLimits)
    if (o.truth.share(l) > 0)
      std::printf("  %-16s %.3f\n", std::string(analysis::word(l)).c_str(), o.truth.share(l));
}

void print_result(const sim::Outcome& o, sim::Place place, const char* name) {
  analysis::Engine engine;
  for (const analysis::Segment& s : o.at(place)) engine.add(s);
  engine.finish([&](analysis::ConnectionResult&& c) {
    for (const analysis::DirectionResult& d : c.directions) {
      if (d.from_client != o.spec.upload) continue;
      std::printf(
          "%s: %s, blocked %.3f, base %.2f ms (d_S %.2f d_R %.2f), scale %d/%d, "
          "window %lld, flight %lld..%lld, again %llu, reordered %llu, capacity %.2f Mbit/s\n",
          name, std::string(analysis::word(d.limit)).c_str(),
          d.blocked_us && d.busy_us ? static_cast<double>(*d.blocked_us) /
                                          static_cast<double>(std::max<std::int64_t>(*d.busy_us, 1))
                                    : -1,
          static_cast<double>(d.rtt_base_us.value_or(-1)) / 1e3,
          static_cast<double>(d.sender_side_rtt_us.value_or(-1)) / 1e3,
          static_cast<double>(d.receiver_side_rtt_us.value_or(-1)) / 1e3,
          static_cast<int>(d.scale.state), d.scale.shift,
          static_cast<long long>(d.window_max.value_or(0)),
          static_cast<long long>(d.flight_p50.value_or(0)),
          static_cast<long long>(d.flight_max.value_or(0)),
          static_cast<unsigned long long>(d.retransmitted_segments),
          static_cast<unsigned long long>(d.reordered_segments), d.capacity_bps.value_or(0) / 1e6);
      for (const analysis::Limit l : analysis::kAllLimits)
        if (const auto us = d.limit_us[static_cast<std::size_t>(l)]; us > 0)
          std::printf("  %-16s %.3f s\n", std::string(analysis::word(l)).c_str(),
                      static_cast<double>(us) / 1e6);
    }
  });
}

void print_packets(const sim::Outcome& o, sim::Place place) {
  std::uint32_t data_isn = 0;
  std::uint32_t ack_isn = 0;
  const auto& all = o.at(place);
  for (const analysis::Segment& s : all) {
    const bool data = (s.source.address.bytes[3] == 10);
    if (data && data_isn == 0) data_isn = s.seq;
    if (!data && ack_isn == 0) ack_isn = s.seq;
    std::printf("%10.3f %s seq %u len %u ack %u win %u%s%s%s ts %u %u",
                static_cast<double>(s.time_ns - all[0].time_ns) / 1e6, data ? ">" : "<",
                s.seq - (data ? data_isn : ack_isn), s.payload, s.ack - (data ? ack_isn : data_isn),
                s.window, s.has(analysis::flag::kSyn) ? " S" : "",
                s.has(analysis::flag::kPsh) ? " P" : "", s.has(analysis::flag::kFin) ? " F" : "",
                s.tsval, s.tsecr);
    for (int i = 0; i < s.sack_count; ++i)
      std::printf(" [%u %u)", s.sack[static_cast<std::size_t>(i)].left - data_isn,
                  s.sack[static_cast<std::size_t>(i)].right - data_isn);
    std::printf("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr,
                 "usage: %s KIND SEED [sender|middle|receiver [--packets]]\nkinds:", argv[0]);
    for (const sim::Kind& k : sim::kinds())
      std::fprintf(stderr, " %s", std::string(k.name).c_str());
    std::fprintf(stderr, "\n");
    return 2;
  }
  static const char* const kNames[] = {"sender", "middle", "receiver"};
  for (const sim::Kind& k : sim::kinds()) {
    if (k.name != argv[1]) continue;
    const sim::Outcome o = sim::simulate(sim::make(k, std::strtoull(argv[2], nullptr, 10)));
    print_spec(o.spec);
    print_truth(o);
    for (int p = 0; p < sim::kPlaces; ++p) {
      if (argc > 3 && std::strcmp(argv[3], kNames[p]) != 0) continue;
      print_result(o, static_cast<sim::Place>(p), kNames[p]);
      if (argc > 4) print_packets(o, static_cast<sim::Place>(p));
    }
    return 0;
  }
  std::fprintf(stderr, "no such kind\n");
  return 2;
}
