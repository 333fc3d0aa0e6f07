#include "app/workers.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace rwin::app {
namespace {

constexpr std::size_t kMostWaiting = 64;  // logs, about 160 KB each

// Connections of an ended input, a few at a time: several threads judge them, the one that takes
// them in order among them. Bounded: nobody runs far ahead of the one who takes.
class Finishing {
 public:
  Finishing(analysis::Engine& engine, const Workers::Judge& judge, unsigned jobs)
      : engine_(engine),
        judge_(judge),
        places_(engine.end_input()),
        together_(places_ < kFew ? 4 : 32),
        parts_((places_ + together_ - 1) / together_),
        ready_(std::size_t{4} * jobs),
        used_(jobs) {
    for (unsigned i = 1; i < jobs && i < parts_; ++i)
      threads_.emplace_back(&Finishing::help, this, i);
  }
  ~Finishing() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    room_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  Finishing(const Finishing&) = delete;
  Finishing& operator=(const Finishing&) = delete;

  // Hands out every connection in its order.
  void run(const std::function<void(Judged&&)>& sink) {
    analysis::Memory memory;
    std::unique_lock lock(mutex_);
    while (taken_ < parts_) {
      std::optional<Part>& part = ready_[taken_ % ready_.size()];
      if (!part && room()) {
        judge_next(0, memory, lock);
        continue;
      }
      done_.wait(lock, [&] { return part.has_value(); });
      lock.unlock();
      for (Judged& judged : part->judged) sink(std::move(judged));
      lock.lock();
      used_[part->maker].push_back(std::move(part->judged));
      part.reset();
      ++taken_;
      room_.notify_one();
    }
  }

 private:
  static constexpr std::size_t kFew = 4096;  // long ones, shared out singly; of many each is small
  struct Part {
    std::vector<Judged> judged;
    unsigned maker;  // who frees them: memory goes back where it came from
  };

  [[nodiscard]] bool room() const { return next_ < parts_ && next_ < taken_ + ready_.size(); }

  void judge_next(unsigned maker, analysis::Memory& memory, std::unique_lock<std::mutex>& lock) {
    const std::size_t number = next_++;
    std::vector<std::vector<Judged>>& used = used_[maker];
    std::vector<Judged> judged;
    if (!used.empty()) {
      judged = std::move(used.back());
      used.pop_back();
    }
    lock.unlock();
    judged.clear();
    const std::size_t end = std::min(places_, (number + 1) * together_);
    for (std::size_t place = number * together_; place < end; ++place) {
      if (auto result = engine_.finish_at(place, memory))
        judged.push_back(judge_(std::move(*result)));
    }
    lock.lock();
    ready_[number % ready_.size()] = Part{std::move(judged), maker};
    if (maker != 0 && number == taken_) done_.notify_one();
  }

  void help(unsigned maker) {
    analysis::Memory memory;
    std::unique_lock lock(mutex_);
    for (;;) {
      room_.wait(lock, [&] { return stopped_ || next_ >= parts_ || room(); });
      if (stopped_ || next_ >= parts_) return;
      judge_next(maker, memory, lock);
    }
  }

  analysis::Engine& engine_;
  const Workers::Judge& judge_;
  const std::size_t places_;
  const std::size_t together_;  // connections that are handed over at a time
  const std::size_t parts_;
  std::mutex mutex_;
  std::condition_variable room_, done_;
  std::size_t next_ = 0, taken_ = 0;  // parts
  std::vector<std::optional<Part>> ready_;
  std::vector<std::vector<std::vector<Judged>>> used_;  // of each thread
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
  if (jobs_ == 1) {
    engine.finish([&](analysis::ConnectionResult&& result) { sink(judge(std::move(result))); });
    return;
  }
  Finishing(engine, judge, jobs_).run(sink);
}

}  // namespace rwin::app
