#!/usr/bin/env python3
"""The manual page reads without warnings, and bash, zsh and fish complete what they should.

usage: shells_test.py RWIN      what is not installed is named; exit status 77 where none is
"""
import os
import pty
import select
import shutil
import subprocess
import sys
import tempfile
import time

RWIN = os.path.abspath(sys.argv[1])
os.environ["PATH"] = os.path.dirname(RWIN) + ":" + os.environ["PATH"]
# Words typed so far, the last one to be completed -> the words offered.
CASES = [
    (["--targ"], ["--target-rate"]),
    (["--color", ""], ["auto", "always", "never"]),
    (["--color", "al"], ["always"]),
    (["tune", "--format", "s"], ["sh", "sysctl.d"]),
    (["calc", "--ap"], []),
    (["tune", "--ap"], ["--apply"]),
    (["check", "--link", "p"], ["pppoe", "ptm"]),
    (["tune", "--platform", "windows-x"], ["windows-xp"]),
    (["--explain", "receiver-w"], ["receiver-window"]),
    (["run", "--dur"], ["--duration"]),
]
failures = []


def expect(what, found, wanted):
    if sorted(found) != sorted(wanted):
        failures.append(f"{what}: {sorted(found)} instead of {sorted(wanted)}")


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, **more)


def bash(script):
    def complete(words):
        found = run("bash", "--norc", "-c", f'. "$0"; COMP_WORDS=(rwin "$@"); COMP_CWORD=$#; _rwin; printf "%s\\n" "${{COMPREPLY[@]}}"',
                    script, *words)
        if found.stderr:
            failures.append(f"bash: {found.stderr}")
        return found.stdout.split()
    for words, wanted in CASES:
        expect(f"bash: {words}", complete(words), wanted)
    expect("bash: an option's own value", complete(["--color", "=", "n"]), ["never"])
    expect("bash: a list", complete(["--fail-on", "loss,time"]), ["loss,timeout"])
    if "any" not in complete(["-i", ""]):
        failures.append("bash: no interfaces")
    if not {"calc", "tests/"} & set(complete([""])) or "calc" not in complete(["ca"]):
        failures.append("bash: no commands for the first word")
    registered = run("bash", "--norc", "-c", f'. {script}; complete -p rwin').stdout
    if "-F _rwin rwin" not in registered:
        failures.append(f"bash: not registered: {registered}")


def fish(script):
    home = tempfile.mkdtemp()
    for words, wanted in CASES:
        line = "rwin " + " ".join(words)
        found = run("fish", "--no-config", "-c", f'source {script}; complete -C "{line}"', env={**os.environ, "HOME": home})
        if found.stderr:
            failures.append(f"fish: {found.stderr}")
        offered = [entry.split("\t")[0] for entry in found.stdout.splitlines()]
        if words[-1].startswith("--"):  # near names too, where none begins so
            offered = [entry for entry in offered if entry.startswith(words[-1])]
        expect(f"fish: {words}", offered, wanted)
    shutil.rmtree(home)


def zsh(script):
    """Types into a shell: where only one word fits, tab writes it."""
    folder = tempfile.mkdtemp()
    shutil.copy(script, os.path.join(folder, "_rwin"))
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(ZDOTDIR=folder, TERM="dumb")
        os.execvp("zsh", ["zsh", "-f", "-i"])

    def read_until(mark, seconds=20):
        seen, end = "", time.monotonic() + seconds
        while mark not in seen and time.monotonic() < end:
            if select.select([terminal], [], [], 0.1)[0]:
                seen += os.read(terminal, 4096).decode(errors="replace")
        return seen

    os.write(terminal, f"fpath=({folder} $fpath); autoload -Uz compinit; compinit -u -D; PS1=; echo rea''dy\n".encode())
    if "ready" not in read_until("ready\r\n"):
        failures.append("zsh does not start")
    for words, wanted in CASES:
        if len(wanted) == 1:
            os.write(terminal, ("\x15rwin " + " ".join(words) + "\t").encode())
            seen = read_until(wanted[0], 10)
            if wanted[0] not in seen:
                failures.append(f"zsh: {words}: {seen!r} instead of {wanted[0]}")
    os.write(terminal, b"\x15exit\n")
    os.waitpid(child, 0)
    shutil.rmtree(folder)


def manual(page):
    read = run("man", "--warnings", "-l", page, env={**os.environ, "MANWIDTH": "100", "LC_ALL": "C.UTF-8"})
    if read.returncode != 0 or read.stderr:
        failures.append(f"man: {read.stderr}")
    for words in ("EXIT STATUS", "--target-rate RATE", "rwin - what limits", "ctrl-l", "sudo rwin tune --revert"):
        if words not in read.stdout:
            failures.append(f"man: {words} is not there")


def main():
    absent = []
    with tempfile.TemporaryDirectory() as folder:
        for shell, check in (("bash", bash), ("zsh", zsh), ("fish", fish), ("man", manual)):
            if shutil.which(shell) is None:
                absent.append(shell)
                continue
            made = run(RWIN, "--manual") if shell == "man" else run(RWIN, "--completions", shell)
            path = os.path.join(folder, "rwin." + ("1" if shell == "man" else shell))
            with open(path, "w", encoding="utf-8") as file:
                file.write(made.stdout)
            check(path)
    if absent:
        print("not installed, not tried:", *absent)
    print("\n".join(failures) if failures else "ok")
    sys.exit(1 if failures else 77 if len(absent) == 4 else 0)


main()
