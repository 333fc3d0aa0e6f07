#include "app/style.h"

#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <cstdlib>

namespace rwin::app {

Environment gather_environment(int fd) {
  Environment e;
  e.terminal = isatty(fd) == 1;
  const char* no_color = std::getenv("NO_COLOR");
  e.no_color = no_color != nullptr && *no_color != '\0';
  const char* term = std::getenv("TERM");
  e.dumb = term == nullptr || std::string_view(term) == "dumb" || *term == '\0';
  // Only the character set is asked for; numbers stay in the "C" locale everywhere.
  const locale_t locale = newlocale(LC_CTYPE_MASK, "", nullptr);
  if (locale != nullptr) {
    e.utf8 = std::string_view(nl_langinfo_l(CODESET, locale)) == "UTF-8";
    freelocale(locale);
  }
  winsize size{};
  if (e.terminal && ioctl(fd, TIOCGWINSZ, &size) == 0) e.columns = size.ws_col;
  return e;
}

Style decide_style(const Options& options, const Environment& environment) {
  Style style;
  switch (options.color) {
    case ColorWhen::always:
      style.color = true;
      break;
    case ColorWhen::never:
      style.color = false;
      break;
    case ColorWhen::automatic:
      style.color = environment.terminal && !environment.no_color && !environment.dumb;
      break;
  }
  style.ascii = options.ascii || environment.no_color || !environment.terminal || !environment.utf8;
  if (environment.columns > 0) style.width = std::clamp<std::size_t>(environment.columns, 40, 160);
  return style;
}

std::string painted(const Style& style, Paint paint, std::string_view text) {
  if (!style.color || paint == Paint::plain) return std::string(text);
  std::string_view start;
  switch (paint) {
    case Paint::limited:
      start = "\033[1;31m";
      break;
    case Paint::zero:
      start = "\033[1;35m";
      break;
    case Paint::warn:
      start = "\033[33m";
      break;
    case Paint::strong:
      start = "\033[1m";
      break;
    case Paint::dim:
      start = "\033[2m";
      break;
    case Paint::plain:
      break;
  }
  return std::string(start) + std::string(text) + "\033[0m";
}

}  // namespace rwin::app
