#!/usr/bin/env python3
"""Checks the syntax of every command that the advice prints.

usage: advice_text_test.py RULES_DIR [RWIN]
       advice_text_test.py --self     that each check finds a fault

Shell lines: `bash -n` and shellcheck, all of a file's at once. Lines for Windows' prompt, PowerShell, .reg files and Cisco IOS: checks
of our own, since there is no Windows, PowerShell or IOS here; they know exactly the forms that are in use, so a new form must be added.
With RWIN what `rwin tune` prints in each format is checked as well: sh and sysctl.d as above, plist by xmllint and plistutil.
Exit status 77: skipped.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib

FILLED = {"window": "1032224", "window_now": "65535", "buffer": "2064448", "cap": "2322504", "rmem_max": "2064448", "flight": "65536", "mss": "1460", "shift": "5",
          "connections": "20", "connections_16": "16", "autotuning": "normal", "host": "192.0.2.10", "host_port": "51544",
          "peer": "2001:db8::7", "peer_port": "443", "peer_ss": "'[2001:db8::7]'"}
# What the lines of a platform are typed into; all others: a shell.
LANGUAGE = {"windows": "cmd", "windows-vista": "cmd", "windows-xp": "cmd", "cisco-ios": "ios", "lwip": "c", "esp-idf": "kconfig"}

REG_PATH = r'(HKLM|HKEY_LOCAL_MACHINE)(\\[A-Za-z0-9 ]+)+'
QUOTED_PATH = rf'("{REG_PATH}"|(HKLM|HKEY_LOCAL_MACHINE)(\\[A-Za-z0-9]+)+)'
LEVEL = r"(disabled|highlyrestricted|restricted|normal|experimental|VALUE)"
FORMS = {
    "cmd": [
        rf"reg query {QUOTED_PATH}( /v \w+| /s)?", rf"reg add {QUOTED_PATH} /v \w+ /t REG_DWORD /d (0x[0-9a-f]+|\d+) /f",
        rf"reg delete {QUOTED_PATH} /v \w+ /f", r"shutdown -r -t \d+", r"netsh interface tcp show (global|heuristics)",
        r"netsh interface tcp set heuristics (enabled|disabled|VALUE)", rf"netsh interface tcp set global autotuninglevel={LEVEL}",
        r"netsh interface ipv4 show subinterfaces", r"netstat -ano -p tcp", r"ping -f -l \d+ [0-9a-f.:]+", "resmon", "taskmgr",
        r"regedit /s [\w.-]+",
    ],
    "ps1": [
        r"\$ErrorActionPreference = 'Stop'",
        r"(Get|Set)-NetTCPSetting( -SettingName \w+)?( -(AutoTuningLevelLocal|ScalingHeuristics) (Normal|Experimental|Disabled|\w+))?"
        r"( \| Select-Object [\w, ]+)?",
        rf"netsh interface tcp set heuristics (enabled|disabled|VALUE)",
        rf"netsh interface tcp set global autotuninglevel={LEVEL}", r"netsh interface tcp show (global|heuristics)",
        rf"Set-ItemProperty -Path 'HKLM:(\\[A-Za-z0-9 ]+)+' -Name \w+ -Type DWord -Value \d+",
        rf"New-ItemProperty -Path 'HKLM:(\\[A-Za-z0-9 ]+)+' -Name \w+ -PropertyType DWord -Value \d+ -Force( \| Out-Null)?",
        r"Get-ItemProperty -Path 'HKLM:(\\[A-Za-z0-9 ]+)+'( -Name \w+)?( -ErrorAction SilentlyContinue)?",
    ],
    "ios": [
        "configure terminal", "end", "write memory", r"show running-config \| include [\w ]+", r"(no )?ip tcp window-size( \d+)?",
        "(no )?ip tcp selective-ack", "(no )?ip tcp path-mtu-discovery",
    ],
    "c": [r"#define [A-Z_]+ \d+", r"grep -n '[^']+' lwipopts\.h"],
    "kconfig": [r"CONFIG_[A-Z_]+=(y|\d+)", r"grep -n '[^']+' sdkconfig"],
}


def filled(text):
    text = re.sub(r"\{(\w+)\}", lambda m: FILLED[m[1]], text)
    return re.sub(r"<[^<>]*>", "VALUE", text)  # "<the value from the look step>"


def lines_of(tables):
    for table in tables:
        for key in ("look", "change", "persist", "undo", "commands"):
            value = table.get(key, [])
            yield from map(filled, value if isinstance(value, list) else [])  # [tune] persist is a word


def form_faults(language, lines):
    for line in lines:
        if line.startswith("# ") or not line:
            continue
        if not any(re.fullmatch(form, line, re.IGNORECASE if language in ("cmd", "ps1") else 0) for form in FORMS[language]):
            yield f"not a known form of {language}: {line}"


def shell_faults(name, lines):
    script = "#!/bin/bash\n" + "\n".join(lines) + "\n"
    with tempfile.NamedTemporaryFile("w", suffix=".sh", delete=False) as file:
        file.write(script)
    try:
        parsed = subprocess.run(["bash", "-n", file.name], capture_output=True, text=True, check=False)
        if parsed.returncode != 0:
            yield f"{name}: {parsed.stderr.strip()}"
            return
        # SC2129: several lines added to a file one by one are meant to be copied one by one.
        checked = subprocess.run(["shellcheck", "-s", "bash", "-e", "SC2129", "-f", "gcc", file.name], capture_output=True, text=True, check=False)
        for fault in checked.stdout.splitlines():
            number = int(fault.split(":")[1])
            yield f"{name}: {fault.split(':', 3)[3].strip()}: {script.splitlines()[number - 1]}"
    finally:
        os.unlink(file.name)


def reg_faults(text):
    if not text.startswith("Windows Registry Editor Version 5.00\r\n\r\n"):
        yield "no header of a .reg file, or not with CR LF"
    if re.search(r"(?<!\r)\n", text):
        yield "a line without CR LF"
    for line in text.split("\r\n")[1:]:
        if not re.fullmatch(rf'|;.*|\[-?HKEY_LOCAL_MACHINE(\\[A-Za-z0-9 ]+)+\]|"\w+"=(dword:[0-9a-f]{{8}}|-)', line):
            yield f"not a line of a .reg file: {line}"


def plist_faults(text):
    with tempfile.NamedTemporaryFile("w", suffix=".plist", delete=False) as file:
        file.write(text)
    try:
        for command in (["xmllint", "--noout", "--nonet", file.name], ["plistutil", "-i", file.name, "-o", "/dev/null"]):
            if shutil.which(command[0]) is None:
                print(f"{command[0]} is not installed: left out")
                continue
            run = subprocess.run(command, capture_output=True, text=True, check=False)
            if run.returncode != 0:
                yield f"{command[0]}: {run.stderr.strip()}"
    finally:
        os.unlink(file.name)


def sysctl_faults(text):
    for line in text.splitlines():
        if line and not line.startswith("#") and not re.fullmatch(r"[a-z0-9_.]+ ?= ?[0-9 \t]+", line):
            yield f"not a line of a sysctl file: {line}"


def file_faults(path):
    with open(path, "rb") as file:
        data = tomllib.load(file)
    language = LANGUAGE.get(data["id"], "sh")
    tables = list(data.get("fix", {}).values()) + [data.get("tune", {})]
    lines = list(lines_of(tables))
    if language == "sh":
        yield from shell_faults(data["id"], lines)
    else:
        yield from form_faults(language, lines)
    yield from form_faults("ps1", map(filled, data.get("tune", {}).get("powershell", [])))


def tune_faults(rwin, platforms):
    checks = {"sh": lambda text: shell_faults("tune", text.splitlines()[1:]), "plist": plist_faults, "reg": reg_faults,
              "ps1": lambda text: form_faults("ps1", [l.strip() for l in text.splitlines() if not l.startswith("#")]), "sysctl.d": sysctl_faults}
    count = 0
    for platform in platforms:
        for form, check in checks.items():
            run = subprocess.run([rwin, "tune", "--rate", "50M", "--rtt", "184ms", "--platform", platform, "--format", form],
                                 capture_output=True, check=False)
            if run.returncode == 2 and b"not in this version" in run.stderr:
                print("rwin tune is not in this version: its formats are left out")
                return
            if run.returncode != 0 or not run.stdout:
                continue  # the platform does not have this format
            if LANGUAGE.get(platform) and form == "sh":
                continue  # its commands are checked in the files
            count += 1
            for fault in check(run.stdout.decode()):
                yield f"rwin tune --platform {platform} --format {form}: {fault}"
    print(f"{count} texts of rwin tune")


def self_test():
    reg = "Windows Registry Editor Version 5.00\r\n\r\n[HKEY_LOCAL_MACHINE\\SYSTEM\\X]\r\n\"TcpWindowSize\"=dword:000fc020\r\n"
    plist = '<?xml version="1.0"?>\n<plist version="1.0"><dict><key>A</key><string>b</string></dict></plist>\n'
    cases = [
        (lambda t: shell_faults("x", [t]), "sysctl -w a=1", "echo 'open"),
        (lambda t: shell_faults("x", [t]), "sysctl -w a=1", "rm -rf $undefined/*"),
        (lambda t: form_faults("cmd", [t]), "netsh interface tcp show global", "netsh interface tcp show globally"),
        (lambda t: form_faults("cmd", [t]), "reg delete HKLM\\A /v B /f", "reg delete HKLM\\A B /v C /f"),
        (lambda t: form_faults("ps1", [t]), "Set-NetTCPSetting -SettingName Internet -AutoTuningLevelLocal normal", "Set-NetTCPSettings"),
        (lambda t: form_faults("ios", [t]), "ip tcp window-size 5", "ip tcp windowsize 5"),
        (reg_faults, reg, reg.replace("dword:000fc020", "dword:fc020")),
        (reg_faults, reg, reg.replace("\r\n", "\n")),
        (plist_faults, plist, plist.replace("</dict>", "")),
        (sysctl_faults, "net.ipv4.tcp_rmem = 4096 131072 6291456", "net.ipv4.tcp_rmem 4096"),
    ]
    wrong = [(right, broken) for check, right, broken in cases if list(check(right)) or not list(check(broken))]
    for right, broken in wrong:
        print(f"not told apart: {right!r} and {broken!r}")
    print(f"{len(cases) - len(wrong)} of {len(cases)} faults found")
    sys.exit(1 if wrong else 0)


def main():
    if shutil.which("shellcheck") is None:
        print("skipped: shellcheck is not installed")
        sys.exit(77)
    if sys.argv[1:] == ["--self"]:
        self_test()
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    rules = sys.argv[1]
    bad, platforms = 0, []
    paths = [os.path.join(rules, folder, name) for folder in ("platforms", "applications")
             for name in sorted(os.listdir(os.path.join(rules, folder))) if name.endswith(".toml")]
    for path in paths:
        if os.path.basename(os.path.dirname(path)) == "platforms":
            platforms.append(os.path.basename(path)[:-5])
        for fault in file_faults(path):
            print(f"{path}: {fault}")
            bad += 1
    print(f"{len(paths)} files read")
    if len(sys.argv) == 3:
        for fault in tune_faults(sys.argv[2], platforms):
            print(fault)
            bad += 1
    sys.exit(1 if bad else 0)


main()
