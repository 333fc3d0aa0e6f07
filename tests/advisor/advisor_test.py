#!/usr/bin/env python3
"""rwin tune and rwin check on this kernel, in network namespaces made for it.

usage: advisor_test.py PART --rwin RWIN [--tools DIR] [--killer LIBRARY]

PART: check     four hosts: a lowered ceiling, no scaling, a route with `window`, a sane one
      apply     tune --apply and --revert: read back, idempotent, what the namespace does not hold
      kill      tune --apply and --revert ended by SIGKILL before each system call that changes a file
      download  a transfer over the emulated path reaches the rate that tune predicts
      forms     the files that tune writes pass the checkers of their languages (needs no privilege)

Runs in a mount namespace of its own with an empty /etc/sysctl.d. Exit status 77: skipped, with the reason.
"""
import argparse
import csv
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "netlab"))
sys.dont_write_bytecode = True
import isolate  # noqa: E402
import lab  # noqa: E402
import scenarios  # noqa: E402

DROP_INS = "/etc/sysctl.d"
LINE = ["--rate", "50M", "--rtt", "184ms"]
KNOBS = "/proc/sys/net/ipv4/tcp_*", "/proc/sys/net/core/[rw]mem_*"


class Failed(Exception):
    pass


def expect(condition, what):
    if not condition:
        raise Failed(what)


def same(got, wanted, what):
    expect(got == wanted, f"{what}: {got!r} instead of {wanted!r}")


class Host:
    """A network namespace: the host that is to be tuned."""

    def __init__(self, rwin, name):
        self.rwin, self.name = rwin, name

    def __enter__(self):
        lab.run("ip", "netns", "add", self.name)
        lab.run("ip", "-n", self.name, "link", "set", "lo", "up")
        return self

    def __exit__(self, *_):
        subprocess.run(["ip", "netns", "del", self.name], capture_output=True, check=False)

    def inside(self, *words, code=0):
        done = subprocess.run(["ip", "netns", "exec", self.name, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=30, check=False)
        if code is not None:
            same(done.returncode, code, f"exit status of {' '.join(words)}\n{done.stdout}{done.stderr}")
        return done

    def json(self, *words, code=0):
        return json.loads(self.inside(self.rwin, *words, "-J", code=code).stdout)

    def set(self, key, value):
        self.inside("sysctl", "-qw", f"{key}={value}")

    def values(self):
        """Every TCP setting of this namespace: {path: text}."""
        listed = self.inside("sh", "-c", f"grep -H . {' '.join(KNOBS)} 2>/dev/null || :").stdout
        # These two count or remember on their own.
        return {line.split(":", 1)[0]: line.split(":", 1)[1] for line in listed.splitlines()
                if "tcp_fastopen_key" not in line and "tcp_ehash" not in line}

    def rmem(self):
        return self.inside("sysctl", "-n", "net.ipv4.tcp_rmem").stdout.split()


def enter():
    """Into a mount namespace with an empty folder of drop-ins; gives what shows the outside."""
    reason = isolate.missing()
    if reason:
        print(f"skipped: {reason}")
        sys.exit(isolate.SKIPPED)
    outside = os.open(DROP_INS, os.O_RDONLY | os.O_DIRECTORY)
    isolate.enter()
    isolate.call("mount", isolate.libc.mount(b"rwin", DROP_INS.encode(), b"tmpfs", 0, b"mode=0755"))
    # The lab is a process namespace: the numbers of its processes are in a /proc of its own.
    isolate.call("mount", isolate.libc.mount(b"proc", b"/proc", b"proc", 0, None))
    return outside


def machine(outside):
    """What a test must not touch: this machine's settings and its folder of drop-ins."""
    found = {}
    for pattern in KNOBS:
        for path in glob.glob(pattern):
            try:
                with open(path, encoding="utf-8") as file:
                    found[path] = file.read()
            except OSError:
                pass
    return found, sorted(os.listdir(outside))


# ---- check ----

# One listener with a buffer of its own, one without; until standard input ends.
FIXED = """
import socket, sys
fixed, free = socket.socket(), socket.socket()
fixed.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
for one in (fixed, free):
    one.bind(("127.0.0.1", 0))
    one.listen()
print("ready", flush=True)
sys.stdin.read()
"""


def codes(found):
    return [finding["code"] for finding in found["check"]["findings"]]


def part_check(options):
    with Host(options.rwin, "tune-check") as host:
        sane = host.json("check", *LINE)
        same(codes(sane), [], "findings of a sane host")
        same(sane["check"]["enough"], True, "a sane host is enough")
        same(sane["check"]["own_network_namespace"], True, "namespace noticed")
        expect("tcp_mem" not in str([k for k, v in sane["check"]["settings"].items() if v]), "tcp_mem is not there")

        before = host.rmem()
        host.set("net.ipv4.tcp_rmem", "4096 87380 180000")
        low = host.json("check", *LINE)
        same(codes(low), ["buffer-capped"], "findings with a lowered ceiling")
        same(low["check"]["largest_window_bytes"], 90000, "largest window")
        same(low["check"]["enough"], False, "a lowered ceiling is not enough")
        change = low["check"]["findings"][0]["change"]
        same(change, ['sudo sysctl -w net.ipv4.tcp_rmem="4096 87380 2300992"'], "what to change")
        host.inside("sh", "-c", change[0].replace("sudo ", ""))
        same(host.json("check", *LINE)["check"]["enough"], True, "enough once that is done")
        host.inside(options.rwin, "check", *LINE, "--fail-on", "any", code=0)
        host.set("net.ipv4.tcp_rmem", "4096 87380 180000")
        host.inside(options.rwin, "check", *LINE, "--fail-on", "any", code=10)
        host.inside(options.rwin, "check", *LINE, "--fail-on", "scaling-off", code=0)
        host.set("net.ipv4.tcp_rmem", " ".join(before))

        host.set("net.ipv4.tcp_window_scaling", "0")
        unscaled = host.json("check", *LINE)
        same(codes(unscaled)[0], "scaling-off", "first finding without scaling")
        same(unscaled["check"]["largest_window_bytes"], 65535, "largest window without scaling")
        same(unscaled["check"]["enough"], False, "no scaling is not enough")
        host.set("net.ipv4.tcp_window_scaling", "1")

        host.inside("ip", "route", "add", "198.51.100.0/24", "dev", "lo", "mtu", "1400", "window", "40000")
        host.inside("ip", "-6", "route", "add", "2001:db8::/32", "dev", "lo")
        clamped = host.json("check", *LINE)
        same(codes(clamped), ["window-clamped"], "findings with a route's window")
        expect("198.51.100.0/24" in clamped["check"]["findings"][0]["text"], "the route is named")
        expect("40000" in clamped["check"]["findings"][0]["text"], "its window is named")
        same(clamped["check"]["findings"][0]["severity"], "limits", "it limits")
        host.inside("sh", "-c", clamped["check"]["findings"][0]["change"][0].replace("sudo ", ""))
        shown = host.inside("ip", "route", "show", "198.51.100.0/24").stdout
        expect("window" not in shown and "mtu 1400" in shown, f"the advice takes the window away and leaves the rest: {shown}")
        same(codes(host.json("check", *LINE)), [], "sane again")

        with subprocess.Popen(["ip", "netns", "exec", host.name, sys.executable, "-c", FIXED], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              text=True) as program:
            same(program.stdout.readline(), "ready\n", "a program that fixes its buffer")
            fixed = host.json("check", *LINE)
            program.stdin.close()
        same(codes(fixed), ["buffer-fixed"], "findings with such a program")
        expect("python" in fixed["check"]["findings"][0]["text"] and "131 072 B" in fixed["check"]["findings"][0]["text"],
               f"program and size are named: {fixed['check']['findings']}")
        same(fixed["check"]["sockets_unknown"], 0, "sockets that could not be asked")


# ---- apply and revert ----

def start_low(host):
    """A host with a ceiling of 300,000 bytes; gives all its settings."""
    host.set("net.ipv4.tcp_rmem", "4096 131072 300000")
    host.set("net.ipv4.tcp_wmem", "4096 16384 4194304")
    return host.values()


def part_apply(options):
    with Host(options.rwin, "tune-apply") as host:
        before = start_low(host)
        shown = host.inside(options.rwin, "tune", *LINE).stdout
        expect("nothing was changed" in shown and "--apply" in shown, f"a dry run says so: {shown}")
        same(host.values(), before, "settings after a dry run")
        same(os.listdir(DROP_INS), [], "drop-ins after a dry run")

        host.inside(options.rwin, "tune", *LINE, "--apply", code=2)  # asks, and there is no terminal
        same(host.values(), before, "settings after a refusal")

        applied = host.json("tune", *LINE, "--apply", "--yes")["tune"]
        same(applied["done"], "applied", "what was done")
        same(host.rmem(), ["4096", "131072", "2300992"], "tcp_rmem read back")
        same(os.listdir(DROP_INS), ["90-rwin.conf"], "drop-ins")
        with open(f"{DROP_INS}/90-rwin.conf", encoding="utf-8") as file:
            content = file.read()
        expect("\nnet.ipv4.tcp_rmem = 4096 131072 2300992\n" in content, content)
        # What sysctl itself makes of the file.
        host.set("net.ipv4.tcp_rmem", "4096 131072 300000")
        host.inside("sysctl", "-q", "-p", f"{DROP_INS}/90-rwin.conf")
        same(host.rmem(), ["4096", "131072", "2300992"], "tcp_rmem from the file")

        again = host.json("tune", *LINE, "--apply", "--yes")["tune"]
        same(again["done"], "unchanged", "a second time")
        with open(f"{DROP_INS}/90-rwin.conf", encoding="utf-8") as file:
            same(file.read(), content, "the file after a second time")

        host.inside(options.rwin, "tune", "--revert", code=2)
        same(host.json("tune", "--revert", "--yes")["tune"]["done"], "reverted", "revert")
        same(host.values(), before, "settings after --revert")
        same(os.listdir(DROP_INS), [], "drop-ins after --revert")
        same(host.json("tune", "--revert", "--yes")["tune"]["done"], "unchanged", "a second revert")

        # What the namespace does not hold.
        wide = {one["key"]: one for one in host.json("tune", "--rate", "5G", "--rtt", "330ms")["tune"]["settings"]}
        same(wide["net.core.rmem_max"]["state"], "needs the host", "net.core.rmem_max")
        same(wide["net.ipv4.tcp_rmem"]["state"], "change", "net.ipv4.tcp_rmem")
        host.json("tune", "--rate", "5G", "--rtt", "330ms", "--apply", "--yes")
        expect(int(host.rmem()[2]) > 400_000_000, "a large ceiling")
        host.json("tune", "--revert", "--yes")
        same(host.values(), before, "settings after the second --revert")

        # Without privilege: the exact command, and nothing changed.
        refused = host.inside("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", options.rwin, "tune", *LINE, "--apply", "--yes",
                              code=None)
        if "Permission denied" not in refused.stderr or os.path.dirname(options.rwin) not in refused.stderr:
            same(refused.returncode, 3, f"without privilege: {refused.stderr}")
            expect("sudo rwin tune --rate 50M --rtt 184ms --apply --yes" in refused.stderr, refused.stderr)
        same(host.values(), before, "settings after a refusal for want of privilege")
        same(os.listdir(DROP_INS), [], "drop-ins after a refusal")
    fake_root(options)


def fake_root(options):
    """What a namespace does not hold, on a tree of files that stands for a whole host."""
    with tempfile.TemporaryDirectory() as root:
        values = {"net/ipv4/tcp_rmem": "4096\t131072\t300000", "net/ipv4/tcp_wmem": "4096\t16384\t4194304",
                  "net/ipv4/tcp_window_scaling": "0", "net/ipv4/tcp_moderate_rcvbuf": "1", "net/ipv4/tcp_adv_win_scale": "1",
                  "net/ipv4/tcp_mem": "189000\t252000\t378000", "net/core/rmem_max": "212992", "net/core/wmem_max": "212992",
                  "kernel/osrelease": "6.1.0-18-amd64"}
        for name, text in values.items():
            path = f"{root}/proc/sys/{name}"
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text + "\n")

        def read():
            found = {}
            for name in values:
                with open(f"{root}/proc/sys/{name}", encoding="utf-8") as file:
                    found[name] = " ".join(file.read().split())
            return found

        def rwin(*words, code=0):
            done = subprocess.run([options.rwin, *words, "--root", root], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
            same(done.returncode, code, f"exit status of {' '.join(words)}\n{done.stdout}{done.stderr}")
            return done.stdout

        before = read()
        found = json.loads(rwin("check", *LINE, "-J"))
        same(codes(found), ["scaling-off", "buffer-capped"], "findings of the tree")
        same(found["check"]["own_network_namespace"], False, "a whole host")
        rwin("tune", *LINE, "--apply", "--yes")
        after = read()
        same(after["net/core/rmem_max"], "2300992", "net.core.rmem_max")
        same(after["net/ipv4/tcp_rmem"], "4096 131072 2300992", "tcp_rmem")
        same(after["net/ipv4/tcp_window_scaling"], "1", "tcp_window_scaling")
        same(after["net/ipv4/tcp_mem"], before["net/ipv4/tcp_mem"], "tcp_mem is left alone")
        same(codes(json.loads(rwin("check", *LINE, "-J"))), [], "findings after the change")
        rwin("tune", "--revert", "--yes")
        same(read(), before, "the tree after --revert")
        same(os.listdir(f"{root}/etc/sysctl.d"), [], "its drop-ins")


# ---- kill ----

def part_kill(options):
    with Host(options.rwin, "tune-kill") as host:
        before = start_low(host)

        def killed(at, *words):
            done = host.inside("env", f"LD_PRELOAD={options.killer}", f"RWIN_KILL_AT={at}", options.rwin, *words, code=None)
            expect(done.returncode in (0, -9), f"{words}: {done.returncode} {done.stderr}")
            return done.returncode == -9

        def apply(*_):
            host.inside(options.rwin, "tune", *LINE, "--apply", "--yes")
            same(host.rmem()[2], "2300992", "applied by the second run")

        def revert(at, what):
            host.inside(options.rwin, "tune", "--revert", "--yes")
            same(host.values(), before, f"settings after {what} killed at {at} and --revert")
            same(os.listdir(DROP_INS), [], f"drop-ins after {what} killed at {at}")

        at = 1
        while killed(at, "tune", *LINE, "--apply", "--yes"):
            apply()
            revert(at, "apply, then apply again")
            expect(killed(at, "tune", *LINE, "--apply", "--yes"), "the same place again")
            revert(at, "apply")
            at += 1
        revert(at, "apply, whole")
        expect(at > 10, f"only {at} places")
        places, at = at - 1, 1
        apply()
        while killed(at, "tune", "--revert", "--yes"):
            revert(at, "revert")
            apply()
            at += 1
        revert(at, "revert")
        print(f"killed at {places} places of --apply and at {at - 1} of --revert")


# ---- download ----

class Tuned(lab.Namespaces):
    """The receiver's namespace after `rwin tune --apply`."""

    rwin, predicted = None, None

    def configure(self, scenario):
        super().configure(scenario)
        done = lab.run(*self.command("client", self.rwin, "tune", *LINE, "--apply", "--yes", "-J"))
        self.predicted = json.loads(done)["tune"]["expected_bps"]


def steady_bps(work):
    """Of the last third of the writing time, as in closed_loop.py."""
    with open(f"{work}/server.json", encoding="utf-8") as file:
        conn = json.load(file)[0]
    start, end = conn["t_first"] + (conn["t_write_end"] - conn["t_first"]) * 2 / 3, conn["t_write_end"]
    with open(f"{work}/server.csv", encoding="utf-8") as file:
        rows = [(float(row["t"]), float(row["bytes_acked"])) for row in csv.DictReader(file) if row["bytes_acked"]]
    rows = [row for row in rows if start <= row[0] <= end]
    return (rows[-1][1] - rows[0][1]) * 8 / (rows[-1][0] - rows[0][0])


def part_download(options):
    # The line carries 50 Mbit/s of payload: 1448 of the 1514 bytes of a frame.
    line = 50 * 1514 / 1448
    for attempt in (1, 2, 3):
        found = scenarios.loop("advisor", scenarios.WINDOW, 184, line, sys_reads=scenarios.rmem(300000), seconds=5)
        work = f"{isolate.WORK}/advisor-{attempt}"
        os.makedirs(work + "-before")
        os.makedirs(work)
        with lab.Namespaces(f"before{attempt}") as spaces:
            lab.carry_out(os.path.abspath(options.tools), spaces, {**found, "client": {}, "server": {"send": "bulk,dur=2.5"}}, work + "-before")
        before = steady_bps(work + "-before")
        spaces = Tuned(f"after{attempt}")
        spaces.rwin = options.rwin
        with spaces:
            lab.carry_out(os.path.abspath(options.tools), spaces, found, work)
            lab.run(*spaces.command("client", options.rwin, "tune", "--revert", "--yes"))
            same(lab.run(*spaces.command("client", "sysctl", "-n", "net.ipv4.tcp_rmem")).split(), ["4096", "87380", "300000"], "after --revert")
        after = steady_bps(work)
        print(f"before {before / 1e6:.2f} Mbit/s, predicted {spaces.predicted / 1e6:.2f}, after {after / 1e6:.2f}")
        if before < 12e6 and abs(after / spaces.predicted - 1) <= 0.10:
            return
    raise Failed("the rate predicted was not reached")


# ---- forms ----

def checked(tool, *words, text):
    if not shutil.which(tool):
        print(f"{tool} is not installed: not checked with it")
        return
    done = subprocess.run([tool, *words], input=text.encode(), capture_output=True, check=False)
    expect(done.returncode == 0, f"{tool}: {done.stdout}{done.stderr}\n{text}")


def check_reg(text):
    expect(text.count("\n") == text.count("\r\n"), "lines end with CR LF")
    lines = text.split("\r\n")
    same(lines[0], "Windows Registry Editor Version 5.00", "first line")
    section = False
    for line in lines[1:]:
        if re.fullmatch(r"\[HKEY_LOCAL_MACHINE(\\[^\\\[\]]+)+\]", line):
            section = True
        else:
            expect(not line or line.startswith(";") or section and re.fullmatch(r'"\w+"=dword:[0-9a-f]{8}', line), f"not a line of a .reg file: {line!r}")


def check_ps1(text):
    """There is no PowerShell here: words, quotes and brackets only."""
    for line in text.split("\r\n"):
        code = line.split("#", 1)[0]
        expect(code.count("'") % 2 == 0 and code.count("(") == code.count(")") and code.count("{") == code.count("}"), line)
        expect(not code.strip() or re.match(r"(\$\w+ = |[A-Z][a-z]+-\w+ |netsh )", code), f"not a command: {line!r}")
        expect("<" not in code and "{" not in code, f"something was not filled in: {line!r}")


def part_forms(options):
    def rwin(*words):
        return subprocess.run([options.rwin, "tune", *words], capture_output=True, check=False)

    known = rwin("--rate", "1M", "--rtt", "1s", "--platform", "?").stderr.decode()
    platforms = known.split("use one of ")[1].strip().split(", ")
    written = {}
    for platform in platforms:
        # Little, which most systems reach untouched, only where the forms differ for it.
        for rate, rtt in (("25M", "330ms"), ("1G", "200ms"), *([("1M", "10ms")] if platform in ("linux", "macos") else [])):
            words = ("--rate", rate, "--rtt", rtt, "--platform", platform)
            same(rwin(*words).returncode, 0, f"text for {platform}")
            same(json.loads(rwin(*words, "-J").stdout)["error"], None, f"JSON for {platform}")
            for form in ("sh", "reg", "ps1", "plist", "sysctl.d"):
                done = rwin(*words, "--format", form)
                text = done.stdout.decode()
                if done.returncode == 2:
                    expect(not text and b"; " in done.stderr, f"{platform} {form}: a refusal says what to do")
                    continue
                same(done.returncode, 0, f"{platform} {form}: {done.stderr}")
                written.setdefault(form, set()).add(platform)
                if form == "sh":
                    checked("bash", "-n", text=text)
                    if rate == "1G":  # slow, and the text is the same but for the figures
                        checked("shellcheck", "-", text=text)
                elif form == "reg":
                    check_reg(text)
                elif form == "ps1":
                    check_ps1(text)
                elif form == "plist":
                    checked("plistutil", "-i", "-", text=text)
                    checked("xmllint", "--noout", "--nonet", "-", text=text)
                else:
                    for row in text.splitlines():
                        expect(row.startswith("#") or re.fullmatch(r"[\w.]+ ?= ?\d+( \d+)*", row), row)
    expect(set(written) == {"sh", "reg", "ps1", "plist", "sysctl.d"}, f"forms written: {written}")
    print({form: sorted(names) for form, names in written.items()})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("part", choices=("check", "apply", "kill", "download", "forms"))
    parser.add_argument("--rwin", required=True)
    parser.add_argument("--tools")
    parser.add_argument("--killer")
    options = parser.parse_args()
    options.rwin = os.path.abspath(options.rwin)
    if options.part == "forms":
        part_forms(options)
        return
    outside = enter()
    before = machine(outside)
    try:
        globals()["part_" + options.part](options)
        expect(machine(outside) == before, "this machine's own settings changed")
        status = 0
    except (Failed, lab.LabError) as error:
        print(f"failed: {error}")
        status = 1
    sys.stdout.flush()
    os._exit(status)


if __name__ == "__main__":
    main()
