#!/usr/bin/env python3
"""Runs `rwin -r FILE -J` on a folder of captures from many sources, hostile ones among them.

usage: captures_test.py RWIN DIR [-v]     exit status 77 (skipped) where DIR/expected.json is absent; -v lists where tshark is
                                           contradicted, with the reason

For each file: exit status 0 or 4 (1 only where not one packet can be read), one valid JSON document with every top-level key,
shares and timeline that add up, every packet used or counted by reason; packets, TCP packets, connections, data bytes, zero windows
and the handshake's options equal to those that capinfos and tshark found (expected.json), with the exceptions listed here.
"""
import json
import os
import subprocess
import sys
from collections import defaultdict

# Of the hosts whose handshake is in the captures: the share whose system must be recognised.
RECOGNISED = 0.8
# Where the figures differ: the reason, per file and figure; rwin is right unless it says so. One that no longer differs fails.
PROBE = "bytes of window probes and keep-alives, which were there before: tshark counts them as data"
BELIEVED = "the records say that they were not cut, the IP headers give more: rwin believes the headers"
DIFFERENT = {
    "ndpi-reasm_crash_anon.pcapng": {"data_bytes": BELIEVED},
    "pcapplusplus-clusterfuzz-5755755617189888.pcap": {
        "connections": "the only TCP packet claims 2 GB of payload, which no window allows: malformed", "data_bytes": "that packet's"},
    "pcapplusplus-one_tcp_stream_max_seq.pcap": {"data_bytes": PROBE},
    "pcapplusplus-tcp-malformed.pcap": {"connections": "the only TCP packet has an impossible header: malformed, no connection"},
    "suricata-http-mime-truncated-snap66.pcap": {"data_bytes": PROBE},
    "tcptrace-fast_reuse.dmp.gz": {"data_bytes": BELIEVED},
    "tcptrace-hardware_dups.dmp.gz": {"data_bytes": "every packet was recorded twice: rwin counts it once"},
    "tcptrace-zwnd.dmp.gz": {"data_bytes": PROBE},
    "zeek-gtp1_gn_normal_incl_fragmentation.pcap": {
        "tcp_packets": "of four datagrams the second fragment is missing: tshark reads none of them, rwin the TCP header in the first",
        "data_bytes": "theirs"},
}
TOP_LEVEL = {"schema", "tool", "source", "capture", "settings", "connections", "hosts", "error"}


def refuse(constant):
    raise ValueError(f"{constant} is no JSON")


def by_endpoints(items, ends):
    """{frozenset of both "ip port": [items]}"""
    found = defaultdict(list)
    for item in items:
        found[frozenset(ends(item))].append(item)
    return found


def handshake_breaches(report, expected):
    ours = by_endpoints(report["connections"],
                        lambda c: [f"{c[side]['ip']} port {c[side]['port']}" for side in ("client", "server")])
    theirs = by_endpoints(expected["streams"], lambda s: [s["a"], s["b"]])
    for pair, streams in theirs.items():
        if len(streams) != 1 or len(ours[pair]) != 1:
            continue  # reused ports: which one belongs to which is a matter of taste
        connection = ours[pair][0]
        for side in ("client", "server"):
            mine = connection["handshake"][side]
            name = f"{connection[side]['ip']} port {connection[side]['port']}"
            want = streams[0]["side_a" if streams[0]["a"] == name else "side_b"]
            if want.get("syn", 0) != 1:
                continue
            shift = want.get("wscale")
            scale = mine["window_scale"]
            if scale["state"] != "unknown" and scale["shift"] != (None if shift is None else min(shift, 14)):
                yield f"connection {connection['id']} {side}: scale {scale}, tshark {shift}"
            if mine["mss"] is not None and mine["mss"] != want.get("mss"):
                yield f"connection {connection['id']} {side}: mss {mine['mss']}, tshark {want.get('mss')}"
            for key, name in (("sack", "sack_permitted"), ("timestamps", "timestamps_in_syn")):
                if mine[key] is not None and mine[key] != bool(want.get(name)):
                    yield f"connection {connection['id']} {side}: {key} {mine[key]}, tshark {want.get(name)}"


def sum_breaches(report):
    for connection in report["connections"]:
        length = (connection["end_ns"] - connection["start_ns"]) / 1000
        for direction in connection["directions"]:
            at = f"connection {connection['id']} from {direction['sender']}: "
            end = 0
            for piece in direction["timeline"]:
                if abs(piece["start_us"] - end) > 2:
                    yield at + f"timeline has a gap or an overlap at {end} us"
                    break
                end = piece["start_us"] + piece["duration_us"]
            if length > 0 and abs(end - length) > 2:
                yield at + f"timeline ends at {end} of {length:.0f} us"
            shares = sum(direction["shares"].values())
            if length > 0 and abs(shares - 1) > 0.001:
                yield at + f"shares add up to {shares}"


def systems(report, name, hosts):
    """Adds {(file, ip): best guess} of the ends whose handshake is in the capture."""
    for connection in report["connections"]:
        for side, seen in (("client", "syn_seen"), ("server", "syn_ack_seen")):
            end = connection[side]
            if not connection["handshake"][seen]:
                continue
            known = hosts.setdefault((name, end["ip"]), (0, None))
            hosts[name, end["ip"]] = max(known, (end["os_confidence"] or 0, end["os"]), key=lambda guess: guess[0])


def figures_of(report):
    directions = [d for connection in report["connections"] for d in connection["directions"]]
    return {"tcp_packets": report["capture"]["tcp_packets"], "connections": len(report["connections"]),
            "data_bytes": sum(d["wire_bytes"] for d in directions), "zero_windows": sum(d["window"]["zero_count"] for d in directions)}


def breaches(rwin, path, expected, hosts, differences=None):
    try:
        run = subprocess.run([rwin, "-r", path, "-J"], capture_output=True, timeout=300, check=False)
    except subprocess.TimeoutExpired:
        yield "took more than 300 s"
        return
    said = run.stderr.decode(errors="replace").strip().split("\n")
    allowed = (0, 4) if expected["packets"] else (0, 1, 4)
    if run.returncode not in allowed:
        yield f"exit status {run.returncode}: " + " / ".join(said[:12])
    try:
        report = json.loads(run.stdout.decode(), parse_constant=refuse)
    except ValueError as error:
        yield f"no valid JSON: {error}"
        return
    if not TOP_LEVEL <= report.keys():
        yield f"keys missing: {sorted(TOP_LEVEL - report.keys())}"
        return
    if bool(report["error"]) != (run.returncode == 1):
        yield f"error is {report['error']} with exit status {run.returncode}"
    if report["error"]:
        return
    name = os.path.basename(path)
    systems(report, name, hosts)
    capture = report["capture"]
    packets = expected["capinfos"].get("packets") or expected["packets"]  # tshark counts custom pcapng blocks as well
    if capture["packets"] != packets:
        yield f"{capture['packets']} packets, capinfos {packets}"
    not_used = sum(capture["not_used"].values())
    # A damaged or cut TCP header is a TCP packet and is not used.
    both = sum(capture["not_used"].get(reason, 0) for reason in ("malformed_tcp", "cut_tcp"))
    if not not_used - both <= capture["packets"] - capture["tcp_packets"] <= not_used:
        yield f"{capture['packets']} packets, {capture['tcp_packets']} TCP, but not used: {capture['not_used']}"
    ours, theirs = figures_of(report), {
        "tcp_packets": expected["tcp_packets"], "connections": expected["tcp_streams"],
        "data_bytes": expected["totals"].get("data_bytes", 0), "zero_windows": expected["totals"].get("zero_window", 0)}
    for figure, reason in DIFFERENT.get(name, {}).items():
        if ours[figure] == theirs[figure]:
            yield f"{figure} is {ours[figure]} as in tshark: take the exception out ({reason})"
        elif differences is not None:
            differences.append(f"{name}: {figure} {ours[figure]}, tshark {theirs[figure]}: {reason}")
    for figure, mine in ours.items():
        if mine != theirs[figure] and figure not in DIFFERENT.get(name, {}):
            yield f"{figure} {mine}, tshark {theirs[figure]}, not used {capture['not_used']}"
    yield from sum_breaches(report)
    if expected["streams_complete"]:
        yield from handshake_breaches(report, expected)


def main():
    if len(sys.argv) not in (3, 4) or sys.argv[3:] not in ([], ["-v"]):
        sys.exit(__doc__)
    rwin, folder = sys.argv[1:3]
    index = os.path.join(folder, "expected.json")
    if not os.path.exists(index):
        print(f"skipped: {index} is not here")
        sys.exit(77)
    with open(index, encoding="utf-8") as file:
        files = json.load(file)["files"]
    if not files:
        sys.exit("no captures listed")
    bad, hosts, differences = 0, {}, []
    for name, expected in sorted(files.items()):
        found = list(breaches(rwin, os.path.join(folder, name), expected, hosts, differences))
        bad += bool(found)
        for text in found[:8]:
            print(f"{name}: {text}")
    if sys.argv[3:]:
        print("\n".join(differences))
    recognised = [system for _, system in hosts.values() if system]
    ambiguous = sum(" or " in system for system in recognised)
    print(f"{len(files) - bad} of {len(files)} captures as expected")
    print(f"{len(recognised)} of {len(hosts)} hosts recognised by their handshake, {ambiguous} of them as one of several systems")
    few = len(recognised) < RECOGNISED * len(hosts)
    if few:
        print(f"fewer than {RECOGNISED:.0%} recognised")
    sys.exit(1 if bad or few else 0)


main()
