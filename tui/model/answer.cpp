#include "tui/model/answer.h"

#include <fmt/format.h>

#include <algorithm>

#include "text/address.h"
#include "text/limit_text.h"
#include "text/text.h"

namespace rwin::tui {
namespace {

using analysis::Limit;

std::string rate(const Row& row, Units units) {
  const auto bps = row.rate_bps.value_or(0) > 0 ? row.rate_bps : row.direction->goodput_bps;
  return bps ? rate_text(*bps, units) : "?";
}

// "24.9 Mbit/s of a possible 100 Mbit/s"
std::string reached(const Row& row, Units units) {
  std::string text = rate(row, units);
  const rules::Verdict& v = row.assessment->verdict;
  if (v.potential_bps && v.gain > 1.05)
    text += " of a possible " + rate_text(*v.potential_bps, units);
  return text;
}

// What limits one transfer, told of the host whose limit it is.
std::string sentence(const Row& row, Units units, const std::string& to, const std::string& from) {
  switch (row.limit()) {
    case Limit::receiver_window:
      return fmt::format("{} gets {}: its receive window is too small", to, reached(row, units));
    case Limit::receiver_app:
      return fmt::format("{} reads too slowly: it gets {}", to, rate(row, units));
    case Limit::congestion:
      return fmt::format("{} gets {}: loss on the way from {}", to, rate(row, units), from);
    case Limit::bandwidth:
      return fmt::format("{} gets {}: its line is full, the window is not the limit", to,
                         rate(row, units));
    case Limit::sender_app:
      return fmt::format("{} gets {}: {} has nothing more to send", to, rate(row, units), from);
    case Limit::sender_buffer:
      return fmt::format("{} gets {}: the send buffer of {} is too small", to, rate(row, units),
                         from);
    case Limit::sender_paced:
      return fmt::format("{} gets {}: {} caps its rate", to, rate(row, units), from);
    case Limit::slow_start:
      return fmt::format("{} gets {}: the transfer {} still starting up", to, rate(row, units),
                         row.closed ? "ended while" : "is");
    case Limit::handshake:
    case Limit::closing:
    case Limit::unknown:
      break;
  }
  return fmt::format("{} gets {}: no verdict yet", to, rate(row, units));
}

// The same in about 60 columns.
std::string shorter(const Row& row, Units units, const std::string& to, const std::string& from) {
  switch (row.limit()) {
    case Limit::receiver_window:
      return fmt::format("{} held back by its window: {}", to, rate(row, units));
    case Limit::receiver_app:
      return fmt::format("{} reads too slowly: {}", to, rate(row, units));
    case Limit::congestion:
      return fmt::format("{} held back by loss: {}", to, rate(row, units));
    case Limit::bandwidth:
      return fmt::format("{}: line full at {}", to, rate(row, units));
    case Limit::sender_app:
      return fmt::format("{} has nothing more to send: {}", from, rate(row, units));
    case Limit::sender_buffer:
      return fmt::format("send buffer of {} too small: {}", from, rate(row, units));
    case Limit::sender_paced:
      return fmt::format("{} caps its rate at {}", from, rate(row, units));
    case Limit::slow_start:
      return fmt::format("{} {} up: {}", to, row.closed ? "ended while starting" : "still starting",
                         rate(row, units));
    default:
      return fmt::format("{}: no verdict yet, {}", to, rate(row, units));
  }
}

// For cards and single lines.
std::string brief(const Row& row, const Names& names) {
  const LimitText& limit = limit_text(row.limit());
  const bool sender = row.limit() == Limit::sender_app || row.limit() == Limit::sender_buffer ||
                      row.limit() == Limit::sender_paced;
  const std::string host =
      elide_middle(host_text((sender ? row.sender : row.receiver)->address, names), 15);
  return fmt::format("{} {}", host, limit.tag);
}

}  // namespace

std::string host_text(const analysis::Address& address, const Names& names) {
  const auto name = names.find(address);
  return name == names.end() || name->second.empty() ? address_text(address) : name->second;
}

Answer answer_of(const Snapshot& snapshot, const std::vector<Row>& rows, Units units,
                 const Names& names) {
  Answer out;
  const Row* worst = nullptr;
  std::size_t transfers = 0;
  std::size_t held = 0;
  for (const Row& row : rows) {
    if (row.tiny) continue;
    ++transfers;
    if (row.limit() == Limit::receiver_window && !row.closed) ++held;
    if (worst == nullptr || worse(row, *worst)) worst = &row;
  }
  if (worst == nullptr) {
    out.none = true;
    if (rows.empty() && snapshot.packets == 0) {
      out.forms = {snapshot.live ? "Waiting for packets." : "No packets: nothing to diagnose."};
    } else if (rows.empty()) {
      out.forms = {snapshot.live ? "No connection has carried data yet."
                                 : "No connection carried data."};
    } else {
      out.forms = {snapshot.live ? "No transfer yet that moved enough to say what limits it."
                                 : "No connection moved enough to say what limits it."};
    }
    out.forms.emplace_back(snapshot.live ? "waiting" : "nothing to tell");
    return out;
  }
  out.limit = worst->limit();
  out.worst = worst->id;
  out.key = worst->assessment->advice.empty() ? "[3] why" : "[3] fix";
  const std::string to = host_text(worst->receiver->address, names);
  const std::string from = host_text(worst->sender->address, names);
  const std::string told = sentence(*worst, units, to, from) + '.';
  if (held > 1) {
    out.forms.push_back(
        fmt::format("{} flows held back by the receiver window. Worst: {}", held, told));
  } else if (held == 0 && transfers > 1) {
    out.forms.push_back(fmt::format("No flow of {} is held by its window. {}", transfers, told));
  }
  const std::string more = held > 1 ? fmt::format("{} flows, worst: ", held) : std::string();
  out.forms.push_back(more + told);
  if (out.limit == Limit::receiver_window)
    out.forms.push_back(
        fmt::format("{}{} held by its window: {}", more, to, reached(*worst, units)));
  out.forms.push_back(more + shorter(*worst, units, to, from));
  out.forms.push_back(shorter(*worst, units, elide_middle(to, 22), elide_middle(from, 22)));
  out.forms.push_back(brief(*worst, names));
  return out;
}

std::vector<std::string> short_verdict(const Snapshot& snapshot, Units units) {
  constexpr std::size_t kMost = 4;
  std::vector<Row> rows;
  make_rows(snapshot, std::nullopt, rows);
  std::vector<std::string> out;
  const Answer answer = answer_of(snapshot, rows, units, {});
  out.push_back("rwin: " + answer.forms.front());
  rows.erase(std::remove_if(rows.begin(), rows.end(), [](const Row& r) { return r.tiny; }),
             rows.end());
  std::sort(rows.begin(), rows.end(), worse);
  const std::size_t shown = std::min(rows.size(), kMost);
  for (std::size_t i = 0; i < shown; ++i) {
    const Row& row = rows[i];
    out.push_back(fmt::format(
        "  {}. {} -> {}  {}  {}", row.id.connection, endpoint_text(*row.sender),
        endpoint_text(*row.receiver),
        row.direction->goodput_bps ? rate_text(*row.direction->goodput_bps, units) : "?",
        limit_text(row.limit()).name));
    const auto& advice = row.assessment->advice;
    if (!advice.empty() && out.size() < 9)
      out.push_back(fmt::format("     fix on {}: {}", advice[0].host, advice[0].title));
  }
  if (rows.size() > shown) out.push_back(fmt::format("  and {} more", rows.size() - shown));
  return out;
}

}  // namespace rwin::tui
