#!/usr/bin/env python3
"""Runs the lab, lets rwin read its captures, and compares with what the sender's kernel said about itself.

usage: accuracy.py --tools DIR --rwin RWIN [--set all|short] [--only TEXT] [--jobs N] [--out DIR] [--reuse] [--closed-loop]
                   [--doc FILE] [--class-min X] [--share-max X] [--loop-min N]

--out: keeps the scenarios' folders there (else they are gone afterwards); --reuse: reads what lies there instead of running.
--closed-loop: also applies rwin's advice and measures again. --doc: writes the tables. Exit status 1 when at one of the capture points
less than --class-min of the classes are right or the mean difference of shares is above --share-max, when a scenario could
not be run as it must, or when fewer than --loop-min closed loops reach the promised rate; 77 (skipped) where the lab cannot run.
"""
import argparse
import collections
import json
import os
import statistics
import subprocess
import sys

import closed_loop
import isolate
import lab
import report
import scenarios
import truth

POINTS = ("sender", "mid", "receiver")
HIDDEN_LIMIT = {"sender-buffer", "unknown", "sender-app"}  # all that can be seen of a limit behind a middlebox
Result = collections.namedtuple("Result", "point wanted limit right kernel share rtt rtt_ok alarm error", defaults=(None,) * 9)


def largest_direction(document, found, port):
    directions = [direction for connection in document["connections"] if connection["client"]["port"] == port
                  for direction in connection["directions"] if direction["sender"] == found["flow"]["data_sender"]]
    return max(directions, key=lambda direction: direction["bytes"], default=None)


def judge(rwin, found, folder, point):
    """What rwin says about one capture against the truth of the connection that carried most."""
    hidden = point in found["hidden"]
    wanted = truth.method_words([found["class"], *found["also"]]) | (HIDDEN_LIMIT if hidden else set())
    connection = max(found["connections"], key=lambda conn: conn["bytes"])
    path = next(path for path in (f"{folder}/{point}.pcap.gz", f"{folder}/{point}.pcap") if os.path.exists(path))
    done = subprocess.run([rwin, "-r", path, "-J"], capture_output=True, timeout=120, check=False)
    if done.returncode != 0:
        return Result(point, wanted, error=f"exit status {done.returncode}")
    direction = largest_direction(json.loads(done.stdout), found, connection["client_port"])
    if direction is None:
        return Result(point, wanted, error="direction not reported")
    limit, share, base = direction["verdict"]["limit"], direction["receiver_blocked_share"], direction["rtt_us"]["base"]
    true_base = found["path"]["base_rtt_ms"] * 1e3
    close = base is not None and any(abs(base - real) <= max(1000, 0.02 * real) for real in (true_base, connection["min_rtt_us"]))
    raises = any(advice["window_bytes"] for advice in direction["advice"])
    full = found["transfer"]["share_of_path"] > 1 / 1.1
    alarm = None
    if raises and ("receiver-window" not in wanted or full):
        alarm = "false"
    elif not raises and not full and not hidden and found["class"] in ("receiver-window", "no-window-scaling"):
        alarm = "missed"
    return Result(point, wanted, limit, limit in wanted, None if hidden else connection["rwnd_share"], share, base, close, alarm)


def counted_share(found, result):
    """Difference from the kernel's share; None where that is not the referee (bbr's pacing hides blocked time from it)."""
    if result.error or result.kernel is None or found["params"]["cc"] == "bbr":
        return None
    return abs(result.share - result.kernel) if result.share is not None else 1.0


def totals(rows):
    """{point: {...}} over [(truth, [results])]."""
    sums = {}
    for point in POINTS:
        results = [(found, result) for found, several in rows for result in several if result.point == point]
        errors = [error for error in (counted_share(*pair) for pair in results) if error is not None]
        sums[point] = {"captures": len(results), "right": sum(bool(result.right) for _, result in results),
                       "share_mean": statistics.mean(errors) if errors else 0.0, "share_max": max(errors, default=0.0), "shares": len(errors),
                       "rtt_right": sum(bool(result.rtt_ok) for _, result in results),
                       "false": sum(result.alarm == "false" for _, result in results),
                       "missed": sum(result.alarm == "missed" for _, result in results)}
    return sums


def print_results(rows):
    for found, results in rows:
        for result in results:
            flaws = [result.error] if result.error else [word for word, bad in (
                ("CLASS, want " + "/".join(sorted(result.wanted)), not result.right), ("RTT", not result.rtt_ok),
                (f"{result.alarm} advice", result.alarm), ("SHARE", (counted_share(found, result) or 0) > 0.08)) if bad]
            if flaws:
                print(f"{found['name']:38s} {result.point:9s} {str(result.limit):16s} share {result.share} kernel {result.kernel} rtt {result.rtt}: "
                      + "; ".join(flaws))


def failures(sums, found, loops, options):
    """What keeps the run from passing, as sentences."""
    for name, one in found.items():
        if "error" in one:
            yield f"{name} could not be run: {one['error']}"
        elif not one["confirmed"]:
            yield f"{name}: the kernel does not confirm the class {one['class']}"
    for point, sum_ in sums.items():
        if sum_["captures"] == 0 or sum_["right"] < options.class_min * sum_["captures"]:
            yield f"{point}: class right on {sum_['right']} of {sum_['captures']}, wanted {options.class_min:.2f}"
        if sum_["share_mean"] > options.share_max:
            yield f"{point}: mean share error {sum_['share_mean']:.4f}, wanted at most {options.share_max}"
    reached = sum(row["ok"] for row in loops)
    if options.closed_loop and reached < options.loop_min:
        yield f"closed loop: {reached} of {len(loops)} reached the promised rate, wanted {options.loop_min}"


def read_kept(out, chosen):
    found = {}
    for scenario in chosen:
        try:
            with open(f"{out}/{scenario['name']}/truth.json", encoding="utf-8") as file:
                found[scenario["name"]] = json.load(file)
        except OSError as error:
            found[scenario["name"]] = {"name": scenario["name"], "error": str(error)}
    return found


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tools", required=True)
    parser.add_argument("--rwin", required=True)
    parser.add_argument("--set", default="all", choices=("all", "short"))
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=3)
    parser.add_argument("--out")
    parser.add_argument("--reuse", action="store_true")
    parser.add_argument("--closed-loop", action="store_true")
    parser.add_argument("--doc")
    parser.add_argument("--class-min", type=float, default=0.97)
    parser.add_argument("--share-max", type=float, default=0.015)
    parser.add_argument("--loop-min", type=int, default=8)
    options = parser.parse_args()
    for name in ("tools", "rwin", "out", "doc"):
        if getattr(options, name):
            setattr(options, name, os.path.abspath(getattr(options, name)))
    return options


def main():
    options = parse()
    reason = isolate.missing()
    if reason and not options.reuse:
        print(f"skipped: {reason}")
        sys.exit(isolate.SKIPPED)
    if options.out:
        os.makedirs(options.out, exist_ok=True)
    if not options.reuse or options.closed_loop:
        isolate.enter()
    out = options.out or f"{isolate.WORK}/kept"
    chosen = [one for one in (scenarios.ALL if options.set == "all" else scenarios.SHORT) if options.only in one["name"]]
    found = read_kept(out, chosen) if options.reuse else lab.run_all(options.tools, chosen, out, options.jobs)
    rows = [(found[one["name"]], [judge(options.rwin, found[one["name"]], f"{out}/{one['name']}", point) for point in POINTS])
            for one in chosen if "error" not in found[one["name"]]]
    loops = []
    if options.closed_loop:
        loops = closed_loop.close_all(options.tools, options.rwin, [one for one in scenarios.LOOP if options.only in one["name"]], out, options.jobs)
    sums = totals(rows)
    print_results(rows)
    report.print_totals(sums)
    failed = list(failures(sums, found, loops, options))
    if options.doc:
        report.write(options.doc, options, rows, sums, loops, failed)
    for sentence in failed:
        print("FAILED", sentence)
    sys.stdout.flush()
    os._exit(bool(failed))  # as process 1 of its namespace it takes along what may still run


if __name__ == "__main__":
    main()
