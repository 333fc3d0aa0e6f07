// One flow of the page: verdict, figures, pictures, fix.
#pragma once

#include <set>
#include <string>

#include "app/finding.h"
#include "app/finding_words.h"
#include "app/html/pictures.h"

namespace rwin::app::html {

// "flow-1-down" (to the client) or "flow-1-up": its place in the page, and the name of its
// pictures.
std::string flow_id(const Finding& finding);
// "198.51.100.7:443 → 192.0.2.10:51544"
std::string flow_name(const Finding& finding);

// `codes` gets the words that are to be explained on the page.
std::string flow_html(const Finding& finding, const FindingText& how,
                      std::set<std::string, std::less<>>& codes);

// All pictures of a flow with the time cursor over them. `id` tells its elements from others.
std::string pictures_html(const Finding& finding, const Columns& columns, const Scales& scales,
                          const FindingText& how, std::string_view id);

}  // namespace rwin::app::html
