// Virtual time: events in order of their time, and of their making where times are equal. Nothing
// of the real clock comes in, so a run depends on its parameters and its seed only.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace rwin::sim {

using Time = std::int64_t;  // nanoseconds since the start of the run
inline constexpr Time kUs = 1'000;
inline constexpr Time kMs = 1'000'000;
inline constexpr Time kSecond = 1'000'000'000;

class Clock {
 public:
  [[nodiscard]] Time now() const { return now_; }
  void at(Time time, std::function<void()> f) { events_.push({time, made_++, std::move(f)}); }
  void after(Time delay, std::function<void()> f) { at(now_ + delay, std::move(f)); }
  // Runs until nothing is left to do, or `most` is reached. False: it was.
  bool run(Time most) {
    while (!events_.empty()) {
      if (events_.top().time > most) return false;
      const std::function<void()> f = std::move(const_cast<Event&>(events_.top()).f);
      now_ = events_.top().time;
      events_.pop();
      f();
    }
    return true;
  }

 private:
  struct Event {
    Time time;
    std::uint64_t number;
    std::function<void()> f;
    friend bool operator<(const Event& a, const Event& b) {
      return a.time != b.time ? a.time > b.time : a.number > b.number;
    }
  };
  std::priority_queue<Event> events_;
  Time now_ = 0;
  std::uint64_t made_ = 0;
};

}  // namespace rwin::sim
