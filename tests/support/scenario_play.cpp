#include <memory>

#include "tests/support/scenario_net.h"
#include "tests/support/simulated_transfer.h"

namespace rwin::test {
namespace {

// A track's items in their order, each as long after the one before as the scenario says.
class TrackPlayer {
 public:
  TrackPlayer(Net& net, const std::vector<Item>& items,
              std::vector<std::unique_ptr<SimulatedTransfer>>& transfers)
      : net_(net), transfers_(transfers) {
    stack_.push_back({&items, 0, 1, 0, 0});
  }
  void start() { schedule(0); }

 private:
  struct Frame {
    const std::vector<Item>* items;
    std::size_t next;
    int times;
    std::int64_t every, began;
  };

  // `cursor`: time of the item before.
  void schedule(std::int64_t cursor) {
    while (!stack_.empty()) {
      Frame& f = stack_.back();
      if (f.next == f.items->size()) {
        if (--f.times > 0 && !f.items->empty()) {
          f.next = 0;
          if (f.every > 0) cursor = f.began += f.every;
          continue;
        }
        if (f.every > 0) cursor = f.began + f.every;
        stack_.pop_back();
        continue;
      }
      const Item& item = (*f.items)[f.next++];
      const std::int64_t when = item.absolute ? item.at_ns : cursor + item.at_ns;
      if (item.kind == Item::Kind::repeat) {
        if (item.times > 0) stack_.push_back({&item.items, 0, item.times, item.every_ns, when});
        cursor = when;
        continue;
      }
      net_.at(when, [this, &item] { play(item); });
      return;
    }
  }

  void play(const Item& item) {
    if (item.kind == Item::Kind::transfer) {
      transfers_.push_back(std::make_unique<SimulatedTransfer>(net_, item.transfer,
                                                               [this] { schedule(net_.now()); }));
      transfers_.back()->start();
      return;
    }
    packets(item.packet, 0);
  }

  void packets(const PacketSpec& spec, int done) {
    Fate fate;
    fate.lost = spec.lost;
    fate.lost_early = spec.lost_early;
    fate.uncaptured = spec.uncaptured;
    fate.twice = spec.twice;
    fate.late_ns = spec.late_ns;
    fate.stamp_ns = spec.stamp_ns;
    fate.slow_ns = spec.slow_ns;
    for (; done < spec.count; ++done) {
      net_.send(net_.from_spec(spec), fate);
      if (spec.every_ns > 0 && done + 1 < spec.count) {
        net_.at(net_.now() + spec.every_ns, [this, &spec, done] { packets(spec, done + 1); });
        return;
      }
    }
    schedule(net_.now());
  }

  Net& net_;
  std::vector<std::unique_ptr<SimulatedTransfer>>& transfers_;
  std::vector<Frame> stack_;
};

View turned(View view) {
  return view == View::client ? View::server : view == View::server ? View::client : view;
}

std::vector<analysis::Segment> play_one(const Scenario& scenario, const Conversation& talk,
                                        View view, std::uint32_t isn, Simulated& simulated) {
  Net net(scenario, talk, talk.turned ? turned(view) : view, isn);
  std::vector<std::unique_ptr<SimulatedTransfer>> transfers;
  std::vector<std::unique_ptr<TrackPlayer>> players;
  for (const auto& track : talk.tracks) {
    players.push_back(std::make_unique<TrackPlayer>(net, track, transfers));
    players.back()->start();
  }
  net.run();
  for (const auto& t : transfers) {
    simulated.busy_ns += t->truth().busy_ns;
    simulated.held_ns += t->truth().held_ns;
  }
  return net.take_records();
}

// One recording of several connections; each keeps its own order.
std::vector<analysis::Segment> merge(std::vector<std::vector<analysis::Segment>> parts) {
  if (parts.size() == 1) return std::move(parts.front());
  std::vector<analysis::Segment> out;
  std::vector<std::size_t> next(parts.size());
  for (;;) {
    const analysis::Segment* first = nullptr;
    std::size_t from = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (next[i] == parts[i].size()) continue;
      const analysis::Segment& s = parts[i][next[i]];
      if (first != nullptr && first->time_ns <= s.time_ns) continue;
      first = &s;
      from = i;
    }
    if (first == nullptr) return out;
    out.push_back(*first);
    out.back().record = out.size();
    ++next[from];
  }
}

}  // namespace

std::vector<analysis::Segment> play(const Scenario& scenario, View view, std::uint32_t isn,
                                    std::vector<Simulated>* simulated) {
  std::vector<std::vector<analysis::Segment>> parts;
  for (const Conversation& talk : scenario.connections) {
    Simulated truth;
    parts.push_back(play_one(scenario, talk, view, isn++, truth));
    if (simulated != nullptr) simulated->push_back(truth);
  }
  return merge(std::move(parts));
}

std::optional<std::size_t> index_of(const Scenario& scenario,
                                    const analysis::ConnectionResult& result) {
  for (std::size_t i = 0; i < scenario.connections.size(); ++i) {
    const auto& hosts = scenario.connections[i].hosts;
    const bool same = result.client == hosts[0].end && result.server == hosts[1].end;
    const bool crossed = result.client == hosts[1].end && result.server == hosts[0].end;
    if (same || crossed) return i;
  }
  return std::nullopt;
}

}  // namespace rwin::test
