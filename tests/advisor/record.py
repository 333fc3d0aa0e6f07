#!/usr/bin/env python3
"""Records the captures compare-*.pcap.gz of pcaps/ anew: the same transfer before and after a change, with the lab.

usage: record.py --tools DIR --out DIR      DIR of --tools holds the programs emulator and traffic
"""
import argparse
import gzip
import os
import struct
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "netlab"))
import isolate  # noqa: E402
import lab  # noqa: E402
import scenarios  # noqa: E402

PACING = 620000  # bytes per second: just above what the window of the first capture allows


def keep(path, target, first=0.0, last=1e9):
    """The records between two times (seconds from the first one) of a pcap with nanoseconds, compressed."""
    with open(path, "rb") as file:
        data = file.read()
    out, at, begin = data[:24], 24, None
    while at + 16 <= len(data):
        seconds, nanos, size, _ = struct.unpack_from("<IIII", data, at)
        when = seconds + nanos / 1e9
        begin = when if begin is None else begin
        if first <= when - begin < last:
            out += data[at:at + 16 + size]
        at += 16 + size
    with gzip.GzipFile(target, "wb", compresslevel=9, mtime=0) as file:
        file.write(out)
    print(f"{target}: {os.path.getsize(target)} bytes")


def record(options, name, scenario, during=None):
    """One run; gives the folder with receiver.pcap. `during(spaces)` runs beside the transfer."""
    work = f"{isolate.WORK}/{name}"
    os.makedirs(work)
    with lab.Namespaces(name) as spaces:
        helper = threading.Thread(target=during, args=(spaces,)) if during else None
        if helper:
            helper.start()
        lab.carry_out(os.path.abspath(options.tools), spaces, scenario, work)
        if helper:
            helper.join()
    return f"{work}/receiver.pcap"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tools", required=True)
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    reason = isolate.missing()
    if reason:
        sys.exit(f"cannot record: {reason}")
    options.out = os.path.abspath(options.out)
    isolate.enter()
    line = dict(seconds=3)
    kind = scenarios.WINDOW

    def to(name):
        return f"{options.out}/compare-{name}.pcap.gz"

    # A ceiling of 60 kB, then the lab's ordinary one.
    before = scenarios.loop("x", kind, 60, 12, sys_reads=scenarios.rmem(60000, 16384), **line)
    keep(record(options, "before", before), to("before"))
    keep(record(options, "worked", scenarios.loop("x", kind, 60, 12, seconds=4)), to("worked"))
    # Ceiling raised at the server instead of the client.
    wrong = scenarios.loop("x", kind, 60, 12, sys_reads=scenarios.rmem(60000, 16384),
                           sys_sends={"tcp_rmem": "4096 131072 262144"}, **line)
    keep(record(options, "wrong", wrong), to("wrong-host"))
    # The server caps its rate just above what the old window allowed.
    paced = scenarios.loop("x", kind, 60, 12, sends={"pacing": PACING}, **line)
    keep(record(options, "paced", paced), to("next-limit"))

    # One connection without scaling; scaling is turned on in the middle of it.
    def turn_on(spaces):
        time.sleep(4.5)
        spaces.sysctl("client", "net.ipv4.tcp_window_scaling", "1")

    old = scenarios.loop("x", kind, 184, 12, sys_reads={"tcp_window_scaling": "0"}, seconds=7)
    whole = record(options, "old", old, turn_on)
    keep(whole, to("old-connection-before"), 0, 3.5)
    keep(whole, to("old-connection-after"), 5, 8.5)
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
