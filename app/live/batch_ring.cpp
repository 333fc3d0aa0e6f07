#include "app/live/batch_ring.h"

#include <chrono>

namespace rwin::app {

BatchRing::BatchRing() : writing_(batches_.data()) {
  for (Batch& batch : batches_) batch.segments.resize(kBatch);
}

void BatchRing::hand_over(const CaptureState& state) {
  writing_->state = state;
  std::unique_lock lock(mutex_);
  ++written_;
  filled_.notify_one();
  // One batch is always the writer's: at most kBatches - 1 are full.
  freed_.wait(lock, [&] { return written_ - read_ < kBatches; });
  writing_ = &batches_[written_ % kBatches];
  writing_->count = 0;
}

void BatchRing::finish() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  filled_.notify_one();
}

const BatchRing::Batch* BatchRing::take(int timeout_ms) {
  std::unique_lock lock(mutex_);
  filled_.wait_for(lock, std::chrono::milliseconds(timeout_ms),
                   [&] { return read_ < written_ || done_; });
  return read_ < written_ ? &batches_[read_ % kBatches] : nullptr;
}

void BatchRing::release() {
  {
    const std::lock_guard lock(mutex_);
    ++read_;
  }
  freed_.notify_one();
}

bool BatchRing::finished() const {
  const std::lock_guard lock(mutex_);
  return done_ && read_ == written_;
}

}  // namespace rwin::app
