// How text may look on this output: colour, 7-bit, width. Decided once, from the outside world as
// values.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "app/options.h"

namespace rwin::app {

// What the outside says. gather_environment() asks the system; tests fill it in.
struct Environment {
  bool terminal = false;    // the output is one
  bool no_color = false;    // NO_COLOR set and not empty
  bool dumb = false;        // TERM=dumb or no TERM
  bool utf8 = false;        // the locale's character set
  std::size_t columns = 0;  // 0: unknown
};
Environment gather_environment(int fd);

struct Style {
  bool color = false;
  bool ascii = true;
  std::size_t width = 80;
};

// Order: --color > NO_COLOR > TERM=dumb > terminal. Not a terminal, NO_COLOR, --ascii, no UTF-8:
// 7-bit. Width: the terminal's (40 to 160), else 80.
Style decide_style(const Options& options, const Environment& environment);

enum class Paint : unsigned char { plain, limited, zero, warn, strong, dim };
// `text` between escape sequences where the style has colour, else as it is.
std::string painted(const Style& style, Paint paint, std::string_view text);

}  // namespace rwin::app
