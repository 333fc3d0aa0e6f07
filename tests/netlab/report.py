"""docs/accuracy.md and the totals on the terminal."""
import platform

import lab

HEAD = """# How well rwin agrees with the kernel

Written by `scripts/accuracy`; do not edit. It runs real TCP of the Linux kernel over an emulated path between two network
namespaces (`tests/netlab`), records at the sender, in the middle and at the receiver, and compares what rwin says about each capture with what
the sender's kernel counted (`tcpi_rwnd_limited` / `tcpi_busy_time`) and what the scenario was made for.

- Expected class: what the scenario was made for, confirmed by the kernel's figures over time (rules: `tests/netlab/truth.py`); several
  words where more than one is true of the transfer.
- Shares: blocked by the receive window ÷ busy. Not compared: bbr (its pacing hides blocked time from the kernel's count), and capture points
  from which a middlebox hides the window (marked \\*; there `sender-buffer`, `sender-app` and `unknown` count as right).
- RTT: base round-trip time in ms; right within 2 % or 1 ms of the emulated path or of the kernel's smallest.
- Late: how late the emulator was on average, over both directions (the worse); runs: how often a scenario ran until its timing was good.
"""


def number(value, form="{:.3f}"):
    return "-" if value is None else form.format(value)


def print_totals(sums):
    for point, one in sums.items():
        print(f"{point:9s} class {one['right']}/{one['captures']}  share error mean {one['share_mean']:.4f} max {one['share_max']:.3f}  "
              f"rtt {one['rtt_right']}/{one['captures']}  false alarms {one['false']}  missed {one['missed']}")


def totals_table(sums):
    yield "| point | captures | class right | share error, mean | largest | RTT right | false alarms | missed advice |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    for point, one in sums.items():
        yield (f"| {point} | {one['captures']} | {one['right']} ({100 * one['right'] / max(one['captures'], 1):.1f} %) | {one['share_mean']:.4f} "
               f"| {one['share_max']:.3f} | {one['rtt_right']} | {one['false']} | {one['missed']} |")


def scenario_table(rows):
    yield "| scenario | point | expected | rwin | kernel share | rwin share | RTT path | RTT rwin | | late us (runs) |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    for found, results in rows:
        for result in results:
            first = result is results[0]
            mark = "ok" if result.right and result.rtt_ok and not result.alarm else "not: " + ", ".join(
                word for word, bad in (("class", not result.right), ("RTT", not result.rtt_ok), (f"{result.alarm} advice", result.alarm)) if bad)
            hidden = "\\*" if result.point in found["hidden"] else ""
            late = f"{lab.lateness(found['emulator'])[0]:.0f} ({found.get('attempts', 1)})" if first else ""
            yield (f"| {found['name'] if first else ''} | {result.point}{hidden} | {' / '.join(sorted(result.wanted)) if first or hidden else ''} "
                   f"| {result.limit or result.error} | {number(result.kernel)} | {number(result.share)} | {found['path']['base_rtt_ms']} "
                   f"| {number(result.rtt and result.rtt / 1e3, '{:.1f}')} | {mark} | {late} |")


def loop_table(loops):
    yield "| scenario | before | promised | after | after ÷ promised | | applied |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for row in loops:
        if "error" in row:
            yield f"| {row['name']} | {number(row.get('before') and row['before'] / 1e6, '{:.2f}')} | | | | not: {row['error']} | |"
            continue
        yield (f"| {row['name']} | {row['before'] / 1e6:.2f} | {number(row['expected'] and row['expected'] / 1e6, '{:.2f}')} | {row['after'] / 1e6:.2f} "
               f"| {number(row.get('ratio'), '{:.2f}')} | {'ok' if row['ok'] else 'not'} | `{'`, `'.join(row['commands'])}` |")


def write(path, options, rows, sums, loops, failed):
    text = [HEAD, f"This run: {len(rows)} scenarios, Linux {'.'.join(platform.release().split('.')[:2])}, {options.jobs} at once. Marks: class right {options.class_min:.0%}\nand "
            f"mean share error at most {options.share_max} at each point, {options.loop_min} closed loops. Result: " + ("passed." if not failed else "not passed."), ""]
    text += [f"- {sentence}" for sentence in failed] + ([""] if failed else [])
    text += ["## Totals", "", *totals_table(sums), ""]
    if loops:
        text += ["## Closed loop", "", "rwin reads the capture at the receiver; the `sysctl` commands of its advice are applied in the namespace of the host that it\nnames; "
                 "the same transfer runs again. Rates in Mbit/s: acknowledged bytes over the last third of the writing\ntime. ok: within 10 % of the promise.",
                 "", *loop_table(loops), ""]
    text += ["## Scenarios", "", *scenario_table(rows), ""]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(text))
