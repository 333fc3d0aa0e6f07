// One line on standard error that tells how far a long read is; gone when the work is done.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace rwin::app {

// "45 %  1 234 567 packets  1.20 M/s  12 s left"; without the share and the time left when
// `fraction` is negative (a pipe).
std::string progress_text(double fraction, std::uint64_t packets, double seconds);

class Progress {
 public:
  // Shows nothing unless `enabled` (standard error is a terminal and not --quiet).
  explicit Progress(bool enabled);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Cheap enough for every few thousand packets: draws at most five times a second, after the first
  // half second.
  void update(double fraction, std::uint64_t packets);
  void clear();

 private:
  bool enabled_;
  std::size_t drawn_ = 0;  // characters on the line
  std::chrono::steady_clock::time_point start_, last_;
};

}  // namespace rwin::app
