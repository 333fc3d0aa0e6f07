#!/usr/bin/env python3
"""fleet_test.py archive|metrics RWIN SOURCE-FOLDER [CAPTURES]: the files of docs/fleet at work, with servers of this machine's packages (skipped without them).

archive: CAPTURES (1,000) captures through a Slurm array job with a task killed half-way, loaded into ClickHouse with a loader that is cut off once, the
six queries; the totals are those of one rwin over all of them. Without Slurm GNU parallel's work is done by a loop.
metrics: a live capture on the loopback interface, scraped by Prometheus."""
import collections
import contextlib
import gzip
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request

SHIFT_S = 7200  # from capture to capture


def skip(why):
    print("skipped:", why)
    sys.exit(77)


def need(*programs):
    missing = [p for p in programs if shutil.which(p) is None]
    if missing:
        skip("not installed: " + ", ".join(missing))


def check(what, ok, detail=""):
    print(("ok   " if ok else "FAIL ") + what, detail if not ok else "")
    if not ok:
        sys.exit(1)


def wait_for(what, probe, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if probe():
            return
        time.sleep(0.1)
    check(what, False, f"not within {seconds} s")


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


@contextlib.contextmanager
def started(log, *command, **kwargs):
    with open(log, "wb") as out:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, **kwargs)
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


# Captures: those of the project, moved in time and to another client, so that each has a content and connections of its own.

CLIENT = bytes([192, 168, 1, 64])  # of most captures


def moved(data, number):
    """The classic pcap `data` with all times later, by SHIFT_S for each number."""
    seconds = number * SHIFT_S
    order = "<" if data[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
    out, at = bytearray(data), 24
    while at + 16 <= len(data):
        time_s, _, length, _ = struct.unpack_from(order + "IIII", data, at)
        struct.pack_into(order + "I", out, at, time_s + seconds)
        at += 16 + length
    return bytes(out).replace(CLIENT, bytes([10, 1 + (number >> 8), number & 255, 7]))


def make_captures(source, folder, count):
    originals = []
    for name in sorted(os.listdir(os.path.join(source, "pcaps"))):
        if not name.endswith(".pcap.gz"):
            continue
        with gzip.open(os.path.join(source, "pcaps", name)) as f:
            data = f.read()
        if data[:4] in (b"\xd4\xc3\xb2\xa1", b"\xa1\xb2\xc3\xd4", b"\x4d\x3c\xb2\xa1", b"\xa1\xb2\x3c\x4d") and len(data) < 400_000:
            originals.append(data)
    check("captures to begin with", len(originals) >= 3, len(originals))
    paths = []
    for i in range(count):
        path = os.path.join(folder, f"{i:04}.pcap")
        with open(path, "wb") as f:
            f.write(moved(originals[i % len(originals)], i))
        paths.append(path)
    return paths


# ClickHouse

CLICKHOUSE = """<yandex>
<logger><level>warning</level><log>{folder}/server.log</log><errorlog>{folder}/error.log</errorlog></logger>
<http_port>{http}</http_port><tcp_port>{tcp}</tcp_port><interserver_http_port>{inter}</interserver_http_port><listen_host>127.0.0.1</listen_host>
<path>{folder}/data/</path><tmp_path>{folder}/tmp/</tmp_path><user_files_path>{folder}/files/</user_files_path><format_schema_path>{folder}/schemas/</format_schema_path>
<timezone>UTC</timezone><mark_cache_size>100000000</mark_cache_size>
<users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default></users>
<profiles><default><max_memory_usage>2000000000</max_memory_usage></default></profiles><quotas><default/></quotas>
<remote_servers><fleet><shard><replica><host>127.0.0.1</host><port>{tcp}</port></replica></shard></fleet></remote_servers>
</yandex>
"""


@contextlib.contextmanager
def clickhouse(folder):
    http, tcp, inter = free_ports(3)
    for sub in ("data", "tmp", "files", "schemas"):
        os.makedirs(os.path.join(folder, sub))
    config = os.path.join(folder, "config.xml")
    with open(config, "w", encoding="utf-8") as f:
        f.write(CLICKHOUSE.format(folder=folder, http=http, tcp=tcp, inter=inter).replace("<users>", "<users_config>config.xml</users_config><users>"))
    client = ["clickhouse-client", "--host", "127.0.0.1", "--port", str(tcp)]

    def ask(query, *words):
        done = subprocess.run([*client, *words], input=query, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        return done.stdout if done.returncode == 0 else None

    with started(os.path.join(folder, "out.log"), "clickhouse-server", "--config-file=" + config, cwd=folder):
        wait_for("ClickHouse answers", lambda: ask("SELECT 1") == "1\n", 30)
        yield " ".join(client), ask


# Slurm

SLURM = """ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CryptoType=crypto/munge
SlurmctldPort={ctld}
SlurmdPort={d}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


@contextlib.contextmanager
def slurm(folder):
    """The environment for sbatch; munge wants folders that nobody else may write."""
    os.makedirs(folder)
    for sub in ("state", "spool"):
        os.makedirs(os.path.join(folder, sub))
    host = socket.gethostname().split(".")[0]
    ctld, d = free_ports(2)
    config = os.path.join(folder, "slurm.conf")
    with open(config, "w", encoding="utf-8") as f:
        f.write(SLURM.format(host=host, folder=folder, ctld=ctld, d=d))
    key = os.path.join(folder, "munge.key")
    with open(key, "wb") as f:
        f.write(os.urandom(128))
    os.chmod(key, 0o400)
    os.chmod(folder, 0o755)
    munge = os.path.join(folder, "munge.socket")
    environment = {**os.environ, "SLURM_CONF": config}
    with contextlib.ExitStack() as stack:
        stack.enter_context(started(folder + "/munged.out", "munged", "-F", "-f", "--key-file=" + key, "--socket=" + munge,
                                    "--pid-file=" + folder + "/munged.pid", "--log-file=" + folder + "/munged.log", "--seed-file=" + folder + "/munged.seed"))
        wait_for("munge answers", lambda: os.path.exists(munge), 10)
        stack.enter_context(started(folder + "/ctld.out", "slurmctld", "-D", "-i", "-f", config, env=environment))
        stack.enter_context(started(folder + "/slurmd.out", "slurmd", "-D", "-f", config, "-N", host, env=environment))
        wait_for("Slurm has a node", lambda: "idle" in subprocess.run(["sinfo", "-h", "-o", "%t"], env=environment, stdout=subprocess.PIPE,
                                                                      stderr=subprocess.DEVNULL, text=True, check=False).stdout, 40)
        yield environment


def kill_a_task(results, after, stop):
    """Kills the first task that is at work once `after` results are there."""
    while not stop.is_set():
        if sum(name.endswith(".jsonl") and name[0] != "." for name in os.listdir(results)) >= after:
            found = subprocess.run(["pgrep", "-f", "fleet/task.sh .*" + results], stdout=subprocess.PIPE, text=True, check=False).stdout.split()
            if found:
                group = os.getpgid(int(found[0]))
                os.killpg(group, signal.SIGKILL)
                stop.killed = True
                return
        time.sleep(0.02)


def analyse(work, source, rwin, listing, results, count):
    """All captures through tasks, one of which dies half-way."""
    os.makedirs(results)
    tasks = (count + 49) // 50
    killer = threading.Event()
    killer.killed = False
    thread = threading.Thread(target=kill_a_task, args=(results, count // 3, killer))
    fleet = os.path.join(source, "docs", "fleet")
    environment = {**os.environ, "RWIN": rwin, "RWIN_FLEET": fleet}
    thread.start()
    try:
        if all(shutil.which(p) for p in ("munged", "slurmctld", "slurmd", "sbatch")):
            # munge wants every folder above its socket to belong to root.
            folder = tempfile.mkdtemp(prefix="rwin-slurm.", dir="/run")
            try:
                with slurm(folder + "/s") as slurm_environment:
                    environment.update(SLURM_CONF=slurm_environment["SLURM_CONF"])
                    for attempt in (1, 2):
                        done = subprocess.run(["sbatch", "--wait", f"--array=0-{tasks - 1}", "--output=/dev/null", "--mem=0", fleet + "/captures.sbatch", listing, results],
                                              env=environment, cwd=work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=900, check=False)
                        print(f"     job {attempt}: exit status {done.returncode}, {len(finished(results))} of {count} results")
                    check("the second job ends well", done.returncode == 0, done.stdout)
            finally:
                shutil.rmtree(folder, ignore_errors=True)
        else:
            print("     Slurm is not installed: tasks one after the other")
            for _ in (1, 2):
                for task in range(tasks):
                    subprocess.run([fleet + "/task.sh", listing, results, str(task), "50"], env=environment, check=False, start_new_session=True)
    finally:
        killer.set()
        thread.join()
    check("a task was killed half-way", killer.killed)
    check("every capture has its result", len(finished(results)) == count, f"{len(finished(results))} of {count}")


def finished(results):
    return [n for n in os.listdir(results) if n.endswith(".jsonl") and not n.startswith(".")]


def totals_of_one(rwin, paths):
    """Transfers of one process over all captures: number, bytes and segments by class."""
    out = subprocess.run([rwin, "--jsonl", *paths], stdout=subprocess.PIPE, check=True).stdout
    classes = collections.defaultdict(lambda: [0, 0, 0])
    connections = packets = 0
    for line in out.splitlines():
        event = json.loads(line)
        if event["event"] == "flow_end":
            connections += 1
            for d in event["directions"]:
                total = classes[d["verdict"]["limit"]]
                total[0] += 1
                total[1] += d["bytes"]
                total[2] += d["segments"]
        elif event["event"] == "end":
            packets = event["capture"]["packets"]
    return connections, packets, {k: tuple(v) for k, v in classes.items()}


def archive(rwin, source, count):
    need("clickhouse-server", "clickhouse-client", "sha256sum")
    if os.geteuid() != 0:
        skip("needs root for Slurm and munge")
    with tempfile.TemporaryDirectory(prefix="rwin-fleet.") as work:
        os.mkdir(work + "/captures")
        paths = make_captures(source, work + "/captures", count)
        with open(work + "/list", "w", encoding="utf-8") as f:
            f.write("\n".join(paths) + "\n")
        results = work + "/results"
        begin = time.monotonic()
        analyse(work, source, rwin, work + "/list", results, count)
        print(f"     {time.monotonic() - begin:.0f} s")
        fleet = os.path.join(source, "docs", "fleet")
        with clickhouse(work + "/ch") as (client, ask):
            with open(fleet + "/schema.sql", encoding="utf-8") as f:
                check("the schema is taken", ask(f.read(), "--multiquery") is not None)
            loader = [fleet + "/load.py", results]
            environment = {**os.environ, "CLICKHOUSE": client}
            # Cut off in the middle: rows of directions without their captures.
            ask("INSERT INTO rwin.directions (capture, load, bytes, sender, confidence, day) VALUES "
                f"('{finished(results)[0][:-6]}', 1, 12345, 'server', 'high', '2026-11-30')")
            first = subprocess.Popen(loader, env=environment, stdout=subprocess.DEVNULL)
            time.sleep(1)
            first.kill()
            first.wait()
            for attempt in (1, 2):
                said = subprocess.run(loader, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout
                print("     loader:", said.strip())
            check("the second load finds all there", said.startswith("0 captures loaded"), said)
            # A second load of everything by a loader that did not know: counts once all the same.
            ask("INSERT INTO rwin.captures SELECT * FROM (SELECT capture, load + 1 AS load, name, day, first_ns, last_ns, packets, tcp_packets, connections, exit_code, error FROM rwin.captures LIMIT 5)")
            ask("SYSTEM FLUSH DISTRIBUTED rwin.captures")
            wait_for("the sending between shards", lambda: ask("SELECT count() FROM rwin.loaded") == f"{count}\n", 20)
            connections, packets, classes = totals_of_one(rwin, paths)
            loaded = {}

            def same_totals():
                loaded.clear()
                for line in (ask("SELECT limit_class, count(), sum(bytes), sum(segments) FROM rwin.flows GROUP BY limit_class") or "").splitlines():
                    word, *numbers = line.split("\t")
                    loaded[word] = tuple(map(int, numbers))
                return loaded == classes

            end = time.monotonic() + 20
            while not same_totals() and time.monotonic() < end:
                time.sleep(0.5)
            check("the totals of every class are those of one process", loaded == classes, f"{loaded} != {classes}")
            said = ask("SELECT sum(connections), sum(packets) FROM rwin.captures WHERE (capture, load) GLOBAL IN (SELECT capture, load FROM rwin.loaded)")
            check("connections and packets too", said == f"{connections}\t{packets}\n", f"{said!r}, {connections} {packets}")
            print(f"     {count} captures, {packets} packets, {connections} connections")
            for name in sorted(os.listdir(fleet + "/queries")):
                with open(fleet + "/queries/" + name, encoding="utf-8") as f:
                    query = f.read().replace("{MOMENT}", "2027-01-01 00:00:00")
                answer = ask(query, "--format", "TSVWithNames")
                check("query " + name, answer is not None and answer.count("\n") > 1, answer)
            limited = ask("SELECT countIf(limit_class = 'receiver-window') FROM rwin.flows")
            check("there is something to find", int(limited) > 0)


# Metrics

def metrics(rwin, source):
    need("prometheus", "promtool")
    if os.geteuid() != 0:
        skip("needs root for a live capture")
    fleet = os.path.join(source, "docs", "fleet")
    said = subprocess.run(["promtool", "check", "rules", fleet + "/alerts.yml"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    check("the alert rules are well-formed", said.returncode == 0, said.stdout)
    with open(fleet + "/dashboard.json", encoding="utf-8") as f:
        panels = json.load(f)["panels"]
    with tempfile.TemporaryDirectory(prefix="rwin-metrics.") as work, contextlib.ExitStack() as stack:
        serve_port, own_port = free_ports(2)
        with open(fleet + "/prometheus.yml", encoding="utf-8") as f:
            config = f.read().replace("127.0.0.1:9721", f"127.0.0.1:{serve_port}").replace("_interval: 5s", "_interval: 1s")
        with open(work + "/prometheus.yml", "w", encoding="utf-8") as f:
            f.write(config)
        shutil.copy(fleet + "/alerts.yml", work)
        stack.enter_context(started(work + "/rwin.log", rwin, "-i", "lo", "--jsonl", "-q", "-o", "/dev/null", "--metrics", work + "/rwin.prom"))
        stack.enter_context(started(work + "/serve.log", fleet + "/serve-metrics.py", work + "/rwin.prom", f"127.0.0.1:{serve_port}"))
        wait_for("metrics are written", lambda: os.path.exists(work + "/rwin.prom") and os.path.getsize(work + "/rwin.prom") > 0, 10)
        stack.enter_context(started(work + "/prometheus.log", "prometheus", "--config.file=" + work + "/prometheus.yml", "--storage.tsdb.path=" + work + "/data",
                                    f"--web.listen-address=127.0.0.1:{own_port}"))
        begin = time.monotonic()

        def ask(expression):
            try:
                url = f"http://127.0.0.1:{own_port}/api/v1/query?" + urllib.parse.urlencode({"query": expression})
                with urllib.request.urlopen(url, timeout=2) as answer:
                    return json.load(answer)["data"]["result"]
            except OSError:
                return []

        wait_for("a first sample", lambda: ask("rwin_packets_total"), 15)
        print(f"     first sample after {time.monotonic() - begin:.1f} s")
        check("the scrape is well-formed", [r["value"][1] for r in ask('up{job="rwin"}')] == ["1"])
        # Prometheus and the scrape itself run over the loopback interface: packets are seen.
        wait_for("packets are counted", lambda: any(float(r["value"][1]) > 0 for r in ask("rwin_packets_total")), 15)
        wait_for("time is counted by limit", lambda: len(ask("rwin_limited_seconds_total")) >= 5, 15)
        known = {r["metric"]["__name__"] for r in ask('{__name__=~"rwin_.+"}')}
        wanted = {word for panel in panels for t in panel["targets"] for word in t["expr"].replace("(", " ").replace("[", " ").replace(")", " ").split() if word.startswith("rwin_")}
        check("the dashboard asks for what there is", wanted <= known, wanted - known)


def main():
    kind, rwin, source = sys.argv[1:4]
    rwin, source = os.path.abspath(rwin), os.path.abspath(source)
    if kind == "archive":
        archive(rwin, source, int(sys.argv[4]) if len(sys.argv) > 4 else 1000)
    else:
        metrics(rwin, source)


if __name__ == "__main__":
    main()
