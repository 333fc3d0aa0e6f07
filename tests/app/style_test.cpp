#include "app/style.h"

#include <gtest/gtest.h>

namespace rwin::app {
namespace {

Environment terminal() {
  return {.terminal = true, .no_color = false, .dumb = false, .utf8 = true, .columns = 100};
}

Options with(ColorWhen color) {
  Options options;
  options.color = color;
  return options;
}

TEST(Style, ColoursTerminalsOnly) {
  EXPECT_TRUE(decide_style({}, terminal()).color);
  Environment pipe = terminal();
  pipe.terminal = false;
  EXPECT_FALSE(decide_style({}, pipe).color);
}

TEST(Style, OrderIsOptionThenNoColorThenTerm) {
  Environment e = terminal();
  e.no_color = true;
  EXPECT_FALSE(decide_style({}, e).color);
  EXPECT_TRUE(decide_style(with(ColorWhen::always), e).color);
  e = terminal();
  e.dumb = true;
  EXPECT_FALSE(decide_style({}, e).color);
  EXPECT_TRUE(decide_style(with(ColorWhen::always), e).color);
  EXPECT_FALSE(decide_style(with(ColorWhen::never), terminal()).color);
}

TEST(Style, IsSevenBitUnlessTheTerminalCanDoMore) {
  EXPECT_FALSE(decide_style({}, terminal()).ascii);
  Options ascii;
  ascii.ascii = true;
  EXPECT_TRUE(decide_style(ascii, terminal()).ascii);
  for (int i = 0; i < 3; ++i) {
    Environment e = terminal();
    if (i == 0) e.terminal = false;
    if (i == 1) e.no_color = true;
    if (i == 2) e.utf8 = false;
    EXPECT_TRUE(decide_style({}, e).ascii) << i;
  }
}

TEST(Style, WidthIsTheTerminalsWithinReason) {
  EXPECT_EQ(decide_style({}, terminal()).width, 100U);
  EXPECT_EQ(decide_style({}, Environment{}).width, 80U);
  Environment e = terminal();
  e.columns = 10;
  EXPECT_EQ(decide_style({}, e).width, 40U);
  e.columns = 1000;
  EXPECT_EQ(decide_style({}, e).width, 160U);
}

TEST(Style, PaintsOnlyWithColour) {
  EXPECT_EQ(painted(Style{}, Paint::limited, "x"), "x");
  Style style;
  style.color = true;
  EXPECT_EQ(painted(style, Paint::limited, "x"), "\033[1;31mx\033[0m");
  EXPECT_EQ(painted(style, Paint::plain, "x"), "x");
}

}  // namespace
}  // namespace rwin::app
