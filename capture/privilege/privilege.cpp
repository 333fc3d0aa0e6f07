#include "capture/privilege/privilege.h"

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#if defined(__linux__)
#include <cap-ng.h>
#include <sys/prctl.h>
#elif defined(__FreeBSD__)
#include <sys/procctl.h>
#endif

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>

namespace rwin::capture {
namespace {

constexpr uid_t kNobody = 65534;

std::optional<User> look_up(const char* name, uid_t uid) {
  std::array<char, 4096> memory{};
  passwd entry{};
  passwd* found = nullptr;
  const int result = name != nullptr
                         ? getpwnam_r(name, &entry, memory.data(), memory.size(), &found)
                         : getpwuid_r(uid, &entry, memory.data(), memory.size(), &found);
  if (result != 0 || found == nullptr) return std::nullopt;
  return User{entry.pw_uid, entry.pw_gid, entry.pw_name};
}

User by_number(uid_t uid, gid_t gid) {
  auto user = look_up(nullptr, uid);
  if (!user) user = User{uid, gid, "uid " + std::to_string(uid)};
  user->gid = gid;
  return *user;
}

// A number in the environment; sudo writes it, and only root is asked for it.
std::optional<unsigned> number(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr || *text < '0' || *text > '9') return std::nullopt;
  char* end = nullptr;
  errno = 0;
  const unsigned long value = std::strtoul(text, &end, 10);
  if (errno != 0 || *end != '\0' || value >= 0xffffffffUL) return std::nullopt;
  return static_cast<unsigned>(value);
}

Error failed(const std::string& what) {
  return {ErrorCode::missing_privilege, "cannot give up privileges: " + what,
          "-Z USER names the user to become", -1};
}

}  // namespace

User caller() {
  const auto uid = number("SUDO_UID");
  const auto gid = number("SUDO_GID");
  if (geteuid() == 0 && uid && gid) return by_number(*uid, *gid);
  return by_number(getuid(), getgid());
}

Result<User> user_after_opening(const std::string& wanted) {
  if (!wanted.empty()) {
    if (auto user = look_up(wanted.c_str(), 0)) return *user;
    return Error{ErrorCode::not_readable, "there is no user " + wanted,
                 "getent passwd lists the users of this system", -1};
  }
  const User who = caller();
  if (who.uid != 0) return who;
  if (auto nobody = look_up("nobody", 0)) return *nobody;
  return by_number(kNobody, kNobody);
}

#if defined(__linux__)

void adopt_orphans() { prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }

bool can_capture() {
  capng_get_caps_process();
  return capng_have_capability(CAPNG_EFFECTIVE, CAP_NET_RAW) != 0;
}

Result<bool> relinquish(const User& user, bool keep_sight) {
  capng_get_caps_process();
  const bool privileged = geteuid() == 0;
  const bool bounding = capng_have_capability(CAPNG_EFFECTIVE, CAP_SETPCAP) != 0;
  const bool sight = keep_sight && capng_have_capability(CAPNG_PERMITTED, CAP_SYS_PTRACE) != 0 &&
                     capng_have_capability(CAPNG_PERMITTED, CAP_DAC_READ_SEARCH) != 0;
  capng_clear(CAPNG_SELECT_BOTH);
  if (sight) {
    for (const unsigned capability : {CAP_SYS_PTRACE, CAP_DAC_READ_SEARCH})
      capng_update(CAPNG_ADD, static_cast<capng_type_t>(CAPNG_EFFECTIVE | CAPNG_PERMITTED),
                   capability);
  }
  if (privileged && user.uid != geteuid()) {
    const int flags = CAPNG_DROP_SUPP_GRP | (bounding ? CAPNG_CLEAR_BOUNDING : 0);
    const int result = capng_change_id(static_cast<int>(user.uid), static_cast<int>(user.gid),
                                       static_cast<capng_flags_t>(flags));
    if (result != 0)
      return failed("becoming " + user.name + " failed (step " + std::to_string(-result) + ")");
  } else {
    if (bounding) capng_apply(CAPNG_SELECT_BOUNDS);
    if (capng_apply(CAPNG_SELECT_CAPS) != 0) return failed(std::strerror(errno));
  }
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return failed(std::strerror(errno));
  return true;
}

#else

void adopt_orphans() {
#if defined(__FreeBSD__)
  procctl(P_PID, 0, PROC_REAP_ACQUIRE, nullptr);
#endif
}

// Devices are protected by their files: opening tells.
bool can_capture() { return true; }

Result<bool> relinquish(const User& user, bool) {
  if (geteuid() != 0 || user.uid == 0) return true;
  if (initgroups(user.name.c_str(), static_cast<int>(user.gid)) != 0 || setgid(user.gid) != 0 ||
      setuid(user.uid) != 0 || setuid(0) == 0)
    return failed("becoming " + user.name + ": " + std::strerror(errno));
  return true;
}

#endif

}  // namespace rwin::capture
