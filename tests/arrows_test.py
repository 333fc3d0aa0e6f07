#!/usr/bin/env python3
"""The arrows between the folders, checked in every #include; and what only some folders may use.

usage: arrows_test.py ROOT      prints one "file:line: message" for each breach; exit status 1 if there is one
       arrows_test.py --self    breaks every rule once in a scratch tree and expects each breach to be found
"""
import os
import re
import sys
import tempfile

# Folder (longest prefix of the file's path wins) -> prefixes of the project's headers that it may include.
# A name that ends in .h is one header, one that ends in / is a folder.
ARROWS = {
    "analysis/": ["analysis/"],
    "rules/": ["rules/", "analysis/"],
    "text/": ["text/", "analysis/"],
    "capture/": ["capture/result.h"],
    "capture/decode/": ["capture/decode/", "capture/result.h", "analysis/segment.h"],
    "capture/source/": ["capture/source/", "capture/decode/", "capture/result.h", "analysis/segment.h"],
    "capture/host/": ["capture/host/", "capture/result.h", "analysis/segment.h"],
    "capture/privilege/": ["capture/privilege/", "capture/result.h"],
    "tui/model/": ["tui/model/", "text/", "analysis/", "rules/"],
    "tui/paint/": ["tui/paint/", "tui/model/", "text/", "analysis/", "rules/"],
    "tui/screens/": ["tui/screens/", "tui/paint/", "tui/model/", "text/", "analysis/", "rules/"],
    "tui/terminal/": ["tui/terminal/", "tui/paint/", "tui/model/"],
    "app/": ["app/", "tui/", "text/", "capture/", "rules/", "analysis/"],
    "bench/": ["bench/", "app/", "tui/", "text/", "capture/", "rules/", "analysis/"],
    "fuzz/": ["fuzz/", "app/", "text/", "capture/", "rules/", "analysis/", "tests/source/", "tests/support/"],
    "tests/": [""],
}

# What is limited -> (pattern on the line, where it may stand, kind of file: "" any, ".cpp" source files only).
LIBRARY = r'#\s*include\s*[<"]'
LIMITED = {
    "libpcap": (LIBRARY + r"pcap(\.h|/)", ["capture/source/", "tests/", "bench/"], ""),
    "libtins": (LIBRARY + r"tins/", ["tests/", "bench/", "fuzz/"], ".cpp"),
    "libarchive": (LIBRARY + r"archive(_entry)?\.h", ["capture/source/", "tests/", "bench/"], ".cpp"),
    "ncurses": (LIBRARY + r"(ncurses\w*/)?(n?cursesw?|panel|term)\.h", ["tui/terminal/"], ".cpp"),
    "fmt": (LIBRARY + r"fmt/", ["app/", "rules/", "capture/source/", "capture/host/", "capture/privilege/", "tui/", "text/",
                                "tests/", "bench/"], ".cpp"),
    "CLI11": (LIBRARY + r"CLI/", ["app/"], ".cpp"),
    "nlohmann/json": (LIBRARY + r"nlohmann/", ["tests/", "bench/", "fuzz/"], ".cpp"),
    "toml++": (LIBRARY + r"toml\+\+/", ["rules/", "app/"], ".cpp"),
    "a clock": (r"\b(system_clock|steady_clock|high_resolution_clock)\b|\b(clock_gettime|gettimeofday)\s*\(|"
                r"\bstd::time\s*\(", ["app/", "capture/source/", "tui/terminal/", "tests/", "bench/"], ""),
    "<iostream>": (LIBRARY + r"iostream>", ["app/", "tests/", "bench/"], ".cpp"),
    "input or output": (LIBRARY + r"(fstream|filesystem|unistd\.h|fcntl\.h|sys/\w+\.h|thread|mutex)>",
                        ["rules/", "capture/", "tui/", "app/", "tests/", "bench/", "fuzz/", "analysis/large_memory.h"], ""),
    # docs/portability.md
    "a Linux header": (LIBRARY + r"(linux/|asm/|libmnl/|cap-ng\.h|seccomp\.h|sys/(prctl|epoll|eventfd|signalfd|timerfd|inotify|"
                       r"capability|sendfile|sysinfo|fsuid|xattr)\.h|netpacket/|net/if_packet|malloc\.h)",
                       ["capture/host/", "capture/privilege/", "tests/", "bench/", "fuzz/"], ".cpp"),
    "a Linux path or call": (r'"/(proc|sys)\b|\b(prctl|epoll_\w+|eventfd|signalfd|timerfd_\w+|inotify_\w+|memfd_create|'
                             r"pipe2|accept4|renameat2|close_range|gettid|secure_getenv|sched_setaffinity)\s*\(",
                             ["capture/host/", "capture/privilege/", "tests/", "bench/", "fuzz/"], ""),
}
# Slow to compile: source files (outside tests/, bench/ and fuzz/) that may include it.
AT_MOST = {"CLI11": 1, "toml++": 2}

PROJECT_INCLUDE = re.compile(r'#\s*include\s*"([^"]+)"')


def code_lines(text):
    """The lines without comments, so that prose may name what code may not use."""
    text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m.group().count("\n"), text, flags=re.S)
    return [re.sub(r"//.*", "", line) for line in text.split("\n")]


def sources(root):
    for folder in sorted({name.split("/")[0] for name in ARROWS}):
        for where, _, names in os.walk(os.path.join(root, folder)):
            for name in sorted(names):
                if name.endswith((".h", ".cpp")):
                    yield os.path.relpath(os.path.join(where, name), root)


def breaches(root):
    found = []
    users = {}
    for path in sources(root):
        folder = max((name for name in ARROWS if path.startswith(name)), key=len, default=None)
        with open(os.path.join(root, path), encoding="utf-8") as file:
            lines = code_lines(file.read())
        for number, line in enumerate(lines, 1):
            at = f"{path}:{number}: "
            include = PROJECT_INCLUDE.search(line)
            limited = [name for name, (pattern, _, _) in LIMITED.items() if re.search(pattern, line)]
            if include and folder is None:
                found.append(at + "this folder has no arrows: add it to tests/arrows_test.py")
            elif include and not limited:
                header = include.group(1)
                beside = os.path.join(os.path.dirname(path), header)
                if path.startswith("tests/") and os.path.exists(os.path.join(root, beside)):
                    continue  # a helper beside its tests
                if not os.path.exists(os.path.join(root, header)):
                    found.append(at + f'"{header}" is no path from the root of the project')
                elif not any(header == p or (p.endswith("/") or not p) and header.startswith(p)
                             for p in ARROWS[folder]):
                    found.append(at + f'{folder} may not include "{header}" (allowed: {" ".join(ARROWS[folder])})')
            for name in limited:
                _, places, kind = LIMITED[name]
                if not any(path.startswith(place) for place in places):
                    found.append(at + f"{name} does not belong here (allowed: {' '.join(places)})")
                elif kind and not path.endswith(kind) and not path.startswith(("tests/", "bench/", "fuzz/")):
                    found.append(at + f"{name} belongs in {kind} files only")
                elif name in AT_MOST and not path.startswith(("tests/", "bench/", "fuzz/")):
                    users.setdefault(name, {})[path] = at
    for name, files in users.items():
        if len(files) > AT_MOST[name]:
            found += [at + f"{name} is included in {len(files)} files, {AT_MOST[name]} allowed" for at in files.values()]
    return found


def self_test():
    good = {
        "analysis/segment.h": "#include <cstdint>  // no steady_clock, no <iostream>\n",
        "analysis/engine.h": '#include "analysis/segment.h"\n/* #include <pcap.h>\n#include "app/x.h" */\n',
        "capture/result.h": "",
        "capture/decode/decode.h": '#include "analysis/segment.h"\n',
        "capture/source/pcap_file.cpp": '#include <pcap.h>\n#include "capture/decode/decode.h"\n',
        "app/main.cpp": '#include <CLI/CLI.hpp>\n#include "capture/source/source.h"\n#include <iostream>\n',
        "capture/source/source.h": "",
        "tests/app/x_test.cpp": '#include "app/y.h"\n#include <tins/tins.h>\n',
        "app/y.h": "",
        "tests/app/z.h": "",
        "tests/app/z_test.cpp": '#include "z.h"\n',
    }
    bad = [
        ("analysis/a.cpp", '#include "rules/assess.h"', "analysis/ may not include"),
        ("rules/assess.h", '#include "app/y.h"', "rules/ may not include"),
        ("rules/b.cpp", '#include "capture/result.h"', "rules/ may not include"),
        ("capture/decode/c.cpp", '#include "analysis/engine.h"', "capture/decode/ may not include"),
        ("capture/decode/d.cpp", '#include "capture/source/source.h"', "capture/decode/ may not include"),
        ("capture/decode/e.cpp", "#include <pcap.h>", "libpcap does not belong here"),
        ("capture/decode/f.cpp", "#include <pcap/dlt.h>", "libpcap does not belong here"),
        ("tui/paint/g.cpp", "#include <ncursesw/curses.h>", "ncurses does not belong here"),
        ("tui/paint/h.cpp", '#include "capture/source/source.h"', "tui/paint/ may not include"),
        ("rules/i.cpp", "#include <tins/tins.h>", "libtins does not belong here"),
        ("analysis/j.cpp", "auto t = std::chrono::steady_clock::now();", "a clock does not belong here"),
        ("analysis/k.cpp", "#  include <iostream>", "<iostream> does not belong here"),
        ("analysis/l.cpp", "#include <fstream>", "input or output does not belong here"),
        ("app/m.cpp", "#include <nlohmann/json.hpp>", "nlohmann/json does not belong here"),
        ("app/n.cpp", "#include <CLI/App.hpp>", "CLI11 is included in 2 files"),
        ("app/o.cpp", '#include "y.h"', "is no path from the root"),
        ("app/p.cpp", '#include "app/gone.h"', "is no path from the root"),
        ("rules/q.h", "#include <fmt/core.h>", "belongs in .cpp files only"),
        ("app/t.cpp", "#include <sys/prctl.h>", "a Linux header does not belong here"),
        ("capture/source/u.cpp", 'std::ifstream file("/proc/meminfo");', "a Linux path or call does not belong here"),
        ("capture/source/v.cpp", "pipe2(ends, O_CLOEXEC);", "a Linux path or call does not belong here"),
        ("capture/new/r.cpp", '#include "app/y.h"', "capture/ may not include"),
    ]
    missed = []
    with tempfile.TemporaryDirectory() as root:
        def write(path, text):
            full = os.path.join(root, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w", encoding="utf-8") as file:
                file.write(text)
        for path, text in good.items():
            write(path, text)
        missed += [f"a correct tree is refused: {b}" for b in breaches(root)]
        for path, line, message in bad:
            write(path, "\n" + line + "\n")
        found = breaches(root)
        for path, line, message in bad:
            if not any(b.startswith(f"{path}:2: ") and message in b for b in found):
                missed.append(f"not found: {path}: {line}")
        expected = {path for path, _, _ in bad} | {"app/main.cpp"}  # main.cpp: one of the two users of CLI11
        missed += [f"unexpected: {b}" for b in found if b.split(":")[0] not in expected]
    return missed


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found = self_test() if sys.argv[1] == "--self" else breaches(sys.argv[1])
    if sys.argv[1] != "--self" and not list(sources(sys.argv[1])):
        found = [f"{sys.argv[1]}: no source files here"]
    print("\n".join(found) if found else "ok")
    sys.exit(1 if found else 0)


main()
