#!/usr/bin/env python3
"""Every case of a collection of field complaints that says how to reproduce it has a scenario, and all of its scenarios pass.

usage: cases_test.py TEST_SCENARIOS CASES      TEST_SCENARIOS: the test program of tests/scenarios; CASES: the collection (Markdown);
                                               exit status 77 (skipped) where it is absent

A scenario belongs to a case by its name: cNN-..., cNNa-... Prints the cases that fail and how many pass.
"""
import os
import re
import subprocess
import sys


def cases_to_reproduce(text):
    """{number: title} of the cases with a Reproduce line."""
    found, number, title = {}, None, None
    for line in text.splitlines():
        head = re.match(r"### (C\d+) (.*)", line)
        if head:
            number, title = head.groups()
        elif line.startswith("- **Reproduce:**") and number:
            found[number] = title
    return found


def results(program):
    """{scenario file's stem in the test's spelling: passed}"""
    done = subprocess.run([program, "--gtest_filter=Scenarios/*", "--gtest_color=no"], capture_output=True, text=True, check=False)
    found = {}
    for line in done.stdout.splitlines():
        result = re.match(r"\[ +(OK|FAILED) +\] Scenarios/ScenarioTest\.SaysWhatIsExpected/(\w+)", line)
        if result:
            found[result.group(2)] = result.group(1) == "OK"
    if not found:
        sys.exit(f"{program} ran no scenario:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return found


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    program, collection = sys.argv[1:]
    if not os.path.exists(collection):
        print(f"skipped: {collection} is not here")
        sys.exit(77)
    with open(collection, encoding="utf-8") as file:
        cases = cases_to_reproduce(file.read())
    if not cases:
        sys.exit(f"{collection}: no case says how to reproduce it")
    passed = results(program)
    good = 0
    for number, title in cases.items():
        own = {name: ok for name, ok in passed.items() if re.match(rf"{number.lower()}[a-z]?_", name)}
        if own and all(own.values()):
            good += 1
        elif not own:
            print(f"{number} has no scenario: {title}")
        else:
            print(f"{number} fails: " + " ".join(name for name, ok in own.items() if not ok))
    print(f"cases that pass: {good} of {len(cases)}, in {sum(bool(re.match('c[0-9]', name)) for name in passed)} scenarios")
    sys.exit(0 if good == len(cases) else 1)


main()
