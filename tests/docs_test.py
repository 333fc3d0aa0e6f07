#!/usr/bin/env python3
"""docs_test.py RWIN    from the root of the project

Every command that README.md and docs/*.md show is run, and what it prints is looked at. A command that is new in a page fails until a line below says
what to expect, and so does a line below whose command no page shows any more."""
import functools
import glob
import gzip
import http.server
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

WRITTEN_BY_TOOLS = {"docs/accuracy.md", "docs/advice.md", "docs/explain.md", "docs/method.md"}
ARTICLE = r"RECEIVER WINDOW limits 198\.51\.100\.20:5001"

# Run: command -> (what it prints, exit status). The words of FOR stand for others.
RUN = {
    "rwin slow.pcap": (ARTICLE, 0),
    "rwin slow.pcapng.gz": (ARTICLE, 0),
    "rwin server.pcap": (ARTICLE, 0),
    "rwin server.pcap --top 0 --min-bytes 1M": (r"1 under --min-bytes|Not shown", 0),
    "rwin server.pcap --csv": (r"^id,client_ip.*\n1,192\.168\.1\.64,", 0),
    "rwin server.pcap -J": (r'^\{\n"schema":1', 0),
    "rwin slow.pcap --platform 192.168.1.64=windows-11": (r"\(windows", 0),
    "rwin slow.pcap --target-rate 100M": (r"0\.78 Mbit/s -> up to .*target", 0),
    "rwin slow.pcap --fail-on receiver-window,receiver-app": (ARTICLE, 10),
    "rwin -r slow.pcap host 192.0.2.10 and port 443": (ARTICLE, 0),
    "rwin -J slow.pcap | jq -r '.connections[] | . as $c | .directions[] | select(.verdict.limit == \"receiver-window\") "
    "| \"\\($c.id) \\(.receiver) \\(.verdict.ceiling_bps)\"'": (r"^1 client 805900$", 0),
    "rwin -J server.pcap | jq -r '.connections[].directions[] | select(.verdict.limit == \"receiver-window\") | .verdict.ceiling_bps'": (r"^805900$", 0),
    "rwin compare before.pcap after.pcap": (r"(?i)fix worked", 0),
    "rwin tune --rate 50M --rtt 184ms": (r"1 ?150 ?000", 0),
    "rwin tune --rate 25M --rtt 330ms --platform macos-10.4": (r"sudo sysctl -w", 0),
    "rwin tune --rate 25M --rtt 330ms --platform windows-11": (r"netsh|Set-NetTCPSetting", 0),
    "rwin check --rate 50M --rtt 184ms": (r"(?i)enough|reach", 0),
    "rwin check --rate 100M --rtt 250ms": (r"(?i)enough|reach", 0),
    "rwin -h": (r"what limits a TCP transfer", 0),
    "rwin -V": (r"^rwin \d+\.\d+\.\d+", 0),
    "rwin -D": (r"(?m)^ *lo\b|\blo\b", 0),
    "rwin --manual | man -l -": (r"(?i)receive window", 0),
    "rwin --print-config": (r"target-rate", 0),
    "rwin --explain WORD": (r"(?i)buffer", 0),
    "rwin --explain receiver-window": (r"(?i)window", 0),
    "rwin tune --rate 1G --rtt 100ms --platform macos --format plist": (r"(?s)<plist.*</plist>", 0),
    "scripts/run slow.pcap": (ARTICLE, 0),
    "scripts/run -J slow.pcap | jq .": (r'"schema": 1', 0),
    "scripts/run slow.pcap --html slow.html": (ARTICLE, 0),
    "scripts/run calc --rate 25M --rtt 330ms": (r"1,031,250", 0),
    "scripts/run --rules DIR slow.pcap": (ARTICLE, 0),
    # On the loopback interface, and for a moment.
    "sudo rwin -i any --report --duration 30": (r"rwin report", 0),
    "sudo rwin -i eth0 --report --duration 60 port 443": (r"rwin report", 0),
    "sudo rwin run -- curl -O URL": (r"rwin report", 0),
    "sudo rwin run -- curl -o /dev/null URL": (r"rwin report", 0),
    "tcpdump -i eth0 -s 192 -w slow.pcap tcp": (r"packets captured", 0),
    "tcpdump -i en0 -s 192 -w slow.pcap tcp": (r"packets captured", 0),
    "tcpdump -i eth0 -s 192 -w server.pcap tcp port 443": (r"packets captured", 0),
    # On a terminal; q ends them.
    "rwin --tui slow.pcap": (r"(?s)192\.168\.1\.64", 0),
    "scripts/run --tui slow.pcap": (r"(?s)192\.168\.1\.64", 0),
    "sudo rwin -i any": (r"(?i)lo\b|any|waiting", 0),
    "sudo rwin -i eth0": (r"(?i)lo\b|waiting", 0),
}
FOR = {
    "eth0": "lo", "en0": "lo", "-i any": "-i lo", "--duration 30": "--duration 1", "--duration 60": "--duration 1", "URL": "http://127.0.0.1:{port}/file",
    "DIR": "rules", "WORD": "buffer-fixed", "host 192.0.2.10 and port 443": "host 198.51.100.20 and port 5001",
}
ON_A_TERMINAL = {"rwin --tui slow.pcap", "scripts/run --tui slow.pcap", "sudo rwin -i any", "sudo rwin -i eth0"}

# Run by another test: command -> (its file, what stands there).
ELSEWHERE = {
    "scripts/run [ARGS]": ("scripts/run", "article-rwin32k"),
    "scripts/test": (".ci/run", "scripts/test"),
    "find /archive -name '*.pcap*' > list": ("tests/fleet_test.py", "/list"),
    "docs/fleet/task.sh list results": ("tests/fleet_test.py", "/task.sh"),
    "sbatch --wait --array=0-$((($(wc -l < list) - 1) / 50)) docs/fleet/captures.sbatch list results": ("tests/fleet_test.py", "sbatch"),
    "seq 0 $((($(wc -l < list) - 1) / 50)) | parallel --sshlogin host1,host2 \"$PWD/docs/fleet/task.sh $PWD/list $PWD/results {} 50\"": ("tests/fleet_test.py", "/task.sh"),
    "clickhouse-client --multiquery < docs/fleet/schema.sql": ("tests/fleet_test.py", "--multiquery"),
    "docs/fleet/load.py results": ("tests/fleet_test.py", "/load.py"),
    "clickhouse-client --format PrettyCompact < docs/fleet/queries/1-networks-limited-by-the-window.sql": ("tests/fleet_test.py", "/queries/"),
    "sudo rwin -i any --jsonl -q -o /dev/null --metrics /run/rwin.prom": ("tests/fleet_test.py", "--metrics"),
    "docs/fleet/serve-metrics.py /run/rwin.prom 0.0.0.0:9721": ("tests/fleet_test.py", "/serve-metrics.py"),
    "prometheus --config.file=docs/fleet/prometheus.yml": ("tests/fleet_test.py", "--config.file="),
    "cmake --preset release && cmake --build --preset release": ("scripts/lib.sh", "cmake --build"),
    "bench/compare": ("bench/CMakeLists.txt", "compare"),
    "bench/compare --slow": ("bench/CMakeLists.txt", "compare"),
    "bench/compare --scaling": ("bench/CMakeLists.txt", "--scaling"),
    "bench/compare --zstd": ("bench/CMakeLists.txt", "--zstd"),
}
# Not commands to type but names of options and of several commands.
NAMES = {"rwin -J", "rwin -i", "rwin run", "rwin calc|tune|check|compare -J"}


def commands_of(path):
    with open(path, encoding="utf-8") as f:
        text = re.sub(r"<!-- report:begin.*?report:end -->", "", f.read(), flags=re.S)
    found, fence, open_quote = [], None, False
    for line in text.splitlines():
        if line.startswith("```"):
            fence = None if fence is not None else line[3:].strip()
            continue
        indented = fence is None and line.startswith("    ") and not line.startswith("     ")
        if open_quote:  # goes on from the line before
            found[-1] += " " + line.strip()
        elif fence == "sh" or (indented and re.match(r" {4}(sudo |rwin |scripts/|docs/|bench/)", line)):
            found.append(re.split(r"\s{3,}|\s+#", line.strip())[0])
        elif fence is None:
            found += re.findall(r"`((?:sudo )?rwin [^`]*)`", line)
            continue
        else:
            continue
        open_quote = found[-1].count("'") % 2 == 1
    return [c for c in found if c]


def as_run(command, port):
    for word, other in FOR.items():
        command = re.sub(r"(?<![\w/])" + re.escape(word) + r"(?!\w)", other.format(port=port), command)
    return re.sub(r"^scripts/run\b", "rwin", command.removeprefix("sudo "))


def on_a_terminal(command, folder, environment):
    """What a command wrote to its terminal of 100 x 30; q is typed after a moment."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.execvpe("bash", ["bash", "-c", "stty rows 30 cols 100; exec " + command], {**environment, "TERM": "xterm-256color"})
    said, typed, end = b"", False, time.monotonic() + 20
    begin = time.monotonic()
    while time.monotonic() < end:
        ready, _, _ = select.select([terminal], [], [], 0.1)
        if ready:
            try:
                part = os.read(terminal, 65536)
            except OSError:
                break
            if not part:
                break
            said += part
        if not typed and time.monotonic() - begin > 2:
            os.write(terminal, b"q")
            typed = True
    else:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    os.close(terminal)
    return said.decode("utf-8", "replace"), os.waitstatus_to_exitcode(status)


def run(command, folder, environment, port):
    line = as_run(command, port)
    if command in ON_A_TERMINAL:
        return on_a_terminal(line, folder, environment)
    if line.startswith("tcpdump"):
        line = "timeout -s INT 1 " + line + " || [ $? = 124 ]"
    done = subprocess.run(["bash", "-c", "set -o pipefail; " + line], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=60, check=False)
    return done.stdout.decode("utf-8", "replace"), done.returncode


def unpack(name, folder, to):
    with gzip.open(os.path.join("pcaps", name + ".pcap.gz")) as f, open(os.path.join(folder, to), "wb") as out:
        shutil.copyfileobj(f, out)


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def main():
    rwin = os.path.abspath(sys.argv[1])
    pages = ["README.md"] + sorted(set(glob.glob("docs/*.md")) - WRITTEN_BY_TOOLS)
    shown = {}
    for page in pages:
        for command in commands_of(page):
            shown.setdefault(command, page)
    faults = [f"{page}: no test knows what this prints: {c}" for c, page in shown.items() if c not in RUN and c not in ELSEWHERE and c not in NAMES]
    faults += [f"no page shows this any more: {c}" for c in [*RUN, *ELSEWHERE, *NAMES] if c not in shown]
    for command, (file, words) in ELSEWHERE.items():
        with open(file, encoding="utf-8") as f:
            if words not in f.read():
                faults.append(f"{file} does not run: {command}")
    skipped = []
    with tempfile.TemporaryDirectory(prefix="rwin-docs.") as folder:
        os.makedirs(folder + "/bin")
        os.symlink(rwin, folder + "/bin/rwin")
        environment = {**os.environ, "PATH": folder + "/bin:" + os.environ["PATH"], "LC_ALL": "C.UTF-8", "MANPAGER": "cat", "HOME": folder}
        os.makedirs(folder + "/served")
        with open(folder + "/served/file", "wb") as f:
            f.write(bytes(300_000))
        handler = functools.partial(Quiet, directory=folder + "/served")
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for command in [c for c in shown if c in RUN]:
            # Anew for each: some of the commands write them.
            for name in ("slow", "server"):
                unpack("article-rwin32k-rtt330-receiver", folder, name + ".pcap")
            shutil.copy("pcaps/article-rwin32k-rtt330-receiver.pcap.gz", folder + "/slow.pcapng.gz")
            unpack("compare-before", folder, "before.pcap")
            unpack("compare-worked", folder, "after.pcap")
            shutil.rmtree(folder + "/rules", ignore_errors=True)
            os.makedirs(folder + "/rules")
            shutil.copytree("rules/platforms", folder + "/rules/platforms")
            tools = [t for t in ("jq", "man", "tcpdump", "curl") if re.search(rf"\b{t}\b", command) and shutil.which(t) is None]
            live = command.startswith(("sudo", "tcpdump")) or command == "rwin -D"
            if tools or (live and os.geteuid() != 0):
                skipped.append(command + (": " + ", ".join(tools) if tools else ": needs root"))
                continue
            wanted, status = RUN[command]
            said, code = run(command, folder, environment, server.server_address[1])
            if code != status or not re.search(wanted, said, re.M):
                faults.append(f"{shown[command]}: {command}\n    as: {as_run(command, 0)}\n    exit status {code}, wanted {status} and {wanted!r}:\n"
                              + "\n".join("    | " + line for line in said.splitlines()[:25]))
        server.shutdown()
    for fault in faults:
        print(fault)
    for command in skipped:
        print("not run:", command)
    print(f"{len(shown)} commands shown, {len(shown) - len(skipped) - len(ELSEWHERE) - len(NAMES)} run here, {len(ELSEWHERE)} by other tests, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
