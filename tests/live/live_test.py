#!/usr/bin/env python3
"""Live captures of the real program between network namespaces.

usage: live_test.py RWIN EMULATOR [TEST...]      exit status 77 (skipped, with the reason) where that cannot be done
"""
import json
import os
import signal
import subprocess
import sys
import time
import unittest

import live_lab
from live_lab import HERE, THERE, WEB, Lab, end, must, run, status, wait_until

RWIN = EMULATOR = ""
NOBODY = 65534


def without_times(document):
    """The JSON without what may differ between a live capture and the same packets read."""
    report = json.loads(document) if isinstance(document, str) else document
    for key in ("tool", "warnings"):
        report.pop(key, None)
    for key in ("kind", "names"):
        report["source"].pop(key)
    for key in ("kernel_drops", "interface_drops"):
        report["capture"].pop(key)
    for connection in report["connections"]:
        connection.pop("local", None)
    return report


class Privileges(unittest.TestCase):
    def check_process(self, pid, uid):
        state = status(pid)
        self.assertEqual(state["Uid"].split(), [str(uid)] * 4)
        self.assertEqual(state["Groups"].split(), [])
        for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
            self.assertEqual(int(state[name], 16), 0, name)
        self.assertEqual(state["NoNewPrivs"], "1")
        return state

    def same_packets(self, path, packets):
        shown = run("tcpdump", "-nr", path)
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertEqual(len(shown.stdout.splitlines()), packets)

    def test_root_itself_becomes_nobody(self):
        with Lab("root") as lab:
            lab.serve("there", WEB, THERE, "8000")
            capture = lab.watch(RWIN, "-J", "-w", lab.path("x.pcap"), "-o", lab.path("r.json"), "--metrics", lab.path("m"))
            state = self.check_process(capture.pid, NOBODY)
            self.assertEqual(state["Seccomp"], "2")
            must(*lab.inside("here"), "curl", "-sS", "-o", "/dev/null", f"http://{THERE}:8000/300000")
            _, errors, code = end(capture)
            self.assertEqual(code, 0, errors)
            with open(lab.path("r.json"), encoding="utf-8") as file:
                report = json.load(file)
            self.assertEqual(report["source"]["kind"], "live")
            self.assertEqual(report["capture"]["kernel_drops"], 0)
            for name in ("x.pcap", "r.json", "m"):
                self.assertEqual(os.stat(lab.path(name)).st_uid, 0, name)
            self.same_packets(lab.path("x.pcap"), report["capture"]["packets"])
            with open(lab.path("m"), encoding="utf-8") as file:
                self.assertIn(f"rwin_packets_total {report['capture']['packets']}\n", file.read())
            # Live equals file: the packets that were saved, read.
            read = run(RWIN, "-r", lab.path("x.pcap"), "-J")
            self.assertEqual(without_times(read.stdout), without_times(report))

    def test_sudo_caller(self):
        if not live_lab.shutil.which("sudo"):
            self.skipTest("sudo is not installed")
        with Lab("sudo") as lab:
            os.mkdir(lab.path("sudoers.d"), 0o755)
            with open(lab.path("sudoers.d/test"), "w", encoding="utf-8") as file:
                file.write("nobody ALL=(root) NOPASSWD: ALL\n")
            os.chmod(lab.path("sudoers.d/test"), 0o440)
            os.mkdir(lab.path("out"))
            os.chown(lab.path("out"), NOBODY, NOBODY)
            lab.serve("there", WEB, THERE, "8000")
            # An own folder of rules over the system's, seen by this process alone.
            sudo = lab.start("here", "unshare", "-m", "sh", "-c",
                             'mount --bind "$0" /etc/sudoers.d && exec runuser -u nobody -- sudo -n "$@"', lab.path("sudoers.d"),
                             RWIN, "-i", "eth0", "-J", "-w", lab.path("out/x.pcap"), "-o", lab.path("out/r.json"))
            pid = wait_until("rwin starts", lambda: self.find_rwin(sudo))
            lab.until_open(pid)
            self.check_process(pid, NOBODY)
            must(*lab.inside("here"), "curl", "-sS", "-o", "/dev/null", f"http://{THERE}:8000/300000")
            os.kill(pid, signal.SIGINT)
            _, errors, code = end(sudo, None)
            self.assertEqual(code, 0, errors)
            with open(lab.path("out/r.json"), encoding="utf-8") as file:
                report = json.load(file)
            for name in ("out/x.pcap", "out/r.json"):
                self.assertEqual(os.stat(lab.path(name)).st_uid, NOBODY, name)
            self.same_packets(lab.path("out/x.pcap"), report["capture"]["packets"])

    @staticmethod
    def find_rwin(ancestor):
        """The process of the program itself among the descendants."""
        if ancestor.poll() is not None:
            raise RuntimeError(ancestor.stderr.read())
        pids = [ancestor.pid]
        for pid in pids:
            try:
                if os.path.realpath(f"/proc/{pid}/exe") == os.path.realpath(RWIN):
                    return pid
                with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as file:
                    pids += [int(word) for word in file.read().split()]
            except OSError:
                pass
        return None

    def test_without_privilege(self):
        with Lab("none", link="none"):
            done = run("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", RWIN, "-i", "eth0", "-J")
        self.assertEqual(done.returncode, 3)
        self.assertIn("permission missing (CAP_NET_RAW)\n  once          sudo rwin -i eth0\n", done.stderr)
        error = json.loads(done.stdout)["error"]
        self.assertEqual((error["code"], error["hint"]), (3, "sudo rwin -i eth0"))

    def test_errors(self):
        with Lab("bad") as lab:
            here = lab.inside("here")
            done = run(*here, RWIN, "-i", "nope")
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn("cannot capture on nope: there is no such interface; rwin -D lists", done.stderr)
            done = run(*here, RWIN, "-i", "eth0", "port 80 and and")
            self.assertEqual(done.returncode, 2)
            self.assertIn("port 80 and and\n              ^", done.stderr)
            done = run(*here, RWIN, "-i", "eth0", "-Z", "no-such-user")
            self.assertEqual(done.returncode, 1)
            done = run(*here, RWIN, "-i", "eth0", "-w", "/no/such/folder/x")
            self.assertEqual(done.returncode, 1)
            self.assertIn("cannot write /no/such/folder/x", done.stderr)
            self.assertRegex(run(*here, RWIN, "-D").stdout, r"(?m)^eth0 +up$")


class Interfaces(unittest.TestCase):
    def test_down_up_and_gone(self):
        with Lab("down") as lab:
            lab.serve("there", WEB, THERE, "8000")
            lines = lab.path("lines")
            with open(lines, "w", encoding="utf-8") as file:
                capture = lab.start("here", RWIN, "-i", "eth0", "-i", "lo", "--jsonl", "--interval", "100ms", "--metrics",
                                    lab.path("m"), "--no-sandbox", stdout=file)
                lab.until_open(capture.pid)

            def metric(text):
                with open(lab.path("m"), encoding="utf-8") as metrics:
                    return text in metrics.read()

            def fetch(address="", size=1000):
                must(*lab.inside("here"), "curl", "-sS", "-o", "/dev/null", f"http://{address or THERE}:8000/{size}")

            fetch()
            here = lab.space["here"]
            must("ip", "-n", here, "link", "set", "eth0", "down")
            wait_until("down is seen", lambda: metric('rwin_interface_up{interface="eth0"} 0'))
            must("ip", "-n", here, "link", "set", "eth0", "up")
            wait_until("up is seen", lambda: metric('rwin_interface_up{interface="eth0"} 1'))
            wait_until("the way is back", lambda: run(*lab.inside("here"), "curl", "-sS", "-m", "1", "-o", "/dev/null",
                                                      f"http://{THERE}:8000/1001").returncode == 0)
            must("ip", "-n", here, "link", "del", "eth0")
            wait_until("gone is seen", lambda: metric('rwin_interface_up{interface="eth0"} 0'))
            lab.serve("here", WEB, "127.0.0.1", "8000")
            fetch("127.0.0.1", 1002)
            _, errors, code = end(capture)
            self.assertEqual(code, 0, errors)
            self.assertIn("eth0 is gone: nothing more is captured there", errors)
            with open(lines, encoding="utf-8") as file:
                events = [json.loads(line) for line in file]
            sizes = [max((d["bytes"] for d in e["directions"]), default=0) for e in events if e["event"] == "flow_end"]
            for n in (1000, 1001, 1002):
                self.assertTrue(any(n < size < n + 400 for size in sizes), f"{n} in {sizes}")


class Lines(unittest.TestCase):
    def test_streams_while_it_runs(self):
        with DelayLab("lines") as lab:
            lab.serve("there", WEB, THERE, "8000")
            capture = lab.watch(RWIN, "--jsonl", "--interval", "100ms", "-q")
            self.assertEqual(json.loads(capture.stdout.readline())["event"], "start")
            must(*lab.inside("here"), "curl", "-sS", "-o", "/dev/null", f"http://{THERE}:8000/600000")
            seen = json.loads(capture.stdout.readline())
            self.assertEqual((seen["event"], seen["server"]), ("interval", {"ip": THERE, "port": 8000}))
            # Not communicate(): it would leave out what is buffered here.
            capture.send_signal(signal.SIGTERM)
            out, errors = capture.stdout.read(), capture.stderr.read()
            self.assertEqual((capture.wait(timeout=20), errors), (0, ""))
            events = [seen] + [json.loads(line) for line in out.splitlines()]
            kinds = [e["event"] for e in events]
            self.assertEqual(kinds[-1], "end")
            self.assertEqual(kinds.count("flow_end"), 1)
            finding = next(e for e in reversed(events) if e["event"] == "finding" and e["sender"] == "server")
            self.assertEqual(finding["verdict"]["limit"], "receiver-window")
            self.assertGreater(max(e["server_rate_bps"] for e in events if e["event"] == "interval"), 1e5)


class Screen:
    """rwin in a terminal (tmux) in the namespace here."""

    def __init__(self, lab, size, *words):
        os.chmod(lab.folder, 0o777)
        self.command = [*lab.inside("here"), "tmux", "-S", lab.path("tmux"), "-f", "/dev/null"]
        self.tmux("new-session", "-d", "-x", str(size[0]), "-y", str(size[1]), "-c", lab.folder, " ".join(["exec", RWIN, "-i", "eth0", "--refresh", "100", *words]))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        run(*self.command, "kill-server")

    def tmux(self, *words):
        return must(*self.command, *words)

    def keys(self, *names):
        self.tmux("send-keys", *names)

    def text(self):
        return self.tmux("capture-pane", "-p")

    def shows(self, text):
        """Lines may break anywhere."""
        wait_until(text, lambda: text in " ".join(self.text().split()))


class Dashboard(unittest.TestCase):
    """What only a running capture can show."""

    def test_another_filter(self):
        with Lab("keys") as lab:
            for port in ("8000", "8001"):
                lab.serve("there", WEB, THERE, port)
            fetch = lambda port: must(*lab.inside("here"), "curl", "-sS", "-o", "/dev/null", f"http://{THERE}:{port}/300000")
            with Screen(lab, (140, 30), "port 8001") as screen:
                screen.shows("Waiting for packets")
                screen.keys("F", "C-u", "port banana", "Enter")
                screen.shows("the filter before stays")
                screen.shows("port 8001")
                screen.keys("F", "C-u", "port 8000", "Enter")
                screen.shows("capture filter: port 8000")
                screen.keys("n")  # looked up in threads of their own; nobody answers here
                fetch(8001)
                fetch(8000)
                screen.shows(f"{THERE}:8000")
                self.assertNotIn(f"{THERE}:8001", screen.text())

    def test_process_and_kernel_figures(self):
        with DelayLab("screen") as lab, Screen(lab, (114, 30)) as screen:
            there = lab.serve("there", RECEIVER, THERE, "9000")
            screen.shows("LIVE")
            sender = upload(lab)
            self.assertEqual(there.stdout.readline(), "1000000\n")
            screen.keys("3")
            screen.shows(f"[{sender.pid}] on this host")
            screen.shows("The kernel says")
            screen.keys("2")
            screen.shows(f"[{sender.pid}]")


class Overload(unittest.TestCase):
    def test_what_is_lost_is_counted(self):
        """sent = seen + dropped, with a reader that is stopped for a while."""
        with Lab("load") as lab:
            capture = lab.watch(RWIN, "-J", "-B", "1Mi", "tcp", "and", "dst", "port", "9")
            sender = lab.start("there", sys.executable, "-c", SENDER, "300000", stdin=subprocess.PIPE)
            self.assertEqual(sender.stdout.readline(), "half\n")
            capture.send_signal(signal.SIGSTOP)
            wait_until("stopped", lambda: status(capture.pid)["State"].startswith("T"))
            sender.stdin.write("go\n")
            sender.stdin.flush()
            self.assertEqual(sender.stdout.readline(), "sent 300000\n", sender.poll())
            capture.send_signal(signal.SIGCONT)
            out, errors, code = end(capture)
            self.assertEqual(code, 0, errors)
            counts = json.loads(out)["capture"]
            self.assertGreater(counts["kernel_drops"], 0)
            self.assertEqual(counts["packets"] + counts["kernel_drops"], 300000)
            self.assertIn(f"{counts['kernel_drops']} dropped by the system", errors)


# Sends argv[1] TCP packets through a packet socket: the second half after a line on standard input.
SENDER = """
import socket, struct, sys
n = int(sys.argv[1])
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
s.bind(("eth0", 0))
s.setsockopt(263, 20, 1)  # SOL_PACKET, PACKET_QDISC_BYPASS
head = b"\\xff" * 6 + b"\\x02" * 6 + b"\\x08\\x00"
ip = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 40, 1, 0, 64, 6, 0, bytes([10, 251, 0, 2]), bytes([10, 251, 0, 1]))
for i in range(n):
    if i == n // 2:
        print("half", flush=True)
        sys.stdin.readline()
    s.send(head + ip + struct.pack("!HHIIBBHHH", 40000 + i % 100, 9, i, 1, 0x50, 0x10, 100, 0, 0) + b"\\0" * 6)
print("sent", n, flush=True)
"""


class Run(unittest.TestCase):
    """`rwin run` and a download over 184 ms, held by a receive window of 32 KiB."""

    def lab(self, tag):
        return DelayLab(tag)

    def test_diagnosis_of_exactly_that_flow(self):
        with DelayLab("run") as lab:
            # Another download at the same time, which is not the command's.
            lab.serve("there", WEB, THERE, "8000")
            other = lab.start("here", "curl", "-sS", "-o", "/dev/null", f"http://{THERE}:8000/200000")
            done = run(*lab.inside("here"), RWIN, "run", "-J", "-o", lab.path("r.json"), "--", "sh", "-c",
                       f"curl -sS -o /dev/null http://{THERE}:8000/600000; exit 7")
            other.wait(timeout=20)
            self.assertEqual((done.returncode, done.stdout), (7, ""), done.stderr)
            with open(lab.path("r.json"), encoding="utf-8") as file:
                report = json.load(file)
            self.assertEqual(report["source"]["kind"], "run")
            self.assertEqual(len(report["connections"]), 1)
            connection = report["connections"][0]
            down = connection["directions"][0]
            self.assertEqual(down["sender"], "server")
            self.assertTrue(600000 < down["bytes"] < 600400, down["bytes"])
            self.assertEqual(down["verdict"]["limit"], "receiver-window")
            self.assertTrue(180e3 < down["rtt_us"]["base"] < 200e3, down["rtt_us"])
            self.assertEqual(connection["local"]["process"], "curl")
            self.assertEqual(connection["local"]["end"], "client")

    def test_text_goes_to_standard_error(self):
        with DelayLab("text") as lab:
            lab.serve("there", WEB, THERE, "8000")
            done = run(*lab.inside("here"), RWIN, "run", "curl", "-sS", f"http://{THERE}:8000/600000")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(len(done.stdout), 600000)
            self.assertIn("RECEIVER WINDOW limits", done.stderr)

    def test_interrupt_ends_both(self):
        with DelayLab("stop") as lab:
            lab.serve("there", WEB, THERE, "8000")
            process = lab.start("here", RWIN, "run", "--", "curl", "-sS", "-o", "/dev/null", f"http://{THERE}:8000/50000000",
                                start_new_session=True)
            wait_until("download runs", lambda: lab.counted() > 400)
            # As a terminal does: the whole group.
            os.killpg(process.pid, signal.SIGINT)
            _, errors, code = end(process, None)
            self.assertEqual(code, 128 + signal.SIGINT, errors)
            self.assertIn("RECEIVER WINDOW limits", errors)

    def test_not_found(self):
        with Lab("missing") as lab:
            done = run(*lab.inside("here"), RWIN, "run", "--", "no-such-program")
            self.assertEqual((done.returncode, done.stdout), (127, ""))
            self.assertIn("cannot run no-such-program: No such file or directory", done.stderr)


class DelayLab(Lab):
    """The link is the emulator: 184 ms, 25 Mbit/s, and here a receive buffer that allows 32 KiB of window."""

    def __init__(self, tag):
        super().__init__(tag, link="none")

    def __enter__(self):
        super().__enter__()
        try:
            there, here = (f"/run/netns/{self.space[side]}" for side in ("there", "here"))
            emulator = self.start("here", EMULATOR, "--ns-a", there, "--ns-b", here, "--kind", "tap", "--name", "eth0",
                                  "--ab", "delay_ms=92,rate=25000000", "--ba", "delay_ms=92", "--stats", self.path("stats"),
                                  "--series", self.path("series"))
            line = emulator.stdout.readline()
            if "ready" not in line:
                raise RuntimeError(f"emulator: {line}{emulator.stderr.read()}")
            # The emulator passes TCP alone: no address resolution.
            macs = {"here": "02:00:00:00:00:01", "there": "02:00:00:00:00:02"}
            for side, mac in macs.items():
                must("ip", "-n", self.space[side], "link", "set", "eth0", "address", mac)
            self.addresses()
            for side, other, address in (("here", "there", THERE), ("there", "here", HERE)):
                must("ip", "-n", self.space[side], "neigh", "replace", address, "lladdr", macs[other], "dev", "eth0",
                     "nud", "permanent")
            must(*self.inside("here"), "sysctl", "-qw", "net.ipv4.tcp_rmem=4096 65536 65536")
        except BaseException:
            self.__exit__()
            raise
        return self

    def counted(self):
        return int(must(*self.inside("here"), "cat", "/sys/class/net/eth0/statistics/rx_packets"))


def upload(lab):
    """A megabyte from here to the RECEIVER there. Called by root itself rwin becomes nobody: it sees whose a socket of nobody is."""
    return lab.start("here", "setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "/usr/bin/python3", "-c", UPLOAD, THERE, "9000",
                     "1000000", stdin=subprocess.PIPE)


class Kernel(unittest.TestCase):
    def test_figures_of_a_local_sender(self):
        """The kernel's own share of time behind the peer's window, process and pid, a buffer fixed by the program."""
        with DelayLab("kernel") as lab:
            # Here sends, there receives with a small buffer that it sets itself.
            there = lab.serve("there", RECEIVER, THERE, "9000")
            capture = lab.watch(RWIN, "-J", "--interval", "100ms")
            sender = upload(lab)
            self.assertEqual(there.stdout.readline(), "1000000\n")
            out, errors, code = end(capture)
            sender.communicate(input="\n", timeout=20)
            self.assertEqual(code, 0, errors)
            connection = json.loads(out)["connections"][0]
            local = connection["local"]
            self.assertEqual((local["end"], local["pid"]), ("client", sender.pid))
            self.assertTrue(local["process"].startswith("python"), local)
            kernel = local["kernel"]
            share = kernel["rwnd_limited_us"] / kernel["busy_us"]
            self.assertGreater(share, 0.6)
            self.assertAlmostEqual(connection["directions"][0]["receiver_blocked_share"], share, delta=0.1)
            self.assertIs(local["send_buffer_fixed"], True)
            self.assertIs(local["receive_buffer_fixed"], False)


# Reads everything of one connection with a receive buffer of 32 KiB; prints how much it was, and keeps the connection.
RECEIVER = """
import socket, sys
s = socket.socket()
s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
s.bind((sys.argv[1], int(sys.argv[2])))
s.listen()
print("ready", flush=True)
c, _ = s.accept()
n = 0
while True:
    data = c.recv(65536)
    n += len(data)
    if n >= 1000000 or not data:
        break
print(n, flush=True)
sys.stdin.readline()
"""
UPLOAD = """
import socket, sys
s = socket.socket()
s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1000000)
s.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"reno")
s.connect((sys.argv[1], int(sys.argv[2])))
s.sendall(bytes(int(sys.argv[3])))
sys.stdin.readline()
"""


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    RWIN, EMULATOR = (os.path.abspath(path) for path in sys.argv[1:3])
    live_lab.skip_unless_possible("curl", "tcpdump", "tmux", "unshare", "setpriv", "runuser", "sysctl")
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
