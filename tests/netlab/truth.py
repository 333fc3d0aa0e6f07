"""From what kernel, emulator and programs wrote down to truth.json: what limited the transfer, and when.

The rules for phases, over windows of max(0.25 s, 1.5 RTT), first that holds:
  drain             everything is written and sent, but for less than a segment: only acknowledgements are missing (not judged)
  sender-app        the kernel was busy for less than half of the time
  receiver-window, receiver-app   rwnd_limited grew for at least half of the busy time; -app when unread data fills the receiver's
                    buffer. With the line 93 % full: bandwidth+receiver-window, bandwidth+receiver-app. With bbr, whose pacing
                    hides blocked time from the kernel, also when the flight filled the window in half of the samples
  sender-buffer     sndbuf_limited grew for half of the busy time, or nothing was left to send although the program writes
                    without pause; sender-app where the program does pause
  paced-server      the rate is that of SO_MAX_PACING_RATE
  bandwidth         the line is 93 % full, or this connection has 85 % of it
  loss              in recovery (or after a timeout) for a third of the samples
  slow-start        cwnd below ssthresh
  loss-recovering   cwnd low after an earlier loss;   cwnd: anything else
"""
import bisect
import csv
import statistics

import capture_read

# truth's words -> the words of docs/method.md
METHOD = {
    "receiver-window": {"receiver-window"}, "no-window-scaling": {"receiver-window"},
    "middlebox-strips-scaling": {"receiver-window"}, "window-clamped": {"receiver-window"}, "receiver-app": {"receiver-app"},
    "sender-app": {"sender-app"}, "idle-gaps": {"sender-app"}, "sender-buffer": {"sender-buffer"},
    "paced-server": {"sender-paced"}, "loss": {"congestion"}, "cwnd": {"congestion", "slow-start"},
    "bandwidth": {"bandwidth"}, "slow-start": {"slow-start"}, "short": {"slow-start"},
    "ack-path": {"congestion", "bandwidth", "unknown"}, "loss-recovering": {"congestion"}, "mixed": set(), "kernel-blind": set(),
    "drain": set(), "other": set(),
}
PAUSING = {"send:rate", "send:chunk", "send:pause", "send:rr"}


def method_words(names):
    return set().union(*(METHOD[name] for name in names))


def read_rows(path):
    """{client_port: {column: [values]}}"""
    rows = {}
    with open(path, encoding="utf-8") as file:
        reader = csv.reader(file)
        names = next(reader)
        for line in reader:
            if len(line) != len(names):
                continue  # cut at the end
            columns = rows.setdefault(int(line[2]), {name: [] for name in names})
            for name, value in zip(names, line):
                columns[name].append(float(value))
    return rows


class Series:
    """Values over time: the last known one at a moment."""

    def __init__(self, times, values):
        self.times, self.values = times, values

    def at(self, t):
        i = bisect.bisect_right(self.times, t) - 1
        return self.values[max(i, 0)] if self.values else 0

    def between(self, t0, t1):
        return self.values[bisect.bisect_left(self.times, t0):bisect.bisect_left(self.times, t1)]


class Line:
    """The emulated line of the data direction."""

    def __init__(self, path, direction, rates):
        with open(path, encoding="utf-8") as file:
            rows = [{k: float(v) for k, v in row.items()} for row in csv.DictReader(file) if None not in row.values()]
        times = [row["t"] for row in rows]
        self.carried = Series(times, [row[direction + "_bytes"] for row in rows])
        self.queue = Series(times, [row[direction + "_queue_ms"] for row in rows])
        self.rates = Series([t for t, _ in rates], [rate for _, rate in rates])  # bit/s from then on

    def utilisation(self, t0, t1):
        marks = [t0, *(t for t in self.rates.times if t0 < t < t1), t1]
        possible = sum(self.rates.at(a) * (b - a) for a, b in zip(marks, marks[1:]))
        return (self.carried.at(t1) - self.carried.at(t0)) * 8 / max(possible, 1)


def program_state(marks, t):
    state = ""
    for when, word in marks:
        if when <= t + 0.02:
            state = word
    return state


class Judge:
    """Tells the class of each window of one connection."""

    def __init__(self, conn, sent, received, line, params, max_window):
        self.conn, self.line, self.params, self.max_window = conn, line, params, max_window
        self.columns = {name: Series(sent["t"], sent[name]) for name in sent}
        self.unread = Series(received["t"], received["inq"]) if received else Series([], [])
        self.quarter = params["rtt_ms"] / 4e3  # from the sender to the middle of the path
        self.seen_loss = False

    def grown(self, name, t0, t1):
        return (self.columns[name].at(t1) - self.columns[name].at(t0)) / 1e6

    def values(self, name, t0, t1):
        return self.columns[name].between(t0, t1) or [self.columns[name].at(t0)]

    def share(self, test, names, t0, t1):
        rows = list(zip(*(self.values(name, t0, t1) for name in names)))
        return sum(bool(test(*row)) for row in rows) / len(rows)

    def fills_window(self, t0, t1):
        return self.share(lambda unacked, window, mss: (unacked + 2) * mss > window, ("unacked", "snd_wnd", "snd_mss"), t0, t1)

    def reader_is_slow(self, t0, t1):
        unread = self.unread.between(t0, t1)
        return bool(unread) and statistics.median(unread) >= 0.4 * self.max_window

    def judge(self, t0, t1):
        conn, state = self.conn, program_state(self.conn["marks"], (t0 + t1) / 2)
        self.seen_loss = self.seen_loss or self.columns["total_retrans"].at(t1) > 0
        all_sent = self.share(lambda notsent, mss: notsent < mss, ("notsent", "snd_mss"), t0, t1) > 0.5
        if t0 >= conn["t_write_end"] - 0.02 and all_sent:
            return "drain"
        busy = self.grown("busy_us", t0, t1)
        if busy < 0.5 * (t1 - t0):
            return "sender-app"
        utilisation = self.line.utilisation(t0 + self.quarter, t1 + self.quarter)
        held = self.grown("rwnd_us", t0, t1) >= 0.5 * busy
        if held or (self.params["cc"] == "bbr" and self.fills_window(t0, t1) >= 0.5):
            name = "receiver-app" if self.reader_is_slow(t0, t1) else "receiver-window"
            return "bandwidth+" + name if utilisation >= 0.93 else name
        return self.judge_sender(t0, t1, busy, state, utilisation)

    def judge_sender(self, t0, t1, busy, state, utilisation):
        goodput = self.grown("bytes_acked", t0, t1) * 1e6 * 8 / (t1 - t0)
        empty = self.share(lambda notsent, mss, unacked, cwnd: notsent < mss and unacked < cwnd,
                           ("notsent", "snd_mss", "unacked", "snd_cwnd"), t0, t1) > 0.5
        if self.grown("sndbuf_us", t0, t1) >= 0.5 * busy or (empty and state not in PAUSING and t0 < self.conn["t_write_end"]):
            return "sender-buffer"
        if empty:
            return "sender-app"
        pacing = self.params["pacing"]
        if pacing and 0.8 <= goodput / (pacing * 8) <= 1.1:
            return "paced-server"
        if utilisation >= 0.93 or goodput >= 0.85 * self.params["max_goodput_bps"]:
            return "bandwidth"
        if self.share(lambda state: state in (3, 4), ("ca_state",), t0, t1) >= 1 / 3:
            return "loss"
        if self.columns["snd_cwnd"].at(t1) < self.columns["snd_ssthresh"].at(t1):
            return "slow-start"
        return "loss-recovering" if self.seen_loss else "cwnd"

    def phases(self):
        step = max(0.25, 1.5 * self.params["rtt_ms"] / 1e3)
        phases, t = [], self.conn["t_first"]
        while t < self.conn["t_last"] - 0.02:
            end = min(t + step, self.conn["t_last"])
            name = self.judge(t, end)
            if phases and phases[-1][2] == name:
                phases[-1][1] = end
            else:
                phases.append([t, end, name])
            t = end
        return phases


def describe(scenario, folder, sender_role, connections, emulator, start):
    """truth.json. `connections`: what the data sender's program wrote; folder: where the run's files are."""
    receiver_role = "client" if sender_role == "server" else "server"
    direction = "ab" if sender_role == "server" else "ba"
    port = scenario["port"]
    found = {point: capture_read.windows(f"{folder}/{point}.pcap", port, receiver_role) for point in ("sender", "receiver")}
    payload = max(found["sender"]["largest_payload"], 1)
    frame = payload + (60 if scenario["family"] == 6 else 40) + (12 if all(
        o["ts"] for o in found["sender"]["syn_options"].values()) else 0) + (14 if scenario["dev"] == "tap" else 0)
    rate = scenario["rules"][direction]["rate"]
    params = {"cc": scenario["cc"], "rtt_ms": scenario["rtt"], "pacing": scenario["pacing"], "max_goodput_bps": rate * payload / frame}
    rates = [(0, rate)] + [(start + t, value) for t, link, name, value in scenario["changes"] if link == direction and name == "rate"]
    line = Line(f"{folder}/series.csv", direction, rates)
    sent, received = read_rows(f"{folder}/{sender_role}.csv"), read_rows(f"{folder}/{receiver_role}.csv")
    for conn in connections:
        other = received.get(conn["client_port"])
        largest = max(max(sent[conn["client_port"]]["snd_wnd"]), 1)
        conn["phases"] = Judge(conn, sent[conn["client_port"]], other, line, params, largest).phases()
        conn["max_receiver_queue"] = max(other["inq"], default=0) if other else 0
        conn["max_snd_wnd"] = largest
        conn["duration_s"] = conn["t_last"] - conn["t_first"]
        conn["goodput_bps"] = conn["bytes"] * 8 / max(conn["duration_s"], 1e-6)
        for share, part in (("rwnd_share", "rwnd_limited_us"), ("sndbuf_share", "sndbuf_limited_us")):
            conn[share] = conn[part] / max(conn["busy_us"], 1)
    seconds = {}
    for conn in connections:
        for t0, t1, name in conn["phases"]:
            seconds[name] = seconds.get(name, 0) + t1 - t0
    first, last = min(c["t_first"] for c in connections), max(c["t_last"] for c in connections)
    total, busy = sum(c["bytes"] for c in connections), max(sum(c["busy_us"] for c in connections), 1)
    goodput = total * 8 / max(last - first, 1e-6)
    queues = line.queue.between(first, last) or [0]
    truth = {
        "name": scenario["name"], "class": scenario["class"], "also": scenario["also"], "note": scenario["note"],
        "hidden": scenario["hidden"],
        "dominant_phase": max((s for s in seconds.items() if s[0] != "drain"), key=lambda s: s[1], default=("drain", 0))[0],
        "params": {key: scenario[key] for key in ("family", "dev", "dir", "mtu", "cc", "seed", "rtt", "rules", "changes", "server", "client",
                                                  "sys_server", "sys_client", "conns", "gso_segs")},
        "flow": {"server_port": port, "data_sender": sender_role, "sender_capture_at": sender_role},
        "path": {"rate_bps": rate, "max_goodput_bps": round(params["max_goodput_bps"]), "base_rtt_ms": scenario["rtt"],
                 "kernel_min_rtt_ms": min(c["min_rtt_us"] for c in connections) / 1e3, "bdp_bytes": round(rate * scenario["rtt"] / 8e3)},
        "transfer": {"bytes": total, "t_first": first, "t_last": last, "duration_s": last - first, "goodput_bps": round(goodput),
                     "share_of_path": goodput / params["max_goodput_bps"]},
        "kernel": {"busy_us": busy, "rwnd_share": sum(c["rwnd_limited_us"] for c in connections) / busy,
                   "sndbuf_share": sum(c["sndbuf_limited_us"] for c in connections) / busy,
                   "retransmitted_segments": sum(c["retransmitted_segments"] for c in connections)},
        "link": {"utilisation": line.utilisation(first, last), "queue_mean_ms": statistics.mean(queues), "queue_max_ms": max(queues),
                 "drop_queue": emulator[direction]["drop_queue"], "drop_loss": emulator[direction]["drop_loss"]},
        "phase_seconds": {name: round(s, 3) for name, s in seconds.items()},
        "windows_at_receiver": found["receiver"], "windows_at_sender": found["sender"],
        "connections": connections, "emulator": emulator, "data_direction_in_emulator": direction,
    }
    truth["confirmed"] = confirmed(truth)
    return truth


def confirmed(truth):
    """The kernel's figures agree with the class that the scenario was made for."""
    wanted = method_words([truth["class"], *truth["also"]])
    phases = {name: s for name, s in truth["phase_seconds"].items() if name != "drain"}
    total = sum(phases.values())
    if truth["class"] == "mixed":  # each part must have its time
        return all(sum(s for name, s in phases.items() if method_words(name.split("+")) & METHOD[part]) >= 0.15 * total
                   for part in truth["also"])
    right = sum(s for name, s in phases.items() if method_words(name.split("+")) & wanted)
    return total > 0 and right >= 0.5 * total
