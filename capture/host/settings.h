// This host's sysctl values, as the files below ROOT/proc/sys show them, and what its configuration
// files set at start. Linux; elsewhere everything is unknown.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capture/result.h"

namespace rwin::capture {

struct Sysctl {
  std::optional<std::string> value;  // without the newline; nullopt: not there or not readable
  bool writable = false;             // by this process
};

struct Persisted {
  std::string key, value;
  std::string file;  // path without ROOT
};

struct HostSettings {
  std::string release;         // kernel, "6.1.0-18-amd64"; empty: not known
  bool own_namespace = false;  // not the initial network namespace: net.ipv4.tcp_mem is not there
  std::uint64_t page_bytes = 4096;
  std::map<std::string, Sysctl, std::less<>> values;
  std::vector<Persisted> persisted;  // of the keys asked for; the file that wins, as systemd-sysctl
                                     // and procps order them (/etc/sysctl.conf last)
};

// `root`: empty for this system, else the folder that stands for "/". An error when there is no
// Linux below it.
Result<HostSettings> read_settings(const std::string& root, const std::vector<std::string>& keys);

// ROOT/proc/sys/net/ipv4/tcp_rmem
std::string sysctl_path(const std::string& root, std::string_view key);
// The value without the newline at its end; nullopt where it cannot be read.
std::optional<std::string> read_sysctl(const std::string& root, std::string_view key);
// Writes, then reads back: an error where the kernel did not take it.
std::optional<Error> write_sysctl(const std::string& root, std::string_view key,
                                  std::string_view value);
// One blank between the words of a value: the kernel separates with tabs.
std::string one_blank(std::string_view value);
// Values are the same but for blanks and tabs.
bool same_value(std::string_view a, std::string_view b);

}  // namespace rwin::capture
