#include "app/workers.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace rwin::app {
namespace {

constexpr std::size_t kMostWaiting = 64;  // logs, about 160 KB each
// Connections: of more than these each is small, and handing them over costs more than it saves
// (measured with 100,000: as long, 35 % more processor time and 20 MB; with a million: longer).
constexpr std::size_t kMostShared = 10'000;

// Connections of an ended input, a few at a time: several threads judge them, one takes them in
// order. Bounded: nobody runs far ahead of the one who takes.
class Finishing {
 public:
  Finishing(analysis::Engine& engine, const Workers::Judge& judge, unsigned jobs)
      : engine_(engine),
        judge_(judge),
        places_(engine.end_input()),
        together_(places_ < kFew ? 4 : 32),
        ready_(std::size_t{4} * jobs) {
    for (unsigned i = 0; i < jobs && std::size_t{i} * together_ < places_; ++i)
      threads_.emplace_back(&Finishing::work, this);
  }
  ~Finishing() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  Finishing(const Finishing&) = delete;
  Finishing& operator=(const Finishing&) = delete;

  // False: there are no more. What `into` held before goes back: who made it frees it.
  bool take(std::vector<Judged>& into) {
    if (taken_ * together_ >= places_) return false;
    std::unique_lock lock(mutex_);
    std::optional<std::vector<Judged>>& part = ready_[taken_ % ready_.size()];
    changed_.wait(lock, [&] { return part.has_value(); });
    into.swap(*part);
    used_.push_back(std::move(*part));
    part.reset();
    ++taken_;
    lock.unlock();
    changed_.notify_all();
    return true;
  }

 private:
  static constexpr std::size_t kFew = 4096;  // long ones, shared out singly; of many each is small

  void work() {
    analysis::Memory memory;
    std::unique_lock lock(mutex_);
    while (!stopped_ && next_ * together_ < places_) {
      const std::size_t part = next_++;
      changed_.wait(lock, [&] { return stopped_ || part < taken_ + ready_.size(); });
      if (stopped_) return;
      std::vector<Judged> judged;
      if (!used_.empty()) {
        judged = std::move(used_.back());
        used_.pop_back();
      }
      lock.unlock();
      judged.clear();
      const std::size_t end = std::min(places_, (part + 1) * together_);
      for (std::size_t place = part * together_; place < end; ++place) {
        if (auto result = engine_.finish_at(place, memory))
          judged.push_back(judge_(std::move(*result)));
      }
      lock.lock();
      ready_[part % ready_.size()] = std::move(judged);
      changed_.notify_all();
    }
  }

  analysis::Engine& engine_;
  const Workers::Judge& judge_;
  const std::size_t places_;
  const std::size_t together_;  // connections that are handed over at a time
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t next_ = 0, taken_ = 0;  // parts
  std::vector<std::optional<std::vector<Judged>>> ready_;
  std::vector<std::vector<Judged>> used_;
  bool stopped_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace

unsigned default_jobs() {
  return std::clamp(std::thread::hardware_concurrency(), 1U, Workers::kMostJobs);
}

Workers::Workers(unsigned jobs) : jobs_(std::clamp(jobs, 1U, kMostJobs)) {
  for (unsigned i = 1; i < jobs_; ++i) {
    helpers_.push_back(std::make_unique<Helper>());
    helpers_.back()->thread = std::thread(&Workers::help, this, std::ref(*helpers_.back()));
  }
}

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  given_.notify_all();
  for (const auto& helper : helpers_) helper->thread.join();
}

void Workers::give(std::unique_ptr<analysis::Work> work, std::uint64_t key) {
  std::unique_lock lock(mutex_);
  done_.wait(lock, [&] { return unfinished_ < kMostWaiting; });
  ++unfinished_;
  helpers_[key % helpers_.size()]->waiting.push_back(std::move(work));
  given_.notify_all();
}

void Workers::settle() {
  std::unique_lock lock(mutex_);
  done_.wait(lock, [&] { return unfinished_ == 0; });
}

void Workers::help(Helper& helper) {
  analysis::Memory memory;
  std::unique_lock lock(mutex_);
  for (;;) {
    given_.wait(lock, [&] { return !helper.waiting.empty() || closed_; });
    if (helper.waiting.empty()) return;
    const std::unique_ptr<analysis::Work> work = std::move(helper.waiting.front());
    helper.waiting.pop_front();
    lock.unlock();
    work->run(memory);
    lock.lock();
    --unfinished_;
    done_.notify_one();
  }
}

void Workers::finish(analysis::Engine& engine, const Judge& judge,
                     const std::function<void(Judged&&)>& sink) const {
  if (jobs_ == 1 || engine.connection_count() > kMostShared) {
    engine.finish([&](analysis::ConnectionResult&& result) { sink(judge(std::move(result))); });
    return;
  }
  Finishing finishing(engine, judge, jobs_);
  std::vector<Judged> part;
  while (finishing.take(part)) {
    for (Judged& judged : part) sink(std::move(judged));
  }
}

}  // namespace rwin::app
