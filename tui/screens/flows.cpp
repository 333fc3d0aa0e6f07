// Screen 1: all transfers, the worst first.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "text/address.h"
#include "text/limit_bar.h"
#include "text/limit_text.h"
#include "text/text.h"
#include "tui/model/cells.h"
#include "tui/screens/screens.h"

namespace rwin::tui {
namespace {

constexpr int kBarLeast = 16, kBarMost = 60;
constexpr int kAddressLeast = 15;
constexpr int kBarsFrom = 80;  // columns from which the list has bars
constexpr std::int64_t kLastSeconds = 40;

enum class What : std::uint8_t {
  limit,
  from,
  to,
  rate,
  ceiling,
  rtt,
  window,
  use,
  moved,
  process,
  bar
};

struct Column {
  What what;
  std::string_view head;
  int width;  // with the gap before it
  std::optional<SortBy> sort;
};

// In the order on the screen.
constexpr std::array kColumns = {
    Column{What::limit, "LIMIT", 7, SortBy::lost},
    Column{What::from, "FROM (sender)", kAddressLeast + 1, {}},
    Column{What::to, "TO (receiver)", kAddressLeast + 1, SortBy::start},
    Column{What::rate, "RATE", 7, SortBy::rate},
    Column{What::ceiling, "CEILING", 8, SortBy::ceiling},
    Column{What::rtt, "RTT", 8, SortBy::rtt},
    Column{What::window, "WINDOW", 7, SortBy::window},
    Column{What::use, "USE", 5, SortBy::use},
    Column{What::moved, "MOVED", 8, SortBy::moved},
    Column{What::process, "PROCESS", 12, {}},
    Column{What::bar, "LAST", kBarLeast + 2, {}},
};
// What goes first when there is no room.
constexpr std::array kDropOrder = {What::process, What::moved, What::rtt,     What::window,
                                   What::use,     What::bar,   What::ceiling, What::from};

std::string endpoint_text_of(const Row& row, bool sender, const Names& names, std::size_t limit) {
  const analysis::Endpoint& e = sender ? *row.sender : *row.receiver;
  const std::string host = host_text(e.address, names);
  const bool named = names.count(e.address) > 0;
  return endpoint_cell(host, e.port, e.address.family == 6 && !named, limit);
}

// Width of the longest address among the rows [first, last).
int wanted(const Model& model, What what, std::size_t first, std::size_t last) {
  int most = kAddressLeast;
  for (std::size_t i = first; i < last; ++i) {
    const std::string text =
        endpoint_text_of(*model.rows()[i], what == What::from, model.names(), 60);
    most = std::max(most, static_cast<int>(width(text)));
  }
  return most;
}

std::vector<Column> choose_columns(const Model& model, int room, std::size_t first,
                                   std::size_t last) {
  std::vector<Column> columns(kColumns.begin(), kColumns.end());
  const auto drop = [&](What what) {
    columns.erase(std::remove_if(columns.begin(), columns.end(),
                                 [&](const Column& c) { return c.what == what; }),
                  columns.end());
  };
  const auto total = [&] {
    int sum = 2;
    for (const Column& c : columns) sum += c.width;
    return sum;
  };
  const RowList& rows = model.rows();
  if (std::none_of(rows.begin(), rows.end(), [](const Row* r) {
        return r->connection->local && !r->connection->local->process.empty();
      }))
    drop(What::process);
  if (room < kBarsFrom) {
    drop(What::from);
    drop(What::bar);
  }
  // Left and right move through the figures: those in front make room.
  static constexpr std::array kFigures = {What::rate, What::ceiling, What::rtt,    What::window,
                                          What::use,  What::moved,   What::process};
  for (std::size_t i = 0; i < std::min(model.column(), kFigures.size()); ++i) drop(kFigures[i]);
  // Whole IPv4 addresses are worth more than some figures.
  if (room > kBarsFrom) {
    for (Column& c : columns) {
      if (c.what == What::from || c.what == What::to)
        c.width = std::min(wanted(model, c.what, first, last), 21) + 1;
    }
  }
  for (const What what : kDropOrder) {
    if (total() <= room) break;
    drop(what);
  }
  // What is left goes to addresses that need it, then to the bar.
  int spare = room - total();
  for (Column& c : columns) {
    if (c.what != What::from && c.what != What::to) continue;
    const bool other_waits = c.what == What::from;
    const int more = std::clamp(wanted(model, c.what, first, last) + 1 - c.width, 0,
                                other_waits ? (spare + 1) / 2 : spare);
    c.width += more;
    spare -= more;
  }
  for (Column& c : columns) {
    if (c.what == What::bar) c.width = std::min(c.width + spare, kBarMost + 2);
  }
  return columns;
}

// [from, to) of the bar, from the connection's first packet.
std::pair<std::int64_t, std::int64_t> bar_span(const Model& model, const Row& row) {
  const Snapshot& s = model.snapshot();
  const std::int64_t end = model.cursor_ns().value_or(s.now_ns);
  const std::int64_t from =
      s.live || model.cursor_ns() ? end - kLastSeconds * 1'000'000'000 : s.first_ns;
  const std::int64_t start = row.connection->result->start_ns;
  return {(from - start) / 1000, (end - start) / 1000};
}

std::string bar_of(const Model& model, const Row& row, int cells) {
  const auto [from, to] = bar_span(model, row);
  std::string bar = limit_bar(row.direction->timeline, from, std::max(to, from + 1),
                              static_cast<std::size_t>(cells));
  // A running flow's last moments may not be judged yet.
  std::replace(bar.begin(), bar.end(), ' ', '.');
  return bar;
}

std::string bar_head(const Model& model) {
  const Snapshot& s = model.snapshot();
  if (s.live || model.cursor_ns()) return fmt::format("LAST {} s", kLastSeconds);
  return "WHOLE " + time_text((s.now_ns - s.first_ns) / 1000);
}

std::string cell_text(const Model& model, const Row& row, What what, int room) {
  const bool hidden = row.limit() == analysis::Limit::unknown && !row.window;
  switch (what) {
    case What::limit:
      return std::string(row.closed ? "closed" : limit_text(row.limit()).tag);
    case What::from:
    case What::to:
      return endpoint_text_of(row, what == What::from, model.names(),
                              static_cast<std::size_t>(room));
    case What::rate:
      return rate_cell(row.rate_bps, model.units());
    case What::ceiling:
      return row.limit() == analysis::Limit::receiver_app
                 ? "-"
                 : rate_cell(row.ceiling_bps, model.units());
    case What::rtt:
      return time_cell(row.rtt_us);
    case What::window:
      return bytes_cell(row.window) + (hidden ? "*" : "");
    case What::use:
      return row.use ? fmt::format("{:.0f}%", *row.use * 100) : "?";
    case What::moved:
      return bytes_cell(row.direction->bytes);
    case What::process:
      return row.connection->local
                 ? elide_middle(row.connection->local->process, static_cast<std::size_t>(room))
                 : "";
    case What::bar:
      break;
  }
  return {};
}

bool to_the_left(What what) {
  return what == What::limit || what == What::from || what == What::to || what == What::bar ||
         what == What::process;
}

void draw_heads(Model& model, Canvas& canvas, const Box& box, const std::vector<Column>& columns) {
  int x = box.x + 2;
  model.places.header_line = box.y;
  for (const Column& c : columns) {
    const bool sorted = c.sort == model.sort();
    const std::string head = c.what == What::bar ? bar_head(model) : std::string(c.head);
    if (to_the_left(c.what)) {
      canvas.put(x + (c.what == What::bar || c.what == What::process ? 2 : 0), box.y, head,
                 sorted ? Role::strong : Role::dim, c.width - 1);
    } else {
      canvas.put_right(x + c.width, box.y, head, sorted ? Role::strong : Role::dim);
    }
    if (c.sort) model.places.heads.push_back({x, x + c.width, *c.sort});
    x += c.width;
  }
}

void draw_row(const Model& model, const Look& look, Canvas& canvas, const Box& box, int y,
              std::size_t index, const std::vector<Column>& columns, std::string& letters) {
  const Row& row = *model.rows()[index];
  const Role role = row.closed ? Role::dim : role_of(row.limit());
  if (index == model.selected()) canvas.set(box.x, y, marks(look.glyphs).selected, Role::key);
  int x = box.x + 2;
  for (const Column& c : columns) {
    if (c.what == What::bar) {
      const std::string bar = bar_of(model, row, c.width - 2);
      put_bar(canvas, x + 2, y, bar);
      letters += bar;
    } else {
      const std::string text = cell_text(model, row, c.what, c.width - 1);
      const Role shown = row.closed ? Role::dim : c.what == What::limit ? role : Role::plain;
      if (to_the_left(c.what)) {
        canvas.put(x + (c.what == What::process ? 2 : 0), y, text, shown, c.width);
      } else {
        canvas.put_right(x + c.width, y, text, shown);
      }
    }
    x += c.width;
  }
  if (index == model.selected()) {
    for (int i = box.x + 2; i < std::min(x, box.x + box.width); ++i) {
      if (canvas.at(i, y).role == Role::plain) canvas.recolour(i, y, 1, Role::strong);
    }
  }
}

// Below the list: a rule, and where there are bars two lines for their legend and a remark.
int foot_lines(const Canvas& canvas) { return canvas.width() < kBarsFrom ? 1 : 3; }

// Where the list leaves room, the selected flow's diagnosis fills it.
void draw_selected(const Model& model, const Look& look, Canvas& canvas, const Box& box,
                   std::size_t listed) {
  constexpr int kLeast = 6;
  const int y = box.y + 1 + static_cast<int>(listed) + 1;
  const int room = box.y + box.height - foot_lines(canvas) - y;
  const bool beside = canvas.width() >= kPaneWidth && canvas.height() >= kPaneHeight;
  if (beside || room < kLeast || model.flow() == nullptr) return;
  canvas.fill(box.x, y, box.width, marks(look.glyphs).line, Role::dim);
  canvas.put(box.x + 2, y, " selected ", Role::strong);
  draw_fix_lines(model.fix(), look, canvas, {box.x, y + 1, box.width, room - 1}, 0);
}

void draw_list(Model& model, const Look& look, Canvas& canvas, const Box& box) {
  const RowList& rows = model.rows();
  const int foot_height = foot_lines(canvas);
  const int room = std::max(1, box.height - 1 - foot_height);
  model.places.list_top = box.y + 1;
  model.places.list_rows = room;
  if (rows.empty()) {
    const bool filtered = !model.filter_text().empty() && !model.all_rows().empty();
    canvas.put(box.x + 2, box.y + 1,
               filtered ? "No flow passes the filter. Esc clears it." : "No transfers yet.",
               Role::dim);
    return;
  }
  const std::size_t seen = static_cast<std::size_t>(room);
  const std::size_t first =
      model.selected() < seen
          ? 0
          : std::min(model.selected() - seen / 2, rows.size() - std::min(seen, rows.size()));
  const std::size_t last = std::min(first + seen, rows.size());
  model.places.first = first;
  const bool beside = box.width < canvas.width();  // something stands to the right: a gap before it
  const std::vector<Column> columns =
      choose_columns(model, beside ? box.width - 1 : box.width, first, last);
  draw_heads(model, canvas, box, columns);
  std::string letters;
  bool hidden = false;
  for (std::size_t i = first; i < last; ++i) {
    draw_row(model, look, canvas, box, box.y + 1 + static_cast<int>(i - first), i, columns,
             letters);
    hidden = hidden || (rows[i]->limit() == analysis::Limit::unknown && !rows[i]->window);
  }
  draw_selected(model, look, canvas, box, last - first);
  const int foot = box.y + box.height - foot_height;
  canvas.fill(box.x, foot, box.width, marks(look.glyphs).line, Role::dim);
  if (rows.size() > seen)
    canvas.put_right(box.x + box.width - 1, foot,
                     fmt::format(" {}-{} of {} ", first + 1, last, rows.size()), Role::dim);
  if (foot_height < 3) return;
  const int used = put_legend(canvas, {box.x, foot + 1, box.width, 2}, letters, hidden ? 1 : 2);
  if (hidden && used < 2)
    canvas.put(box.x, foot + 1 + used,
               "* handshake not seen: the window scale is unknown, so is the window", Role::dim,
               box.width);
}

}  // namespace

void put_bar(Canvas& canvas, int x, int y, const std::string& letters) {
  for (const char c : letters) {
    Role role = Role::dim;
    for (const analysis::Limit limit : analysis::kAllLimits) {
      if (limit_text(limit).letter == c) role = role_of(limit);
    }
    canvas.set(x++, y, static_cast<char32_t>(c), role);
  }
}

int put_legend(Canvas& canvas, const Box& box, const std::string& used, int lines) {
  int x = box.x;
  int line = 0;
  const auto put = [&](char letter, std::string_view name, Role role) {
    if (used.find(letter) == std::string::npos || line >= lines) return;
    const int wide = static_cast<int>(name.size()) + 2;
    if (x > box.x && x + wide > box.x + box.width) {
      x = box.x;
      if (++line >= lines) return;
    }
    canvas.set(x, box.y + line, static_cast<char32_t>(letter), role);
    x = canvas.put(x + 2, box.y + line, name, Role::dim, box.width - 2) + 2;
  };
  for (const analysis::Limit limit : analysis::kAllLimits)
    put(limit_text(limit).letter, limit_text(limit).name, role_of(limit));
  put('.', "not running", Role::dim);
  return x > box.x ? line + 1 : line;
}

void draw_flows(Model& model, const Look& look, Canvas& canvas, const Box& box) {
  if (canvas.width() < kTableWidth || canvas.height() < kTableHeight) {
    draw_card(model, look, canvas, box);
    return;
  }
  if (canvas.width() < kPaneWidth || canvas.height() < kPaneHeight) {
    draw_list(model, look, canvas, box);
    return;
  }
  const int pane = std::clamp(canvas.width() - 91, 49, 72);
  draw_list(model, look, canvas, {box.x, box.y, box.width - pane - 1, box.height});
  const int edge = box.x + box.width - pane - 1;
  for (int y = box.y; y < box.y + box.height; ++y)
    canvas.set(edge, y, marks(look.glyphs).bar, Role::dim);
  if (model.flow() == nullptr) return;
  draw_fix_lines(model.fix(), look, canvas, {edge + 2, box.y, pane - 1, box.height}, 0);
}

}  // namespace rwin::tui
