#!/usr/bin/env python3
"""load.py RESULTS-FOLDER: puts results of task.sh into ClickHouse. Options for the client: CLICKHOUSE="clickhouse-client --host H --port P".

Can be stopped and started again at any time: a capture that was loaded is not loaded again, and of one that was cut off in the middle nothing counts."""
import datetime
import ipaddress
import json
import os
import shlex
import subprocess
import sys
import time

AT_ONCE = 200  # captures an insert


def client(query, rows=None):
    command = shlex.split(os.environ.get("CLICKHOUSE", "clickhouse-client")) + ["--query", query]
    text = None if rows is None else "".join(json.dumps(r) + "\n" for r in rows)
    done = subprocess.run(command, input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"load.py: {query[:60]}...: {done.stderr.strip()[:300]}")
    return done.stdout


def network(address):
    if not address:
        return ""
    bits = 24 if ipaddress.ip_address(address).version == 4 else 48
    return str(ipaddress.ip_network(f"{address}/{bits}", strict=False))


def seconds(ns):
    return max(ns or 0, 0) // 1_000_000_000


def day(ns):
    return datetime.datetime.fromtimestamp(seconds(ns), datetime.timezone.utc).strftime("%Y-%m-%d")


def direction_row(key, load, connection, d):
    client_end, server_end, verdict = connection["client"], connection["server"], d["verdict"]
    advice = d["advice"][0] if d["advice"] else {}
    return {
        "capture": key, "load": load, "connection": connection["id"], "day": day(connection["start_ns"]),
        "start": seconds(connection["start_ns"]), "start_ns": connection["start_ns"],
        "client_ip": client_end["ip"] or "", "client_net": network(client_end["ip"]), "client_os": client_end["os"] or "",
        "server_ip": server_end["ip"] or "", "server_port": server_end["port"], "server_os": server_end["os"] or "",
        "sender": d["sender"], "receiver_ip": (client_end if d["receiver"] == "client" else server_end)["ip"] or "",
        "bytes": d["bytes"], "duration_us": d["duration_us"], "goodput_bps": d["goodput_bps"], "rtt_base_us": d["rtt_us"]["base"],
        "window_max": d["window"]["max_bytes"], "capacity_bps": d["capacity_bps"], "blocked_share": d["receiver_blocked_share"],
        "retransmitted_segments": d["retransmitted_segments"], "segments": d["segments"],
        "limit_class": verdict["limit"], "cause": verdict["cause"] or "", "confidence": verdict["confidence"],
        "potential_bps": verdict["potential_bps"], "gain": verdict["gain"],
        "advice": advice.get("id") or "", "change_host": advice.get("host") or "",
    }


def read(path, key, load):
    """The capture's row and those of its directions."""
    capture = {"capture": key, "load": load, "name": "", "day": "1970-01-01", "first_ns": 0, "last_ns": 0, "packets": 0,
               "tcp_packets": 0, "connections": 0, "exit_code": 0, "error": ""}
    rows = []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            event = json.loads(line)
            kind = event["event"]
            if kind == "start":
                source = event["source"]
                capture.update(name=source["names"][0], first_ns=source["first_ns"] or 0, last_ns=source["last_ns"] or 0,
                               day=day(source["first_ns"]))
            elif kind == "flow_end":
                capture["connections"] += 1
                rows += [direction_row(key, load, event, d) for d in event["directions"]]
            elif kind == "end":
                capture.update(packets=event["capture"]["packets"], tcp_packets=event["capture"]["tcp_packets"],
                               exit_code=event["exit_code"])
            elif kind == "error":
                capture.update(exit_code=event["error"]["code"], error=event["error"]["message"])
    return capture, rows


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = sys.argv[1]
    load = time.time_ns()
    known = set(client("SELECT DISTINCT capture FROM rwin.captures").split())
    results = sorted(f for f in os.listdir(folder) if f.endswith(".jsonl") and not f.startswith("."))
    new = [f for f in results if f[:-6] not in known]
    for at in range(0, len(new), AT_ONCE):
        captures, directions = [], []
        for name in new[at:at + AT_ONCE]:
            capture, rows = read(os.path.join(folder, name), name[:-6], load)
            captures.append(capture)
            directions += rows
        if directions:
            client("INSERT INTO rwin.directions FORMAT JSONEachRow", directions)
        client("INSERT INTO rwin.captures FORMAT JSONEachRow", captures)
    print(f"{len(new)} captures loaded, {len(results) - len(new)} were there")


if __name__ == "__main__":
    main()
