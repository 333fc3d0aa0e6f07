#include "app/segment_pipe.h"

namespace rwin::app {

SegmentPipe::SegmentPipe(analysis::Engine& engine) : engine_(engine), writing_(batches_.data()) {
  for (Batch& batch : batches_) batch.segments.resize(kBatch);
  worker_ = std::thread(&SegmentPipe::run, this);
}

SegmentPipe::~SegmentPipe() { finish(); }

void SegmentPipe::hand_over() {
  std::unique_lock lock(mutex_);
  ++written_;
  filled_.notify_one();
  // Full: sleep until half of it is free again, not for a single batch.
  if (written_ - read_ == kBatches) {
    freed_.wait(lock, [&] { return written_ - read_ <= kBatches / 2; });
  }
  writing_ = &batches_[written_ % kBatches];
  writing_->count = 0;
}

void SegmentPipe::finish() {
  if (!worker_.joinable()) return;
  if (writing_->count > 0) hand_over();
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  filled_.notify_one();
  worker_.join();
}

void SegmentPipe::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    filled_.wait(lock, [&] { return read_ < written_ || done_; });
    if (read_ == written_) return;
    const Batch& batch = batches_[read_ % kBatches];
    lock.unlock();
    for (std::size_t i = 0; i < batch.count; ++i) engine_.add(batch.segments[i]);
    lock.lock();
    ++read_;
    if (written_ - read_ == kBatches / 2) freed_.notify_one();
  }
}

}  // namespace rwin::app
