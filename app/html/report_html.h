// The page of a report.
#pragma once

#include <string>
#include <vector>

#include "app/finding_list.h"
#include "app/finding_words.h"
#include "app/report.h"

namespace rwin::app::html {

struct ReportPage {
  const RunInfo& info;
  const std::vector<rules::HostSummary>& hosts;
  std::vector<FindingList::Shown> shown;
  std::string answer;    // the whole input in a sentence or three
  std::string left_out;  // what is not shown
  FindingText how;
};
std::string report_page(const ReportPage& report);

}  // namespace rwin::app::html
