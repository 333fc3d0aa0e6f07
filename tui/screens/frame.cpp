// What is the same on every screen: the answer, the status, the tabs, the keys.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "text/text.h"
#include "text/units.h"
#include "tui/model/cells.h"
#include "tui/screens/screens.h"

namespace rwin::tui {
namespace {

constexpr std::array<std::string_view, 4> kTabs = {"Flows", "Flow", "Fix", "Hosts"};

// The answer with the key, in the longest form that fits.
void draw_answer(const Model& model, Canvas& canvas) {
  const Answer& answer = model.answer();
  const int key_width = answer.key.empty() ? 0 : static_cast<int>(answer.key.size()) + 2;
  const auto room = static_cast<std::size_t>(std::max(1, canvas.width() - key_width - 1));
  std::string text = elide_middle(answer.forms.back(), room);
  for (const std::string& form : answer.forms) {
    if (width(form) > room) continue;
    text = form;
    break;
  }
  const Role role = answer.none ? Role::plain : role_of(answer.limit);
  const int x =
      canvas.put(0, 0, text, role == Role::dim || role == Role::plain ? Role::strong : role);
  if (answer.key.empty()) return;
  canvas.put(x + 2, 0, answer.key.substr(0, 3), Role::key);
  canvas.put(x + 5, 0, answer.key.substr(3), Role::strong);
}

struct Part {
  std::string text;
  Role role = Role::plain;
  bool reverse = false;
  int weight = 0;  // the smallest goes first when the line is too short
};

std::vector<Part> status_parts(const Model& model) {
  const Snapshot& s = model.snapshot();
  std::vector<Part> parts;
  parts.push_back({"rwin", Role::title, false, 9});
  parts.push_back({elide_middle(s.source, 32), Role::plain, false, 6});
  if (!s.filter.empty()) parts.push_back({elide_middle(s.filter, 40), Role::dim, false, 1});
  const std::int64_t seconds = (s.now_ns - s.first_ns) / 1'000'000'000;
  if (s.live) {
    parts.push_back({fmt::format("{} {}", s.ended ? "ENDED" : "LIVE", clock_cell(seconds)),
                     Role::strong, false, 7});
    if (s.packets_per_second)
      parts.push_back({fmt::format("{:.0f} p/s", *s.packets_per_second), Role::plain, false, 3});
  } else {
    parts.push_back({"FILE " + time_text((s.now_ns - s.first_ns) / 1000), Role::strong, false, 7});
    parts.push_back({grouped(s.packets) + " packets", Role::plain, false, 3});
  }
  if (s.drops)
    parts.push_back({"drops " + grouped(*s.drops), *s.drops > 0 ? Role::warn : Role::plain, false,
                     *s.drops > 0 ? 8 : 2});
  const auto open = std::count_if(s.connections.begin(), s.connections.end(),
                                  [](const Connection& c) { return !c.closed; });
  parts.push_back({s.live
                       ? fmt::format("flows {} open / {}", open, s.connections.size() + s.left_out)
                       : fmt::format("flows {}", s.connections.size()),
                   Role::plain, false, 4});
  if (model.cursor_ns())
    parts.push_back(
        {"AT " + time_text((*model.cursor_ns() - s.first_ns) / 1000), Role::strong, true, 10});
  if (model.paused()) {
    parts.push_back(
        {fmt::format("PAUSED +{} s", model.paused_ms() / 1000), Role::strong, true, 10});
    if (model.packets_since_pause() > 0)
      parts.push_back({fmt::format("+{} packets", grouped(model.packets_since_pause())),
                       Role::plain, false, 5});
  }
  if (model.following()) parts.push_back({"FOLLOW", Role::strong, true, 8});
  if (model.order_locked()) parts.push_back({"LOCKED", Role::strong, true, 8});
  if (s.saving_packets) parts.push_back({"SAVING", Role::strong, true, 8});
  if (!s.trouble.empty()) parts.push_back({s.trouble, Role::warn, false, 8});
  return parts;
}

void draw_status(const Model& model, Canvas& canvas, int y) {
  std::vector<Part> parts = status_parts(model);
  const auto total = [&] {
    std::size_t sum = 0;
    for (const Part& part : parts) sum += width(part.text) + 3;
    return static_cast<int>(sum);
  };
  while (parts.size() > 1 && total() - 2 > canvas.width()) {
    parts.erase(std::min_element(parts.begin(), parts.end(),
                                 [](const Part& a, const Part& b) { return a.weight < b.weight; }));
  }
  int x = 0;
  for (const Part& part : parts) {
    const int end = canvas.put(x, y, part.text, part.role);
    if (part.reverse) canvas.reverse(x, y, end - x);
    x = end + 3;
  }
}

void draw_tabs(const Model& model, const Look& look, Canvas& canvas, int y) {
  canvas.fill(0, y, canvas.width(), marks(look.glyphs).line, Role::dim);
  int x = 1;
  for (int i = 0; i < 4; ++i) {
    const bool here = static_cast<int>(model.screen()) == i;
    const std::string text = fmt::format("{}{} {}{}", here ? "[" : " ", i + 1,
                                         kTabs[static_cast<std::size_t>(i)], here ? "]" : " ");
    canvas.put(x, y, text, here ? Role::strong : Role::plain);
    canvas.set(x + 1, y, static_cast<char32_t>('1' + i), Role::key);
    x += static_cast<int>(text.size()) + 1;
  }
  if (model.screen() != Screen::flows && model.screen() != Screen::hosts) return;
  const Marks& m = marks(look.glyphs);
  std::string note;
  if (model.screen() == Screen::flows) {
    note = fmt::format(" sort: {} ", name_of(model.sort()));
    append_utf8(note, model.sort_turned() ? m.rising : m.falling);
    note += ' ';
  }
  const bool wrong = !model.filter().fault().empty();
  const std::string filter =
      wrong
          ? fmt::format(" filter ERROR {} ", model.filter().fault())
          : fmt::format(" filter: {} ", model.filter_text().empty() ? "none" : model.filter_text());
  const std::string unit = fmt::format(" {} ", rate_unit(model.units()));
  int end = canvas.width() - 1;
  if (end - static_cast<int>(width(filter)) > x) {
    canvas.put_right(end, y, filter,
                     wrong                         ? Role::error
                     : model.filter_text().empty() ? Role::dim
                                                   : Role::strong);
    end -= static_cast<int>(width(filter)) + 1;
  } else if (wrong || !model.filter_text().empty()) {
    canvas.put_right(end, y, elide_middle(filter, static_cast<std::size_t>(std::max(4, end - x))),
                     wrong ? Role::error : Role::strong);
    return;
  }
  if (end - static_cast<int>(width(note)) > x) {
    canvas.put_right(end, y, note, Role::plain);
    end -= static_cast<int>(width(note)) + 1;
  }
  if (end - static_cast<int>(width(unit)) > x) canvas.put_right(end, y, unit, Role::dim);
}

struct Hint {
  Command command;
  std::string_view word;
};

std::vector<Hint> hints(const Model& model) {
  const Hint pause{Command::pause, model.paused() ? "go on" : "pause"};
  const Hint help{Command::help, "help"};
  const Hint quit{Command::quit, "quit"};
  if (model.help_shown()) return {{Command::down, "scroll"}, {Command::back, "back"}, quit};
  switch (model.screen()) {
    case Screen::flows:
      return {{Command::open, "open"},
              {Command::screen_fix, "fix"},
              help,
              quit,
              pause,
              {Command::filter, "filter"},
              {Command::sort_next, "sort"},
              {Command::follow, "follow"},
              {Command::copy, "copy fix"},
              {Command::units, "units"},
              {Command::names, "names"},
              {Command::save, "save"},
              {Command::earlier, "back in time"}};
    case Screen::flow:
      return {{Command::open, "fix"},
              {Command::back, "back"},
              help,
              quit,
              {Command::plus, "zoom in"},
              {Command::minus, "out"},
              {Command::left, "back in time"},
              {Command::right, "on"},
              {Command::next_flow, "other flow"},
              pause,
              {Command::copy, "copy fix"}};
    case Screen::fix:
      return {{Command::copy, "copy"},
              {Command::back, "back"},
              help,
              quit,
              {Command::plus, "target up"},
              {Command::minus, "down"},
              {Command::down, "scroll"},
              {Command::right, "other fix"},
              {Command::next_flow, "other flow"},
              {Command::save, "save"}};
    case Screen::hosts:
      return {{Command::open, "its flows"},
              {Command::screen_fix, "fix"},
              help,
              quit,
              pause,
              {Command::units, "units"},
              {Command::names, "names"},
              {Command::save, "save"}};
  }
  return {};
}

std::string first_key(Command command) {
  for (const KeySpec& spec : key_table()) {
    if (spec.command == command) return std::string(spec.keys.substr(0, spec.keys.find(' ')));
  }
  return {};
}

// Keys that are of use here; the first four always, the others as far as there is room.
void draw_hints(const Model& model, Canvas& canvas, int y) {
  int x = 0;
  for (const Hint& hint : hints(model)) {
    const std::string key = first_key(hint.command);
    const int wide = static_cast<int>(key.size() + hint.word.size()) + 1;
    if (x > 0 && x + wide > canvas.width()) continue;
    x = canvas.put(x, y, key, Role::key) + 1;
    x = canvas.put(x, y, hint.word, Role::dim) + 2;
  }
}

void draw_bottom(const Model& model, Canvas& canvas) {
  const int y = canvas.height() - 1;
  if (model.typing()) {
    const int x =
        canvas.put(0, y, model.typing_capture_filter() ? "capture filter: " : "/", Role::key);
    std::string text = *model.typing();
    const auto room = static_cast<std::size_t>(std::max(1, canvas.width() - x - 2));
    while (width(text) > room) text.erase(text.begin());
    const bool wrong = !model.typing_capture_filter() && !model.filter().fault().empty();
    const int end = canvas.put(x, y, text, wrong ? Role::error : Role::strong);
    canvas.reverse(end, y, 1);
    if (wrong) canvas.put(end + 2, y, "ERROR " + model.filter().fault(), Role::error);
    return;
  }
  if (!model.message().empty()) {
    canvas.put(0, y, elide_middle(model.message(), static_cast<std::size_t>(canvas.width())),
               Role::strong);
    return;
  }
  draw_hints(model, canvas, y);
}

}  // namespace

Box draw_frame(Model& model, const Look& look, Canvas& canvas) {
  draw_answer(model, canvas);
  draw_bottom(model, canvas);
  const bool small = canvas.height() < kTableHeight;
  if (small) {
    const bool held = model.paused() || model.cursor_ns() || !model.filter_text().empty();
    if (!held) return {0, 1, canvas.width(), canvas.height() - 2};
    draw_status(model, canvas, 1);
    return {0, 2, canvas.width(), canvas.height() - 3};
  }
  draw_status(model, canvas, 1);
  draw_tabs(model, look, canvas, 2);
  return {0, 3, canvas.width(), canvas.height() - 4};
}

void draw(Model& model, const Look& look, Canvas& canvas) {
  model.places = {};
  if (!model.ready()) {
    canvas.put(0, 0, "rwin: waiting for the first packets", Role::strong);
    return;
  }
  if (canvas.width() < kLeastWidth || canvas.height() < kLeastHeight) {
    std::string text = "rwin: " + model.answer().forms.back();
    if (width(text) > static_cast<std::size_t>(canvas.width())) text.erase(0, 6);
    canvas.put(0, 0, text, role_of(model.answer().limit));
    return;
  }
  const Box box = draw_frame(model, look, canvas);
  if (model.help_shown()) {
    draw_help(model, look, canvas, box);
    return;
  }
  switch (model.screen()) {
    case Screen::flows:
      draw_flows(model, look, canvas, box);
      break;
    case Screen::flow:
      draw_flow(model, look, canvas, box);
      break;
    case Screen::fix:
      draw_fix(model, look, canvas, box);
      break;
    case Screen::hosts:
      draw_hosts(model, look, canvas, box);
      break;
  }
  if (model.clipboard_shown()) draw_clipboard(model, look, canvas);
}

}  // namespace rwin::tui
