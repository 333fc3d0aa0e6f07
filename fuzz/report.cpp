// A capture file, all the way to the JSON report.
#include <array>
#include <csignal>
#include <nlohmann/json.hpp>

#include "app/analyze.h"
#include "app/output.h"
#include "fuzz/memory_file.h"
#include "fuzz/targets.h"

namespace rwin::fuzz {

void report(Input input) {
  static MemoryFile file, document;
  static const volatile std::sig_atomic_t kNeverStop = 0;
  file.set(input);
  document.set({});
  app::Options options;
  options.files = {file.path()};
  options.format = app::Format::json;
  app::ExitCode code{};
  {
    app::Output out(document.descriptor());
    const auto json = app::make_report(out, options, {});
    code = app::analyze(options, *json, kNeverStop, false).code;
  }
  require(
      code == app::ExitCode::ok || code == app::ExitCode::failed || code == app::ExitCode::partial,
      "exit code 0, 1 or 4");
  const auto read = nlohmann::json::parse(document.content(), nullptr, false);
  require(!read.is_discarded(), "the report is valid JSON");
  for (const char* key :
       {"schema", "tool", "source", "capture", "settings", "connections", "hosts", "error"})
    require(read.contains(key), "every top-level key is there");
  require(read["error"].is_null() == (code != app::ExitCode::failed),
          "a failure is in the document");
}

}  // namespace rwin::fuzz
