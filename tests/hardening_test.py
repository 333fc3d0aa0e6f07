#!/usr/bin/env python3
"""Is the program that users run hardened? usage: hardening_test.py RWIN [cfi]     77 (skipped) without readelf

Position independent, full RELRO, no executable stack, stack protector, fortified calls: read from the binary, not from the
build's flags. cfi: it was built with control-flow integrity, so that functions whose address is taken have a checked entry.
"""
import re
import shutil
import subprocess
import sys


def main():
    if shutil.which("readelf") is None:
        print("readelf (binutils) is missing")
        return 77
    program = sys.argv[1]

    def readelf(*options):
        return subprocess.run(["readelf", "-W", *options, program], capture_output=True, text=True, check=True).stdout

    header, dynamic, segments, symbols = readelf("-h"), readelf("-d"), readelf("-l"), readelf("--dyn-syms")
    stack = re.search(r"^\s*GNU_STACK\s.*$", segments, re.M)
    fortified = set(re.findall(r"__(\w+)_chk@", symbols)) - {"stack"}
    claims = {
        "position independent": "DYN (" in header and re.search(r"FLAGS_1.*\bPIE\b", dynamic) is not None,
        "read-only after relocation": "GNU_RELRO" in segments,
        "everything bound at start": "BIND_NOW" in dynamic or re.search(r"FLAGS_1.*\bNOW\b", dynamic) is not None,
        "stack not executable": stack is not None and " RWE " not in stack.group(),
        "no segment both writable and executable": re.search(r"^\s*LOAD\s.*\bRWE\b", segments, re.M) is None,
        "stack protector": "__stack_chk_fail" in symbols,
        # clang 14 knows fewer of glibc's checked calls than g++ 12: cfi tells that it was clang.
        f"fortified calls ({', '.join(sorted(fortified)) or 'none'})": len(fortified) >= (1 if "cfi" in sys.argv[2:] else 2),
        "no library path in it": "RPATH" not in dynamic and "RUNPATH" not in dynamic,
    }
    if "cfi" in sys.argv[2:]:
        checked = re.findall(r"\bFUNC\b.* (\S+)\.cfi(?:_jt)?$", readelf("-s"), re.M)
        claims[f"control-flow integrity ({len(checked)} functions)"] = len(checked) >= 10
    for claim, holds in claims.items():
        print(f"{'ok  ' if holds else 'NOT '} {claim}")
    return 0 if all(claims.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
