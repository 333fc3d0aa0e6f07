// The figures and words that an expectation can name, with how to read them. Inside tests/support
// only.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/scenario.h"

namespace rwin::test {

// What is looked at: one direction of a connection. `direction` is null where it has none, `said`
// where the rules were not asked.
struct Subject {
  const analysis::ConnectionResult& connection;
  const analysis::DirectionResult* direction;
  const Said* said = nullptr;
};

enum class Unit { count, bytes, us, bps, share };

// A number of T.
template <class T>
struct FigureOf {
  std::string name;
  Unit unit;
  std::function<std::optional<double>(const T&)> get;
};
// A word of T.
template <class T>
struct TermOf {
  std::string name;
  std::function<std::string(const T&)> get;
};
using Figure = FigureOf<Subject>;
using Term = TermOf<Subject>;

const std::vector<Figure>& figures();
const std::vector<Term>& terms();
const std::vector<FigureOf<HostSaid>>& host_figures();
const std::vector<TermOf<HostSaid>>& host_terms();

}  // namespace rwin::test
