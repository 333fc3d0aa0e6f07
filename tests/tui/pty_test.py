#!/usr/bin/env python3
"""The dashboard on a terminal of its own: whatever ends it, the terminal is as it was before.

usage: pty_test.py RWIN PCAPS [NAME]      all checks, or those with NAME in their name; exit status 1 if one fails
"""
import base64
import fcntl
import os
import pty
import random
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

RWIN, PCAPS = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
FILE = os.path.join(PCAPS, "article-rwin32k-rtt330-receiver.pcap.gz")
DEADLINE = 20  # seconds for anything; reached only when something is wrong


class Failed(Exception):
    pass


def check(what, text):
    if not what:
        raise Failed(text)


class Session:
    """rwin with a terminal of its own as controlling terminal."""

    def __init__(self, arguments=("--tui", FILE), size=(24, 80), environment=None, stdin=None, command=None):
        self.output = b""
        self.master, self.slave = pty.openpty()
        self.resize(*size)
        self.before = termios.tcgetattr(self.slave)
        environ = {"PATH": os.environ["PATH"], "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", **(environment or {})}
        slave = self.slave

        def take_terminal():
            os.setsid()
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)

        self.process = subprocess.Popen(command or [RWIN, *arguments], stdin=slave if stdin is None else stdin, stdout=slave,
                                        stderr=slave, env=environ, preexec_fn=take_terminal, close_fds=True)

    def resize(self, rows, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self, timeout):
        ready, _, _ = select.select([self.master], [], [], timeout)
        if not ready:
            return False
        try:
            got = os.read(self.master, 65536)
        except OSError:
            return False
        self.output += got
        return bool(got)

    def until(self, pattern, since=0):
        """Reads until the pattern stands in the output behind `since`; where it ends."""
        end = time.monotonic() + DEADLINE
        while True:
            match = re.search(pattern, self.output[since:])
            if match:
                return since + match.end()
            if time.monotonic() > end or (not self.read(0.2) and self.process.poll() is not None):
                raise Failed(f"{pattern!r} did not come; the end of what came: {self.output[-400:]!r}")

    def shown(self):
        self.until(rb"quit")

    def send(self, keys):
        os.write(self.master, keys)

    def ended(self):
        """The exit status, negative for a signal; everything that was written is read."""
        end = time.monotonic() + DEADLINE
        while self.process.poll() is None:
            if time.monotonic() > end:
                self.process.kill()
                raise Failed("it does not end")
            self.read(0.05)
        while self.read(0):
            pass
        return self.process.returncode

    def restored(self):
        """Echo, line mode and the rest as before; cursor, screen, keypad and mouse given back, in this order at last."""
        check(termios.tcgetattr(self.slave) == self.before, "the modes of the terminal are not as before")
        for on, off, what in ((rb"\x1b\[\?1049h", rb"\x1b\[\?1049l", "alternate screen"),
                              (rb"\x1b\[\?25l", rb"\x1b\[(\?12l\x1b\[)?\?25h", "cursor"),
                              (rb"\x1b\[\?1000h|\x1b\[\?1006;1000h", rb"\x1b\[\?1000l|\x1b\[\?1006;1000l", "mouse"),
                              (rb"\x1b\[\?1h", rb"\x1b\[\?1l", "keypad")):
            ons = [m.start() for m in re.finditer(on, self.output)]
            offs = [m.start() for m in re.finditer(off, self.output)]
            check(ons and offs and offs[-1] > ons[-1], f"{what}: not given back")
        self.no_orphan()

    def no_orphan(self):
        """Nothing of its session is left."""
        left = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stat:
                    fields = stat.read().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(fields[3]) == self.process.pid and fields[0] != "Z":
                left.append(pid)
        check(not left, f"left behind: {left}")

    def after_screen(self):
        return self.output[self.output.rfind(b"\x1b[?1049l"):].decode("utf-8", "replace")

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for fd in (self.master, self.slave):
            try:
                os.close(fd)
            except OSError:
                pass


def with_session(body, **how):
    session = Session(**how)
    try:
        body(session)
    finally:
        session.close()


def check_q():
    def body(s):
        s.shown()
        s.send(b"q")
        check(s.ended() == 0, "exit status")
        s.restored()
        last = s.after_screen()
        check("rwin: " in last and "receive window" in last and "fix on" in last, f"no short verdict stays: {last!r}")
        check(last.count("\n") <= 11, "the short verdict is not short")
    with_session(body)


def check_capital_q():
    def body(s):
        s.shown()
        s.send(b"Q")
        check(s.ended() == 0, "exit status")
        s.restored()
        check("rwin report" in s.after_screen() and "RECEIVER WINDOW limits" in s.after_screen(), "no report stays")
    with_session(body)


def check_ctrl_c():
    def body(s):
        s.shown()
        s.send(b"\x03")
        check(s.ended() == 0, "exit status")
        s.restored()
        check("rwin: " in s.after_screen(), "no short verdict stays")
    with_session(body)


def orderly(number):
    def body(s):
        s.shown()
        s.process.send_signal(number)
        check(s.ended() == 0, f"exit status {s.process.returncode}")
        s.restored()
    return lambda: with_session(body)


def deadly(number):
    def body(s):
        s.shown()
        s.process.send_signal(number)
        check(s.ended() == -number, f"exit status {s.process.returncode}, wanted death by signal {number}")
        s.restored()
    return lambda: with_session(body)


def check_terminal_closed():
    def body(s):
        s.shown()
        os.close(s.master)
        os.close(s.slave)
        try:
            status = s.process.wait(DEADLINE)
        except subprocess.TimeoutExpired:
            raise Failed("it goes on without a terminal") from None
        check(status == 0, f"exit status {status}")
        s.no_orphan()
    with_session(body)


def check_resize_storm():
    def body(s):
        s.shown()
        sizes = random.Random(1)
        for i in range(300):
            s.resize(sizes.randint(1, 90), sizes.randint(1, 250))
            if i % 7 == 0:
                s.send(sizes.choice([b"1", b"2", b"3", b"4", b"?", b"j", b"+"]))
            s.read(0)
        mark = len(s.output)
        s.resize(24, 80)
        s.send(b"1\x0c")  # ctrl-l: everything anew
        s.until(rb"quit", mark)
        s.send(b"q")
        check(s.ended() == 0, f"exit status {s.process.returncode}")
        s.restored()
    with_session(body)


def check_suspend():
    def body(s):
        s.shown()
        s.send(b"\x1a")
        end = time.monotonic() + DEADLINE
        while True:
            pid, status = os.waitpid(s.process.pid, os.WUNTRACED | os.WNOHANG)
            if pid and os.WIFSTOPPED(status):
                break
            check(not pid and time.monotonic() < end, "ctrl-z does not stop it")
            s.read(0.05)
        while s.read(0.05):
            pass
        check(termios.tcgetattr(s.slave) == s.before, "stopped, the terminal is not as before")
        check(s.output.rfind(b"\x1b[?1049l") > s.output.rfind(b"\x1b[?1049h"), "stopped, the screen is not given back")
        mark = len(s.output)
        s.process.send_signal(signal.SIGCONT)
        s.until(rb"quit", mark)
        s.send(b"q")
        check(s.ended() == 0, "exit status")
        s.restored()
    with_session(body)


def check_keys_and_mouse():
    def body(s):
        s.shown()
        mark = len(s.output)
        s.send(b"\x1bOP")  # F1
        mark = s.until(rb"Letters of the bars|more: down", mark)
        s.send(b"\x1b")
        mark = s.until(rb"WINDOW", mark)
        s.send(b"\x1b[<0;9;5M")  # a click on the first row, which is selected: opens it
        mark = s.until(rb"what held it back", mark)
        s.send(b"\x1bOD\x1bOD")  # left, left: back in time
        mark = s.until(rb"at [0-9.]+", mark)
        s.send(b"\r")
        s.until(rb"Not proven", mark)
        s.send(b"q")
        check(s.ended() == 0, "exit status")
        s.restored()
    with_session(body)


def check_copy():
    def body(s):
        s.shown()
        s.send(b"y")
        end = s.until(rb"\x1b\]52;c;[A-Za-z0-9+/=]+\a")
        text = re.search(rb"\x1b\]52;c;([A-Za-z0-9+/=]+)\a", s.output[:end]).group(1)
        copied = base64.b64decode(text).decode()
        check("sysctl" in copied and copied.startswith("# on "), f"copied: {copied!r}")
        undo = copied[copied.index("# undo:"):].splitlines()
        check(all(line.startswith("#") for line in undo), "pasting the copy would undo it")
        s.until(rb"Any key closes this")
        s.send(b"q")
        check(s.ended() == 0, "exit status")
        s.restored()
    with_session(body)


def check_save():
    folder = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"rwin-pty-{os.getpid()}")
    os.mkdir(folder)
    before = os.getcwd()
    os.chdir(folder)
    try:
        def body(s):
            s.shown()
            s.send(b"w")
            s.until(rb"saved rwin-")
            s.send(b"q")
            check(s.ended() == 0, "exit status")
        with_session(body)
        names = sorted(os.listdir(folder))
        check([n.rsplit(".", 1)[1] for n in names] == ["json", "txt"], f"files: {names}")
        check(all(os.path.getsize(n) > 100 for n in names), "an empty file")
    finally:
        os.chdir(before)
        for name in os.listdir(folder):
            os.remove(os.path.join(folder, name))
        os.rmdir(folder)


def check_capture_through_a_pipe():
    """Standard input is the capture, so the keys come from the terminal itself."""
    with open(FILE, "rb") as capture:
        def body(s):
            s.shown()
            s.send(b"q")
            check(s.ended() == 0, "exit status")
            s.restored()
        with_session(body, arguments=("--tui", "-"), stdin=capture)


def check_no_color():
    def body(s):
        s.shown()
        s.send(b"q")
        s.ended()
        check(not re.search(rb"\x1b\[[0-9;]*(3[0-7]|4[0-7]|9[0-7]|[34]8;5)[;m]", s.output), "colours in spite of NO_COLOR")
        s.restored()
    with_session(body, environment={"NO_COLOR": "1"})


def check_ascii_locale():
    def body(s):
        s.shown()
        s.send(b"2")
        s.until(rb"what held it back")
        s.send(b"q")
        s.ended()
        check(all(byte < 0x7f for byte in s.output), "more than 7 bits in the C locale")
        s.restored()
    with_session(body, environment={"LC_ALL": "C"})


TRANSFER = r"""
import socket, threading
listener = socket.create_server(("127.0.0.1", 0))
def serve():
    peer, _ = listener.accept()
    with peer:
        peer.sendall(bytes(20_000_000))
thread = threading.Thread(target=serve)
thread.start()
client = socket.socket()
client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
client.connect(listener.getsockname())
while client.recv(4096):
    pass
thread.join()
"""


def live(body, *words):
    """`body` beside rwin on the loopback device of a network namespace of its own; skipped where that cannot be made."""
    inside = ["unshare", "-n", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
    if os.geteuid() != 0 or subprocess.run([*inside, "true"], capture_output=True, check=False).returncode != 0:
        print("skipped live: not root, or no network namespaces")
        return
    with_session(body, size=(40, 140), command=[*inside, RWIN, *words])


def check_live():
    def body(s):
        s.until(rb"LIVE|waiting|Waiting")
        ran = subprocess.run(["nsenter", "-t", str(s.process.pid), "-n", sys.executable, "-c", TRANSFER], check=False)
        check(ran.returncode == 0, "the transfer failed")
        s.until(rb"127\.0\.0\.1:[0-9]+")
        mark = len(s.output)
        s.send(b"2")
        s.until(rb"what held it back", mark)
        s.send(b"q")
        check(s.ended() == 0, f"exit status {s.process.returncode}")
        s.restored()
        last = s.after_screen()
        check("rwin: " in last and "127.0.0.1" in last and "packets captured" in last, f"what stays: {last!r}")
    live(body, "-i", "lo")


def check_pick_interface():
    """Without any word: which interface?"""
    def pick(s):
        s.until(rb"lo +this host to itself")
        s.until(rb"q to quit: ")
        s.send(b"9\nlo\n")
        s.shown()
        s.send(b"q")
        check(s.ended() == 0, f"exit status {s.process.returncode}")
        s.restored()

    def none(s):
        s.until(rb"q to quit: ")
        s.send(b"q\n")
        check(s.ended() == 0 and b"\x1b[?1049h" not in s.output, "q picks none")
    live(pick)
    with_session(none, command=[RWIN])


def check_live_keys():
    """In the sandbox of a live capture: w writes reports, W packets until W again, F another filter; a bad one is refused."""
    folder = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"rwin-pty-live-{os.getpid()}")
    os.mkdir(folder)
    os.chmod(folder, 0o777)  # rwin, called by root itself, is nobody by then
    before = os.getcwd()
    os.chdir(folder)
    try:
        def transfer(s):
            ran = subprocess.run(["nsenter", "-t", str(s.process.pid), "-n", sys.executable, "-c", TRANSFER], check=False)
            check(ran.returncode == 0, "the transfer failed")

        def say(s, keys, pattern):
            # Another message first goes away: only what changes is drawn.
            s.send(b"1")
            for _ in range(5):
                s.read(0.2)
            mark = len(s.output)
            s.send(keys)
            s.until(pattern, mark)

        def body(s):
            s.until(rb"LIVE|waiting|Waiting")
            transfer(s)
            s.until(rb"127\.0\.0\.1:[0-9]+")
            say(s, b"W", rb"packets from now on: rwin-")
            transfer(s)
            time.sleep(0.5)
            say(s, b"W", rb"saved [1-9][0-9 ]* packets in rwin-")
            say(s, b"w", rb"saved rwin-[-0-9]*\.txt")
            say(s, b"Ftcp port\r", rb"bad filter")
            s.send(b"F\x15udp port 53\r")
            for _ in range(8):  # in force with the next snapshot; what is told at the end proves it
                s.read(0.2)
            s.send(b"q")
            check(s.ended() == 0, f"exit status {s.process.returncode}")
            check("filter was changed" in s.after_screen(), f"what stays: {s.after_screen()!r}")
        live(body, "-i", "lo")
        names = sorted(os.listdir(folder))
        if not names:
            return  # skipped
        check(sorted(n.rsplit(".", 1)[1] for n in names) == ["json", "pcap", "txt"], f"files: {names}")
        read = subprocess.run([RWIN, "-J", [n for n in names if n.endswith("pcap")][0]], capture_output=True, check=False)
        check(read.returncode == 0 and b'"server"' in read.stdout, f"{read}")
    finally:
        os.chdir(before)
        for name in os.listdir(folder):
            os.remove(os.path.join(folder, name))
        os.rmdir(folder)


def check_run():
    def body(s):
        check(s.ended() == 7, f"exit status {s.process.returncode}, wanted the command's")
        s.restored()
        last = s.after_screen()
        check("said by the command" in last, f"what the command said is lost: {last!r}")
        check("rwin report" in last and "127.0.0.1" in last, f"no diagnosis: {last!r}")
    live(body, "run", "--tui", "-i", "lo", "--", sys.executable, "-c",
         TRANSFER + "\nprint('said by the command')\nimport sys\nsys.exit(7)")


def check_unknown_terminal():
    def body(s):
        check(s.ended() == 2, "exit status")
        check(b"is not known" in s.output and b"\x1b[?1049h" not in s.output, f"said: {s.output!r}")
    with_session(body, environment={"TERM": "no-such-terminal"})


def check_without_terminal():
    ran = subprocess.run([RWIN, "--tui", FILE], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    check(ran.returncode == 2 and b"needs a terminal" in ran.stderr and not ran.stdout, f"{ran}")


CHECKS = {
    "q": check_q,
    "Q": check_capital_q,
    "ctrl-c": check_ctrl_c,
    "SIGINT": orderly(signal.SIGINT),
    "SIGTERM": orderly(signal.SIGTERM),
    "SIGHUP": orderly(signal.SIGHUP),
    "SIGABRT": deadly(signal.SIGABRT),
    "SIGSEGV": deadly(signal.SIGSEGV),
    "SIGQUIT": deadly(signal.SIGQUIT),
    "terminal closed": check_terminal_closed,
    "resize storm": check_resize_storm,
    "suspend": check_suspend,
    "keys and mouse": check_keys_and_mouse,
    "copy": check_copy,
    "save": check_save,
    "capture through a pipe": check_capture_through_a_pipe,
    "NO_COLOR": check_no_color,
    "ascii locale": check_ascii_locale,
    "live": check_live,
    "live keys": check_live_keys,
    "pick an interface": check_pick_interface,
    "run": check_run,
    "unknown terminal": check_unknown_terminal,
    "without terminal": check_without_terminal,
}


def main():
    wanted = sys.argv[3] if len(sys.argv) > 3 else ""
    failed = 0
    for name, run in CHECKS.items():
        if wanted not in name:
            continue
        try:
            run()
            print(f"ok      {name}")
        except Failed as fault:
            failed += 1
            print(f"FAILED  {name}: {fault}")
    sys.exit(1 if failed else 0)


main()
