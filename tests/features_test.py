#!/usr/bin/env python3
"""A build without a library says so, refuses what only that library reads, and does the rest.

usage: features_test.py RWIN [LEFT OUT]      from the root of the project; LEFT OUT: TINS,ARCHIVE,MNL or some of them
"""
import gzip
import os
import struct
import subprocess
import sys
import tempfile

RWIN = os.path.abspath(sys.argv[1])
OUT = set(filter(None, (sys.argv[2] if len(sys.argv) > 2 else "").split(",")))
LIBRARIES = {"TINS": "libtins", "ARCHIVE": "libarchive", "MNL": "libmnl"}
CAPTURE = "pcaps/article-rwin32k-rtt330-receiver.pcap.gz"
failures = []


def run(*arguments, **more):
    return subprocess.run([RWIN, *arguments], capture_output=True, timeout=60, check=False, **more)


def expect(what, good, ran):
    if not good:
        failures.append(f"{what}: exit status {ran.returncode}\n{ran.stdout.decode()[:2000]}{ran.stderr.decode()}")


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
        expect("a compressed capture", packed.returncode == 0 and packed.stdout.count(b"RECEIVER WINDOW limits") == 1, packed)

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "wifi.pcap")
        for link_type, name in ((105, "IEEE802_11"), (127, "IEEE802_11_RADIO")):
            with open(path, "wb") as file:  # one record, a beacon's beginning
                file.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, link_type))
                file.write(struct.pack("<IIII", 1, 0, 32, 32) + b"\0\0\x08\0\0\0\0\0\x80" + bytes(23))
            wifi = run(path)
            if "TINS" in OUT:
                expect("802.11", wifi.returncode == 1 and f"link type {name} is not supported: this rwin was built without libtins"
                       .encode() in wifi.stderr, wifi)
            else:
                expect("802.11", wifi.returncode == 0, wifi)

    check = run("check", "-J")
    if sys.platform == "linux":
        known = b"false" if "MNL" in OUT else b"true"
        for key in (b"routes_read", b"sockets_read"):
            expect(f"check: {key.decode()}", check.returncode == 0 and b'"' + key + b'":' + known in check.stdout, check)
    print("\n".join(failures) if failures else "ok")
    sys.exit(1 if failures else 0)


main()
