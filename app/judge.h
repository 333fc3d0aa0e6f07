// One connection of the analysis made ready for reports.
#pragma once

#include <string>
#include <vector>

#include "app/report.h"

namespace rwin::app {

// Verdicts of all directions, systems of both ends. `local`: this host's end of it, live; may be
// null. It becomes Judged::local.
Judged judge(analysis::ConnectionResult&& connection, const rules::Settings& settings,
             std::shared_ptr<const LocalSocket> local = nullptr);

// Adds its directions to the hosts.
void add_to_hosts(rules::HostTable& hosts, const Judged& judged);

// Has one of its verdicts one of these words (limit or cause)?
bool matches(const Judged& judged, const std::vector<std::string>& words);

}  // namespace rwin::app
