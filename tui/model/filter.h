// The words after "/": which rows are listed. Words are joined by "and"; "!" in front turns one
// round.
//
//   limit:window  host:192.0.2  from:A  to:A  port:443  state:open  process:curl      anything
//   else: part of what is shown
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tui/model/rows.h"

namespace rwin::tui {

class Filter {
 public:
  Filter() = default;
  // Every text gives a filter; one with a fault lets everything pass.
  static Filter parse(std::string_view text);

  [[nodiscard]] bool empty() const { return words_.empty(); }
  // What is wrong with it, empty: nothing. "port:x: a number is needed".
  [[nodiscard]] const std::string& fault() const { return fault_; }
  [[nodiscard]] bool passes(const Row& row, const Names& names) const;

 private:
  enum class What : unsigned char { any, limit, host, from, to, port, state, process };
  struct Word {
    What what = What::any;
    bool turned = false;
    std::string text;     // lower case
    unsigned port = 0;    // for port
    bool closed = false;  // for state
  };
  std::vector<Word> words_;
  std::string fault_;
};

}  // namespace rwin::tui
