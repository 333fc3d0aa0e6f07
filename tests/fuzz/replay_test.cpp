// Every fuzz target over its seeds, its corpus and all that ever failed, then over random changes
// of those for a moment (RWIN_FUZZ_SECONDS, for all targets together). The fuzzers themselves:
// scripts/fuzz.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <random>

#include "fuzz/seeds.h"
#include "fuzz/targets.h"
#include "tests/support/seed.h"

namespace rwin::fuzz {
namespace {

using Random = std::mt19937_64;

// With RWIN_FUZZ_KEEP=FILE each input stands in that file while it runs: after a crash the culprit
// is there.
void run(const Target& target, const Bytes& input) {
  static const char* const keep = std::getenv("RWIN_FUZZ_KEEP");
  if (keep != nullptr) {
    std::ofstream(keep, std::ios::binary)
        .write(reinterpret_cast<const char*>(input.data()),
               static_cast<std::streamsize>(input.size()));
  }
  // A block of exactly that size: AddressSanitizer sees a read too far.
  const Bytes exact(input);  // NOLINT(performance-unnecessary-copy-initialization)
  target.run(exact);
}

// One change of the kinds that libFuzzer makes.
void change(Bytes& bytes, const std::vector<Bytes>& others, Random& random) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  if (bytes.empty()) bytes.push_back(0);
  const auto at = bytes.begin() + static_cast<std::ptrdiff_t>(below(bytes.size()));
  switch (below(7)) {
    case 0:
      *at = static_cast<std::uint8_t>(random());
      return;
    case 1:
      *at = static_cast<std::uint8_t>(*at ^ (1U << below(8)));
      return;
    case 2: {
      constexpr std::uint8_t kEdges[] = {0, 1, 0x7f, 0x80, 0xff};
      *at = kEdges[below(std::size(kEdges))];
      return;
    }
    case 3:
      bytes.insert(at, static_cast<std::uint8_t>(random()));
      return;
    case 4:
      bytes.erase(at, at + static_cast<std::ptrdiff_t>(
                               1 + below(static_cast<std::size_t>(bytes.end() - at))));
      return;
    case 5:  // something of itself again
      bytes.insert(bytes.end(), at, bytes.end());
      return;
    default: {  // the end of another one
      const Bytes& other = others[below(others.size())];
      const std::size_t from = below(other.size() + 1);
      bytes.erase(at, bytes.end());
      bytes.insert(bytes.end(), other.begin() + static_cast<std::ptrdiff_t>(from), other.end());
    }
  }
}

double seconds() {
  const char* text = std::getenv("RWIN_FUZZ_SECONDS");
  return text == nullptr ? 4.0 : std::strtod(text, nullptr);
}

class Replay : public testing::TestWithParam<Target> {};

TEST_P(Replay, SeedsAndAllThatEverFailed) {
  const Target& target = GetParam();
  const auto all = seeds(target.name);
  EXPECT_GT(all.size(), 4U);
  for (const Bytes& seed : all) run(target, seed);
  for (const Kept& kept : kept_inputs(target.name)) {
    SCOPED_TRACE(kept.name);
    run(target, kept.bytes);
  }
}

TEST_P(Replay, RandomChanges) {
  using Clock = std::chrono::steady_clock;
  const Target& target = GetParam();
  auto all = seeds(target.name);
  for (Kept& kept : kept_inputs(target.name)) all.push_back(std::move(kept.bytes));
  const std::uint64_t seed = test::test_seed(6);
  std::printf("%s\n", test::seed_text(seed).c_str());  // before: a crash leaves no trace
  Random random(seed);
  const auto end = Clock::now() +
                   std::chrono::duration<double>(seconds() / static_cast<double>(targets().size()));
  std::uint64_t count = 0;
  while (Clock::now() < end) {
    Bytes input = all[random() % all.size()];
    for (std::uint64_t n = 1 + random() % 6; n > 0; --n) change(input, all, random);
    if (input.size() > target.longest) input.resize(target.longest);
    run(target, input);
    ++count;
  }
  std::printf("%llu executions\n", static_cast<unsigned long long>(count));
}

INSTANTIATE_TEST_SUITE_P(All, Replay, testing::ValuesIn(targets().begin(), targets().end()),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace rwin::fuzz
