#!/usr/bin/env python3
"""serve-metrics.py FILE [ADDRESS:PORT]: serves the file that `rwin --metrics FILE` writes, at /metrics (default 127.0.0.1:9721). Give it to a user without
rights: rwin itself opens no port."""
import http.server
import sys


class Metrics(http.server.BaseHTTPRequestHandler):
    file = ""

    def do_GET(self):
        if self.path != "/metrics":
            self.send_error(404)
            return
        try:
            with open(self.file, "rb") as f:
                body = f.read()
        except OSError as e:
            self.send_error(503, e.strerror)
            return
        self.send_response(200)
        self.send_header("Content-Type", "application/openmetrics-text; version=1.0.0; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    Metrics.file = sys.argv[1]
    host, _, port = (sys.argv[2] if len(sys.argv) == 3 else "127.0.0.1:9721").rpartition(":")
    http.server.ThreadingHTTPServer((host, int(port)), Metrics).serve_forever()


if __name__ == "__main__":
    main()
