#!/usr/bin/env python3
"""Real TCP of this kernel over an emulated path, between two network namespaces made for it, with what the kernel said.

usage: lab.py --tools DIR --out DIR [--set all|short|loop] [--only TEXT] [--jobs N]
       lab.py --tools DIR --out DIR --closed-loop --rwin RWIN [--only TEXT] [--jobs N]

For each scenario OUT/<name>/ gets sender.pcap.gz, mid.pcap.gz, receiver.pcap.gz, tcpinfo.csv.gz and truth.json. DIR holds the
programs emulator and traffic. Root, Linux; exit status 77 (skipped) with the reason elsewhere. 1 when a scenario could not be
run or the kernel's figures do not confirm its class. Nothing outside the lab's own namespaces is touched: isolate.py.
"""
import argparse
import concurrent.futures
import gzip
import json
import os
import shutil
import signal
import subprocess
import sys
import time

import isolate
import scenarios
import truth

ADDRESS = {4: {"server": "198.51.100.20", "client": "192.168.1.64"}, 6: {"server": "2001:db8:1::20", "client": "2001:db8:2::64"}}
MAC = {"server": "02:00:00:00:00:01", "client": "02:00:00:00:00:02"}
DEVICE = "eth0"
RUN_LIMIT = 60  # seconds for one scenario
GOOD_LATENESS_US, GOOD_LATE_SHARE = 400, 0.03  # mean; share of packets more than 1 ms late


class LabError(Exception):
    pass


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True, timeout=20, check=False)
    if done.returncode != 0:
        raise LabError(f"{' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


class Namespaces:
    """Two named network namespaces; the names are seen by the lab alone."""

    def __init__(self, tag):
        self.name = {role: f"lab-{tag}-{role}" for role in ("server", "client")}

    def __enter__(self):
        for name in self.name.values():
            run("ip", "netns", "add", name)
        return self

    def __exit__(self, *_):
        for name in self.name.values():
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)

    def command(self, role, *words):
        return ["ip", "netns", "exec", self.name[role], *words]

    def sysctl(self, role, key, value):
        """Sets and reads back: sysctl exits with 0 also where it could not write."""
        run(*self.command(role, "sysctl", "-qw", f"{key}={value}"))
        got = run(*self.command(role, "sysctl", "-n", key)).split()
        if got != value.split():
            raise LabError(f"{key} is {' '.join(got)}, not {value}")

    def configure(self, scenario):
        for role, peer in (("server", "client"), ("client", "server")):
            ip = ["ip", "-n", self.name[role]]
            v6 = scenario["family"] == 6
            settings = {f"net.ipv4.{key}": value for key, value in scenario["sys_" + role].items()}
            settings[f"net.ipv6.conf.{DEVICE}.disable_ipv6"] = "0" if v6 else "1"
            if v6:
                settings.update({f"net.ipv6.conf.{DEVICE}.{key}": "0" for key in ("accept_ra", "router_solicitations", "accept_dad")})
            for key, value in settings.items():
                self.sysctl(role, key, value)
            mine, other = ADDRESS[scenario["family"]][role], ADDRESS[scenario["family"]][peer]
            if scenario["dev"] == "tap":
                run(*ip, "link", "set", DEVICE, "address", MAC[role])
            run(*ip, "link", "set", DEVICE, "mtu", str(scenario["mtu"]), "txqueuelen", "20000")
            if scenario["gso_segs"]:
                run(*ip, "link", "set", DEVICE, "gso_max_segs", str(scenario["gso_segs"]))
            run(*ip, "link", "set", DEVICE, "up")
            run(*ip, "addr", "add", mine + ("/128" if v6 else "/32"), "dev", DEVICE, *(["nodad"] if v6 else []))
            run(*ip, *(["-6"] if v6 else []), "route", "add", "default", "dev", DEVICE)
            if scenario["dev"] == "tap":
                run(*ip, "neigh", "replace", other, "lladdr", MAC[peer], "dev", DEVICE, "nud", "permanent")
        for role, key, value in scenario.get("apply", ()):
            self.sysctl(role, key, value)


class Processes:
    """Everything that was started is ended when the block is left."""

    def __init__(self):
        self.all = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.all:
            if process.poll() is None:
                process.kill()
            process.wait()
            for stream in (process.stdout, process.stderr):
                if stream:
                    stream.close()

    def start(self, words, wait_for=None):
        """`wait_for`: a word that standard output or error must show first."""
        try:
            process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        except OSError as error:
            raise LabError(str(error)) from error
        self.all.append(process)
        if wait_for:
            stream, word = wait_for
            line = getattr(process, stream).readline()
            while line and word not in line:
                line = getattr(process, stream).readline()
            if word not in line:
                raise LabError(f"{words[0]} {words[4] if len(words) > 4 else ''}: {process.stderr.read().strip()}")
        return process

    @staticmethod
    def end(process, number):
        process.send_signal(number)
        try:
            _, errors = process.communicate(timeout=20)
        except subprocess.TimeoutExpired as error:
            raise LabError(f"{process.args[0]} does not end") from error
        return errors


def emulator_command(tools, spaces, scenario, work):
    words = [f"{tools}/emulator", "--ns-a", f"{isolate.WORK}/{spaces.name['server']}", "--ns-b", f"{isolate.WORK}/{spaces.name['client']}",
             "--kind", scenario["dev"], "--name", DEVICE, "--seed", str(scenario["seed"]), "--mid", f"{work}/mid.pcap",
             "--snap", str(scenario["snap"]), "--stats", f"{work}/emulator.json", "--series", f"{work}/series.csv"]
    for link in ("ab", "ba"):
        words += ["--" + link, ",".join(f"{name}={value}" for name, value in scenario["rules"][link].items())]
    for seconds, link, name, value in scenario["changes"]:
        words += ["--at", f"{seconds}:{link}.{name}={value}"]
    return words


def traffic_command(tools, spaces, scenario, role, work):
    words = spaces.command(role, f"{tools}/traffic", "listen" if role == "server" else "connect", "--addr",
                           ADDRESS[scenario["family"]]["server"], "--port", str(scenario["port"]), "--out", f"{work}/{role}",
                           "--conns", str(scenario["conns"]), "--cc", scenario["cc"])
    sender = "server" if scenario["dir"] == "down" else "client"
    options = dict(scenario[role])
    if "rr" in options and role == sender:
        options.pop("send", None)
    for key, value in options.items():
        words += ["--" + key, str(value)]
    return words


def carry_out(tools, spaces, scenario, work):
    """The run itself. The files of it are in `work` afterwards; gives what tcpdump dropped."""
    sender = "server" if scenario["dir"] == "down" else "client"
    points = {"sender": sender, "receiver": "client" if sender == "server" else "server"}
    with Processes() as processes:
        emulator = processes.start(emulator_command(tools, spaces, scenario, work), ("stdout", "ready"))
        spaces.configure(scenario)
        dumps = [processes.start(spaces.command(role, "tcpdump", "-i", DEVICE, "-s", str(scenario["snap"]), "-B", "16384", "-Z", "root",
                                                "--time-stamp-precision=nano", "--immediate-mode", "-w", f"{work}/{point}.pcap", "tcp"),
                                 ("stderr", "listening on")) for point, role in points.items()]
        server = processes.start(traffic_command(tools, spaces, scenario, "server", work), ("stdout", "ready"))
        begin = time.time()
        client = processes.start(traffic_command(tools, spaces, scenario, "client", work))
        for process in (client, server):
            try:
                _, errors = process.communicate(timeout=max(begin + RUN_LIMIT - time.time(), 1))
            except subprocess.TimeoutExpired as error:
                raise LabError("the programs did not end in time") from error
            if process.returncode != 0:
                raise LabError(f"traffic: {errors.strip() or 'not everything was acknowledged in time'}")
        time.sleep(0.3)
        dropped = 0
        for dump in dumps:
            for line in Processes.end(dump, signal.SIGINT).splitlines():
                if "dropped by kernel" in line:
                    dropped += int(line.split()[0])
        errors = Processes.end(emulator, signal.SIGTERM)
        if emulator.returncode != 0:
            raise LabError(errors.strip())
    return dropped


def lateness(emulator):
    """(mean in us, share of packets more than 1 ms late) of the worse direction."""
    return (max(emulator[link]["late_mean_us"] for link in ("ab", "ba")),
            max(emulator[link]["late_over_1ms"] / max(emulator[link]["out_packets"], 1) for link in ("ab", "ba")))


def timing_is_good(found):
    mean, share = lateness(found["emulator"])
    return mean <= GOOD_LATENESS_US and share <= GOOD_LATE_SHARE and found["capture_dropped_by_kernel"] == 0


def run_once(tools, scenario, work):
    """Runs one scenario in the folder `work`; gives truth.json as a dictionary."""
    os.makedirs(work)
    with Namespaces(os.path.basename(work)) as spaces:
        start = time.time()
        dropped = carry_out(tools, spaces, scenario, work)
    with open(f"{work}/emulator.json", encoding="utf-8") as file:
        emulator = json.load(file)
    sender = "server" if scenario["dir"] == "down" else "client"
    with open(f"{work}/{sender}.json", encoding="utf-8") as file:
        connections = json.load(file)
    found = truth.describe(scenario, work, sender, connections, emulator, start)
    if found["windows_at_sender"]["data_bytes_on_wire"] < found["transfer"]["bytes"]:
        raise LabError("the capture at the sender is not whole")
    found["flow"].update(ADDRESS[scenario["family"]])
    found["capture_dropped_by_kernel"] = dropped
    with open(f"{work}/truth.json", "w", encoding="utf-8") as file:
        json.dump(found, file, indent=1)
    return found


def keep(work, out, sender):
    """Compresses what is worth keeping into `out`, which is there as a whole or not at all."""
    shutil.rmtree(out, ignore_errors=True)
    part = out + ".part"
    shutil.rmtree(part, ignore_errors=True)
    os.makedirs(part)
    for name, kept in (("sender.pcap",) * 2, ("mid.pcap",) * 2, ("receiver.pcap",) * 2, (f"{sender}.csv", "tcpinfo.csv"), ("series.csv",) * 2):
        with open(f"{work}/{name}", "rb") as source, gzip.open(f"{part}/{kept}.gz", "wb", compresslevel=1) as target:
            shutil.copyfileobj(source, target)
    shutil.copy(f"{work}/truth.json", part)
    os.rename(part, out)


def run_scenario(tools, scenario, out, attempts=3):
    """Runs until timing and the kernel's figures are as they must be; at most `attempts` times. The last run counts."""
    for attempt in range(1, attempts + 1):
        work = f"{isolate.WORK}/{scenario['name']}-{attempt}"
        try:
            found = run_once(tools, scenario, work)
            good = timing_is_good(found) and found["confirmed"]
            if good or attempt == attempts:
                found["attempts"] = attempt
                if out:
                    keep(work, f"{out}/{scenario['name']}", found["flow"]["data_sender"])
                return found
            print(f"{scenario['name']}: again, " + ("late: {:.0f} us, {:.3f} of the packets, {} records lost".format(
                *lateness(found["emulator"]), found["capture_dropped_by_kernel"]) if found["confirmed"] else f"phases {found['phase_seconds']}"), flush=True)
        except LabError as error:
            if attempt == attempts:
                return {"name": scenario["name"], "error": str(error)}
            print(f"{scenario['name']}: again, {error}", flush=True)
        finally:
            shutil.rmtree(work, ignore_errors=True)
    return None


def line_of(found):
    if "error" in found:
        return f"{found['name']:38s} ERROR {found['error']}"
    mean, share = lateness(found["emulator"])
    phases = " ".join(f"{name} {s:.1f}" for name, s in sorted(found["phase_seconds"].items(), key=lambda item: -item[1])[:4])
    return (f"{found['name']:38s} {found['class']:18s} {'confirmed' if found['confirmed'] else 'NOT-CONFIRMED'} rwnd {found['kernel']['rwnd_share']:.3f}"
            f" line {found['link']['utilisation']:.2f} late {mean:.0f} us {100 * share:.1f} % runs {found['attempts']} | {phases}")


def run_all(tools, chosen, out, jobs):
    """All of them, `jobs` at once; gives {name: truth}."""
    results = {}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        pending = {pool.submit(run_scenario, tools, scenario, out): scenario["name"] for scenario in chosen}
        try:
            for done in concurrent.futures.as_completed(pending):
                results[pending[done]] = done.result()
                print(line_of(done.result()), flush=True)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return results


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tools", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--set", default="all", choices=("all", "short", "loop"))
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=3)
    parser.add_argument("--closed-loop", action="store_true")
    parser.add_argument("--rwin")
    options = parser.parse_args()
    reason = isolate.missing()
    if reason:
        print(f"skipped: {reason}")
        sys.exit(isolate.SKIPPED)
    os.makedirs(options.out, exist_ok=True)
    isolate.enter()
    tools, out, kind = os.path.abspath(options.tools), os.path.abspath(options.out), "loop" if options.closed_loop else options.set
    chosen = {"all": scenarios.ALL, "short": scenarios.SHORT, "loop": scenarios.LOOP}[kind]
    chosen = [scenario for scenario in chosen if options.only in scenario["name"]]
    if options.closed_loop:
        import closed_loop  # needs this module
        failed = not all(row["ok"] for row in closed_loop.close_all(tools, os.path.abspath(options.rwin), chosen, out, options.jobs))
    else:
        failed = any("error" in found or not found["confirmed"] for found in run_all(tools, chosen, out, options.jobs).values())
    sys.stdout.flush()
    os._exit(failed)


if __name__ == "__main__":
    main()
