#include "tui/model/model.h"

#include <algorithm>

namespace rwin::tui {
namespace {

constexpr std::int64_t kStillMs = 3'000;  // no row changes place so long after a key

}  // namespace

void Model::take(SnapshotPtr snapshot, std::int64_t now_ms) {
  now_ms_ = now_ms;
  newest_ = std::move(snapshot);
  if (paused_ && shown_) return;
  shown_ = newest_;
  rebuild();
}

std::uint64_t Model::packets_since_pause() const {
  return newest_ && shown_ && newest_->packets > shown_->packets
             ? newest_->packets - shown_->packets
             : 0;
}

void Model::add_name(const analysis::Address& address, std::string name) {
  names_[address] = std::move(name);
}

// Where each row stands, ascending by id.
std::vector<Place> Model::places_of_rows() const {
  std::vector<std::size_t> at(all_rows_.size(), rows_.size());
  for (std::size_t i = 0; i < rows_.size(); ++i)
    at[static_cast<std::size_t>(rows_[i] - all_rows_.data())] = i;
  std::vector<Place> stood;
  stood.reserve(rows_.size());
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (at[i] < rows_.size()) stood.push_back({all_rows_[i].id, at[i]});
  }
  const auto by_id = [](const Place& a, const Place& b) { return a.id < b.id; };
  if (!std::is_sorted(stood.begin(), stood.end(), by_id))
    std::sort(stood.begin(), stood.end(), by_id);
  return stood;
}

// Everything that follows from the snapshot and the view.
void Model::rebuild() {
  if (!shown_) return;
  // Rows stay where they are while somebody reads or moves; new ones come last.
  const bool still = !rows_.empty() && (locked_ || now_ms_ - key_ms_ < kStillMs);
  const std::vector<Place> before = still ? places_of_rows() : std::vector<Place>();
  make_rows(*shown_, cursor_ns_, all_rows_);
  // Thousands of receivers take their time: only where they are looked at.
  hosts_.clear();
  if (screen_ == Screen::hosts) hosts_ = make_hosts(*shown_, all_rows_);
  answer_ = answer_of(*shown_, all_rows_, units_, names());
  rows_.clear();
  for (const Row& row : all_rows_) {
    const bool over = row.closed && (!closed_shown_ || cleared_.count(row.id.connection) > 0);
    if (!over && filter_.passes(row, names())) rows_.push_back(&row);
  }
  if (still) {
    rows_ = keep_order(rows_, before, sort_, turned_);
  } else {
    sort_rows(rows_, sort_, turned_);
  }
  place_selection();
}

// The selection keeps its line, or its flow where that is wanted. Flow and Fix keep theirs.
void Model::place_selection() {
  const auto find = [&](const FlowId& id) {
    return std::find_if(rows_.begin(), rows_.end(), [&](const Row* r) { return r->id == id; });
  };
  const bool by_flow =
      follow_ || screen_ == Screen::flow || screen_ == Screen::fix || now_ms_ - key_ms_ < kStillMs;
  if (by_flow && selected_id_.connection != 0) {
    const auto at = find(selected_id_);
    if (at != rows_.end()) selected_ = static_cast<std::size_t>(at - rows_.begin());
  }
  if (selected_ >= rows_.size()) selected_ = rows_.empty() ? 0 : rows_.size() - 1;
  if (!rows_.empty()) selected_id_ = rows_[selected_]->id;
  if (screen_ == Screen::flows || flow_.connection == 0)
    flow_ = rows_.empty() ? FlowId{} : selected_id_;
  flow_row_.reset();
  for (const Connection& c : shown_->connections) {
    if (c.id != flow_.connection) continue;
    for (std::size_t i = 0; i < c.result->directions.size(); ++i) {
      if (c.result->directions[i].from_client == flow_.from_client)
        flow_row_ = make_row(*shown_, c, i, cursor_ns_);
    }
  }
  const auto host = std::find_if(hosts_.begin(), hosts_.end(),
                                 [&](const HostRow& h) { return h.address == host_id_; });
  if (host != hosts_.end()) host_selected_ = static_cast<std::size_t>(host - hosts_.begin());
  if (host_selected_ >= hosts_.size()) host_selected_ = 0;
  if (!hosts_.empty()) host_id_ = hosts_[host_selected_].address;
}

FixView Model::fix() const {
  return flow_row_ ? make_fix(*shown_, *flow_row_, target_, choice_, units_, names()) : FixView{};
}

void Model::select(std::size_t index) {
  if (screen_ == Screen::hosts) {
    if (hosts_.empty()) return;
    host_selected_ = std::min(index, hosts_.size() - 1);
    host_id_ = hosts_[host_selected_].address;
    return;
  }
  if (rows_.empty()) return;
  selected_ = std::min(index, rows_.size() - 1);
  selected_id_ = rows_[selected_]->id;
  if (flow_ != selected_id_) {
    target_.reset();
    choice_ = 0;
  }
  flow_ = selected_id_;
  place_selection();
}

void Model::move(long by) {
  if (scrolling()) {
    const auto lines = static_cast<long>(places.lines);
    const long last = std::max(0L, lines - places.height);
    scroll_ = static_cast<std::size_t>(std::clamp(static_cast<long>(scroll_) + by, 0L, last));
    return;
  }
  const std::size_t at = screen_ == Screen::hosts ? host_selected_ : selected_;
  const long to = std::max(0L, static_cast<long>(at) + by);
  select(static_cast<std::size_t>(to));
}

// One step is a fiftieth of what the chart shows.
void Model::move_time(int by) {
  if (!shown_) return;
  std::int64_t from = shown_->first_ns;
  std::int64_t to = shown_->now_ns;
  if (screen_ == Screen::flow && flow_row_) {
    const auto& c = *flow_row_->connection->result;
    from = c.start_ns;
    to = std::max(c.end_ns, c.start_ns + 1);
  }
  const std::int64_t step = std::max<std::int64_t>(1, (to - from) / (50LL << zoom_));
  const std::int64_t next = cursor_ns_.value_or(to) + by * step;
  if (next >= to) {
    cursor_ns_.reset();  // at the newest: go with it
  } else {
    cursor_ns_ = std::max(next, from);
  }
  rebuild();
}

void Model::step_flow(int by) {
  const auto at =
      std::find_if(rows_.begin(), rows_.end(), [&](const Row* r) { return r->id == flow_; });
  const long index = at == rows_.end() ? 0 : (at - rows_.begin()) + by;
  const Screen screen = screen_;
  if (screen_ == Screen::hosts) screen_ = Screen::flows;
  select(static_cast<std::size_t>(std::max(0L, index)));
  screen_ = screen;
  scroll_ = 0;
}

void Model::mouse(const Mouse& event, std::int64_t now_ms) {
  now_ms_ = key_ms_ = now_ms;
  message_.clear();
  if (help_ || clipboard_box_ || typing_) {
    if (event.what == Mouse::What::click) back();
    if (event.what == Mouse::What::wheel_up) move(-3);
    if (event.what == Mouse::What::wheel_down) move(3);
    return;
  }
  if (event.what != Mouse::What::click) {
    move(event.what == Mouse::What::wheel_up ? -3 : 3);
    return;
  }
  if (event.y == places.header_line) {
    for (const Places::Head& head : places.heads) {
      if (event.x < head.from || event.x >= head.to) continue;
      turned_ = sort_ == head.by ? !turned_ : false;
      sort_ = head.by;
      rows_.clear();
      rebuild();
    }
    return;
  }
  const int line = event.y - places.list_top;
  if (line < 0 || line >= places.list_rows) return;
  const std::size_t index = places.first + static_cast<std::size_t>(line);
  const bool again = index == (screen_ == Screen::hosts ? host_selected_ : selected_);
  if (index >= (screen_ == Screen::hosts ? hosts_.size() : rows_.size())) return;
  select(index);
  if (again) run(Command::open);
}

}  // namespace rwin::tui
