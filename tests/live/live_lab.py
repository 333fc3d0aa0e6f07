"""Two network namespaces with a link between them, for the tests of live captures. Linux, root."""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
HERE, THERE = "10.251.0.1", "10.251.0.2"


def skip_unless_possible(*tools):
    """Ends the program with 77 and a reason where these tests cannot run."""
    if not sys.platform.startswith("linux"):
        reason = "not Linux"
    elif os.geteuid() != 0:
        reason = "not root: interfaces and namespaces cannot be made"
    else:
        missing = [t for t in ("ip", *tools) if not shutil.which(t)]
        if not missing and subprocess.run(["unshare", "--net", "true"], capture_output=True, check=False).returncode == 0:
            return
        reason = f"not installed: {' '.join(missing)}" if missing else "no network namespaces here"
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def run(*words, **more):
    return subprocess.run(words, capture_output=True, text=True, timeout=60, check=False, **more)


def must(*words):
    done = run(*words)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


def wait_until(what, check, seconds=20):
    """Until check() gives something true, and that; polls, since what is waited for are other processes."""
    end = time.monotonic() + seconds
    while True:
        value = check()
        if value:
            return value
        if time.monotonic() > end:
            raise RuntimeError(f"{what}: not within {seconds} s")
        time.sleep(0.01)


def status(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        return dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)


class Lab:
    """`with Lab("name") as lab`: namespaces, a folder (lab.folder), processes that end with it.

    link="veth": eth0 here (HERE) and there (THERE). link="none": the caller makes it."""

    def __init__(self, tag, link="veth"):
        self.space = {side: f"rwin-{tag}-{os.getpid()}-{side}" for side in ("here", "there")}
        self.link = link
        self.processes = []
        self.folder = tempfile.mkdtemp(prefix="rwin-live-")
        os.chmod(self.folder, 0o755)

    def __enter__(self):
        try:
            for name in self.space.values():
                must("ip", "netns", "add", name)
                must("ip", "-n", name, "link", "set", "lo", "up")
            if self.link == "veth":
                here, there = self.space["here"], self.space["there"]
                must("ip", "link", "add", "eth0", "netns", here, "type", "veth", "peer", "name", "eth0", "netns", there)
                for side in ("here", "there"):
                    must(*self.inside(side), "sysctl", "-qw", "net.ipv6.conf.eth0.disable_ipv6=1")
                self.addresses()
        except BaseException:
            self.__exit__()
            raise
        return self

    def addresses(self):
        for side, address in (("here", HERE), ("there", THERE)):
            name = self.space[side]
            must("ip", "-n", name, "addr", "add", address + "/24", "dev", "eth0")
            must("ip", "-n", name, "link", "set", "eth0", "up")

    def __exit__(self, *_):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
            process.communicate()
        for name in self.space.values():
            run("ip", "netns", "del", name)
        shutil.rmtree(self.folder, ignore_errors=True)

    def inside(self, side):
        return ["ip", "netns", "exec", self.space[side]]

    def path(self, name):
        return os.path.join(self.folder, name)

    def start(self, side, *words, **more):
        more = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **more}
        process = subprocess.Popen([*self.inside(side), *words], **more)
        self.processes.append(process)
        return process

    def serve(self, side, script, *words):
        """A Python server; it prints a line when it is ready."""
        process = self.start(side, sys.executable, "-c", script, *words)
        if not process.stdout.readline():
            raise RuntimeError(process.stderr.read())
        return process

    def watch(self, rwin, *words, **more):
        """rwin on eth0 here, returned when its capture is open."""
        capture = self.start("here", rwin, "-i", "eth0", *words, **more)
        self.until_open(capture.pid)
        return capture

    @staticmethod
    def until_open(pid):
        """The capture is open and all privileges are given up: both before any thread is started."""
        wait_until("capture opens", lambda: os.path.exists(f"/proc/{pid}/task") and len(os.listdir(f"/proc/{pid}/task")) >= 3)


def end(process, number=signal.SIGINT):
    """(output, errors, exit status) after that signal; None: without one."""
    if number is not None:
        process.send_signal(number)
    out, err = process.communicate(timeout=30)
    return out, err, process.returncode


# Serves GET requests: /N gives N bytes of zeros. Prints a line when it listens.
WEB = """
import http.server, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        n = int(self.path[1:])
        self.send_response(200)
        self.send_header("Content-Length", str(n))
        self.end_headers()
        self.wfile.write(bytes(n))
    def log_message(self, *_):
        pass
server = http.server.ThreadingHTTPServer((sys.argv[1], int(sys.argv[2])), Handler)
print("ready", flush=True)
server.serve_forever()
"""
