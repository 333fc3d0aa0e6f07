#include "tests/simulator/way.h"

#include <algorithm>
#include <utility>

namespace rwin::sim {
namespace {

constexpr double kCard = 1e9 / 8;  // of the sending host

Time lasts(std::int64_t bytes, double rate) {
  return static_cast<Time>(1e9 * static_cast<double>(bytes) / rate);
}

}  // namespace

Way::Way(Clock& clock, Random& random, const WaySpec& spec, Time first, Time second,
         bool narrow_first)
    : clock_(clock),
      random_(random),
      spec_(spec),
      first_(first),
      second_(second),
      narrow_first_(narrow_first) {}

void Way::connect(Tap middle, Tap end) {
  middle_ = std::move(middle);
  end_ = std::move(end);
}

void Way::send(const Packet& p) {
  card_free_ = std::max(card_free_, clock_.now()) + lasts(p.wire_bytes(), kCard);
  clock_.at(card_free_, [this, p] {
    if (!narrow_first_) {
      clock_.after(first_, [this, p] {
        middle_(p);
        if (const Time out = narrow(p); out >= 0) deliver(p, out + second_);
      });
    } else if (const Time out = narrow(p); out >= 0) {
      clock_.at(out + first_, [this, p] {
        middle_(p);
        deliver(p, clock_.now() + second_);
      });
    }
  });
}

Time Way::narrow(const Packet& p) {
  const Time now = clock_.now();
  if (!p.sure && random_.chance(spec_.loss)) {
    ++dropped_;
    return -1;
  }
  if (spec_.rate <= 0) return now;
  const double waiting =
      static_cast<double>(std::max<Time>(line_free_ - now, 0)) * spec_.rate / 1e9;
  if (!p.sure &&
      waiting + static_cast<double>(p.wire_bytes()) > static_cast<double>(spec_.queue) + 1500) {
    ++dropped_;
    return -1;
  }
  const Time start = std::max(now, line_free_);
  line_free_ = start + lasts(p.wire_bytes(), spec_.rate);
  if (!busy_.empty() && busy_.back().to == start)
    busy_.back().to = line_free_;
  else
    busy_.push_back({start, line_free_});
  return line_free_;
}

void Way::deliver(const Packet& p, Time at) {
  if (!p.sure && random_.chance(spec_.reorder)) {
    clock_.at(at + spec_.reorder_by, [this, p] { end_(p); });
    return;
  }
  if (spec_.jitter > 0) at += random_.whole(0, spec_.jitter);
  last_out_ = at = std::max(at, last_out_);
  clock_.at(at, [this, p] { end_(p); });
  if (!p.sure && random_.chance(spec_.duplicate)) clock_.at(at + 20 * kUs, [this, p] { end_(p); });
}

}  // namespace rwin::sim
