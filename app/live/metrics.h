// OpenMetrics text of a running capture. Labels are bounded: limits, interfaces; never addresses.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "app/exit_code.h"
#include "app/live/snapshot.h"

namespace rwin::app {

// Adds up over the whole capture, also what the snapshots have forgotten meanwhile.
class Metrics {
 public:
  void add(const LiveSnapshot& snapshot);
  // With "# EOF" at its end.
  [[nodiscard]] std::string text() const;

 private:
  struct Sums {
    std::array<std::uint64_t, 2> bytes{};
    std::array<std::int64_t, analysis::kLimitCount> limit_us{};
    std::int64_t blocked_us = 0;
    std::uint64_t retransmitted = 0;
  };
  std::map<std::uint64_t, Sums> seen_;  // as last counted, of connections in the last snapshot
  Sums total_;
  std::array<std::uint64_t, analysis::kLimitCount> now_{};  // open connections by their limit
  std::uint64_t open_ = 0;
  LiveSnapshot last_;  // without flows and hosts
};

// The file: written beside its name and renamed, so that readers never see half of it. With
// `in_place` it is opened once and written over (the right to make files is given up).
class MetricsFile {
 public:
  MetricsFile() = default;
  ~MetricsFile();
  MetricsFile(const MetricsFile&) = delete;
  MetricsFile& operator=(const MetricsFile&) = delete;

  std::optional<Failure> open(const std::string& path, bool in_place);
  std::optional<Failure> write(const std::string& text);

 private:
  std::string path_;
  int fd_ = -1;  // in place only
};

}  // namespace rwin::app
