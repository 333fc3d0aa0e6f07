// Least privilege: only what opening a capture needs, and nothing of it afterwards.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "capture/result.h"

namespace rwin::capture {

// A user of this system.
struct User {
  uid_t uid = 0;
  gid_t gid = 0;
  std::string name;
};

// Who called the program: behind sudo the user who typed it, else the one it runs as.
User caller();

// What capturing needs here and how somebody gets it for good, for messages.
struct CaptureRight {
  std::string_view name, permanently;
};
#if defined(__linux__)
inline constexpr CaptureRight kCaptureRight = {
    "CAP_NET_RAW", "sudo setcap cap_net_raw+ep \"$(command -v rwin)\"      (package: libcap2-bin)"};
#else
inline constexpr CaptureRight kCaptureRight = {
    "/dev/bpf*",
    "let a group read and write /dev/bpf* (FreeBSD: devfs.rules; macOS: Wireshark's ChmodBPF)"};
#endif

// Packets can be captured: CAP_NET_RAW is in effect. Elsewhere than on Linux opening tells.
bool can_capture();

// Processes whose parent has ended become children of this one, where the system can do that
// (Linux, FreeBSD).
void adopt_orphans();

// Whom to become once the capture is open: `wanted` (-Z) by name, else the caller; nobody where the
// caller is root itself. Error not_readable: no such user.
Result<User> user_after_opening(const std::string& wanted);

// Becomes `user`: no other groups, empty capability sets (bounding set too, where that may be
// changed), no new privileges for whatever is started. `keep_sight` leaves CAP_SYS_PTRACE and
// CAP_DAC_READ_SEARCH: to see which sockets are whose where root itself started a command. Without
// privileges to give up only the rest is done. Error missing_privilege: it could not be done; do
// not go on then. Threads started later inherit it: call it before them.
Result<bool> relinquish(const User& user, bool keep_sight);

struct SandboxNeeds {
  bool create_files = false;  // capture files in turn, reports that are renamed when complete
  bool internet = false;      // names, an HTTP endpoint
};
// Closes system calls that are never needed again: programs, other processes, modules, mounts, raw
// sockets, and where not needed creating files and the internet. They fail with EPERM. Returns
// false where the kernel (or a build with sanitizers) has none. After relinquish(), before threads.
bool enter_sandbox(const SandboxNeeds& needs);

}  // namespace rwin::capture
