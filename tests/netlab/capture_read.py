"""What a capture shows by itself: options of the SYNs and the windows that the data receiver advertised."""
import statistics
import struct


def packets(path):
    """(time in s, IP packet as far as captured) of a classic pcap file."""
    with open(path, "rb") as file:
        data = file.read()
    magic = data[:4]
    order = "<" if magic in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
    per_second = 1e9 if magic in (b"\x4d\x3c\xb2\xa1", b"\xa1\xb2\x3c\x4d") else 1e6
    link = struct.unpack_from(order + "I", data, 20)[0]
    skip = 14 if link == 1 else 0
    at = 24
    while at + 16 <= len(data):
        sec, part, kept, _ = struct.unpack_from(order + "IIII", data, at)
        yield sec + part / per_second, data[at + 16 + skip:at + 16 + kept]
        at += 16 + kept


def segment(packet):
    """(source port, TCP flags, window field, payload length, options of a SYN) or None."""
    if not packet:
        return None
    if packet[0] >> 4 == 4:
        start, total = (packet[0] & 15) * 4, struct.unpack_from(">H", packet, 2)[0]
    else:
        start, total = 40, 40 + struct.unpack_from(">H", packet, 4)[0]
    if len(packet) < start + 20:
        return None
    port, = struct.unpack_from(">H", packet, start)
    head, flags, window = (packet[start + 12] >> 4) * 4, packet[start + 13], struct.unpack_from(">H", packet, start + 14)[0]
    options = syn_options(packet[start + 20:start + head]) if flags & 2 else None
    return port, flags, window, total - start - head, options


def syn_options(data):
    found = {"mss": None, "sack": False, "ts": False, "ws": None}
    i = 0
    while i < len(data) and data[i] != 0:
        if data[i] == 1:
            i += 1
            continue
        if i + 1 >= len(data) or data[i + 1] < 2:
            break
        if data[i] == 2:
            found["mss"] = struct.unpack_from(">H", data, i + 2)[0]
        elif data[i] == 3:
            found["ws"] = data[i + 2]
        elif data[i] == 4:
            found["sack"] = True
        elif data[i] == 8:
            found["ts"] = True
        i += data[i + 1]
    return found


def windows(path, server_port, receiver):
    """Keys as in truth.json's windows_at_*; `receiver` is the role of the data receiver."""
    options, fields = {}, {}
    sender_packets = sender_bytes = largest = zero = 0
    for _, packet in packets(path):
        parts = segment(packet)
        if parts is None:
            continue
        port, flags, field, length, syn = parts
        role = "server" if port == server_port else "client"
        if syn is not None:
            options[role] = syn
        elif role == receiver:
            if not flags & 4:
                fields[field] = fields.get(field, 0) + 1
                zero += field == 0
        elif length > 0:
            sender_packets, sender_bytes, largest = sender_packets + 1, sender_bytes + length, max(largest, length)
    scaled = all(options.get(role, {}).get("ws") is not None for role in ("server", "client"))
    shift = options[receiver]["ws"] if scaled else 0
    every = sorted(field << shift for field, times in fields.items() for _ in range(times))
    return {"syn_options": options, "max_window": max(every, default=0), "median_window": int(statistics.median(every)) if every else 0,
            "zero_window_acks": zero, "ack_side_packets": len(every), "data_packets": sender_packets,
            "data_bytes_on_wire": sender_bytes, "largest_payload": largest}
