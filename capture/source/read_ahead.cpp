#include "capture/source/read_ahead.h"

#include <algorithm>
#include <cstring>
#include <system_error>

namespace rwin::capture {

ReadAhead::~ReadAhead() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

std::size_t ReadAhead::pass(std::uint8_t* to, std::size_t size) {
  const std::size_t got = from_->read(to, size);
  passed_ += got;
  if (got == 0) set_fault(from_->fault());
  return got;
}

bool ReadAhead::start() {
  for (Buffer& buffer : buffers_) buffer.bytes.resize(kHeadroom + kBuffer);
  try {
    thread_ = std::thread(&ReadAhead::work, this);
  } catch (const std::system_error&) {
    threadless_ = true;
  }
  return !threadless_;
}

ReadAhead::Buffer& ReadAhead::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return emptied_ < filled_; });
  return buffers_[emptied_ % kBuffers];
}

void ReadAhead::release() {
  at_ = 0;
  {
    const std::lock_guard lock(mutex_);
    ++emptied_;
  }
  changed_.notify_all();
}

std::size_t ReadAhead::fill(std::uint8_t* to, std::size_t size) {
  if (threadless_ || (!thread_.joinable() && (passed_ < kAlone || !start()))) return pass(to, size);
  const Buffer& buffer = next();
  if (buffer.size == 0) {  // stays there: the end stays the end
    set_fault(from_->fault());
    return 0;
  }
  const std::size_t n = std::min(size, buffer.size - at_);
  std::memcpy(to, buffer.bytes.data() + kHeadroom + at_, n);
  at_ += n;
  if (at_ == buffer.size) release();
  return n;
}

std::size_t ReadAhead::swap(std::vector<std::uint8_t>& buffer) {
  if (!thread_.joinable() || at_ > 0) return 0;
  Buffer& ready = next();
  const std::size_t size = ready.size;
  if (size == 0) return 0;
  buffer.resize(kHeadroom + kBuffer);
  ready.bytes.swap(buffer);
  release();
  return size;
}

void ReadAhead::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stopped_ || filled_ - emptied_ < kBuffers; });
    if (stopped_) return;
    Buffer& buffer = buffers_[filled_ % kBuffers];
    lock.unlock();
    buffer.size = 0;
    std::size_t got = 0;
    while (buffer.size < kBuffer &&
           (got = from_->read(buffer.bytes.data() + kHeadroom + buffer.size,
                              kBuffer - buffer.size)) > 0) {
      buffer.size += got;
    }
    const bool end = buffer.size == 0;
    lock.lock();
    ++filled_;
    changed_.notify_all();
    if (end) return;
  }
}

}  // namespace rwin::capture
