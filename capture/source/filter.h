// BPF filter words on stored packets: one compiled program per link type, made when the link type
// first appears.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "capture/decode/decode.h"
#include "capture/result.h"

struct bpf_program;

namespace rwin::capture {

class Filter {
 public:
  // An expression of blanks only lets everything pass.
  explicit Filter(std::string expression);
  ~Filter();
  Filter(const Filter&) = delete;
  Filter& operator=(const Filter&) = delete;

  [[nodiscard]] bool active() const { return active_; }

  // Compiles for this link type (a DLT_ number). The answer is kept; nullptr when good, else
  // libpcap's message.
  const std::string* prepare(std::uint32_t link_type);

  // False for packets of a link type that the expression cannot be compiled for.
  bool matches(const RawPacket& packet);

  // The error for a link type that prepare() refused, with the position of the fault where it can
  // be found.
  Error refusal(std::uint32_t link_type);

 private:
  struct Program;
  Program& program_for(std::uint32_t link_type);

  std::string expression_;
  bool active_;
  std::vector<std::unique_ptr<Program>> programs_;
};

// Compiles on a link type; empty when good, else libpcap's message.
std::string compile_message(const std::string& expression, std::uint32_t link_type);

// Byte offset of the fault that made `message`, -1 when it cannot be told. For a syntax error: the
// first word after which no completion of the text so far is accepted any more, or the length when
// the expression just ends too early.
int fault_position(const std::string& expression, const std::string& message,
                   std::uint32_t link_type);

// A message for people: names the word at `position` where libpcap says "syntax error" only.
std::string fault_message(const std::string& expression, const std::string& message, int position);

}  // namespace rwin::capture
