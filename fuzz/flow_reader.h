// Bytes -> segments of a few connections that make some sense, so that a fuzzer gets deep into the
// analysis.
#pragma once

#include <array>
#include <cstdint>

#include "analysis/segment.h"
#include "fuzz/targets.h"

namespace rwin::fuzz {

class FlowReader {
 public:
  explicit FlowReader(Reader& reader) : reader_(reader) {}
  // The next segment; its fields follow from seven bytes and from what the two sides said before.
  analysis::Segment next();

 private:
  static constexpr std::size_t kConnections = 4;
  struct Side {
    std::uint32_t next_seq = 0xfffff000;  // wraps soon
    std::uint32_t stamp = 0xfffffff0;
  };
  Reader& reader_;
  std::array<std::array<Side, 2>, kConnections> sides_{};
  std::int64_t time_ns_ = 1'700'000'000'000'000'000;
  std::uint64_t record_ = 0;
};

}  // namespace rwin::fuzz
