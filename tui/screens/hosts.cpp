// Screen 4: receivers, and what their streams reach together.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "text/address.h"
#include "text/limit_text.h"
#include "text/text.h"
#include "tui/model/cells.h"
#include "tui/screens/screens.h"

namespace rwin::tui {
namespace {

// Columns from the left; what does not fit is left out from the end, the meter excepted.
struct Column {
  std::string_view head;
  int width;
  std::string (*text)(const Model&, const HostRow&);
};

std::string cause_of(const Model& model, const HostRow& host) {
  if (host.rows.empty()) return {};
  const Row& worst = model.all_rows()[host.rows[0]];
  const rules::Verdict& v = worst.assessment->verdict;
  if (worst.limit() == analysis::Limit::unknown) return "begin the capture before the connection";
  return v.cause.empty() ? std::string(limit_text(v.limit).name) : v.cause;
}

const std::array kColumns = {
    Column{"FLOWS", 7, [](const Model&, const HostRow& h) { return std::to_string(h.flows); }},
    Column{"HELD", 6,
           [](const Model&, const HostRow& h) {
             return h.unknown == h.flows ? std::string("?") : std::to_string(h.window_limited);
           }},
    Column{"RATE", 8,
           [](const Model& m, const HostRow& h) { return rate_cell(h.together_bps, m.units()); }},
    Column{"LINE", 8,
           [](const Model& m, const HostRow& h) { return rate_cell(h.line_bps, m.units()); }},
    Column{"WINDOW", 8, [](const Model&, const HostRow& h) { return bytes_cell(h.window_max); }},
    Column{"RTT", 8, [](const Model&, const HostRow& h) { return time_cell(h.rtt_us); }},
};

// With its system where there is room for it.
std::string receiver(const Model& model, const HostRow& host, std::size_t limit) {
  const std::string name = host_text(host.address, model.names());
  const std::string both = host.os.empty() ? name : fmt::format("{} ({})", name, host.os);
  return both.size() <= limit ? both : elide_middle(name, limit);
}

// The streams of the chosen host, added up against the line.
void draw_sum(const Model& model, const Look& look, Canvas& canvas, const Box& box,
              const HostRow& host) {
  int y = box.y;
  const auto units = model.units();
  canvas.fill(box.x, y, box.width, marks(look.glyphs).line, Role::dim);
  std::string head = fmt::format(" {} ", receiver(model, host, 50));
  canvas.put(box.x + 1, y++, head, Role::strong);
  const std::size_t streams = std::max<std::size_t>(host.streams, 1);
  std::string text = streams == 1 ? std::string("one stream at a time")
                                  : fmt::format("{} streams at once", streams);
  text += fmt::format(", {} of {} held by the window", host.window_limited, host.flows);
  if (host.together_bps)
    text += fmt::format("; together {} {}", rate_cell(host.together_bps, units), rate_unit(units));
  if (host.line_bps)
    text += fmt::format(" of {} ({})", rate_cell(host.line_bps, units),
                        host.line_is_target ? "your target" : "the best pace seen");
  for (const std::string& part : wrap(text, static_cast<std::size_t>(box.width - 2))) {
    if (y < box.y + box.height) canvas.put(box.x + 1, y++, part, Role::plain);
  }
  double most = host.line_bps.value_or(0);
  for (const std::size_t i : host.rows)
    most = std::max(most, model.all_rows()[i].rate_bps.value_or(0));
  const int meter = std::clamp(box.width - 50, 8, 60);
  for (const std::size_t i : host.rows) {
    if (y >= box.y + box.height - 1) break;
    const Row& row = model.all_rows()[i];
    const std::string from = endpoint_cell(host_text(row.sender->address, model.names()),
                                           row.sender->port, row.sender->address.family == 6, 24);
    int x = canvas.put(box.x + 1, y,
                       fmt::format("{:<24} :{:<5} {:>7}", from, row.receiver->port,
                                   rate_cell(row.rate_bps, units)),
                       row.closed ? Role::dim : Role::plain);
    x = canvas.put(x + 1, y, fmt::format("{:<7}", limit_text(row.limit()).tag),
                   role_of(row.limit()));
    if (most > 0)
      paint_meter(canvas, x + 1, y, meter, row.rate_bps.value_or(0) / most, role_of(row.limit()),
                  look.glyphs);
    ++y;
  }
  if (y < box.y + box.height && host.line_bps && host.together_bps && *host.line_bps > 0) {
    const double share = *host.together_bps / *host.line_bps;
    const std::string_view word = share > 0.9 ? "they fill the line" : "the line has room";
    canvas.put(box.x + 1, y,
               fmt::format("{:<31} {:>7} {:<7}", "together", rate_cell(host.together_bps, units),
                           percent_text(std::min(share, 9.99))),
               Role::strong);
    const int x = box.x + 1 + 24 + 2 + 5 + 1 + 7 + 1 + 7 + 1;
    paint_meter(canvas, x, y, meter, std::min(share, 1.0), Role::good, look.glyphs);
    if (x + meter + 2 + static_cast<int>(word.size()) <= box.x + box.width)
      canvas.put(x + meter + 2, y, word, Role::dim);
  }
}

}  // namespace

void draw_hosts(Model& model, const Look& look, Canvas& canvas, const Box& box) {
  const std::vector<HostRow>& hosts = model.hosts();
  const bool small = box.height < 10;
  const int sum = small ? 0 : std::clamp(box.height / 2, 5, 16);
  const int room = std::max(1, box.height - 1 - sum);
  model.places.list_top = box.y + 1;
  model.places.list_rows = room;
  if (hosts.empty()) {
    canvas.put(box.x + 2, box.y + 1, "No host has received anything yet.", Role::dim);
    return;
  }
  const int name = std::clamp(box.width - 2 - 60, 15, 41);
  const std::size_t seen = static_cast<std::size_t>(room);
  const std::size_t first = model.host_selected() < seen ? 0 : model.host_selected() - seen + 1;
  model.places.first = first;
  canvas.put(box.x + 2, box.y, "RECEIVER", Role::dim);
  for (std::size_t i = first; i < std::min(first + seen, hosts.size()); ++i) {
    const HostRow& host = hosts[i];
    const int y = box.y + 1 + static_cast<int>(i - first);
    const bool chosen = i == model.host_selected();
    const Role role = chosen ? Role::strong : Role::plain;
    if (chosen) canvas.set(box.x, y, marks(look.glyphs).selected, Role::key);
    canvas.put(box.x + 2, y, receiver(model, host, static_cast<std::size_t>(name) - 1), role);
    int x = box.x + 2 + name;
    for (const Column& c : kColumns) {
      if (x + c.width > box.x + box.width) break;
      if (i == first) canvas.put_right(x + c.width, box.y, c.head, Role::dim);
      const bool held = c.head == "HELD" && host.window_limited > 0;
      canvas.put_right(x + c.width, y, c.text(model, host), held ? Role::limited : role);
      x += c.width;
    }
    if (x + 2 + 10 > box.x + box.width) continue;
    if (i == first) canvas.put(x + 2, box.y, "LIKELY CAUSE", Role::dim);
    canvas.put(
        x + 2, y,
        elide_middle(cause_of(model, host), static_cast<std::size_t>(box.x + box.width - x - 2)),
        role);
  }
  if (sum > 0)
    draw_sum(model, look, canvas, {box.x, box.y + box.height - sum, box.width, sum},
             hosts[model.host_selected()]);
}

}  // namespace rwin::tui
