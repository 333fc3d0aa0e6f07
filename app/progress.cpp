#include "app/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "text/units.h"

namespace rwin::app {

using std::chrono::duration;
using std::chrono::steady_clock;

namespace {

constexpr double kTellsTheRest = 0.02;  // of the input: how long the rest takes

}  // namespace

std::string progress_text(double fraction, std::uint64_t packets, double seconds) {
  std::string text;
  if (fraction >= 0) text = fmt::format("{:.0f} %  ", std::min(fraction, 1.0) * 100);
  text += grouped(packets) + " packets";
  if (seconds <= 0) return text;
  text += fmt::format("  {:.2f} M/s", static_cast<double>(packets) / seconds / 1e6);
  if (fraction < kTellsTheRest) return text;
  const auto left = std::llround(seconds * (1 / std::min(fraction, 1.0) - 1));
  if (left >= 60)
    text += fmt::format("  {}:{:02} min left", left / 60, left % 60);
  else if (left > 0)
    text += fmt::format("  {} s left", left);
  return text;
}

Progress::Progress(bool enabled) : enabled_(enabled), start_(steady_clock::now()), last_(start_) {}

Progress::~Progress() { clear(); }

void Progress::update(double fraction, std::uint64_t packets) {
  if (!enabled_) return;
  const auto now = steady_clock::now();
  if (now - start_ < std::chrono::milliseconds(500) || now - last_ < std::chrono::milliseconds(200))
    return;
  last_ = now;
  const std::string text =
      "rwin: " + progress_text(fraction, packets, duration<double>(now - start_).count());
  // Blanks over the rest of the longer line before it: works on every terminal.
  fmt::print(stderr, "\r{:<{}}", text, drawn_);
  std::fflush(stderr);
  drawn_ = std::max(drawn_, text.size());
}

void Progress::clear() {
  if (drawn_ == 0) return;
  fmt::print(stderr, "\r{:{}}\r", "", drawn_);
  std::fflush(stderr);
  drawn_ = 0;
}

}  // namespace rwin::app
