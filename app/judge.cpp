#include "app/judge.h"

#include <algorithm>

namespace rwin::app {

namespace {

void set_system(const rules::OsGuess& guess, std::string& os, SystemNote& note) {
  if (guess.os.empty()) return;
  os = guess.os;
  note = {guess.confidence, guess.ambiguous, guess.setting};
}

}  // namespace

rules::Settings settings_of(const Options& options) {
  rules::Settings settings;
  settings.target_bps = options.target_bps;
  settings.platforms = options.platforms;
  return settings;
}

Judged judge(analysis::ConnectionResult&& connection, const rules::Settings& settings,
             std::shared_ptr<const LocalSocket> local) {
  const rules::Catalogue& catalogue = rules::Catalogue::built_in();
  Judged judged;
  if (connection.client_offer.seen) {
    set_system(catalogue.guess(connection.client_offer, false), judged.client_os,
               judged.client_note);
  }
  if (connection.server_offer.seen) {
    set_system(catalogue.guess(connection.server_offer, true), judged.server_os,
               judged.server_note);
  }
  for (const analysis::DirectionResult& direction : connection.directions) {
    rules::Settings own = settings;
    if (local && local->client != direction.from_client)
      own.receive_buffer_fixed = receive_buffer_fixed(*local);
    judged.assessments.push_back(rules::assess(connection, direction, own, catalogue));
  }
  judged.connection = std::move(connection);
  judged.local = std::move(local);
  return judged;
}

Judged judge_briefly(analysis::ConnectionResult&& connection, const rules::Settings& settings) {
  Judged judged;
  judged.in_words = false;
  judged.assessments.reserve(connection.directions.size());
  for (const analysis::DirectionResult& direction : connection.directions) {
    judged.assessments.push_back(rules::assess(connection, direction, settings,
                                               rules::Catalogue::built_in(), rules::Words::later));
  }
  judged.connection = std::move(connection);
  return judged;
}

void put_in_words(Judged& judged, const rules::Settings& settings) {
  if (judged.in_words) return;
  judged.in_words = true;
  for (std::size_t i = 0; i < judged.assessments.size(); ++i) {
    rules::put_in_words(judged.assessments[i], judged.connection, judged.connection.directions[i],
                        settings, rules::Catalogue::built_in());
  }
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
