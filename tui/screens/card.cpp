// The smallest screens: one flow in a few lines.
#include <fmt/format.h>

#include <algorithm>

#include "text/limit_bar.h"
#include "text/limit_text.h"
#include "text/text.h"
#include "tui/model/cells.h"
#include "tui/screens/screens.h"

namespace rwin::tui {

void draw_card(Model& model, const Look& look, Canvas& canvas, const Box& box) {
  model.places.list_top = box.y;
  model.places.list_rows = 1;
  model.places.first = model.selected();
  const Row* row = model.row();
  if (row == nullptr) {
    canvas.put(box.x, box.y, "No transfers yet.", Role::dim);
    return;
  }
  const auto wide = static_cast<std::size_t>(box.width);
  const auto endpoint = [&](const analysis::Endpoint& e, std::size_t limit) {
    const bool named = model.names().count(e.address) > 0;
    return endpoint_cell(host_text(e.address, model.names()), e.port,
                         e.address.family == 6 && !named, limit);
  };
  int y = box.y;
  const int end = box.y + box.height;
  const auto line = [&](const std::string& text, Role role) {
    if (y < end) canvas.put(box.x, y++, text, role, box.width);
  };
  line(fmt::format("{}/{} {} {} {}", model.selected() + 1, model.rows().size(),
                   row->closed ? "closed" : limit_text(row->limit()).name,
                   rate_cell(row->rate_bps, model.units()), rate_unit(model.units())),
       role_of(row->limit()) == Role::plain ? Role::strong : role_of(row->limit()));
  line("to   " + endpoint(*row->receiver, wide - 5), Role::plain);
  line("from " + endpoint(*row->sender, wide - 5), Role::plain);
  line(fmt::format("win {} rtt {} max {}", bytes_cell(row->window), time_cell(row->rtt_us),
                   rate_cell(row->ceiling_bps, model.units())),
       Role::plain);
  const analysis::ConnectionResult& c = *row->connection->result;
  const std::int64_t until =
      model.cursor_ns() ? (*model.cursor_ns() - c.start_ns) / 1000 : (c.end_ns - c.start_ns) / 1000;
  std::string bar = limit_bar(row->direction->timeline, 0, std::max<std::int64_t>(until, 1), wide);
  std::replace(bar.begin(), bar.end(), ' ', '.');
  if (y < end) put_bar(canvas, box.x, y++, bar);
  if (y < end) y += put_legend(canvas, {box.x, y, box.width, end - y}, bar, end - y);
  if (y < end && !row->assessment->advice.empty())
    line(elide_middle("fix: " + row->assessment->advice[0].title, wide), Role::strong);
  static_cast<void>(look);
}

}  // namespace rwin::tui
