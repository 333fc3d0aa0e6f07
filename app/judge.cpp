#include "app/judge.h"

#include <algorithm>

namespace rwin::app {

Judged judge(analysis::ConnectionResult&& connection, const rules::Settings& settings) {
  const rules::Catalogue& catalogue = rules::Catalogue::built_in();
  Judged judged;
  if (connection.client_offer.seen)
    judged.client_os = catalogue.guess(connection.client_offer, false).os;
  if (connection.server_offer.seen)
    judged.server_os = catalogue.guess(connection.server_offer, true).os;
  for (const analysis::DirectionResult& direction : connection.directions)
    judged.assessments.push_back(rules::assess(connection, direction, settings, catalogue));
  judged.connection = std::move(connection);
  return judged;
}

void add_to_hosts(rules::HostTable& hosts, const Judged& judged) {
  for (std::size_t i = 0; i < judged.assessments.size(); ++i)
    hosts.add(judged.connection, judged.connection.directions[i], judged.assessments[i]);
}

bool matches(const Judged& judged, const std::vector<std::string>& words) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return std::any_of(judged.assessments.begin(), judged.assessments.end(),
                       [&](const rules::Assessment& a) {
                         return word == analysis::word(a.verdict.limit) || word == a.verdict.cause;
                       });
  });
}

}  // namespace rwin::app
