#include "text/text.h"

#include <gtest/gtest.h>

#include "text/shell.h"

namespace rwin {
namespace {

TEST(EscapeTerminal, LeavesOrdinaryTextAlone) {
  EXPECT_EQ(escape_terminal("slow.pcap, 5 %", true), "slow.pcap, 5 %");
  EXPECT_EQ(escape_terminal("h\xC3\xBCtte \xE2\x86\x92 \xF0\x9F\x98\x80", false),
            "h\xC3\xBCtte \xE2\x86\x92 \xF0\x9F\x98\x80");
}

TEST(EscapeTerminal, DisarmsWhatSteers) {
  EXPECT_EQ(escape_terminal("\033[2J", false), "\\x1b[2J");
  EXPECT_EQ(escape_terminal("a\nb\rc\td\x7F", false), "a\\x0ab\\x0dc\\x09d\\x7f");
  EXPECT_EQ(escape_terminal("\xC2\x9B"
                            "31m",
                            false),
            "\\u{9b}31m");  // C1 CSI
  EXPECT_EQ(escape_terminal("\xE2\x80\xAE"
                            "x",
                            false),
            "\\u{202e}x");  // right-to-left override
  EXPECT_EQ(escape_terminal(std::string_view("\0", 1), false), "\\x00");
}

TEST(EscapeTerminal, ShowsBrokenUtf8ByteByByte) {
  EXPECT_EQ(escape_terminal("\xFF\xC3", false), "\\xff\\xc3");
  EXPECT_EQ(escape_terminal("\xC0\xAF", false), "\\xc0\\xaf");                    // overlong
  EXPECT_EQ(escape_terminal("\xED\xA0\x80", false), "\\xed\\xa0\\x80");           // surrogate
  EXPECT_EQ(escape_terminal("\xF4\x90\x80\x80", false), "\\xf4\\x90\\x80\\x80");  // above U+10FFFF
  EXPECT_EQ(escape_terminal("\xE2\x82", false), "\\xe2\\x82");                    // cut
}

TEST(EscapeTerminal, IsSevenBitOnRequest) {
  EXPECT_EQ(escape_terminal("h\xC3\xBCtte", true), "h\\u{fc}tte");
}

TEST(AppendUtf8, IsTheOtherWayOfReadingIt) {
  for (const char32_t c : {0x0U, 0x7fU, 0x80U, 0x7ffU, 0x800U, 0xffffU, 0x10000U, 0x10ffffU}) {
    std::string text;
    append_utf8(text, c);
    char32_t read = 1;
    EXPECT_EQ(utf8_sequence(text, read), text.size()) << std::hex << static_cast<unsigned>(c);
    EXPECT_EQ(read, c);
  }
  std::string text = "a";
  append_utf8(text, 0x2502);
  EXPECT_EQ(text, "a\xE2\x94\x82");
}

TEST(ElideMiddle, KeepsBothEnds) {
  EXPECT_EQ(elide_middle("short", 10), "short");
  EXPECT_EQ(elide_middle("0123456789", 10), "0123456789");
  EXPECT_EQ(elide_middle("0123456789", 8), "012..789");
  EXPECT_EQ(elide_middle("0123456789", 7), "01..789");
  EXPECT_EQ(elide_middle("0123456789", 2), "..");
  EXPECT_EQ(elide_middle("0123456789", 0), "");
}

TEST(ElideMiddle, DoesNotCutCharacters) {
  const std::string text = "\xC3\xA4\xC3\xB6\xC3\xBC\xC3\xA4\xC3\xB6\xC3\xBC";  // six characters
  for (std::size_t limit = 0; limit <= 6; ++limit) {
    const std::string out = elide_middle(text, limit);
    EXPECT_LE(width(out), limit);
    EXPECT_EQ(escape_terminal(out, false), out) << limit;
  }
}

TEST(Wrap, BreaksAtBlanks) {
  EXPECT_EQ(wrap("one two three", 7), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(wrap("one two three", 80), (std::vector<std::string>{"one two three"}));
  EXPECT_EQ(wrap("", 10), (std::vector<std::string>{""}));
  EXPECT_EQ(wrap("a   b", 10), (std::vector<std::string>{"a   b"}));
  EXPECT_EQ(wrap("aaaa   bbbb", 6), (std::vector<std::string>{"aaaa", "bbbb"}));
}

TEST(Wrap, LeavesLongWordsWhole) {
  EXPECT_EQ(wrap("a 0123456789 b", 5), (std::vector<std::string>{"a", "0123456789", "b"}));
}

TEST(Wrap, KeepsNumbersWithTheirUnits) {
  EXPECT_EQ(wrap("gets 24.1 Mbit/s.", 12), (std::vector<std::string>{"gets", "24.1 Mbit/s."}));
  EXPECT_EQ(wrap("about 262 144 B now", 12),
            (std::vector<std::string>{"about", "262 144 B", "now"}));
  EXPECT_EQ(wrap("version 3 students", 10), (std::vector<std::string>{"version 3", "students"}));
}

TEST(Wrap, TurnsHardBlanksIntoBlanks) {
  EXPECT_EQ(wrap("x a\x01"
                 "b c",
                 5),
            (std::vector<std::string>{"x a b", "c"}));
  EXPECT_EQ(wrap("x a\x01"
                 "b c",
                 4),
            (std::vector<std::string>{"x", "a b", "c"}));
}

TEST(Shell, QuotesWhatAShellWouldSee) {
  EXPECT_EQ(shell_word("eth0.7"), "eth0.7");
  EXPECT_EQ(shell_word("25M"), "25M");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("a b"), "'a b'");
  EXPECT_EQ(shell_word("$(reboot)"), "'$(reboot)'");
  EXPECT_EQ(shell_word("~root"), "'~root'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word("a\nb"), "'a\nb'");
  EXPECT_EQ(shell_quoted("4096 131072"), "'4096 131072'");
}

}  // namespace
}  // namespace rwin
