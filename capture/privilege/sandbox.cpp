#include "capture/privilege/privilege.h"

#if defined(__linux__) && !defined(RWIN_SANITIZED)

#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/socket.h>

#include <cerrno>
#include <initializer_list>

namespace rwin::capture {

namespace {

constexpr std::uint32_t kRefuse = SCMP_ACT_ERRNO(EPERM);

class Rules {
 public:
  Rules() : context_(seccomp_init(SCMP_ACT_ALLOW)) {}
  ~Rules() {
    if (context_ != nullptr) seccomp_release(context_);
  }
  Rules(const Rules&) = delete;
  Rules& operator=(const Rules&) = delete;

  void refuse(std::initializer_list<int> calls) {
    for (const int call : calls) add(kRefuse, call, {});
  }
  void refuse_if(int call, std::initializer_list<scmp_arg_cmp> arguments) {
    add(kRefuse, call, arguments);
  }
  void missing(int call) { add(SCMP_ACT_ERRNO(ENOSYS), call, {}); }
  bool load() { return good_ && context_ != nullptr && seccomp_load(context_) == 0; }

 private:
  // A call that this machine does not have (a negative number of libseccomp's) is no fault.
  void add(std::uint32_t action, int call, std::initializer_list<scmp_arg_cmp> arguments) {
    if (context_ == nullptr || call < 0) return;
    good_ = seccomp_rule_add_array(context_, action, call, static_cast<unsigned>(arguments.size()),
                                   arguments.begin()) == 0 &&
            good_;
  }
  scmp_filter_ctx context_;
  bool good_ = true;
};

// The first argument of the call. (libseccomp's own macro for it makes clang++ warn.)
scmp_arg_cmp first_is(scmp_datum_t value) { return {0, SCMP_CMP_EQ, value, 0}; }

}  // namespace

bool enter_sandbox(const SandboxNeeds& needs) {
  Rules rules;
  // Programs and other processes. Threads go on being made: clone3 is "missing", so that the C
  // library falls back to clone, whose flags can be seen.
  rules.refuse({SCMP_SYS(execve), SCMP_SYS(execveat), SCMP_SYS(fork), SCMP_SYS(vfork),
                SCMP_SYS(ptrace), SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev),
                SCMP_SYS(setns), SCMP_SYS(unshare), SCMP_SYS(personality)});
  rules.missing(SCMP_SYS(clone3));
  rules.refuse_if(SCMP_SYS(clone), {SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0)});
  // The system.
  rules.refuse({SCMP_SYS(mount),
                SCMP_SYS(umount2),
                SCMP_SYS(pivot_root),
                SCMP_SYS(chroot),
                SCMP_SYS(init_module),
                SCMP_SYS(finit_module),
                SCMP_SYS(delete_module),
                SCMP_SYS(kexec_load),
                SCMP_SYS(kexec_file_load),
                SCMP_SYS(reboot),
                SCMP_SYS(swapon),
                SCMP_SYS(swapoff),
                SCMP_SYS(bpf),
                SCMP_SYS(perf_event_open),
                SCMP_SYS(userfaultfd),
                SCMP_SYS(io_uring_setup),
                SCMP_SYS(keyctl),
                SCMP_SYS(add_key),
                SCMP_SYS(request_key),
                SCMP_SYS(open_by_handle_at),
                SCMP_SYS(mknod),
                SCMP_SYS(mknodat),
                SCMP_SYS(acct),
                SCMP_SYS(quotactl)});
  // Rights and identities.
  rules.refuse({SCMP_SYS(setuid), SCMP_SYS(setgid), SCMP_SYS(setreuid), SCMP_SYS(setregid),
                SCMP_SYS(setresuid), SCMP_SYS(setresgid), SCMP_SYS(setgroups), SCMP_SYS(capset),
                SCMP_SYS(chmod), SCMP_SYS(fchmodat), SCMP_SYS(chown), SCMP_SYS(fchown),
                SCMP_SYS(lchown), SCMP_SYS(fchownat)});
  // Sockets: this host's tables (netlink) and system services (unix), else only what is needed.
  rules.refuse_if(SCMP_SYS(socket), {first_is(AF_PACKET)});
  if (!needs.internet) {
    rules.refuse_if(SCMP_SYS(socket), {first_is(AF_INET)});
    rules.refuse_if(SCMP_SYS(socket), {first_is(AF_INET6)});
    rules.refuse({SCMP_SYS(listen)});
  }
  if (!needs.create_files) {
    for (const int mode : {O_WRONLY, O_RDWR}) {
      const auto writes = static_cast<scmp_datum_t>(mode);
      rules.refuse_if(SCMP_SYS(open), {SCMP_A1(SCMP_CMP_MASKED_EQ, O_ACCMODE, writes)});
      rules.refuse_if(SCMP_SYS(openat), {SCMP_A2(SCMP_CMP_MASKED_EQ, O_ACCMODE, writes)});
    }
    rules.missing(SCMP_SYS(openat2));
    rules.refuse({SCMP_SYS(creat), SCMP_SYS(rename), SCMP_SYS(renameat), SCMP_SYS(renameat2),
                  SCMP_SYS(unlink), SCMP_SYS(unlinkat), SCMP_SYS(mkdir), SCMP_SYS(mkdirat),
                  SCMP_SYS(rmdir), SCMP_SYS(fchmod), SCMP_SYS(link), SCMP_SYS(linkat),
                  SCMP_SYS(symlink), SCMP_SYS(symlinkat), SCMP_SYS(truncate)});
  }
  return rules.load();
}

}  // namespace rwin::capture

#else

namespace rwin::capture {

bool enter_sandbox(const SandboxNeeds&) { return false; }

}  // namespace rwin::capture

#endif
