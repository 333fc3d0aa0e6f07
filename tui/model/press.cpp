// What each key does. The keys themselves: the table in key.cpp.
#include <algorithm>
#include <limits>

#include "text/address.h"
#include "text/text.h"
#include "tui/model/model.h"

namespace rwin::tui {
namespace {

void drop_last(std::string& text) {
  while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xc0) == 0x80) text.pop_back();
  if (!text.empty()) text.pop_back();
}

}  // namespace

Wish Model::press(Key k, std::int64_t now_ms) {
  now_ms_ = now_ms;
  key_ms_ = now_ms;
  message_.clear();
  if (k == key::kCtrlC) return Wish::quit;
  if (typing_) return type(k);
  Command command = command_of(k);
  if (ask_clear_) {
    ask_clear_ = false;
    if (command == Command::clear_closed) clear_closed();
    return Wish::none;
  }
  if (clipboard_box_ && command != Command::quit) {
    clipboard_box_ = false;
    if (command == Command::back || command == Command::copy) return Wish::none;
  }
  return run(command);
}

void Model::start_typing(Wish what, std::string text) {
  typing_for_ = what;
  filter_before_ = filter_text_;
  typing_ = std::move(text);
}

Wish Model::type(Key k) {
  const bool capture = typing_for_ == Wish::capture_filter;
  if (k == key::kEnter || k == '\n' || k == key::kEscape) {
    std::string text = *typing_;
    typing_.reset();
    if (k == key::kEscape) {
      if (!capture) {
        filter_text_ = filter_before_;
        filter_ = Filter::parse(filter_text_);
        rebuild();
      }
      return Wish::none;
    }
    if (!capture) return Wish::none;
    typed_ = std::move(text);
    return Wish::capture_filter;
  }
  if (k == key::kBackspace || k == 0x08) {
    drop_last(*typing_);
  } else if (k == 0x15) {  // ctrl-u
    typing_->clear();
  } else if (k >= ' ' && k < 0x10000 && k != 0x7f) {
    append_utf8(*typing_, k);
  }
  if (capture) return Wish::none;
  filter_text_ = *typing_;
  filter_ = Filter::parse(filter_text_);
  rows_.clear();
  rebuild();
  return Wish::none;
}

Wish Model::run(Command command) {
  if (help_ && command != Command::quit && command != Command::quit_report &&
      command != Command::suspend && command != Command::redraw) {
    if (!run_move(command)) {
      help_ = false;
      scroll_ = 0;
    }
    return Wish::none;
  }
  if (run_move(command) || run_screen(command)) return Wish::none;
  switch (command) {
    case Command::pause:
      paused_ = !paused_;
      paused_since_ms_ = now_ms_;
      if (!paused_) {
        shown_ = newest_;
        rebuild();
      }
      return Wish::none;
    case Command::copy:
      if (!flow_row_ || fix().copy.empty()) {
        message_ = "there is no fix to copy for this flow";
        return Wish::none;
      }
      return Wish::copy;
    case Command::save:
      return Wish::save;
    case Command::save_packets:
      if (shown_ && shown_->live && !shown_->ended) return Wish::save_packets;
      message_ = "packets are saved while they are captured: none come any more";
      return Wish::none;
    case Command::capture_filter:
      if (shown_ && shown_->filter_can_change && !shown_->ended) {
        start_typing(Wish::capture_filter, shown_->filter);
      } else {
        message_ = "the capture filter cannot be changed here; / filters what is listed";
      }
      return Wish::none;
    case Command::help:
      help_ = true;
      scroll_ = 0;
      return Wish::none;
    case Command::redraw:
      return Wish::redraw;
    case Command::suspend:
      return Wish::suspend;
    case Command::quit:
      return Wish::quit;
    case Command::quit_report:
      return Wish::quit_report;
    default:
      return run_list(command);
  }
}

// Commands of the list. Those that order it anew take effect at once.
Wish Model::run_list(Command command) {
  const auto again = [&] {
    rows_.clear();
    rebuild();
  };
  const auto sort_by = [&](int step) {
    sort_ = static_cast<SortBy>((static_cast<int>(sort_) + step + kSortCount) % kSortCount);
    again();
  };
  switch (command) {
    case Command::sort_next:
      sort_by(1);
      break;
    case Command::sort_previous:
      sort_by(-1);
      break;
    case Command::sort_turn:
      turned_ = !turned_;
      again();
      break;
    case Command::filter:
      start_typing(Wish::none, filter_text_);
      if (screen_ != Screen::flows) open_screen(Screen::flows);
      break;
    case Command::follow:
      follow_ = !follow_;
      break;
    case Command::lock_order:
      locked_ = !locked_;
      break;
    case Command::show_closed:
      closed_shown_ = !closed_shown_;
      again();
      break;
    case Command::clear_closed: {
      const auto closed =
          std::count_if(rows_.begin(), rows_.end(), [](const Row* r) { return r->closed; });
      ask_clear_ = closed > 0;
      message_ = closed > 0 ? "clear " + std::to_string(closed) +
                                  " closed flows from the list? x again does it"
                            : "no closed flow is listed";
      break;
    }
    case Command::names:
      names_on_ = !names_on_;
      rebuild();
      return names_on_ ? Wish::look_up_names : Wish::none;
    case Command::units:
      units_ = units_ == Units::bits ? Units::bytes : Units::bits;
      rebuild();
      break;
    case Command::earlier:
      move_time(-1);
      break;
    case Command::later:
      move_time(1);
      break;
    case Command::plus:
    case Command::minus:
      plus_minus(command == Command::plus);
      break;
    default:
      break;
  }
  return Wish::none;
}

// True when the command was one of moving.
bool Model::run_move(Command command) {
  constexpr long kAll = std::numeric_limits<int>::max();
  const long page = std::max(1, (scrolling() ? places.height : places.list_rows) - 1);
  const bool chart = screen_ == Screen::flow && !help_;
  switch (command) {
    case Command::up:
      chart ? step_flow(-1) : move(-1);
      return true;
    case Command::down:
      chart ? step_flow(1) : move(1);
      return true;
    case Command::page_up:
      chart ? move_time(-10) : move(-page);
      return true;
    case Command::page_down:
      chart ? move_time(10) : move(page);
      return true;
    case Command::top:
      chart ? move_time(-(1 << 20)) : move(-kAll);
      return true;
    case Command::bottom:
      chart ? move_time(1 << 20) : move(kAll);
      return true;
    default:
      break;
  }
  if (help_ || (command != Command::left && command != Command::right)) return false;
  const bool right = command == Command::right;
  if (screen_ == Screen::flow) {
    move_time(right ? 1 : -1);
  } else if (screen_ == Screen::fix) {
    const std::size_t choices = std::max<std::size_t>(1, fix().choices);
    choice_ = (choice_ % choices + (right ? 1 : choices - 1)) % choices;
  } else {
    column_ =
        right ? std::min<std::size_t>(column_ + 1, 7) : column_ - std::min<std::size_t>(column_, 1);
  }
  return true;
}

void Model::open_screen(Screen screen) {
  if (screen == screen_) return;
  before_.push_back(screen_);
  if (before_.size() > 8) before_.erase(before_.begin());
  screen_ = screen;
  scroll_ = 0;
  if (screen_ == Screen::hosts) rebuild();
}

// True when the command was one of changing screens.
bool Model::run_screen(Command command) {
  switch (command) {
    case Command::screen_flows:
      open_screen(Screen::flows);
      return true;
    case Command::screen_flow:
      open_screen(Screen::flow);
      return true;
    case Command::screen_fix:
      // Before anybody chose a flow: the one that the first line speaks of.
      if (screen_ == Screen::hosts && !hosts_.empty() && !hosts_[host_selected_].rows.empty()) {
        flow_ = all_rows_[hosts_[host_selected_].rows[0]].id;
      }
      open_screen(Screen::fix);
      place_selection();
      return true;
    case Command::diagnosis:
      return run_screen(Command::screen_fix);
    case Command::screen_hosts:
      open_screen(Screen::hosts);
      return true;
    case Command::next_screen:
      open_screen(static_cast<Screen>((static_cast<int>(screen_) + 1) % 4));
      return true;
    case Command::previous_flow:
      step_flow(-1);
      return true;
    case Command::next_flow:
      step_flow(1);
      return true;
    case Command::open:
      if (screen_ == Screen::flows) {
        open_screen(Screen::flow);
      } else if (screen_ == Screen::flow) {
        open_screen(Screen::fix);
      } else if (screen_ == Screen::hosts && !hosts_.empty()) {
        filter_text_ = "to:" + address_text(hosts_[host_selected_].address);
        filter_ = Filter::parse(filter_text_);
        rows_.clear();
        selected_ = 0;
        open_screen(Screen::flows);
        rebuild();
      }
      return true;
    case Command::back:
      back();
      return true;
    default:
      return false;
  }
}

// Esc: one step out, whatever that is now.
void Model::back() {
  if (help_ || clipboard_box_) {
    help_ = clipboard_box_ = false;
    scroll_ = 0;
  } else if (screen_ != Screen::flows) {
    screen_ = before_.empty() ? Screen::flows : before_.back();
    if (!before_.empty()) before_.pop_back();
    scroll_ = 0;
    rebuild();
  } else if (cursor_ns_) {
    cursor_ns_.reset();
    rebuild();
  } else if (!filter_text_.empty()) {
    filter_text_.clear();
    filter_ = {};
    rows_.clear();
    rebuild();
  } else {
    column_ = 0;
  }
}

void Model::plus_minus(bool plus) {
  if (screen_ == Screen::fix) {
    if (!flow_row_) return;
    target_ = next_target(target_.value_or(first_target(*shown_, *flow_row_)), plus);
    return;
  }
  zoom_ = std::clamp(zoom_ + (plus ? 1 : -1), 0, 8);
}

void Model::clear_closed() {
  for (const Row* row : rows_) {
    if (row->closed) cleared_.insert(row->id.connection);
  }
  rows_.clear();
  rebuild();
}

}  // namespace rwin::tui
