// The bar of letters that shows what limited a transfer over time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/result.h"

namespace rwin {
inline namespace text {

// `cells` letters over [start_us, end_us): each the class with most time in its cell; ' ' where
// none has any.
std::string limit_bar(const std::vector<analysis::TimelinePiece>& timeline, std::int64_t start_us,
                      std::int64_t end_us, std::size_t cells);

}  // namespace text
}  // namespace rwin
