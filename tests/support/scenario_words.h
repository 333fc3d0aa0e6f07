// The words of one line of a scenario, taken from left to right. Inside tests/support only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/scenario_spec.h"

namespace rwin::test {

class Words {
 public:
  Words() = default;
  Words(std::vector<std::string> words, std::string place)
      : words_(std::move(words)), place_(std::move(place)) {}

  [[noreturn]] void fail(const std::string& what) const;
  [[noreturn]] void unknown() const { fail("'" + peek() + "' is not understood here"); }
  [[nodiscard]] bool empty() const { return at_ >= words_.size(); }
  [[nodiscard]] const std::string& peek() const;
  [[nodiscard]] bool peek_is_quantity() const;
  [[nodiscard]] std::string rest() const;
  bool take(const std::string& word);  // true and gone when it comes next
  void must(const std::string& word);
  void skip() { ++at_; }
  void rewind() { at_ = 0; }
  void done() const;  // nothing may follow
  std::string next(const std::string& what);
  std::vector<std::string> all();
  // Takes the longest of `names` (words with blanks between) that comes next; empty when none does.
  std::string longest(const std::vector<std::string>& names);

  std::int64_t integer(std::int64_t low, std::int64_t high);
  double quantity(const std::string& what);
  std::int64_t time();  // nanoseconds; needs a unit unless 0
  [[nodiscard]] std::int64_t as_time(const std::string& text) const;
  std::int64_t size();            // bytes
  analysis::Address address();    // IPv4
  analysis::Endpoint endpoint();  // address:port

 private:
  std::vector<std::string> words_;
  std::string place_;
  std::size_t at_ = 0;
};

// The words of one packet or transfer, up to the end of the line, a ";" or a "}".
void read_packet(Words& words, PacketSpec& p);
void read_transfer(Words& words, TransferSpec& t);

// Names of the figures that an expectation can begin with.
std::vector<std::string> figure_names();
std::vector<std::string> host_figure_names();  // of "expect host"

}  // namespace rwin::test
