#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

#include "capture/source/source.h"

namespace rwin::capture {
namespace {

// Holds the next packet of every input; an input is read on only after its packet was used, so that
// the bytes stay valid. Each input keeps its own order: only its head is compared.
class Merged final : public PacketSource {
 public:
  explicit Merged(std::vector<std::unique_ptr<PacketSource>> sources)
      : sources_(std::move(sources)), heads_(sources_.size()) {
    for (const auto& source : sources_) {
      if (!name_.empty()) name_ += ", ";
      name_ += source->name();
    }
  }

  Read next(RawPacket& out) override {
    if (!started_) {
      started_ = true;
      for (std::size_t i = 0; i < sources_.size(); ++i) advance(i);
    } else if (last_ != kNone) {
      advance(last_);
    }
    if (order_.empty()) {
      last_ = kNone;
      return cut_ ? Read::cut : Read::end;
    }
    last_ = order_.top().second;
    order_.pop();
    out = heads_[last_];
    out.record = ++records_;
    return Read::packet;
  }

  [[nodiscard]] std::string warning() const override {
    std::string all;
    for (const auto& source : sources_) {
      const std::string one = source->warning();
      if (!all.empty() && !one.empty()) all += "; ";
      all += one;
    }
    return all;
  }

  [[nodiscard]] const std::string& name() const override { return name_; }

  [[nodiscard]] double progress() const override {
    double sum = 0.0;
    for (const auto& source : sources_) {
      const double one = source->progress();
      if (one < 0.0) return -1.0;
      sum += one;
    }
    return sources_.empty() ? 1.0 : sum / static_cast<double>(sources_.size());
  }

  [[nodiscard]] std::uint64_t filtered_out() const override {
    std::uint64_t sum = 0;
    for (const auto& source : sources_) sum += source->filtered_out();
    return sum;
  }

 private:
  using Entry =
      std::pair<std::int64_t, std::size_t>;  // time stamp, then number of the input: stable
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  void advance(std::size_t input) {
    const Read read = sources_[input]->next(heads_[input]);
    if (read == Read::packet) {
      order_.emplace(heads_[input].time_ns, input);
    } else if (read == Read::cut) {
      cut_ = true;
    }
  }

  std::vector<std::unique_ptr<PacketSource>> sources_;
  std::vector<RawPacket> heads_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> order_;
  std::string name_;
  std::size_t last_ = kNone;
  std::uint64_t records_ = 0;
  bool started_ = false;
  bool cut_ = false;
};

}  // namespace

std::unique_ptr<PacketSource> merge(std::vector<std::unique_ptr<PacketSource>> sources) {
  if (sources.size() == 1) return std::move(sources.front());
  return std::make_unique<Merged>(std::move(sources));
}

}  // namespace rwin::capture
