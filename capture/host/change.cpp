#include "capture/host/change.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <sstream>

#include "capture/host/durable_file.h"
#include "capture/host/settings.h"

namespace rwin::capture {
namespace {

constexpr std::string_view kJournalHead = "rwin-journal 1";
constexpr std::string_view kJournalEnd = "end";
constexpr std::string_view kFolder = "/etc/sysctl.d";
const std::string kPart = ".part";  // what replace_file() writes before it renames
constexpr std::string_view kWas = "# was ";

// What was there before a change: the journal's content.
struct Before {
  std::vector<Assignment> values;
  std::optional<std::string> file;  // content of the drop-in; nullopt: there was none
};

const Assignment* find(const std::vector<Assignment>& list, std::string_view key) {
  const auto found =
      std::find_if(list.begin(), list.end(), [&](const Assignment& a) { return a.key == key; });
  return found == list.end() ? nullptr : &*found;
}

std::string write_before(const Before& before) {
  std::string text(kJournalHead);
  text += "\n# rwin tune was at work here. 'rwin tune --revert' puts everything back.\n";
  for (const Assignment& a : before.values) text += "value " + a.key + " " + a.value + "\n";
  if (before.file) {
    std::istringstream lines(*before.file);
    text += "file\n";
    for (std::string line; std::getline(lines, line);) text += "|" + line + "\n";
  }
  return text + std::string(kJournalEnd) + "\n";
}

std::optional<Before> read_before(const std::string& text) {
  Before before;
  std::istringstream lines(text);
  std::string line;
  if (!std::getline(lines, line) || line != kJournalHead) return std::nullopt;
  while (std::getline(lines, line)) {
    if (line == kJournalEnd) return before;
    if (line.starts_with("value ")) {
      const std::size_t blank = line.find(' ', 6);
      if (blank == std::string::npos) return std::nullopt;
      before.values.push_back({line.substr(6, blank - 6), line.substr(blank + 1)});
    } else if (line == "file") {
      before.file = "";
    } else if (line.starts_with("|") && before.file) {
      *before.file += line.substr(1) + "\n";
    } else if (!line.starts_with("#")) {
      return std::nullopt;
    }
  }
  return std::nullopt;  // no end
}

std::optional<Assignment> split(std::string_view line) {
  const std::size_t equals = line.find(" = ");
  if (equals == std::string_view::npos) return std::nullopt;
  return Assignment{std::string(line.substr(0, equals)), std::string(line.substr(equals + 3))};
}

std::string write_kept(const Kept& kept, const std::string& title) {
  std::string text =
      "# " + title + "\n# Put back with: rwin tune --revert. What was there before:\n";
  for (const Assignment& a : kept.was) text += std::string(kWas) + a.key + " = " + a.value + "\n";
  for (const Assignment& a : kept.set) text += a.key + " = " + a.value + "\n";
  return text;
}

Kept read_kept(const std::string& text) {
  Kept kept;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(kWas)) {
      if (auto was = split(std::string_view(line).substr(kWas.size())))
        kept.was.push_back(std::move(*was));
    } else if (!line.starts_with("#")) {
      if (auto set = split(line)) kept.set.push_back(std::move(*set));
    }
  }
  return kept;
}

Error broken(const std::string& path) {
  return {ErrorCode::not_readable, "cannot understand " + path,
          "look at it and at 'sysctl net.ipv4.tcp_rmem', then delete it", -1};
}

}  // namespace

HostChange::HostChange(std::string root, std::function<void(std::string_view)> on_step)
    : root_(std::move(root)), on_step_(std::move(on_step)) {}

HostChange::~HostChange() {
  if (lock_ >= 0) close(lock_);
}

void HostChange::step(std::string_view name) const {
  if (on_step_) on_step_(name);
}

std::optional<Error> HostChange::lock() {
  std::error_code fault;
  std::filesystem::create_directories(path(kFolder), fault);
  lock_ = open(path(kFolder).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock_ < 0) return system_error("cannot open " + path(kFolder));
  if (faccessat(AT_FDCWD, path(kFolder).c_str(), W_OK, AT_EACCESS) != 0)
    return system_error("cannot write in " + path(kFolder));
  if (flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK)
      return Error{ErrorCode::not_readable, "another rwin tune is at work",
                   "wait until it has ended", -1};
    return system_error("cannot lock " + path(kFolder));
  }
  return std::nullopt;
}

bool HostChange::interrupted() const {
  for (const std::string& name : {path(kJournal), path(kJournal) + kPart, path(kDropIn) + kPart}) {
    if (access(name.c_str(), F_OK) == 0) return true;
  }
  return false;
}

std::optional<Error> HostChange::remove_parts() {
  if (auto error = remove_file(path(kDropIn) + kPart)) return error;
  return remove_file(path(kJournal) + kPart);
}

Result<Kept> HostChange::kept() const {
  auto content = read_small_file(path(kDropIn));
  if (!content.ok()) return content.error();
  return content.value() ? read_kept(*content.value()) : Kept{};
}

std::optional<Error> HostChange::recover() {
  auto content = read_small_file(path(kJournal));
  if (!content.ok()) return content.error();
  if (!content.value()) return remove_parts();  // nothing was changed yet
  const auto before = read_before(*content.value());
  if (!before) return broken(path(kJournal));
  std::optional<Error> first;
  const auto keep = [&](std::optional<Error> error) {
    if (error && !first) first = std::move(error);
  };
  // In the other order: what limits is lowered last. All of them, also after an error.
  for (auto a = before->values.rbegin(); a != before->values.rend(); ++a) {
    step("recover " + a->key);
    const auto now = read_sysctl(root_, a->key);
    if (!now || !same_value(*now, a->value)) keep(write_sysctl(root_, a->key, a->value));
  }
  step("recover the file");
  keep(before->file ? replace_file(path(kDropIn), *before->file) : remove_file(path(kDropIn)));
  step("recover: remove what was half written");
  keep(remove_parts());
  if (first) return first;  // the journal stays: the next attempt knows what to do
  step("recover: remove the journal");
  return remove_file(path(kJournal));
}

std::optional<Error> HostChange::carry_out(const std::vector<Assignment>& values,
                                           const std::optional<std::string>& file) {
  Before before;
  for (const Assignment& a : values) {
    const auto now = read_sysctl(root_, a.key);
    if (!now) return system_error("cannot read " + a.key);
    if (faccessat(AT_FDCWD, sysctl_path(root_, a.key).c_str(), W_OK, AT_EACCESS) != 0)
      return system_error("cannot set " + a.key);
    before.values.push_back({a.key, one_blank(*now)});
  }
  auto content = read_small_file(path(kDropIn));
  if (!content.ok()) return content.error();
  before.file = content.value();
  step("write the journal");
  if (auto error = replace_file(path(kJournal), write_before(before))) return error;
  const auto undo = [&](Error error) -> std::optional<Error> {
    if (const auto worse = recover()) {
      error.message += "; going back failed too: " + worse->message;
      error.hint = "sudo rwin tune --revert tries again";
    }
    return error;
  };
  for (const Assignment& a : values) {
    step("set " + a.key);
    if (auto error = write_sysctl(root_, a.key, a.value)) return undo(*error);
  }
  step("write the file");
  if (auto error = file ? replace_file(path(kDropIn), *file) : remove_file(path(kDropIn)))
    return undo(*error);
  step("remove the journal");
  return remove_file(path(kJournal));
}

std::optional<Error> HostChange::apply(const std::vector<Assignment>& values,
                                       const std::string& title) {
  auto earlier = kept();
  if (!earlier.ok()) return earlier.error();
  Kept next = earlier.value();
  for (const Assignment& a : values) {
    if (find(next.was, a.key) == nullptr) {
      const auto now = read_sysctl(root_, a.key);
      if (!now) return system_error("cannot read " + a.key);
      next.was.push_back({a.key, one_blank(*now)});
    }
    std::erase_if(next.set, [&](const Assignment& old) { return old.key == a.key; });
    next.set.push_back(a);
  }
  return carry_out(values, write_kept(next, title));
}

std::optional<Error> HostChange::revert() {
  auto earlier = kept();
  if (!earlier.ok()) return earlier.error();
  std::vector<Assignment> values = earlier.value().was;
  std::reverse(values.begin(), values.end());
  return carry_out(values, std::nullopt);
}

}  // namespace rwin::capture
