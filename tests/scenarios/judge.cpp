#include "tests/scenarios/judge.h"

#include <algorithm>

#include "analysis/engine.h"
#include "rules/assess.h"
#include "rules/text.h"

namespace rwin::test {
namespace {

void add_text(std::string& to, const std::string& text) {
  if (!text.empty()) to += text + "\n";
}

void add_advice(std::string& to, const std::vector<rules::Advice>& advice) {
  for (const rules::Advice& a : advice) {
    for (const std::string* text : {&a.id, &a.title, &a.because, &a.takes_effect})
      add_text(to, *text);
    for (const auto* lines : {&a.look, &a.change, &a.persist, &a.undo, &a.warnings}) {
      for (const std::string& line : *lines) add_text(to, line);
    }
  }
}

Said said_of(const rules::Assessment& a, const analysis::ConnectionResult& c) {
  Said said;
  said.cause = a.verdict.cause.empty() ? "none" : a.verdict.cause;
  said.gain = a.verdict.gain;
  said.ceiling_bps = a.verdict.ceiling_bps;
  add_text(said.text, a.verdict.summary);
  for (const std::string& note : a.verdict.notes) add_text(said.text, note);
  for (const std::string& word : a.verdict.unproven) add_text(said.text, "not proven: " + word);
  add_advice(said.text, a.advice);
  const auto names = [&](const analysis::Endpoint& end) {
    return std::any_of(a.advice.begin(), a.advice.end(), [&](const rules::Advice& advice) {
      return advice.host == rules::format_address(end.address);
    });
  };
  if (names(c.client)) said.change_at = "client";
  if (names(c.server)) said.change_at += said.change_at.empty() ? "server" : " server";
  if (said.change_at.empty()) said.change_at = "none";
  for (const rules::Advice& advice : a.advice) {
    if (advice.window_bytes)
      said.raise_to =
          std::max(said.raise_to.value_or(0), static_cast<double>(*advice.window_bytes));
  }
  return said;
}

HostSaid said_of(const rules::HostSummary& h) {
  HostSaid said;
  said.address = h.address;
  said.connections = static_cast<double>(h.connections);
  said.window_limited = static_cast<double>(h.window_limited);
  said.stalled_together = static_cast<double>(h.stalled_together);
  if (h.worst_rtt_us) said.worst_rtt_us = static_cast<double>(*h.worst_rtt_us);
  if (h.needed_window_bytes) said.needed_window = static_cast<double>(*h.needed_window_bytes);
  said.cause = h.cause.empty() ? "none" : h.cause;
  for (const std::string& note : h.notes) add_text(said.text, note);
  add_advice(said.text, h.advice);
  return said;
}

}  // namespace

Judgement judge(const Scenario& scenario, View view, std::uint32_t isn) {
  Judgement out;
  std::vector<Simulated> simulated;
  const auto segments = play(scenario, view, isn, &simulated);
  out.packets = segments.size();
  analysis::Engine engine;
  for (const analysis::Segment& s : segments) engine.add(s);
  const rules::Settings settings;
  rules::HostTable hosts(settings, rules::Catalogue::built_in());
  engine.finish([&](analysis::ConnectionResult&& c) {
    Judged j;
    j.result = std::move(c);
    const auto index = index_of(scenario, j.result);
    if (!index) {
      out.wrong.push_back(scenario.file + ": a connection that nobody has described");
      return;
    }
    j.index = *index;
    j.simulated = simulated[*index];
    for (const analysis::DirectionResult& d : j.result.directions) {
      const auto a = rules::assess(j.result, d, settings, rules::Catalogue::built_in());
      (d.from_client ? j.from_client : j.from_server) = said_of(a, j.result);
      hosts.add(j.result, d, a);
    }
    for (const std::string& line : unmet(scenario, view, *index, j.seen()))
      out.wrong.push_back(line);
    out.connections.push_back(std::move(j));
  });
  if (out.connections.size() != scenario.connections.size()) {
    out.wrong.push_back(scenario.file + ": " + std::to_string(out.connections.size()) +
                        " connections were found, there are " +
                        std::to_string(scenario.connections.size()));
  }
  for (const rules::HostSummary& h : hosts.finish()) out.hosts.push_back(said_of(h));
  for (const std::string& line : unmet_of_hosts(scenario, view, out.hosts))
    out.wrong.push_back(line);
  return out;
}

}  // namespace rwin::test
