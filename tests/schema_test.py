#!/usr/bin/env python3
"""schema_test.py RWIN SOURCE-FOLDER: JSON and JSON Lines of every capture fit docs/schema and use no key that is not described there; CSV says what JSON says."""
import csv
import glob
import io
import json
import os
import subprocess
import sys

try:
    import jsonschema
except ImportError:
    print("skipped: the Python module jsonschema is missing (python3-jsonschema)")
    sys.exit(77)

# CSV columns whose JSON member has another name or lies deeper: (of the connection, of the direction).
CONNECTION = {
    "id": ["id"], "client_ip": ["client", "ip"], "client_port": ["client", "port"], "server_ip": ["server", "ip"],
    "server_port": ["server", "port"], "start_ns": ["start_ns"], "end_ns": ["end_ns"], "end": ["end"],
}
DIRECTION = {
    "rtt_base_us": ["rtt_us", "base"], "rtt_p50_us": ["rtt_us", "p50"], "window_scale_state": ["window", "scale", "state"],
    "window_scale_shift": ["window", "scale", "shift"], "window_max_bytes": ["window", "max_bytes"],
    "window_p50_bytes": ["window", "p50_bytes"], "zero_windows": ["window", "zero_count"],
}
VERDICT = ("limit", "cause", "confidence", "ceiling_bps", "potential_bps", "gain", "summary")


def closed(schema):
    """The same schema, for which an unknown key is a fault."""
    if isinstance(schema, list):
        return [closed(x) for x in schema]
    if not isinstance(schema, dict):
        return schema
    out = {k: closed(v) for k, v in schema.items()}
    if "properties" in schema and isinstance(schema.get("required"), list):
        out.setdefault("additionalProperties", False)
    return out


def validator(folder, name):
    with open(os.path.join(folder, "docs", "schema", name), encoding="utf-8") as f:
        schema = json.load(f)
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    return kind(closed(schema))


def run(rwin, *words):
    done = subprocess.run([rwin, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, check=False)
    return done.stdout.decode("utf-8"), done.returncode


def faults_of(check, value, what, events=None):
    if events is not None:  # of "one of these" the one that the event names gives the clear message
        check = events.get(value.get("event"), check)
    return [f"{what}: {'/'.join(map(str, e.absolute_path))}: {e.message[:200]}" for e in check.iter_errors(value)]


def deep(value, path):
    for key in path:
        value = value[key]
    return value


def as_text(value):
    return "" if value is None else str(value)


def same(cell, value):
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return cell != "" and abs(float(cell) - value) <= 1e-9 * max(1, abs(value))
    # A cell that a spreadsheet would run as a formula has a ' before it.
    return cell == as_text(value) or cell == "'" + as_text(value)


def csv_faults(document, text, what):
    rows = list(csv.DictReader(io.StringIO(text)))
    wanted = [(c, d) for c in document["connections"] for d in c["directions"]]
    if len(rows) != len(wanted):
        return [f"{what}: {len(rows)} lines of CSV, {len(wanted)} directions"]
    faults = []
    for row, (c, d) in zip(rows, wanted):
        advice = d["advice"][0] if d["advice"] else {"id": None, "host": None}
        for column, cell in row.items():
            if column in CONNECTION:
                value = deep(c, CONNECTION[column])
            elif column in VERDICT:
                value = d["verdict"][column]
            elif column == "advice":
                value = advice["id"]
            elif column == "change_host":
                value = advice["host"]
            else:
                value = deep(d, DIRECTION.get(column, [column]))
            if not same(cell, value):
                faults.append(f"{what}: CSV column {column}: {cell!r}, JSON {value!r}")
    # Written and read again it is the same table.
    again = io.StringIO()
    writer = csv.writer(again, lineterminator="\n")
    lines = list(csv.reader(io.StringIO(text)))
    writer.writerows(lines)
    if list(csv.reader(io.StringIO(again.getvalue()))) != lines:
        faults.append(f"{what}: CSV does not survive a round trip")
    return faults


def main():
    rwin, folder = sys.argv[1:3]
    document_check = validator(folder, "document-1.schema.json")
    lines_check = validator(folder, "events-1.schema.json")
    kind = type(lines_check)
    definitions = lines_check.schema["$defs"]
    events = {s["properties"]["event"]["const"]: kind({**s, "$defs": definitions}) for s in lines_check.schema["oneOf"]}
    captures = sorted(glob.glob(os.path.join(folder, "pcaps", "*.pcap*")))
    faults = [] if captures else ["no captures"]
    seen = set()
    for path in captures + [os.path.join(folder, "pcaps", "no-such-file.pcap")]:
        what = os.path.basename(path)
        text, _ = run(rwin, "-J", path)
        document = json.loads(text)
        faults += faults_of(document_check, document, what)
        lines, _ = run(rwin, "--jsonl", path)
        for line in lines.splitlines():
            event = json.loads(line)
            seen.add(event.get("event"))
            faults += faults_of(lines_check, event, what + " --jsonl", events)
        if document["error"] is None:
            table, _ = run(rwin, "--csv", path)
            faults += csv_faults(document, table, what)
    missing = {"start", "finding", "flow_end", "end", "error"} - seen
    if missing:
        faults.append(f"events never seen: {missing}")
    # A test that cannot fail is none: a wrong document is refused.
    if not faults_of(document_check, {**document, "schema": 2, "more": 1}, ""):
        faults.append("a wrong document was accepted")
    for fault in faults[:40]:
        print(fault)
    print(f"{len(captures)} captures, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
