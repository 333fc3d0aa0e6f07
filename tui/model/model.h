// The state of the dashboard: what is shown, selected, sorted, filtered, held. Keys and snapshots
// go in; what the outside world must do for it comes out. No terminal, no clock: moments are handed
// in.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "tui/model/answer.h"
#include "tui/model/filter.h"
#include "tui/model/fix.h"
#include "tui/model/hosts.h"
#include "tui/model/key.h"
#include "tui/model/rows.h"

namespace rwin::tui {

enum class Screen : std::uint8_t { flows, flow, fix, hosts };

// What the outside has to do.
enum class Wish : std::uint8_t {
  none,
  copy,
  save,
  save_packets,
  quit,
  quit_report,
  suspend,
  redraw,
  capture_filter,
  look_up_names
};

// Where the last picture had what a mouse may hit, in cells; written by the screens.
struct Places {
  int list_top = 0, list_rows = 0;  // rows of the list, first line and how many fit
  std::size_t first = 0;            // index of the row at list_top
  int header_line = -1;             // line of the column heads, -1 none
  struct Head {
    int from, to;  // columns
    SortBy by;
  };
  std::vector<Head> heads;
  std::size_t lines = 0;  // that a scrolling text has
  int height = 0;         // of what of it is seen
};

struct Mouse {
  enum class What : std::uint8_t { click, wheel_up, wheel_down } what = What::click;
  int x = 0, y = 0;
};

class Model {
 public:
  explicit Model(Units units = Units::bits) : units_(units) {}
  Model(Model&&) = default;  // rows_ points into all_rows_
  Model& operator=(Model&&) = default;

  // A new snapshot; held back while paused. `now_ms`: any steady clock.
  void take(SnapshotPtr snapshot, std::int64_t now_ms);
  Wish press(Key key, std::int64_t now_ms);
  void mouse(const Mouse& event, std::int64_t now_ms);
  // Answers of the outside.
  void say(std::string message) { message_ = std::move(message); }
  void add_name(const analysis::Address& address, std::string name);
  void want_names(bool on) { names_on_ = on; }
  void show_clipboard(bool on) { clipboard_box_ = on; }
  // The picture changes by itself (age of a pause).
  void tick(std::int64_t now_ms) { now_ms_ = now_ms; }

  // What is shown.
  [[nodiscard]] bool ready() const { return shown_ != nullptr; }
  [[nodiscard]] const Snapshot& snapshot() const { return *shown_; }
  [[nodiscard]] Screen screen() const { return screen_; }
  [[nodiscard]] const RowList& rows() const { return rows_; }  // listed, in order
  [[nodiscard]] std::size_t selected() const { return selected_; }
  [[nodiscard]] const Row* row() const {
    return selected_ < rows_.size() ? rows_[selected_] : nullptr;
  }
  // The flow that Flow and Fix show; null when the snapshot has none.
  [[nodiscard]] const Row* flow() const { return flow_row_ ? &*flow_row_ : nullptr; }
  [[nodiscard]] const std::vector<HostRow>& hosts() const { return hosts_; }
  [[nodiscard]] const std::vector<Row>& all_rows() const {
    return all_rows_;
  }  // what hosts() points into
  [[nodiscard]] std::size_t host_selected() const { return host_selected_; }
  [[nodiscard]] const Answer& answer() const { return answer_; }
  [[nodiscard]] FixView fix() const;
  [[nodiscard]] std::optional<double> target() const { return target_; }
  [[nodiscard]] SortBy sort() const { return sort_; }
  [[nodiscard]] bool sort_turned() const { return turned_; }
  [[nodiscard]] bool following() const { return follow_; }
  [[nodiscard]] bool order_locked() const { return locked_; }
  [[nodiscard]] bool closed_shown() const { return closed_shown_; }
  [[nodiscard]] bool names_on() const { return names_on_; }
  [[nodiscard]] const Names& names() const {
    static const Names kNone;
    return names_on_ ? names_ : kNone;
  }
  [[nodiscard]] Units units() const { return units_; }
  [[nodiscard]] const Filter& filter() const { return filter_; }
  [[nodiscard]] const std::string& filter_text() const { return filter_text_; }
  // The line being typed, nullopt: none. Its prompt: "/" or "capture filter: ".
  [[nodiscard]] const std::optional<std::string>& typing() const { return typing_; }
  [[nodiscard]] bool typing_capture_filter() const { return typing_for_ == Wish::capture_filter; }
  [[nodiscard]] const std::string& typed() const { return typed_; }  // with Wish::capture_filter
  [[nodiscard]] bool paused() const { return paused_; }
  [[nodiscard]] std::int64_t paused_ms() const { return paused_ ? now_ms_ - paused_since_ms_ : 0; }
  [[nodiscard]] std::uint64_t packets_since_pause() const;
  [[nodiscard]] std::optional<std::int64_t> cursor_ns() const { return cursor_ns_; }
  [[nodiscard]] int zoom() const { return zoom_; }  // the chart shows 1 / 2^zoom of the flow
  [[nodiscard]] std::size_t column() const { return column_; }
  [[nodiscard]] bool help_shown() const { return help_; }
  [[nodiscard]] bool clipboard_shown() const { return clipboard_box_; }
  [[nodiscard]] std::size_t scroll() const { return scroll_; }
  [[nodiscard]] const std::string& message() const { return message_; }
  [[nodiscard]] bool asking_to_clear() const { return ask_clear_; }
  Places places;  // of the last picture

 private:
  void rebuild();
  [[nodiscard]] std::vector<Place> places_of_rows() const;
  void place_selection();
  void open_screen(Screen screen);
  void select(std::size_t index);
  void move(long by);
  void move_time(int by);
  void step_flow(int by);
  void start_typing(Wish what, std::string text);
  Wish type(Key key);
  Wish run(Command command);
  Wish run_list(Command command);
  bool run_move(Command command);
  bool run_screen(Command command);
  void back();
  void plus_minus(bool plus);
  void clear_closed();
  [[nodiscard]] bool scrolling() const { return help_ || screen_ == Screen::fix; }

  SnapshotPtr newest_, shown_;
  std::vector<Row> all_rows_;
  RowList rows_;  // into all_rows_
  std::vector<HostRow> hosts_;
  Answer answer_;
  std::optional<Row> flow_row_;
  FlowId flow_;  // shown on Flow and Fix; connection 0: none chosen
  Screen screen_ = Screen::flows;
  std::vector<Screen> before_;
  std::size_t selected_ = 0, host_selected_ = 0, scroll_ = 0, column_ = 0;
  FlowId selected_id_;
  analysis::Address host_id_;
  SortBy sort_ = SortBy::lost;
  bool turned_ = false, follow_ = false, locked_ = false, closed_shown_ = true, names_on_ = false;
  bool paused_ = false, help_ = false, clipboard_box_ = false, ask_clear_ = false;
  Units units_;
  Names names_;
  Filter filter_;
  std::string filter_text_, typed_, message_, filter_before_;
  std::optional<std::string> typing_;
  Wish typing_for_ = Wish::none;
  std::optional<std::int64_t> cursor_ns_;
  std::optional<double> target_;
  std::size_t choice_ = 0;
  int zoom_ = 0;
  std::set<std::uint64_t> cleared_;  // closed connections that are no longer listed
  std::int64_t now_ms_ = 0, paused_since_ms_ = 0;
  std::int64_t key_ms_ = -1'000'000;
};

}  // namespace rwin::tui
