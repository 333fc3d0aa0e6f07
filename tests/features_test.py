#!/usr/bin/env python3
"""A build without a library says so, refuses what only that library reads, and does the rest.

usage: features_test.py RWIN [LEFT OUT]      from the root of the project; LEFT OUT: ARCHIVE, MNL or ARCHIVE,MNL
"""
import gzip
import os
import re
import subprocess
import sys
import tempfile

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
    """libarchive is loaded when it is needed: where that fails rwin says so."""
    names = re.findall(rb"libarchive\.so\.\d+", open(RWIN, "rb").read())
    if not names:
        failures.append("no name of libarchive in the program")
        return
    with tempfile.TemporaryDirectory() as folder:
        open(os.path.join(folder, names[0].decode()), "wb").close()  # found first, and no library
        ran = run(CAPTURE, env={**os.environ, "LD_LIBRARY_PATH": folder})
        expect("libarchive missing", ran.returncode == 1 and not ran.stdout and
               b"is gzip-compressed, and libarchive cannot be loaded (" in ran.stderr and b"; unpack it first" in ran.stderr, ran)
        text = run("-", input=b"no capture at all, but text\n", env={**os.environ, "LD_LIBRARY_PATH": folder})
        expect("libarchive missing, not needed", text.returncode == 1 and b"is not a capture but text" in text.stderr, text)


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
