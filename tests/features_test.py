#!/usr/bin/env python3
"""A build without a library says so, refuses what only that library reads, and does the rest.

usage: features_test.py RWIN [LEFT OUT]      from the root of the project; LEFT OUT: ARCHIVE, MNL or ARCHIVE,MNL
"""
import gzip
import os
import re
import subprocess
import sys

RWIN = os.path.abspath(sys.argv[1])
OUT = set(filter(None, (sys.argv[2] if len(sys.argv) > 2 else "").split(",")))
LIBRARIES = {"ARCHIVE": "libarchive", "MNL": "libmnl"}
CAPTURE = "pcaps/article-rwin32k-rtt330-receiver.pcap.gz"
failures = []


def run(*arguments, **more):
    return subprocess.run([RWIN, *arguments], capture_output=True, timeout=60, check=False, **more)


def expect(what, good, ran):
    if not good:
        failures.append(f"{what}: exit status {ran.returncode}\n{ran.stdout.decode()[:2000]}{ran.stderr.decode()}")


def missing_library():
    """libarchive is loaded when it is needed: without it rwin says so. Root hides it for one command."""
    names = re.findall(rb"libarchive\.so\.\d+", open(RWIN, "rb").read())
    listed = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, check=False).stdout.decode()
    paths = re.findall(r"=> (/\S*/libarchive\.so\.\d+)\n", listed)
    if not names or not paths or os.getuid() != 0:
        return
    hide = "".join(f"mount --bind /dev/null {path} && " for path in paths)
    ran = subprocess.run(["unshare", "--mount", "sh", "-c", f"{hide}exec {RWIN} {CAPTURE}"], capture_output=True, timeout=60, check=False)
    expect("libarchive missing", ran.returncode == 1 and not ran.stdout and
           b"is gzip-compressed, and " + names[0] + b" is not installed; unpack it first" in ran.stderr, ran)


def main():
    version = run("-V")
    for feature, library in LIBRARIES.items():
        word = "without" if feature in OUT else "with"
        expect(f"-V: {library}", f"\n{word} {library}: ".encode() in version.stdout, version)

    with open(CAPTURE, "rb") as file:
        plain = gzip.decompress(file.read())
    read = run("-", input=plain)
    expect("a plain capture", read.returncode == 0 and b"RECEIVER WINDOW limits" in read.stdout, read)
    packed = run(CAPTURE)
    if "ARCHIVE" in OUT:
        expect("a compressed capture", packed.returncode == 1 and not packed.stdout and
               b"is gzip-compressed, and this rwin was built without libarchive; unpack it first" in packed.stderr, packed)
    else:
        missing_library()
        expect("a compressed capture", packed.returncode == 0 and packed.stdout.count(b"RECEIVER WINDOW limits") == 1, packed)

    check = run("check", "-J")
    if sys.platform == "linux":
        known = b"false" if "MNL" in OUT else b"true"
        for key in (b"routes_read", b"sockets_read"):
            expect(f"check: {key.decode()}", check.returncode == 0 and b'"' + key + b'":' + known in check.stdout, check)
    print("\n".join(failures) if failures else "ok")
    sys.exit(1 if failures else 0)


main()
