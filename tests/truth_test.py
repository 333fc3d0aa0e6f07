#!/usr/bin/env python3
"""Scores rwin on captures of real kernel TCP whose limits are known, against the marks in truth-marks.txt.

usage: truth_test.py RWIN DIR      DIR holds score.py and the captures; exit status 77 (skipped) where it is absent
"""
import json
import os
import subprocess
import sys
import tempfile

SCORE_MARKS = {"class-min", "share-max", "phases-min"}  # options of score.py itself
LEAST = {"rtt-min": "rtt_ok", "scale-min": "scale_ok", "maxwin-min": "maxwin_ok"}
MOST = {"false-alarms-max": "false_alarm", "missed-max": "missed"}


def read_marks(path):
    marks = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.split("#")[0].split()
            if not words:
                continue
            if len(words) != 2 or words[0] not in SCORE_MARKS | LEAST.keys() | MOST.keys():
                sys.exit(f"{path}: cannot use '{line.strip()}'")
            marks[words[0]] = float(words[1])
    if "class-min" not in marks:
        sys.exit(f"{path}: no class-min: nothing would be tested")
    return marks


def missed_marks(marks, rows):
    for mark, key in LEAST.items():
        judged = [row for row in rows if key in row]
        good = sum(bool(row[key]) for row in judged)
        if mark in marks and (not judged or good < marks[mark] * len(judged)):
            yield f"{mark} {marks[mark]}: {good} of {len(judged)}", [r for r in judged if not r[key]]
    for mark, key in MOST.items():
        bad = [row for row in rows if row.get(key)]
        if mark in marks and len(bad) > marks[mark]:
            yield f"{mark} {marks[mark]:.0f}: {len(bad)}", bad


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    rwin, folder = sys.argv[1:]
    score = os.path.join(folder, "score.py")
    if not os.path.exists(score):
        print(f"skipped: {score} is not here")
        sys.exit(77)
    marks = read_marks(os.path.join(os.path.dirname(os.path.abspath(__file__)), "truth-marks.txt"))
    with tempfile.TemporaryDirectory() as scratch:
        details = os.path.join(scratch, "score.json")
        command = [sys.executable, score, rwin, "--json", details]
        for name in sorted(SCORE_MARKS & marks.keys()):
            command += [f"--{name}", str(marks[name])]
        status = subprocess.run(command, check=False).returncode
        if not os.path.exists(details):
            sys.exit("the scoring program wrote no result")
        with open(details, encoding="utf-8") as file:
            rows = json.load(file)
    if not rows:
        sys.exit("no captures were scored")
    failed = status != 0
    for text, bad in missed_marks(marks, rows):
        failed = True
        print(f"missed mark: {text}: " + " ".join(row["file"] for row in bad))
    sys.exit(1 if failed else 0)


main()
