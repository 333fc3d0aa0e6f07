#include "app/live/pick_interface.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace rwin::app {
namespace {

// What is picked when this is typed; `asked` gets what was shown.
std::optional<std::string> picked(const std::string& typed, std::string* asked = nullptr) {
  std::istringstream in(typed);
  std::ostringstream out;
  auto answer = pick_interface({{"ifb0", "", false, false},
                                {"lo", "", true, true},
                                {"any", "", true, false},
                                {"eth0", "", true, false}},
                               in, out);
  if (asked != nullptr) *asked = out.str();
  return answer;
}

TEST(PickInterface, TheFirstIsOneThatIsUp) {
  std::string asked;
  EXPECT_EQ(picked("\n", &asked), "eth0");
  EXPECT_THAT(asked, testing::ContainsRegex("1  eth0 +up\n +2  any +all interfaces at once\n"
                                            " +3  lo +this host to itself\n +4  ifb0 +down\n"));
}

TEST(PickInterface, NumberOrName) {
  EXPECT_EQ(picked("2\n"), "any");
  EXPECT_EQ(picked("lo\n"), "lo");
  EXPECT_EQ(picked("4"), "ifb0");
}

TEST(PickInterface, AsksAgain) { EXPECT_EQ(picked("0\n5\neth1\n3\n"), "lo"); }

TEST(PickInterface, NoAnswerIsNone) {
  EXPECT_EQ(picked("q\n"), std::nullopt);
  EXPECT_EQ(picked(""), std::nullopt);
  std::istringstream in("\n");
  std::ostringstream out;
  EXPECT_EQ(pick_interface({}, in, out), std::nullopt);
}

}  // namespace
}  // namespace rwin::app
