#include "capture/host/settings.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <sstream>

#include "capture/host/durable_file.h"

namespace rwin::capture {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBlanks = " \t\r\n";

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(kBlanks) - first + 1));
}

// "-net/ipv4/tcp_rmem" and "net.ipv4.tcp_rmem" are the same key (sysctl.d(5)).
std::string plain_key(std::string_view text) {
  std::string key = trimmed(text);
  if (!key.empty() && key[0] == '-') key.erase(0, 1);
  const std::size_t separator = key.find_first_of("./");
  if (separator != std::string::npos && key[separator] == '/')
    std::replace(key.begin(), key.end(), '/', '.');
  return key;
}

// The later assignment wins.
void read_assignments(const std::string& root, const std::string& file,
                      const std::vector<std::string>& keys, std::vector<Persisted>& found) {
  const auto content = read_small_file(root + file);
  if (!content.ok() || !content.value()) return;
  std::istringstream lines(*content.value());
  for (std::string line; std::getline(lines, line);) {
    line = trimmed(line);
    const std::size_t equals = line.find('=');
    if (line.empty() || line[0] == '#' || line[0] == ';' || equals == std::string::npos) continue;
    Persisted one{plain_key(line.substr(0, equals)), trimmed(line.substr(equals + 1)), file};
    if (std::find(keys.begin(), keys.end(), one.key) == keys.end()) continue;
    std::erase_if(found, [&](const Persisted& p) { return p.key == one.key; });
    found.push_back(std::move(one));
  }
}

// sysctl.d(5): files by name, whatever their folder; the same name in an earlier folder hides later
// ones. /etc/sysctl.conf comes last (sysctl --system of procps).
std::vector<Persisted> read_persisted(const std::string& root,
                                      const std::vector<std::string>& keys) {
  std::map<std::string, std::string> files;
  for (const std::string_view folder : {"/etc/sysctl.d", "/run/sysctl.d", "/usr/local/lib/sysctl.d",
                                        "/usr/lib/sysctl.d", "/lib/sysctl.d"}) {
    std::error_code fault;
    for (fs::directory_iterator at(root + std::string(folder), fault), end; !fault && at != end;
         at.increment(fault)) {
      const std::string name = at->path().filename().string();
      if (at->path().extension() == ".conf")
        files.try_emplace(name, std::string(folder) + "/" + name);
    }
  }
  std::vector<Persisted> found;
  for (const auto& [name, path] : files) read_assignments(root, path, keys, found);
  if (files.find("99-sysctl.conf") == files.end())
    read_assignments(root, "/etc/sysctl.conf", keys, found);
  return found;
}

}  // namespace

std::string sysctl_path(const std::string& root, std::string_view key) {
  std::string path = root + "/proc/sys/";
  for (const char c : key) path += c == '.' ? '/' : c;
  return path;
}

std::optional<std::string> read_sysctl(const std::string& root, std::string_view key) {
  const auto content = read_small_file(sysctl_path(root, key));
  if (!content.ok() || !content.value()) return std::nullopt;
  return trimmed(*content.value());
}

std::string one_blank(std::string_view value) {
  std::istringstream words{std::string(value)};
  std::string out;
  for (std::string word; words >> word;) out += (out.empty() ? "" : " ") + word;
  return out;
}

bool same_value(std::string_view a, std::string_view b) { return one_blank(a) == one_blank(b); }

std::optional<Error> write_sysctl(const std::string& root, std::string_view key,
                                  std::string_view value) {
  const std::string name(key);
  const int fd = open(sysctl_path(root, key).c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (fd < 0) return system_error("cannot set " + name);
  const std::string line = std::string(value) + "\n";
  const ssize_t n = write(fd, line.data(), line.size());
  const int fault = n < 0 ? errno : 0;
  close(fd);
  if (n < 0) {
    errno = fault;
    return system_error("cannot set " + name + " to " + std::string(value));
  }
  const auto now = read_sysctl(root, key);
  if (now && same_value(*now, value)) return std::nullopt;
  return Error{
      ErrorCode::not_readable,
      name + " reads " + now.value_or("nothing") + " after " + std::string(value) + " was written",
      "this kernel does not take the value", -1};
}

Result<HostSettings> read_settings(const std::string& root, const std::vector<std::string>& keys) {
  HostSettings settings;
  for (const std::string& key : keys) {
    Sysctl& one = settings.values[key];
    one.value = read_sysctl(root, key);
    one.writable = one.value && access(sysctl_path(root, key).c_str(), W_OK) == 0;
  }
  const bool any = std::any_of(settings.values.begin(), settings.values.end(), [](const auto& v) {
    return v.first.starts_with("net.ipv4.tcp_rmem") && v.second.value.has_value();
  });
  if (!any) {
    return Error{ErrorCode::unsupported,
                 "there is no " + sysctl_path(root, "net.ipv4.tcp_rmem") + " to read",
                 "this needs Linux with /proc", -1};
  }
  settings.release = read_sysctl(root, "kernel.osrelease").value_or("");
  // The kernel shows this one to the initial network namespace only (net/ipv4/sysctl_net_ipv4.c).
  settings.own_namespace = access(sysctl_path(root, "net.ipv4.tcp_mem").c_str(), F_OK) != 0;
  const long page = sysconf(_SC_PAGESIZE);
  if (page > 0) settings.page_bytes = static_cast<std::uint64_t>(page);
  settings.persisted = read_persisted(root, keys);
  return settings;
}

}  // namespace rwin::capture
