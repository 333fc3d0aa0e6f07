#!/usr/bin/env python3
"""The JSON document is the same, byte for byte, with any number of threads, on every capture of the folders given.

usage: jobs_test.py RWIN DIR...      folders that are absent are passed over
"""
import glob
import os
import subprocess
import sys


def document(rwin, jobs, path):
    done = subprocess.run([rwin, "-q", "-j", str(jobs), "-J", path], capture_output=True, check=False)
    return done.returncode, done.stdout


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    rwin, folders = sys.argv[1], sys.argv[2:]
    files = sorted(f for folder in folders for f in glob.glob(os.path.join(folder, "**", "*pcap*"), recursive=True))
    if not files:
        sys.exit("no captures there")
    different = [f for f in files if document(rwin, 1, f) != document(rwin, 3, f)]
    for path in different:
        print(f"-j 1 and -j 3 differ: {path}")
    print(f"{len(files) - len(different)} of {len(files)} the same")
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
