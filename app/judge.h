// One connection of the analysis made ready for reports.
#pragma once

#include <string>
#include <vector>

#include "app/report.h"

namespace rwin::app {

// What the user says of the line and the hosts.
rules::Settings settings_of(const Options& options);

// Verdicts of all directions, systems of both ends. `local`: this host's end of it, live; may be
// null. It becomes Judged::local.
Judged judge(analysis::ConnectionResult&& connection, const rules::Settings& settings,
             std::shared_ptr<const LocalSocket> local = nullptr);

// For a report that shows few of its connections (Report::shows_all()): verdicts only, no systems.
Judged judge_briefly(analysis::ConnectionResult&& connection, const rules::Settings& settings);
// The sentences that judge_briefly() left out, with the same settings.
void put_in_words(Judged& judged, const rules::Settings& settings);

// Adds its directions to the hosts.
void add_to_hosts(rules::HostTable& hosts, const Judged& judged);

// Has one of its verdicts one of these words (limit or cause)?
bool matches(const Judged& judged, const std::vector<std::string>& words);

}  // namespace rwin::app
