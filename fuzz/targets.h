// What is fuzzed: one function a target, given any bytes. It returns, or the process dies: by a
// sanitizer, or by require() where a claim does not hold. libFuzzer drives them one by one (preset
// fuzz), tests/fuzz replays and mutates them with any compiler.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace rwin::fuzz {

using Input = std::span<const std::uint8_t>;

void decode(Input input);        // records of any link type
void tcp_options(Input input);   // option lists, whole and cut
void differential(Input input);  // what libtins reads as well is read alike
void capture_file(Input input);  // pcap, pcapng, compressed, with a filter or none
void rules_file(Input input);    // platforms, applications, fingerprints
void filter_text(Input input);   // capture filters
void command_line(Input input);  // arguments, one a line
void settings(Input input);      // a settings file, and what --print-config writes of it
void outside_text(Input input);  // names from outside in terminal, CSV and JSON
void flow(Input input);          // segments -> engine -> verdicts -> JSON
void report(Input input);        // a capture file, all the way to the JSON report

struct Target {
  std::string_view name;
  void (*run)(Input);
  std::size_t longest;  // bytes: longer inputs find nothing more, only slower
};

// All of them. In a program with all libraries only.
std::span<const Target> targets();

// Ends the process with `claim` on standard error unless it holds.
void require(bool holds, std::string_view claim);

// Takes an input apart; at its end everything reads 0.
class Reader {
 public:
  explicit Reader(Input input) : rest_(input) {}
  [[nodiscard]] bool empty() const { return rest_.empty(); }
  std::uint8_t u8() {
    if (rest_.empty()) return 0;
    const std::uint8_t value = rest_.front();
    rest_ = rest_.subspan(1);
    return value;
  }
  std::uint16_t u16() {
    const unsigned high = u8();
    return static_cast<std::uint16_t>(high << 8U | u8());
  }
  // At most `size` bytes.
  Input take(std::size_t size) {
    const Input taken = rest_.first(size < rest_.size() ? size : rest_.size());
    rest_ = rest_.subspan(taken.size());
    return taken;
  }
  Input rest() { return take(rest_.size()); }

 private:
  Input rest_;
};

}  // namespace rwin::fuzz
