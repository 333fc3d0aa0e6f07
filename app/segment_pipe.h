// Hands decoded segments to the analysis in a thread of its own, batch by batch and in order, so
// that reading and analysing share two processors. The result is the same as without it: one
// engine, one order.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

#include "analysis/engine.h"

namespace rwin::app {

class SegmentPipe {
 public:
  explicit SegmentPipe(analysis::Engine& engine);
  ~SegmentPipe();
  SegmentPipe(const SegmentPipe&) = delete;
  SegmentPipe& operator=(const SegmentPipe&) = delete;

  // Where the next segment is decoded to. Valid until commit().
  analysis::Segment& slot() { return writing_->segments[writing_->count]; }
  // The slot holds a segment.
  void commit() {
    if (++writing_->count == kBatch) hand_over();
  }
  // Returns when everything committed is analysed; nothing may be committed afterwards.
  void finish();

 private:
  static constexpr std::size_t kBatch = 512;
  static constexpr std::size_t kBatches = 8;
  struct Batch {
    std::vector<analysis::Segment> segments;
    std::size_t count = 0;
  };
  void hand_over();
  void run();

  analysis::Engine& engine_;
  std::array<Batch, kBatches> batches_;
  Batch* writing_;
  std::mutex mutex_;
  std::condition_variable filled_, freed_;
  std::size_t written_ = 0, read_ = 0;  // batches handed over and analysed
  bool done_ = false;
  std::thread worker_;
};

}  // namespace rwin::app
