// Every key of the table does what the table says: a check for each command, run with each of its
// keys.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

#include "demo.h"

namespace rwin::tui::test {
namespace {

// A model on a screen of 114 x 30, whose next press is `key`; `pressed()` is what the outside must
// do.
struct Bench {
  Model model;
  Key key;
  std::int64_t now_ms = 3'000'000;
  Wish pressed() {
    picture(model, 114, 30);
    return model.press(key, now_ms += 10'000);
  }
};

using Check = std::function<void(Bench&)>;

std::uint64_t selected_id(const Bench& b) { return b.model.row()->id.connection; }

const std::map<Command, Check>& checks() {
  static const std::map<Command, Check> kChecks = {
      {Command::down,
       [](Bench& b) {
         b.pressed();
         EXPECT_EQ(b.model.selected(), 1U);
       }},
      {Command::up,
       [](Bench& b) {
         press(b.model, "down down");
         b.pressed();
         EXPECT_EQ(b.model.selected(), 1U);
       }},
      {Command::page_down,
       [](Bench& b) {
         b.pressed();
         EXPECT_EQ(b.model.selected(), b.model.rows().size() - 1);
       }},
      {Command::page_up,
       [](Bench& b) {
         press(b.model, "end");
         b.pressed();
         EXPECT_EQ(b.model.selected(), 0U);
       }},
      {Command::bottom,
       [](Bench& b) {
         b.pressed();
         EXPECT_EQ(b.model.selected(), b.model.rows().size() - 1);
       }},
      {Command::top,
       [](Bench& b) {
         press(b.model, "end");
         b.pressed();
         EXPECT_EQ(b.model.selected(), 0U);
         press(b.model, "enter");
         b.pressed();  // on Flow: to the beginning
         ASSERT_TRUE(b.model.cursor_ns());
         EXPECT_EQ(*b.model.cursor_ns(), b.model.flow()->connection->result->start_ns);
       }},
      {Command::left,
       [](Bench& b) {
         press(b.model, "right right");
         b.pressed();
         EXPECT_EQ(b.model.column(), 1U);
         press(b.model, "enter");
         b.pressed();
         EXPECT_TRUE(b.model.cursor_ns());
       }},
      {Command::right,
       [](Bench& b) {
         b.pressed();
         EXPECT_EQ(b.model.column(), 1U);
         press(b.model, "enter left left left");
         const auto before = b.model.cursor_ns();
         b.pressed();
         EXPECT_GT(b.model.cursor_ns(), before);
       }},
      {Command::open,
       [](Bench& b) {
         b.pressed();
         EXPECT_EQ(b.model.screen(), Screen::flow);
         b.pressed();
         EXPECT_EQ(b.model.screen(), Screen::fix);
         press(b.model, "4");
         const auto host = b.model.hosts()[0].address;
         b.pressed();
         EXPECT_EQ(b.model.screen(), Screen::flows);
         ASSERT_FALSE(b.model.rows().empty());
         for (const Row* row : b.model.rows()) EXPECT_EQ(row->receiver->address, host);
       }},
      {Command::back,
       [](Bench& b) {
         press(b.model, "enter enter");
         b.pressed();
         EXPECT_EQ(b.model.screen(), Screen::flow);
         b.pressed();
         EXPECT_EQ(b.model.screen(), Screen::flows);
         press(b.model, "/ l o s s enter");
         EXPECT_FALSE(b.model.filter_text().empty());
         b.pressed();
         EXPECT_TRUE(b.model.filter_text().empty());
         press(b.model, ",");
         b.pressed();
         EXPECT_FALSE(b.model.cursor_ns());
       }},
      {Command::next_screen,
       [](Bench& b) {
         for (const Screen next : {Screen::flow, Screen::fix, Screen::hosts, Screen::flows}) {
           b.pressed();
           EXPECT_EQ(b.model.screen(), next);
         }
       }},
      {Command::screen_flows,
       [](Bench& b) {
         press(b.model, "4");
         b.pressed();
         EXPECT_EQ(b.model.screen(), Screen::flows);
       }},
      {Command::screen_flow,
       [](Bench& b) {
         b.pressed();
         EXPECT_EQ(b.model.screen(), Screen::flow);
       }},
      {Command::screen_fix,
       [](Bench& b) {
         b.pressed();
         EXPECT_EQ(b.model.screen(), Screen::fix);
         EXPECT_EQ(b.model.flow()->id, b.model.answer().worst);  // what the first line speaks of
       }},
      {Command::screen_hosts,
       [](Bench& b) {
         b.pressed();
         EXPECT_EQ(b.model.screen(), Screen::hosts);
       }},
      {Command::diagnosis,
       [](Bench& b) {
         b.pressed();
         EXPECT_EQ(b.model.screen(), Screen::fix);
       }},
      {Command::next_flow,
       [](Bench& b) {
         const auto second = b.model.rows()[1]->id;
         press(b.model, "3");
         b.pressed();
         EXPECT_EQ(b.model.screen(), Screen::fix);
         EXPECT_EQ(b.model.flow()->id, second);
       }},
      {Command::previous_flow,
       [](Bench& b) {
         const auto first = b.model.rows()[0]->id;
         press(b.model, "3 ]");
         b.pressed();
         EXPECT_EQ(b.model.flow()->id, first);
       }},
      {Command::pause,
       [](Bench& b) {
         b.pressed();
         EXPECT_TRUE(b.model.paused());
         auto later = std::make_shared<Snapshot>(b.model.snapshot());
         later->packets += 500;
         b.model.take(later, b.now_ms + 37'000);
         b.model.tick(b.now_ms + 37'000);
         EXPECT_EQ(b.model.packets_since_pause(), 500U);
         const std::string text = picture(b.model, 114, 30).text();
         EXPECT_NE(text.find("PAUSED +37 s"), std::string::npos) << text;
         b.pressed();
         EXPECT_FALSE(b.model.paused());
         EXPECT_EQ(b.model.snapshot().packets, later->packets);
       }},
      {Command::follow,
       [](Bench& b) {
         press(b.model, "down");
         const std::uint64_t id = selected_id(b);
         b.pressed();
         EXPECT_TRUE(b.model.following());
         press(b.model, "S");
         EXPECT_EQ(selected_id(b), id);
       }},
      {Command::lock_order,
       [](Bench& b) {
         const std::uint64_t first = selected_id(b);
         b.pressed();
         auto other = std::make_shared<Snapshot>(b.model.snapshot());
         std::reverse(other->connections.begin(), other->connections.end());
         for (Connection& c : other->connections) c.closed = c.id == first;  // would go to the end
         b.model.take(other, b.now_ms + 60'000);
         EXPECT_EQ(b.model.rows()[0]->id.connection, first);
         b.pressed();
         b.model.take(other, b.now_ms + 120'000);
         EXPECT_NE(b.model.rows()[0]->id.connection, first);
       }},
      {Command::sort_next,
       [](Bench& b) {
         b.pressed();
         EXPECT_EQ(b.model.sort(), SortBy::rate);
       }},
      {Command::sort_previous,
       [](Bench& b) {
         b.pressed();
         EXPECT_EQ(b.model.sort(), SortBy::start);
       }},
      {Command::sort_turn,
       [](Bench& b) {
         press(b.model, "s");
         std::vector<double> down;
         for (const Row* r : b.model.rows())
           if (!r->closed) down.push_back(r->rate_bps.value_or(-1));
         EXPECT_TRUE(std::is_sorted(down.rbegin(), down.rend()));
         b.pressed();
         std::vector<double> up;
         for (const Row* r : b.model.rows())
           if (!r->closed) up.push_back(r->rate_bps.value_or(-1));
         EXPECT_TRUE(std::is_sorted(up.begin(), up.end()));
       }},
      {Command::filter,
       [](Bench& b) {
         b.pressed();
         ASSERT_TRUE(b.model.typing());
         press(b.model, "l i m i t : l o s s enter");
         ASSERT_FALSE(b.model.rows().empty());
         for (const Row* row : b.model.rows()) EXPECT_EQ(row->limit(), analysis::Limit::congestion);
       }},
      {Command::capture_filter,
       [](Bench& b) {
         b.pressed();
         ASSERT_TRUE(b.model.typing());
         EXPECT_EQ(*b.model.typing(), "tcp port 443");  // as it is, to be changed
         EXPECT_EQ(b.model.press(key::kEnter, b.now_ms), Wish::capture_filter);
         EXPECT_EQ(b.model.typed(), "tcp port 443");
       }},
      {Command::plus,
       [](Bench& b) {
         press(b.model, "enter");
         b.pressed();
         EXPECT_EQ(b.model.zoom(), 1);
         press(b.model, "3");
         b.pressed();
         ASSERT_TRUE(b.model.target());
         const double once = *b.model.target();
         b.pressed();
         EXPECT_GT(*b.model.target(), once);
       }},
      {Command::minus,
       [](Bench& b) {
         press(b.model, "enter + +");
         b.pressed();
         EXPECT_EQ(b.model.zoom(), 1);
         press(b.model, "3 +");
         const double before = *b.model.target();
         b.pressed();
         EXPECT_LT(*b.model.target(), before);
       }},
      {Command::earlier,
       [](Bench& b) {
         b.pressed();
         ASSERT_TRUE(b.model.cursor_ns());
         EXPECT_LT(*b.model.cursor_ns(), b.model.snapshot().now_ns);
       }},
      {Command::later,
       [](Bench& b) {
         press(b.model, ", ,");
         const auto before = *b.model.cursor_ns();
         b.pressed();
         EXPECT_GT(*b.model.cursor_ns(), before);
         b.pressed();
         EXPECT_FALSE(b.model.cursor_ns());  // at the newest: goes with it
       }},
      {Command::names,
       [](Bench& b) {
         EXPECT_EQ(b.pressed(), Wish::look_up_names);
         b.model.add_name(b.model.row()->receiver->address, "laptop.example");
         EXPECT_NE(picture(b.model, 114, 30).text().find("laptop.example"), std::string::npos);
         EXPECT_EQ(b.pressed(), Wish::none);
         EXPECT_EQ(picture(b.model, 114, 30).text().find("laptop.example"), std::string::npos);
       }},
      {Command::units,
       [](Bench& b) {
         b.pressed();
         EXPECT_NE(picture(b.model, 114, 30).text().find("MB/s"), std::string::npos);
       }},
      {Command::show_closed,
       [](Bench& b) {
         b.pressed();
         for (const Row* row : b.model.rows()) EXPECT_FALSE(row->closed);
         const std::size_t open = b.model.rows().size();
         b.pressed();
         EXPECT_GT(b.model.rows().size(), open);
       }},
      {Command::clear_closed,
       [](Bench& b) {
         const std::size_t all = b.model.rows().size();
         b.pressed();
         EXPECT_TRUE(b.model.asking_to_clear());
         EXPECT_EQ(b.model.rows().size(), all);  // asks once
         b.pressed();
         EXPECT_LT(b.model.rows().size(), all);
         for (const Row* row : b.model.rows()) EXPECT_FALSE(row->closed);
       }},
      {Command::copy,
       [](Bench& b) {
         EXPECT_EQ(b.pressed(), Wish::copy);
         EXPECT_NE(b.model.fix().copy.find("sysctl"), std::string::npos);
       }},
      {Command::save, [](Bench& b) { EXPECT_EQ(b.pressed(), Wish::save); }},
      {Command::save_packets, [](Bench& b) { EXPECT_EQ(b.pressed(), Wish::save_packets); }},
      {Command::help,
       [](Bench& b) {
         b.pressed();
         EXPECT_TRUE(b.model.help_shown());
         b.pressed();
         EXPECT_FALSE(b.model.help_shown());
       }},
      {Command::redraw, [](Bench& b) { EXPECT_EQ(b.pressed(), Wish::redraw); }},
      {Command::suspend, [](Bench& b) { EXPECT_EQ(b.pressed(), Wish::suspend); }},
      {Command::quit, [](Bench& b) { EXPECT_EQ(b.pressed(), Wish::quit); }},
      {Command::quit_report, [](Bench& b) { EXPECT_EQ(b.pressed(), Wish::quit_report); }},
  };
  return kChecks;
}

std::vector<std::string> names_of(const KeySpec& spec) {
  std::vector<std::string> names;
  std::istringstream words{std::string(spec.keys)};
  for (std::string word; words >> word;) names.push_back(word);
  return names;
}

class Keys : public ::testing::TestWithParam<std::pair<KeySpec, std::string>> {};

TEST_P(Keys, DoWhatTheTableSays) {
  const auto& [spec, name] = GetParam();
  const auto check = checks().find(spec.command);
  ASSERT_NE(check, checks().end()) << "no check for the key " << name;
  const Key k = key_of(name);
  ASSERT_NE(k, key::kNone) << name;
  EXPECT_EQ(command_of(k), spec.command);
  EXPECT_EQ(name_of(k), name);
  Bench bench{showing(demo()), k};
  picture(bench.model, 114, 30);
  check->second(bench);
}

std::vector<std::pair<KeySpec, std::string>> all_keys() {
  std::vector<std::pair<KeySpec, std::string>> out;
  for (const KeySpec& spec : key_table()) {
    for (const std::string& name : names_of(spec)) out.emplace_back(spec, name);
  }
  return out;
}

INSTANTIATE_TEST_SUITE_P(Table, Keys, ::testing::ValuesIn(all_keys()), [](const auto& test) {
  std::string out;
  for (const char c : test.param.second)
    out += std::isalnum(c) != 0 ? std::string(1, c) : "_" + std::to_string(int{c});
  return out;
});

TEST(KeyTable, NoKeyStandsForTwoCommands) {
  std::set<std::string> seen;
  for (const auto& [spec, name] : all_keys()) EXPECT_TRUE(seen.insert(name).second) << name;
}

TEST(KeyTable, HelpListsEveryKeyOnEveryScreenAndSize) {
  for (const char* screen : {"1", "2", "3", "4"}) {
    for (const auto& [width, height] : {std::pair{140, 60}, {80, 24}, {30, 8}}) {
      Model model = showing(demo());
      press(model, std::string(screen) + " ?");
      // What does not fit is reached by scrolling.
      std::string text;
      std::size_t before = 1;
      for (int i = 0; i < 100 && before != model.scroll(); ++i) {
        text += picture(model, width, height).text();
        before = model.scroll();
        press(model, "down");
      }
      for (const KeySpec& spec : key_table()) {
        const std::string shown(spec.keys.substr(0, 9));
        EXPECT_NE(text.find(shown), std::string::npos) << spec.keys << " at " << width;
        EXPECT_NE(text.find(spec.help.substr(0, 18)), std::string::npos)
            << spec.help << " at " << width;
        EXPECT_LE(spec.help.size(), 46U) << spec.help;
      }
    }
  }
}

TEST(KeyTable, OtherKeysDoNothing) {
  Model model = showing(demo());
  const std::string before = picture(model, 100, 30).text();
  for (const Key k : {Key{'Z'}, Key{'%'}, Key{0x1f600}, key::kNone, Key{0}}) {
    EXPECT_EQ(model.press(k, 5'000'000), Wish::none);
    EXPECT_EQ(picture(model, 100, 30).text(), before);
  }
}

}  // namespace
}  // namespace rwin::tui::test
