"""Closed loop: a transfer, rwin's advice for it, the same transfer with the advice applied; does it reach the rate promised?

Applied are exactly the commands of the first advice whose every command is `sysctl -w` of a setting that a network namespace
holds apart (never net.core.*, which is the whole machine's). They run in the namespace of the host that the advice names.

The rate compared with advice[].expected_bps is the steady one: bytes acknowledged per time over the last third of the time from
the first to the last write, so after slow start and the first cwnd reduction.
"""
import concurrent.futures
import csv
import gzip
import json
import shlex
import subprocess

import lab

APART = {"net.ipv4." + name for name in (
    "tcp_rmem", "tcp_wmem", "tcp_window_scaling", "tcp_timestamps", "tcp_sack", "tcp_moderate_rcvbuf", "tcp_adv_win_scale",
    "tcp_shrink_window", "tcp_notsent_lowat", "tcp_slow_start_after_idle")}
WITHIN = 0.10


def steady_bps(folder, found):
    """Of one connection."""
    conn = found["connections"][0]
    start, end = conn["t_first"] + (conn["t_write_end"] - conn["t_first"]) * 2 / 3, conn["t_write_end"]
    with gzip.open(f"{folder}/tcpinfo.csv.gz", "rt", encoding="utf-8") as file:
        rows = [(float(row["t"]), float(row["bytes_acked"])) for row in csv.DictReader(file) if row["bytes_acked"]]
    rows = [row for row in rows if start <= row[0] <= end]
    return (rows[-1][1] - rows[0][1]) * 8 / (rows[-1][0] - rows[0][0])


def settings_of(advice):
    """[(key, value)] of the advice's commands, or None when one of them is not the namespace's alone."""
    found = []
    for command in advice["change"]:
        words = shlex.split(command, comments=True)
        if not words:
            continue
        words = words[1:] if words[0] == "sudo" else words
        if words[:2] != ["sysctl", "-w"] or len(words) != 3 or "=" not in words[2]:
            return None
        key, value = words[2].split("=", 1)
        if key not in APART:
            return None
        found.append((key, value))
    return found or None


def read_advice(rwin, folder, found):
    """(advice, settings) from the capture at the receiver; (None, None) when no advice can be applied here."""
    done = subprocess.run([rwin, "-r", f"{folder}/receiver.pcap.gz", "-J"], capture_output=True, timeout=60, check=False)
    report = json.loads(done.stdout)
    for connection in report["connections"]:
        for direction in connection["directions"]:
            if direction["sender"] != found["flow"]["data_sender"]:
                continue
            for advice in direction["advice"]:
                settings = settings_of(advice) if str(advice["platform"]).startswith("linux") else None
                if settings:
                    return advice, settings
    return None, None


def close(tools, rwin, scenario, out):
    """One row of the table."""
    row = {"name": scenario["name"], "rtt": scenario["rtt"], "line": scenario["rules"]["ab"]["rate"], "ok": False}
    before = lab.run_scenario(tools, scenario, out)
    if "error" in before:
        return {**row, "error": before["error"]}
    row["before"] = steady_bps(f"{out}/{scenario['name']}", before)
    advice, settings = read_advice(rwin, f"{out}/{scenario['name']}", before)
    if advice is None:
        return {**row, "error": "no advice that a namespace can follow"}
    role = {before["flow"]["server"]: "server", before["flow"]["client"]: "client"}[advice["host"]]
    row.update(advice=advice["id"], commands=[f"{key}={value}" for key, value in settings], expected=advice["expected_bps"])
    again = {**scenario, "name": scenario["name"] + "_fixed", "apply": [(role, key, value) for key, value in settings], "class": "mixed", "also": []}
    after = lab.run_scenario(tools, again, out)
    if "error" in after:
        return {**row, "error": after["error"]}
    row["after"] = steady_bps(f"{out}/{again['name']}", after)
    if row["expected"]:
        row["ratio"] = row["after"] / row["expected"]
        row["ok"] = abs(row["ratio"] - 1) <= WITHIN
    return row


def close_all(tools, rwin, chosen, out, jobs):
    rows, out = [], f"{out}/closed-loop"
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        try:
            for row in pool.map(lambda scenario: close(tools, rwin, scenario, out), chosen):
                rows.append(row)
                print(text_of(row), flush=True)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return rows


def text_of(row):
    if "error" in row:
        return f"{row['name']:36s} ERROR {row['error']}"
    return (f"{row['name']:36s} before {row['before'] / 1e6:6.2f} after {row['after'] / 1e6:6.2f} expected {(row['expected'] or 0) / 1e6:6.2f} Mbit/s"
            f" {'ok' if row['ok'] else 'NOT-REACHED'}  {row['advice']}: {'; '.join(row['commands'])}")
