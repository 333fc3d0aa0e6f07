// Bytes of a stream, made ready in a thread of their own: unpacking goes on while packets are
// looked at.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "capture/source/stream.h"

namespace rwin::capture {

// The same bytes and the same fault as `from`, which must not wait for anybody (a file, no pipe):
// reading cannot be interrupted by a signal any more. The thread begins when more than a little has
// been read; where the system gives none, it is done without.
class ReadAhead final : public Stream {
 public:
  explicit ReadAhead(std::unique_ptr<Stream> from) : from_(std::move(from)) {}
  ~ReadAhead() override;
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  [[nodiscard]] double progress() const override { return from_->progress(); }

 protected:
  std::size_t fill(std::uint8_t* to, std::size_t size) override;
  std::size_t swap(std::vector<std::uint8_t>& buffer) override;

 private:
  static constexpr std::size_t kAlone = 256 * 1024;  // bytes that are not worth a thread
  static constexpr std::size_t kBuffer = 256 * 1024;
  static constexpr std::size_t kBuffers = 4;
  struct Buffer {
    std::vector<std::uint8_t> bytes;  // behind kHeadroom
    std::size_t size = 0;             // filled; 0: the end
  };
  // The next one that is filled; waits for it.
  Buffer& next();
  // It is used up.
  void release();
  std::size_t pass(std::uint8_t* to, std::size_t size);
  bool start();
  void work();

  std::unique_ptr<Stream> from_;  // the thread's while it runs
  std::size_t passed_ = 0;
  bool threadless_ = false;
  std::array<Buffer, kBuffers> buffers_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t filled_ = 0, emptied_ = 0;  // buffers
  bool stopped_ = false;
  std::size_t at_ = 0;  // read of the buffer at hand
  std::thread thread_;
};

}  // namespace rwin::capture
