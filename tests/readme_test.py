#!/usr/bin/env python3
"""The sample report in README.md is what the program prints.

usage: readme_test.py RWIN [--update]     from the root of the project; --update writes the block anew
"""
import re
import subprocess
import sys

CAPTURE = "pcaps/article-rwin32k-rtt330-receiver.pcap.gz"
BLOCK = re.compile(r"(<!-- report:begin[^\n]*-->\n```text\n)(.*?)(```\n<!-- report:end -->)", re.S)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    run = subprocess.run([sys.argv[1], CAPTURE], capture_output=True, text=True, timeout=60, check=False)
    if run.returncode != 0:
        sys.exit(f"exit status {run.returncode}: {run.stderr}")
    with open("README.md", encoding="utf-8") as file:
        text = file.read()
    block = BLOCK.search(text)
    if not block:
        sys.exit("README.md: the block between report:begin and report:end is missing")
    if block.group(2) == run.stdout:
        return
    if "--update" not in sys.argv:
        sys.exit("README.md shows another report than the program prints: scripts/update-golden writes it anew")
    with open("README.md", "w", encoding="utf-8") as file:
        file.write(text[:block.start(2)] + run.stdout + text[block.end(2):])


main()
