#include "app/rules_dir.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <list>
#include <sstream>
#include <system_error>

#include "app/option_words.h"
#include "rules/use_rules.h"

namespace rwin::app {
namespace {

namespace fs = std::filesystem;
using rules::Catalogue;

constexpr std::uintmax_t kLargestFile = 4 << 20;
constexpr std::size_t kFaultsShown = 10;

struct RuleFile {
  std::string name, text;
};

class RuleFolder {
 public:
  explicit RuleFolder(const std::string& dir) : dir_(dir) {}

  // All *.toml of a folder below, by name. None is no fault.
  void read(const fs::path& below, std::vector<Catalogue::Text>& out) {
    std::error_code fault;
    std::vector<fs::path> paths;
    for (const auto& entry : fs::directory_iterator(dir_ / below, fault)) {
      const fs::path& path = entry.path();
      if (path.extension() == ".toml" && path.filename() != "fingerprints.toml") {
        paths.push_back(path);
      }
    }
    if (fault && fault != std::errc::no_such_file_or_directory) {
      faults_.push_back(fmt::format("{}: {}", (dir_ / below).string(), fault.message()));
    }
    std::sort(paths.begin(), paths.end());
    for (const fs::path& path : paths) read_file(path, out);
  }

  void read_file(const fs::path& path, std::vector<Catalogue::Text>& out) {
    std::error_code fault;
    const std::uintmax_t size = fs::file_size(path, fault);
    if (!fault && size > kLargestFile) {
      faults_.push_back(path.string() + ": too large for a rules file");
      return;
    }
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    if (fault || !in || !(text << in.rdbuf())) {
      // An empty file has nothing to stream; it is reported by its missing keys.
      if (fault || size > 0) {
        faults_.push_back(path.string() + ": cannot be read");
        return;
      }
    }
    files_.push_back({path.string(), text.str()});
    out.push_back({files_.back().name, files_.back().text});
  }

  [[nodiscard]] bool has(const fs::path& name) const {
    std::error_code fault;
    return fs::is_regular_file(dir_ / name, fault);
  }
  [[nodiscard]] const fs::path& dir() const { return dir_; }
  std::vector<std::string>& faults() { return faults_; }

 private:
  fs::path dir_;
  std::list<RuleFile> files_;  // the texts are views of these
  std::vector<std::string> faults_;
};

}  // namespace

std::variant<Catalogue, Failure> read_rules(const std::string& dir) {
  std::error_code fault;
  if (!fs::is_directory(dir, fault)) {
    return usage_failure(
        fmt::format("--rules {}: {}", dir, fault ? fault.message() : "not a folder"),
        "name a folder with platforms/*.toml, applications/*.toml or fingerprints.toml");
  }
  RuleFolder folder(dir);
  Catalogue::Texts own;
  folder.read("", own.platforms);
  folder.read("platforms", own.platforms);
  folder.read("applications", own.applications);
  if (folder.has("fingerprints.toml")) {
    folder.read_file(folder.dir() / "fingerprints.toml", own.fingerprints);
  }
  const bool nothing =
      own.platforms.empty() && own.applications.empty() && own.fingerprints.empty();
  if (nothing && folder.faults().empty()) {
    return usage_failure(fmt::format("--rules {}: no rules in it", dir),
                         "it takes platforms/*.toml, applications/*.toml and fingerprints.toml");
  }
  std::vector<std::string>& faults = folder.faults();
  Catalogue catalogue = Catalogue::parse({Catalogue::built_in_texts(), own}, faults);
  if (faults.empty()) return catalogue;
  Failure failure = usage_failure(faults.front(), "what a file may say: rules/platforms/README.md");
  if (faults.size() > 1) {
    const std::size_t shown = std::min(faults.size(), kFaultsShown);
    failure.hint = fmt::format("{} more: {}{}", faults.size() - 1,
                               fmt::join(faults.begin() + 1, faults.begin() + shown, "; "),
                               faults.size() > shown ? "; ..." : "");
  }
  return failure;
}

std::optional<Failure> use_rules_of(const std::string& dir) {
  if (dir.empty()) return std::nullopt;
  auto read = read_rules(dir);
  if (auto* wrong = std::get_if<Failure>(&read)) return std::move(*wrong);
  rules::use_rules(std::get<Catalogue>(std::move(read)));
  return std::nullopt;
}

}  // namespace rwin::app
