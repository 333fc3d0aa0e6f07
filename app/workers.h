// The threads that analyse files beside the one that reads: full logs while reading goes on, and
// connections at the end. A log is five bytes a packet, so it costs little to hand to another
// processor; segments do not (measured with them: 60 % more time in all). Results do not depend on
// the number of threads.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "analysis/engine.h"
#include "app/report.h"

namespace rwin::app {

class Workers : public analysis::Helpers {
 public:
  static constexpr unsigned kMostJobs = 64;

  // `jobs`: threads at work, the calling one counted; 1 to kMostJobs. Of 1 an engine needs no help.
  explicit Workers(unsigned jobs);
  ~Workers() override;
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // Waits while too much is waiting already.
  void give(std::unique_ptr<analysis::Work> work, std::uint64_t key) override;
  void settle() override;

  // Judges a result. Called on several threads at once.
  using Judge = std::function<Judged(analysis::ConnectionResult&&)>;
  // Ends the input of `engine` and hands out every connection, judged, in order of its first
  // packet, on the calling thread.
  void finish(analysis::Engine& engine, const Judge& judge,
              const std::function<void(Judged&&)>& sink) const;

 private:
  struct Helper {
    std::deque<std::unique_ptr<analysis::Work>> waiting;
    std::thread thread;
  };
  void help(Helper& helper);

  unsigned jobs_;
  std::mutex mutex_;
  std::condition_variable given_, done_;
  std::size_t unfinished_ = 0;  // given and not done
  bool closed_ = false;
  std::vector<std::unique_ptr<Helper>> helpers_;
};

// How many threads suit this machine.
unsigned default_jobs();

}  // namespace rwin::app
