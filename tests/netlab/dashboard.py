#!/usr/bin/env python3
"""The dashboard beside real downloads: within five seconds its first line names the limited host and the key of the fix.

usage: dashboard.py --tools DIR --rwin RWIN --golden DIR [--update] [--show] [--only TEXT]

In the client's namespace `rwin -i` runs in three terminals (80x24, 100x30, 140x40) while curl downloads over the emulated path.
The screens of the fifth second are kept as GOLDEN/lab-<case>-<size>.txt, numbers masked; what is the same in every run is compared. Root, Linux; exit status 77 (skipped)
with the reason elsewhere.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import time

import isolate
import lab
import scenarios

SIZES = ((80, 24), (100, 30), (140, 40))
FIRST_LINE_WITHIN = 5.0  # seconds from the start of the transfer
RUNS = 3                 # a busy machine may spoil one

SERVER = r"""
import socket, sys
pace = int(sys.argv[2])
listener = socket.create_server((sys.argv[1], 80))
print("ready", flush=True)
while True:
    peer, _ = listener.accept()
    peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"cubic")
    if pace:
        peer.setsockopt(socket.SOL_SOCKET, 47, pace)  # SO_MAX_PACING_RATE, bytes a second
    peer.recv(65536)
    size = 400_000_000
    peer.sendall(f"HTTP/1.1 200 OK\r\nContent-Length: {size}\r\n\r\n".encode())
    block = bytes(65536)
    try:
        for _ in range(size // len(block)):
            peer.sendall(block)
    except OSError:
        pass
"""

CLIENT, SENDER = lab.ADDRESS[4]["client"], lab.ADDRESS[4]["server"]


def case(name, kind, rtt, rate, tag, named, *, pace=0, curl=(), **more):
    """`tag`: the word in the LIMIT column; `named`: the host that the first line must name, within five seconds and in the fifth."""
    scenario = scenarios.scenario(name, kind, rtt, rate, seconds=9, **more)
    return {"scenario": scenario, "tag": tag, "named": named, "pace": pace, "curl": list(curl)}


# A client window of 32 KiB: Linux advertises half of the buffer at most.
CASES = [
    case("window", scenarios.WINDOW, 184, 25, "WINDOW", CLIENT, sys_reads=scenarios.rmem(65536)),
    case("reader", scenarios.APP, 40, 50, "READER", CLIENT, curl=("--limit-rate", "300k"), sys_reads=scenarios.rmem(400_000)),
    case("loss", scenarios.LOSS, 40, 50, "loss", CLIENT, data={"loss": 0.02}),
    case("capped", scenarios.PACED, 30, 50, "paced", SENDER, pace=800_000),
    case("line", scenarios.LINE, 40, 8, "line", CLIENT),
]


class Terminals:
    """rwin in a terminal of each size, in the client's namespace."""

    def __init__(self, spaces, rwin):
        self.spaces, self.socket = spaces, f"{isolate.WORK}/tmux"
        for width, height in SIZES:
            self.tmux(width, "new-session", "-d", "-x", str(width), "-y", str(height), f"exec {rwin} -i {lab.DEVICE}")

    def tmux(self, width, *words):
        environ = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TERM": "xterm-256color", "HOME": isolate.WORK}
        return subprocess.run(self.spaces.command("client", "tmux", "-S", f"{self.socket}-{width}", "-f", "/dev/null", *words),
                              env=environ, capture_output=True, text=True, timeout=20, check=False).stdout

    def screen(self, width):
        return self.tmux(width, "capture-pane", "-p")

    def until(self, test, seconds):
        """All screens pass the test; the seconds it took, or None."""
        begin = time.monotonic()
        while time.monotonic() - begin < seconds:
            if all(test(self.screen(width)) for width, _ in SIZES):
                return time.monotonic() - begin
        return None

    def close(self):
        for width, _ in SIZES:
            self.tmux(width, "send-keys", "q")
            self.tmux(width, "kill-server")


def masked(screen):
    """What is the same in every run: words and their places in the line, no figures, no bars."""
    lines = []
    for line in screen.rstrip("\n").split("\n"):
        line = re.sub(r"[WRLBAUPSHC?.]{14,}", "~", line)
        line = re.sub(r"\d+([ .,]\d+)*", "#", line)
        line = re.sub(r"# (bit|kbit|Mbit|kB|MB|B|K|M|G|ms|us|s|%)(?=\W|$)(/s)?", "#", line)
        line = re.sub(r" +", " ", line)
        # A number more or less to the left of another: cells are as wide as they are.
        lines.append(re.sub(r"#( #)+", "#", line).rstrip())
    return "\n".join(lines).rstrip("\n") + "\n"


def frame(text):
    """Of a masked screen what no run may change: the first line, the tabs, the heads of the columns, the row, the keys."""
    lines = text.split("\n")
    return [lines[0], lines[2], lines[3].split(" │")[0], lines[4].split(" │")[0], lines[-2]]


def run_case(tools, rwin, one, golden, options):
    """None when all is as it must be, else what is not."""
    scenario = one["scenario"]
    first_line = re.compile(re.escape(one["named"]) + r".*\[3\]")
    with lab.Namespaces(scenario["name"]) as spaces, lab.Processes() as processes:
        work = f"{isolate.WORK}/{scenario['name']}"
        os.makedirs(work, exist_ok=True)
        emulator = processes.start(lab.emulator_command(tools, spaces, scenario, work), ("stdout", "ready"))
        spaces.configure(scenario)
        processes.start(spaces.command("server", sys.executable, "-c", SERVER, SENDER, str(one["pace"])), ("stdout", "ready"))
        terminals = Terminals(spaces, rwin)
        try:
            if terminals.until(lambda screen: "quit" in screen or "waiting" in screen, 20) is None:
                return f"no dashboard came: {terminals.screen(80)!r}"
            begin = time.monotonic()
            processes.start(spaces.command("client", "curl", "-s", "-o", "/dev/null", *one["curl"], f"http://{SENDER}/file"))
            right = lambda screen: first_line.search(screen.split("\n")[0]) and re.search(r"^. " + one["tag"] + " ", screen, re.M)
            took = terminals.until(right, FIRST_LINE_WITHIN)
            if took is None:
                return f"the first line does not name {one['named']} and [3], or the row not {one['tag']}:\n{terminals.screen(80)}"
            # The picture of the fifth second.
            while time.monotonic() - begin < FIRST_LINE_WITHIN:
                terminals.screen(80)
            screens = {width: terminals.screen(width) for width, _ in SIZES}
            if not all(map(right, screens.values())):
                return f"what was right after {took:.1f} s is not after {FIRST_LINE_WITHIN} s:\n{screens[80]}"
        finally:
            terminals.close()
            lab.Processes.end(emulator, 15)
    faults = []
    for width, height in SIZES:
        path = f"{golden}/lab-{scenario['name']}-{width}x{height}.txt"
        text = masked(screens[width])
        if options.show:
            print(screens[width])
        if options.update:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            continue
        with open(path, encoding="utf-8") as file:
            known = file.read()
        if frame(text) != frame(known):
            faults.append(f"{os.path.basename(path)}: {frame(text)} is not {frame(known)}")
    print(f"{scenario['name']:8s} first line after {took:.1f} s: {screens[80].splitlines()[0]}", flush=True)
    return "\n".join(faults) or None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tools", required=True)
    parser.add_argument("--rwin", required=True)
    parser.add_argument("--golden", required=True)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--show", action="store_true", help="print the screens as they are")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    reason = isolate.missing() or next((f"{tool} is not installed" for tool in ("tmux", "curl") if not shutil.which(tool)), None)
    if reason:
        print(f"skipped: {reason}")
        sys.exit(isolate.SKIPPED)
    tools, rwin, golden = (os.path.abspath(path) for path in (options.tools, options.rwin, options.golden))
    isolate.enter()
    failed = False
    for one in CASES:
        if options.only not in one["scenario"]["name"]:
            continue
        for attempt in range(1, RUNS + 1):
            try:
                fault = run_case(tools, rwin, one, golden, options)
            except lab.LabError as error:
                fault = str(error)
            if fault is None:
                break
            print(f"{one['scenario']['name']}: run {attempt}: {fault}", flush=True)
        failed = failed or fault is not None
    sys.stdout.flush()
    os._exit(failed)


if __name__ == "__main__":
    main()
