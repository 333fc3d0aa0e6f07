"""The scenarios of the lab. A line each: name, class that the sender's kernel must confirm, path, programs.

Defaults: download (the server sends), IPv4 over TAP, cubic, one connection, automatic buffers, queue of 60 ms, reverse line of
100 Mbit/s. `sends` and `reads` are options of traffic.cpp for the data sender and the data receiver, `sys_sends`, `sys_reads` their
namespaces' settings, `data` and `acks` rules of link.h for the direction of the data and of the ACKs (there SYNs of the receiver
pass too), `at` changes: (seconds, "data"|"acks", rule, value). `hidden`: capture points where a middlebox between them and the
sender hides the limit.
"""

WINDOW, APP, SENDER, BUFFER = "receiver-window", "receiver-app", "sender-app", "sender-buffer"
PACED, LINE, LOSS, START = "paced-server", "bandwidth", "loss", "slow-start"
ORDINARY = {"tcp_rmem": "4096 131072 33554432", "tcp_wmem": "4096 16384 16777216",
            "tcp_no_metrics_save": "1", "tcp_window_scaling": "1", "tcp_timestamps": "1", "tcp_sack": "1", "tcp_moderate_rcvbuf": "1"}


def scenario(name, kind, rtt, rate, *, also=(), seconds=6, sends=None, reads=None, sys_sends=None, sys_reads=None, data=None, acks=None,
             at=(), up=False, family=4, dev="tap", mtu=1500, cc="cubic", conns=1, queue_ms=60, rev=100, gso_segs=0, seed=1, note="", pacing=0,
             hidden=()):
    forward, backward = ("ba", "ab") if up else ("ab", "ba")
    rules = {forward: {"rate": rate * 1e6, "queue": max(int(rate * queue_ms * 125), 12000)},
             backward: {"rate": rev * 1e6, "queue": 200000}}
    for direction, extra in ((forward, data), (backward, acks)):
        rules[direction]["delay_ms"] = rtt / 2
        rules[direction].update(extra or {})
    where = {"data": forward, "acks": backward}
    sends = {"send": f"bulk,dur={seconds}", **(sends or {})}
    ends = {"client" if up else "server": (sends, sys_sends), "server" if up else "client": (reads or {}, sys_reads)}
    return {"name": name, "class": kind, "also": list(also), "rtt": rtt, "rules": rules, "dir": "up" if up else "down",
            "changes": [(t, where[link], rule, value) for t, link, rule, value in at], "family": family, "dev": dev, "mtu": mtu, "cc": cc,
            "conns": conns, "gso_segs": gso_segs, "seed": seed, "note": note, "hidden": list(hidden), "port": 5001,
            "server": ends["server"][0], "client": ends["client"][0], "pacing": pacing or sends.get("pacing", 0),
            "sys_server": {**ORDINARY, **(ends["server"][1] or {})}, "sys_client": {**ORDINARY, **(ends["client"][1] or {})},
            "snap": 128 if family == 6 else 96}


def fixed(window):
    """SO_RCVBUF for about this window: Linux doubles it and advertises about 63 % of that."""
    return {"rcvbuf": int(window / 1.26)}


def rmem(most, default=87380):
    return {"tcp_rmem": f"4096 {min(default, most)} {most}"}


s = scenario
ALL = [
    # Held by a fixed buffer.
    s("rwin24k_rtt50_20m", WINDOW, 50, 20, reads=fixed(24e3)),
    s("rwin48k_rtt250_40m", WINDOW, 250, 40, reads=fixed(48e3), seconds=7),
    s("rwin128k_rtt75_30m", WINDOW, 75, 30, reads=fixed(128e3)),
    s("rwin200k_rtt140_60m", WINDOW, 140, 60, reads=fixed(200e3)),
    s("rwin512k_rtt220_80m", WINDOW, 220, 80, reads=fixed(512e3), seconds=7),
    s("rwin64k_rtt12_100m", WINDOW, 12, 100, reads=fixed(64e3), seconds=5),
    s("rwin20k_rtt5_50m", WINDOW, 5, 50, reads=fixed(20e3), seconds=4),
    s("rwin3k_rtt40_20m", WINDOW, 40, 20, reads={"rcvbuf": 2400}, note="one or two segments"),
    s("rwin6k_mss536_rtt60_10m", WINDOW, 60, 10, reads={"rcvbuf": 4800, "maxseg": 536}, sends={"maxseg": 536}),
    s("rwin30k_mtu1280_rtt45_15m", WINDOW, 45, 15, reads=fixed(30e3), mtu=1280),
    s("v6_rwin40k_rtt90_20m", WINDOW, 90, 20, reads=fixed(40e3), family=6),
    s("nots_rwin64k_rtt80_30m", WINDOW, 80, 30, reads=fixed(64e3), sys_reads={"tcp_timestamps": "0"}),
    s("nosack_rwin56k_rtt65_25m", WINDOW, 65, 25, reads=fixed(56e3), sys_reads={"tcp_sack": "0"}),
    s("tun_rwin100k_rtt130_50m", WINDOW, 130, 50, reads=fixed(100e3), dev="tun"),
    s("par3_rwin50k_rtt110_40m", WINDOW, 110, 40, reads=fixed(50e3), conns=3),
    s("reno_rwin80k_rtt160_30m", WINDOW, 160, 30, reads=fixed(80e3), cc="reno"),
    s("bbr_rwin48k_rtt70_30m", WINDOW, 70, 30, reads=fixed(48e3), cc="bbr"),
    s("up_rwin72k_rtt55_30m", WINDOW, 55, 30, reads=fixed(72e3), up=True),
    s("reorder_rwin96k_rtt85_40m", WINDOW, 85, 40, reads=fixed(96e3), data={"reorder": 0.005, "reorder_ms": 2}),
    s("synlost_rwin40k_rtt60_25m", WINDOW, 60, 25, reads=fixed(40e3), acks={"drop_syn": 1}, note="the first SYN is lost"),
    s("rwin1500k_rtt184_100m", WINDOW, 184, 100, reads=fixed(1500e3)),
    s("delaystep_rwin64k_rtt40_30m", WINDOW, 40, 30, reads=fixed(64e3), at=((3, "data", "delay_ms", 50),), note="the path gets longer after 3 s"),
    # Held by a capped automatic buffer, or by no scaling.
    s("rmemcap180k_rtt60_40m", WINDOW, 60, 40, sys_reads=rmem(180000)),
    s("rmemcap700k_rtt300_60m", WINDOW, 300, 60, sys_reads=rmem(700000), seconds=8),
    s("rmemcap96k_up_rtt40_30m", WINDOW, 40, 30, sys_reads=rmem(96000), up=True),
    s("noscale_rtt70_40m", "no-window-scaling", 70, 40, sys_reads={"tcp_window_scaling": "0"}),
    s("noscale_server_rtt120_30m", "no-window-scaling", 120, 30, sys_sends={"tcp_window_scaling": "0"}),
    # A middlebox in between.
    s("mbstrip_syn_rtt65_35m", "middlebox-strips-scaling", 65, 35, also=["no-window-scaling"], acks={"strip_ws": 1}),
    s("mbclamp40k_rtt140_30m", "window-clamped", 140, 30, also=[WINDOW], acks={"clamp_win": 40000}, hidden=("mid", "receiver")),
    s("mbzero_syn_rtt30_25m", "middlebox-strips-scaling", 30, 25, also=[WINDOW], sends={"send": "bulk,bytes=14000", "wblock": 4000},
      acks={"zero_ws": 1}, sys_reads=rmem(6291456, 131072), hidden=("mid", "receiver")),
    # Held by the program that reads.
    s("rapp120k_rtt20_20m", APP, 20, 20, reads={"recv": "rate,rate=120000"}, sys_reads=rmem(262144), seconds=5),
    s("rapp900k_rtt90_50m", APP, 90, 50, reads={"recv": "rate,rate=900000,chunk=16384"}, sys_reads=rmem(1048576), seconds=7),
    s("rapp400k_v6_rtt35_30m", APP, 35, 30, reads={"recv": "rate,rate=400000"}, sys_reads=rmem(524288), family=6),
    s("rapp_pause1s_rtt25_20m", APP, 25, 20, reads={"rcvbuf": 120000, "recv": "full,dur=0.7;pause,dur=1.3;loop"}, seconds=8),
    s("rapp_stop4s_rtt50_20m", APP, 50, 20, reads={"rcvbuf": 90000, "recv": "full,dur=1;pause,dur=4;full,dur=1"}, seconds=6,
      note="the reader stops: window closed, probes"),
    # Held by the program that sends.
    s("sapp150k_rtt60_20m", SENDER, 60, 20, sends={"send": "rate,rate=150000,chunk=3000,dur=6"}),
    s("sapp_chunks_rtt30_40m", SENDER, 30, 40, sends={"send": "chunk,chunk=120000,pause=0.5,dur=6"}, also=["idle-gaps"]),
    s("sapp_small_rtt150_10m", SENDER, 150, 10, sends={"send": "rate,rate=20000,chunk=400,dur=6", "nodelay": 1}),
    s("sapp_nagle_rtt100_10m", SENDER, 100, 10, sends={"send": "rate,rate=20000,chunk=400,dur=6"}, note="small writes held back by Nagle"),
    s("rr_rtt40_30m", "idle-gaps", 40, 30, also=[SENDER], sends={"rr": "8,60000,0.6"}, reads={"rr": "8,60000,0.6"}),
    s("rr_small_rtt90_20m", SENDER, 90, 20, sends={"rr": "40,3000,0.0"}, reads={"rr": "40,3000,0.0"},
      note="one request at a time"),
    s("sndbuf48k_rtt60_40m", BUFFER, 60, 40, sends={"sndbuf": 48000, "wblock": 262144}, gso_segs=1),
    s("sndbuf128k_rtt150_50m", BUFFER, 150, 50, sends={"sndbuf": 128000, "wblock": 262144}, gso_segs=1),
    s("sndbuf40k_up_rtt80_20m", BUFFER, 80, 20, sends={"sndbuf": 40000, "wblock": 262144}, gso_segs=1, up=True),
    s("wmemcap96k_rtt100_40m", BUFFER, 100, 40, sys_sends={"tcp_wmem": "4096 16384 96000"}, sends={"wblock": 262144},
      gso_segs=1),
    s("paced250k_rtt70_20m", PACED, 70, 20, sends={"pacing": 250000}),
    s("paced2m_rtt40_50m", PACED, 40, 50, sends={"pacing": 2000000}, seconds=5),
    s("paced500k_rtt200_30m", PACED, 200, 30, sends={"pacing": 500000}),
    # The line is full.
    s("auto_rtt10_20m", LINE, 10, 20, seconds=5),
    s("auto_rtt60_50m", LINE, 60, 50, seconds=5),
    s("auto_rtt120_10m", LINE, 120, 10, seconds=7),
    s("reno_auto_rtt40_15m", LINE, 40, 15, cc="reno"),
    s("bbr_auto_rtt50_20m", LINE, 50, 20, cc="bbr"),
    s("v6_nots_auto_rtt35_25m", LINE, 35, 25, family=6, sys_reads={"tcp_timestamps": "0"}),
    s("bufferbloat_rtt20_5m", LINE, 20, 5, queue_ms=600, seconds=7),
    s("par4_auto_rtt30_20m", LINE, 30, 20, conns=4),
    s("up_auto_rtt45_5m", LINE, 45, 5, up=True),
    s("reorder_auto_rtt40_20m", LINE, 40, 20, data={"reorder": 0.01, "reorder_ms": 5}, also=[LOSS]),
    s("auto_rtt20_100m", LINE, 20, 100, seconds=4),
    s("ackloss30pct_auto_rtt30_15m", LINE, 30, 15, acks={"loss": 0.3}),
    # Loss.
    s("up_loss1pct_rtt35_15m", LOSS, 35, 15, data={"loss": 0.01}, up=True),
    s("loss05pct_rtt60_30m", LOSS, 60, 30, data={"loss": 0.005}, seconds=7),
    s("loss2pct_rtt20_20m", LOSS, 20, 20, data={"loss": 0.02}),
    s("loss02pct_rtt150_40m", LOSS, 150, 40, data={"loss": 0.002}, seconds=8),
    s("nosack_loss1pct_rtt40_25m", LOSS, 40, 25, data={"loss": 0.01}, sys_reads={"tcp_sack": "0"}, seconds=7),
    s("shallowq_rtt80_50m", LOSS, 80, 50, queue_ms=2, seconds=8),
    s("outage_rtt50_10m", "mixed", 50, 10, also=[LINE, LOSS], at=((2.5, "data", "loss", 1), (3.3, "data", "loss", 0)), seconds=6,
      note="0.8 s without any packet: timeouts"),
    s("ackpath_rtt40_40m", "ack-path", 40, 40, also=[LOSS, LINE, "cwnd"], rev=0.25, acks={"queue": 6000}, seconds=7),
    # Short ones.
    s("short300k_rtt150_50m", START, 150, 50, sends={"send": "bulk,bytes=300000"}),
    s("short90k_rtt250_20m", START, 250, 20, sends={"send": "bulk,bytes=90000"}),
    # The limit changes on the way.
    s("two_rwin64k_then_loss_rtt70_30m", "mixed", 70, 30, also=[WINDOW, LOSS], reads=fixed(64e3), at=((4, "data", "loss", 0.03),), seconds=8),
    s("two_rate_then_bulk_rtt45_15m", "mixed", 45, 15, also=[SENDER, LINE], sends={"send": "rate,rate=200000,chunk=4000,dur=4;bulk,dur=4"}),
    s("two_bulk_then_paced_rtt30_20m", "mixed", 30, 20, also=[LINE, PACED], sends={"send": "bulk,dur=3;bulk,dur=6,pacing=400000"},
      pacing=400000),
    s("two_full_then_slow_reader_rtt30_25m", "mixed", 30, 25, also=[LINE, APP], sys_reads=rmem(524288),
      reads={"recv": "full,dur=4;rate,rate=300000"}, seconds=8),
    s("two_rwin100k_then_narrow_rtt60_40m", "mixed", 60, 40, also=[WINDOW, LINE], reads=fixed(100e3), at=((4, "data", "rate", 4e6),), seconds=8,
      note="the line shrinks to 4 Mbit/s: then it is the limit, although the window still fills"),
    s("two_loss_then_clean_rtt25_10m", "mixed", 25, 10, also=[LOSS, LINE], data={"loss": 0.05}, at=((4, "data", "loss", 0),), seconds=8),
]

# Two or three seconds each, for the test suite.
SHORT = [
    s("short_rwin32k_rtt30_20m", WINDOW, 30, 20, reads=fixed(32e3), seconds=2.5),
    s("short_auto_rtt20_10m", LINE, 20, 10, seconds=2.5),
    s("short_rapp200k_rtt20_20m", APP, 20, 20, reads={"recv": "rate,rate=200000"}, sys_reads=rmem(131072), seconds=2.5),
    s("short_sapp200k_rtt30_20m", SENDER, 30, 20, sends={"send": "rate,rate=200000,chunk=3000,dur=2.5"}),
    s("short_loss3pct_rtt25_20m", LOSS, 25, 20, data={"loss": 0.03}, seconds=3),
]



def loop(name, kind, rtt, rate, **more):
    """With a queue of one round trip (at least 60 ms): one cubic flow can then keep the line full once the window allows it."""
    return scenario(name, kind, rtt, rate, queue_ms=max(rtt, 60), **more)


# Closed loop: held by the window of an automatic buffer or by no scaling; the fix must lift the rate as predicted.
LOOP = [
    loop("loop_rmemcap64k_rtt28_10m", WINDOW, 28, 10, sys_reads=rmem(42000, 42000), seconds=6),
    loop("loop_rmemcap128k_rtt28_50m", WINDOW, 28, 50, sys_reads=rmem(128000), seconds=6),
    loop("loop_noscale_rtt50_50m", "no-window-scaling", 50, 50, sys_reads={"tcp_window_scaling": "0"}, seconds=7),
    loop("loop_rmemcap256k_rtt100_25m", WINDOW, 100, 25, sys_reads=rmem(256000), seconds=8),
    loop("loop_rmemcap400k_rtt60_100m", WINDOW, 60, 100, sys_reads=rmem(400000), seconds=7),
    loop("loop_noscale_rtt184_25m", "no-window-scaling", 184, 25, sys_reads={"tcp_window_scaling": "0"}, seconds=10),
    loop("loop_rmemcap300k_rtt184_50m", WINDOW, 184, 50, sys_reads=rmem(300000), seconds=10),
    loop("loop_rmemcap200k_rtt330_10m", WINDOW, 330, 10, sys_reads=rmem(200000), seconds=12),
    loop("loop_noscale_server_rtt120_20m", "no-window-scaling", 120, 20, sys_sends={"tcp_window_scaling": "0"}, seconds=9),
    loop("loop_rmemcap500k_rtt330_25m", WINDOW, 330, 25, sys_reads=rmem(500000), seconds=13),
    loop("loop_rmemcap150k_rtt80_20m", WINDOW, 80, 20, sys_reads=rmem(150000), seconds=8),
    loop("loop_v6_noscale_rtt150_30m", "no-window-scaling", 150, 30, sys_reads={"tcp_window_scaling": "0"}, family=6, seconds=10),
]
