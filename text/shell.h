// Words for a POSIX shell. The only place where rwin quotes for one.
#pragma once

#include <string>
#include <string_view>

namespace rwin {
inline namespace text {

// In single quotes, whatever is in it.
std::string shell_quoted(std::string_view word);

// The same, left as it is where no shell would see more than a plain word in it.
std::string shell_word(std::string_view word);

}  // namespace text
}  // namespace rwin
