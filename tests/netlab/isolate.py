"""A mount and a process namespace for the whole lab: network namespaces, processes and work files end with it.

However the lab ends, by itself, by ctrl-c or by SIGKILL, the kernel then ends every process that it started, and with the
last of them its namespaces and the memory file system that held their names and work files.
"""
import ctypes
import os
import shutil
import signal
import sys

CLONE_NEWNS, CLONE_NEWPID = 0x00020000, 0x20000000
MS_REC, MS_PRIVATE = 0x4000, 0x40000
PR_SET_PDEATHSIG = 1
SKIPPED = 77
WORK = "/run/netns"  # covered by a memory file system of the lab's own

libc = ctypes.CDLL(None, use_errno=True)


def missing():
    """Why the lab cannot run here, or None."""
    if not sys.platform.startswith("linux"):
        return "not Linux"
    if os.geteuid() != 0:
        return "not root"
    if not os.path.exists("/dev/net/tun"):
        return "no /dev/net/tun"
    if not os.path.exists("/proc/self/ns/net"):
        return "no network namespaces"
    for tool in ("ip", "tcpdump", "sysctl", "mount"):
        if not shutil.which(tool):
            return f"{tool} is not installed"
    try:
        os.close(os.open("/dev/net/tun", os.O_RDWR))
    except OSError as error:
        return f"/dev/net/tun: {error.strerror}"
    return None


def call(name, result):
    if result != 0:
        raise OSError(ctypes.get_errno(), f"{name}: {os.strerror(ctypes.get_errno())}")


def enter():
    """Forks. Returns in the child, which is process 1 of the new namespace; the parent exits with the child's status."""
    try:
        call("unshare", libc.unshare(CLONE_NEWNS | CLONE_NEWPID))
    except OSError as error:
        print(f"skipped: {error}")
        sys.exit(SKIPPED)
    child = os.fork()
    if child == 0:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        call("private mounts", libc.mount(None, b"/", None, MS_REC | MS_PRIVATE, None))
        os.makedirs(WORK, exist_ok=True)
        call("mount", libc.mount(b"rwinlab", WORK.encode(), b"tmpfs", 0, b"mode=0700"))
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
        return
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: os.kill(child, signal.SIGTERM))
    _, status = os.waitpid(child, 0)
    os._exit(os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))
