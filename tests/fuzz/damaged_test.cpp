// Every capture of pcaps/, cut anywhere and with damaged bytes: exit code 0, 1 or 4 and a valid
// JSON report (fuzz::report says so), nothing that a sanitizer sees. Usually a sample:
// RWIN_DAMAGE_SECONDS for each of the tests (default 3). RWIN_DAMAGE=full, as scripts/fuzz --damage
// sets it, means all: cuts at every 7th byte, 10,000 damaged variants. RWIN_DAMAGE_PART=1/2: every
// second one, for two processes.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string_view>

#include "capture/source/stream.h"
#include "fuzz/seeds.h"
#include "fuzz/targets.h"
#include "tests/support/seed.h"

namespace rwin::fuzz {
namespace {

using DamageClock = std::chrono::steady_clock;

constexpr std::size_t kEvery = 7;
constexpr std::uint64_t kVariants = 10'000;

struct Whole {
  std::string name;
  Bytes packed, unpacked;
};

Bytes unpacked(const std::string& path) {
  auto stream = capture::open_stream(path);
  EXPECT_TRUE(stream.ok());
  auto plain = capture::unpack(std::move(stream.value()), path);
  EXPECT_TRUE(plain.ok());
  Bytes all;
  for (;;) {
    constexpr std::size_t kStep = 1 << 16;
    const std::size_t at = all.size();
    all.resize(at + kStep);
    const std::size_t got = plain.value().stream->read(all.data() + at, kStep);
    all.resize(at + got);
    if (got == 0) return all;
  }
}

const std::vector<Whole>& captures_of_the_folder() {
  static const std::vector<Whole> all = [] {
    std::vector<Whole> list;
    for (const auto& entry : std::filesystem::directory_iterator(RWIN_SOURCE_DIR "/pcaps")) {
      if (entry.path().extension() != ".gz") continue;
      std::ifstream in(entry.path(), std::ios::binary);
      list.push_back({entry.path().filename().string(),
                      Bytes(std::istreambuf_iterator<char>(in), {}),
                      unpacked(entry.path().string())});
    }
    std::sort(list.begin(), list.end(),
              [](const Whole& a, const Whole& b) { return a.name < b.name; });
    return list;
  }();
  return all;
}

// Which of the variants are run: all of this part, or as many as the time allows.
class Budget {
 public:
  explicit Budget(double share)
      : full_(text("RWIN_DAMAGE") == "full"),
        end_(DamageClock::now() + std::chrono::duration<double>(seconds() * share)) {
    const std::string_view part = text("RWIN_DAMAGE_PART");
    if (part.size() == 3 && part[1] == '/') {
      part_ = static_cast<std::uint64_t>(part[0] - '1');
      parts_ = static_cast<std::uint64_t>(part[2] - '0');
    }
  }
  [[nodiscard]] bool takes(std::uint64_t number) {
    if (number % parts_ != part_ || (!full_ && DamageClock::now() >= end_)) return false;
    ++count_;
    return true;
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  // A run of all takes half an hour: says every ten seconds how far it is. `what` of a test's
  // `all`.
  void tell(const char* what, std::uint64_t number, std::uint64_t all) {
    const auto now = DamageClock::now();
    if (!full_ || now - told_ < std::chrono::seconds(10)) return;
    told_ = now;
    std::fprintf(stderr, "%s: %llu of %llu\n", what, static_cast<unsigned long long>(number),
                 static_cast<unsigned long long>(all));
  }

 private:
  static std::string_view text(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string_view{} : value;
  }
  static double seconds() {
    const std::string value(text("RWIN_DAMAGE_SECONDS"));
    return value.empty() ? 3.0 : std::strtod(value.c_str(), nullptr);
  }
  bool full_;
  std::chrono::time_point<DamageClock, std::chrono::duration<double>> end_;
  DamageClock::time_point told_ = DamageClock::now();
  std::uint64_t part_ = 0, parts_ = 1, count_ = 0;
};

TEST(Damaged, CutAtEverySeventhByte) {
  std::uint64_t count = 0;
  const auto& all = captures_of_the_folder();
  for (const Whole& whole : all) {
    Budget budget(1.0 / static_cast<double>(all.size()));
    // In an order that spreads over the file: a sample sees its start, its middle and its end.
    const std::uint64_t cuts = whole.packed.size() / kEvery + 1;
    constexpr std::uint64_t kPrime = 7'919;
    for (std::uint64_t i = 0; i < cuts; ++i) {
      if (!budget.takes(i)) continue;
      const std::uint64_t step = cuts % kPrime == 0 ? i : i * kPrime % cuts;
      const std::size_t size = step * kEvery;
      SCOPED_TRACE(whole.name + " cut to " + std::to_string(size) + " bytes");
      report(Input(whole.packed).first(size));
      budget.tell(whole.name.c_str(), i, cuts);
    }
    count += budget.count();
  }
  std::printf("%llu cuts\n", static_cast<unsigned long long>(count));
}

// Half of them in the compressed file, half in what is in it: there the damage gets further.
TEST(Damaged, RandomBytes) {
  const std::uint64_t seed = test::test_seed(5);
  std::printf("%s\n", test::seed_text(seed).c_str());
  const auto& all = captures_of_the_folder();
  Budget budget(1);
  for (std::uint64_t i = 0; i < kVariants; ++i) {
    if (!budget.takes(i)) continue;
    std::mt19937_64 random(seed + i);
    const Whole& whole = all[random() % all.size()];
    Bytes bytes = i / 2 % 2 == 0 ? whole.packed : whole.unpacked;
    for (std::uint64_t n = 1 + random() % 20; n > 0; --n)
      bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random());
    SCOPED_TRACE(whole.name + ", variant " + std::to_string(i));
    report(bytes);
    budget.tell("damaged variants", i, kVariants);
  }
  std::printf("%llu variants\n", static_cast<unsigned long long>(budget.count()));
}

}  // namespace
}  // namespace rwin::fuzz
