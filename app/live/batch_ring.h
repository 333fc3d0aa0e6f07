// Decoded segments on their way from the capture thread to the analysis thread: a fixed number of
// batches, each with the counters as of its end, so that what is analysed and what is counted
// always belong together.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <vector>

#include "analysis/segment.h"
#include "app/report.h"
#include "capture/source/live.h"

namespace rwin::app {

// What the capture thread knows besides the segments, as of the end of a batch.
struct CaptureState {
  capture::DecodeCounters decode;
  std::vector<std::string> link_types;
  std::optional<std::int64_t> first_ns, last_ns;  // smallest and largest time stamp
  std::vector<capture::InterfaceStatus> interfaces;
};

class BatchRing {
 public:
  struct Batch {
    std::vector<analysis::Segment> segments;
    std::size_t count = 0;
    CaptureState state;
  };

  BatchRing();

  // The writer. Where the next segment goes; valid until commit() or hand_over().
  [[nodiscard]] analysis::Segment& slot() { return writing_->segments[writing_->count]; }
  // The slot holds a segment. True: the batch is full, hand it over.
  [[nodiscard]] bool commit() { return ++writing_->count == kBatch; }
  [[nodiscard]] bool empty() const { return writing_->count == 0; }
  // Waits while all batches are full.
  void hand_over(const CaptureState& state);
  // Nothing comes any more.
  void finish();

  // The reader. The oldest batch, or null when none came within `timeout_ms` or none comes any more
  // (`finished()`). Valid until release().
  [[nodiscard]] const Batch* take(int timeout_ms);
  void release();
  [[nodiscard]] bool finished() const;

 private:
  static constexpr std::size_t kBatch = 512;
  static constexpr std::size_t kBatches = 128;
  std::array<Batch, kBatches> batches_;
  Batch* writing_;
  mutable std::mutex mutex_;
  std::condition_variable filled_, freed_;
  std::size_t written_ = 0, read_ = 0;
  bool done_ = false;
};

}  // namespace rwin::app
