#!/usr/bin/env python3
"""The pages of --html in a real browser: html_test.py RWIN

Five captures of pcaps/ and a comparison in headless Chromium (over its debugging port): no console errors, no requests, the verdict
is visible, pictures have points, keyboard and copying work, dark and light can be read, a hostile file name stays text.
RWIN_SCREENSHOTS=DIR keeps pictures of the pages, to be looked at. Without Chromium only what needs none is checked (exit 77)."""
import base64
import hashlib
import json
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
import urllib.request

# capture, words of the verdict that must be seen, has a fix
PAGES = [
    ("article-rwin32k-rtt330-receiver", "RECEIVER WINDOW limits", True),
    ("slow-reader-receiver", "RECEIVING PROGRAM limits", True),
    ("loss-receiver", "loss limits", True),
    ("bandwidth-receiver", "a full line limits", False),
    ("parallel-receiver", "4 of 4 transfers are held back by the receiver window", True),
]
HOSTILE = "\"><img src=x onerror=hit=1><script>hit=1<script>' onload='hit=1.pcap.gz"

failures = []


def check(ok, what):
    if not ok:
        failures.append(what)
        print("FAILED:", what)


class Browser:
    """Chromium by its debugging protocol: a web socket on loopback, spoken here."""

    def __init__(self, program, folder):
        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
             "--remote-debugging-port=0", "--remote-allow-origins=*", f"--user-data-dir={folder}", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        port_file = os.path.join(folder, "DevToolsActivePort")
        end = time.monotonic() + 60
        while not (os.path.exists(port_file) and os.path.getsize(port_file) > 0):
            if time.monotonic() > end or self.process.poll() is not None:
                raise RuntimeError("Chromium does not start")
            time.sleep(0.05)
        port = int(open(port_file).read().split()[0])
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list") as answer:
            page = next(t for t in json.load(answer) if t["type"] == "page")
        path = page["webSocketDebuggerUrl"].split(str(port), 1)[1]
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                             f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n").encode())
        while not self.read_exactly(1, until=b"\r\n\r\n"):
            pass
        self.number = 0
        self.events = []

    def close(self):
        self.socket.close()
        self.process.terminate()
        self.process.wait(30)

    def read_exactly(self, n, until=None):
        data = b""
        while len(data) < n or (until and not data.endswith(until)):
            piece = self.socket.recv(1 if until else n - len(data))
            if not piece:
                raise RuntimeError("Chromium has gone")
            data += piece
        return data

    def receive(self):
        text = b""
        while True:
            first, second = self.read_exactly(2)
            length = second & 127
            if length == 126:
                length = struct.unpack(">H", self.read_exactly(2))[0]
            elif length == 127:
                length = struct.unpack(">Q", self.read_exactly(8))[0]
            text += self.read_exactly(length) if length else b""
            if first & 128:
                return json.loads(text)

    def call(self, method, **parameters):
        self.number += 1
        data = json.dumps({"id": self.number, "method": method, "params": parameters}).encode()
        head = struct.pack(">BB", 129, 128 | (len(data) if len(data) < 126 else 126 if len(data) < 65536 else 127))
        if len(data) >= 126:
            head += struct.pack(">H" if len(data) < 65536 else ">Q", len(data))
        self.socket.sendall(head + b"\0\0\0\0" + data)
        while True:
            message = self.receive()
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            self.events.append(message)

    def run(self, script):
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True, userGesture=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{script}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def open(self, path):
        self.events.clear()
        self.call("Page.navigate", url="file://" + urllib.request.pathname2url(path))
        for _ in range(600):
            if self.run("document.readyState") == "complete" and self.run("location.protocol") == "file:":
                return
            time.sleep(0.05)
        raise RuntimeError(f"{path} does not load")

    def press(self, key, modifiers=0):
        code = {"Tab": 9, "Enter": 13, "Escape": 27, "Home": 36, "End": 35, "ArrowLeft": 37, "ArrowRight": 39}[key]
        text = {"text": "\r"} if key == "Enter" else {}
        common = {"key": key, "code": key, "windowsVirtualKeyCode": code, "modifiers": modifiers}
        self.call("Input.dispatchKeyEvent", type="keyDown", **common, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def faults(self):
        """What the console says, and requests that leave the page."""
        found = []
        for event in self.events:
            method, p = event.get("method", ""), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append(p["exceptionDetails"].get("text", "") + str(p["exceptionDetails"].get("exception", {}).get("description", "")))
            elif method == "Runtime.consoleAPICalled" and p["type"] in ("error", "warning", "assert"):
                found.append(str(p["args"]))
            elif method == "Log.entryAdded" and p["entry"]["level"] in ("error", "warning"):
                found.append(p["entry"]["text"])
            elif method == "Network.requestWillBeSent" and not p["request"]["url"].startswith("file:"):
                found.append("request: " + p["request"]["url"][:200])
            elif method == "Page.javascriptDialogOpening":
                found.append("dialog")
        return found


# Least contrast of visible text against what is behind it, as [ratio, where].
CONTRAST = """(() => {
  const light = (c) => { const [r, g, b] = c.match(/[\\d.]+/g).map((v) => v / 255).map((v) => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b; };
  let worst = [99, ""];
  for (const e of document.querySelectorAll("h1,h2,h3,h4,p,li,dt,dd,td,th,pre,button,summary,a,figcaption,svg text,.legend b,.sure,.read")) {
    if (!e.getClientRects().length || !e.textContent.trim() || e.classList.contains("on")) continue;
    const style = getComputedStyle(e), front = e instanceof SVGElement ? style.fill : style.color;
    let behind = e; while (behind && getComputedStyle(behind).backgroundColor === "rgba(0, 0, 0, 0)") behind = behind.parentElement;
    const back = behind ? getComputedStyle(behind).backgroundColor : "rgb(255, 255, 255)";
    const [a, b] = [light(front), light(back)].sort((x, y) => y - x);
    const ratio = (a + .05) / (b + .05);
    if (ratio < worst[0]) worst = [ratio, e.tagName + " " + e.className + ": " + e.textContent.slice(0, 40)];
  }
  return worst;
})()"""


def look(browser, name, verdict, has_fix):
    check(browser.run("document.querySelectorAll('h1').length") == 1, f"{name}: one h1")
    seen = browser.run("document.body.innerText")
    check(verdict in seen, f"{name}: '{verdict}' is not to be seen")
    shapes = browser.run("""[...document.querySelectorAll(".plot svg")].map((svg) => {
      const box = svg.viewBox.baseVal;
      const marks = [...svg.querySelectorAll("path:not(.g):not(.cursor),rect")].map((m) => m.getBBox());
      return [svg.getBoundingClientRect().height, marks.reduce((n, m) => Math.max(n, m.width), 0), svg.querySelectorAll("path:not(.g):not(.cursor)")
        .length, marks.every((m) => m.x >= -1 && m.y >= -1 && m.x + m.width <= box.width + 1 && m.y + m.height <= box.height + 1)];
    })""")
    check(len(shapes) >= 5 and len(shapes) % 5 == 0, f"{name}: {len(shapes)} pictures")
    for i, (height, width, paths, inside) in enumerate(shapes):
        check(height > 25 and width > 200 and inside and (paths >= 1 or i % 5 == 0), f"{name}: picture {i}: {height} {width} {paths} {inside}")
    for scheme in ("light", "dark"):
        browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        ratio, where = browser.run(CONTRAST)
        check(ratio >= 4.5, f"{name}: contrast {ratio:.2f} in {scheme}: {where}")
        back = browser.run("getComputedStyle(document.body).backgroundColor")
        check((sum(map(int, re.findall(r"\d+", back)[:3])) > 380) == (scheme == "light"), f"{name}: {scheme} is {back}")
        if os.environ.get("RWIN_SCREENSHOTS"):
            os.makedirs(os.environ["RWIN_SCREENSHOTS"], exist_ok=True)
            image = browser.call("Page.captureScreenshot", captureBeyondViewport=True)["data"]
            with open(os.path.join(os.environ["RWIN_SCREENSHOTS"], f"{name}-{scheme}.png"), "wb") as out:
                out.write(base64.b64decode(image))
    browser.call("Emulation.setEmulatedMedia", media="print")
    check(browser.run("[...document.querySelectorAll('button')].every((b) => getComputedStyle(b).display === 'none')"), f"{name}: buttons in print")
    browser.call("Emulation.setEmulatedMedia", media="")
    for width in (1100, 400):
        browser.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        check(browser.run("document.documentElement.scrollWidth <= innerWidth"), f"{name}: wider than a window of {width}")
    browser.call("Emulation.setDeviceMetricsOverride", width=1100, height=900, deviceScaleFactor=1, mobile=False)
    if has_fix:
        use_keyboard(browser, name)
    read_values(browser, name)
    browser.run("document.querySelector('a[href^=\"#word-\"]').click(); new Promise((r) => setTimeout(r, 100))")
    check(browser.run("document.querySelector('details[id^=word-][open]') !== null"), f"{name}: an explanation opens")
    check(browser.faults() == [], f"{name}: {browser.faults()}")


def use_keyboard(browser, name):
    """Tab, Enter: at the fix. Tab: its first copy button. Enter: it is on the clipboard."""
    browser.press("Tab")
    check(browser.run("document.activeElement.className") == "skip", f"{name}: the first Tab leads to the fix")
    browser.press("Enter")
    for _ in range(12):
        browser.press("Tab")
        if browser.run("document.activeElement.dataset.copy !== undefined"):
            break
    check(browser.run("document.activeElement.dataset.copy !== undefined && document.activeElement.closest('article') !== null"),
          f"{name}: Tab reaches a copy button")
    wanted = browser.run("document.getElementById(document.activeElement.dataset.copy).textContent")
    check(bool(wanted), f"{name}: something to copy")
    browser.press("Enter")
    browser.run("new Promise((r) => setTimeout(r, 300))")
    check(browser.run("document.activeElement.textContent") == "Copied", f"{name}: the button says so")
    check(browser.run("navigator.clipboard.readText()") == wanted, f"{name}: the clipboard has the commands")


def read_values(browser, name):
    browser.run("document.querySelector('.pictures').focus()")
    idle = browser.run("document.querySelector('.read').textContent")
    browser.press("End")
    browser.press("ArrowLeft", modifiers=8)
    said = browser.run("document.querySelector('.read').textContent")
    check(re.match(r"at [\d.]+ m?s · .*window [\d.]+ \w+ .*held by: ", said), f"{name}: the cursor says '{said}'")
    lines = browser.run("[...document.querySelectorAll('.pictures')][0].querySelectorAll('.cursor').length")
    shown = browser.run("[...document.querySelectorAll('.cursor')].filter((c) => c.style.visibility === 'visible').length")
    check(shown == lines, f"{name}: {shown} cursor lines of {lines}")
    browser.press("Escape")
    check(browser.run("document.querySelector('.read').textContent") == idle, f"{name}: Escape ends reading")


def main():
    rwin = os.path.abspath(sys.argv[1])
    pcaps = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "pcaps")
    with tempfile.TemporaryDirectory() as folder:
        pages = []
        for capture, verdict, has_fix in PAGES:
            page = os.path.join(folder, capture + ".html")
            subprocess.run([rwin, os.path.join(pcaps, capture + ".pcap.gz"), "--html", page], check=True, stdout=subprocess.DEVNULL)
            pages.append((page, capture, verdict, has_fix))
        compared = os.path.join(folder, "compare.html")
        subprocess.run([rwin, "compare", os.path.join(pcaps, "compare-before.pcap.gz"), os.path.join(pcaps, "compare-worked.pcap.gz"),
                        "--html", compared], check=True, stdout=subprocess.DEVNULL)
        pages.append((compared, "compare", "The fix worked", False))
        # A file, and a filter that names a hostile word.
        hostile = os.path.join(folder, HOSTILE)
        shutil.copy(os.path.join(pcaps, PAGES[0][0] + ".pcap.gz"), hostile)
        bad = os.path.join(folder, "hostile.html")
        subprocess.run([rwin, hostile, "--html", bad], check=True, stdout=subprocess.DEVNULL)
        # The only script that may run is the page's own.
        text = open(pages[0][0], encoding="utf-8").read()
        script = re.search(r"<script>(.*?)</script>", text, re.S).group(1)
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        check(f"script-src 'sha256-{digest}'" in text, f"app/html/style.h: kScriptHash must be {digest}")

        program = next((p for p in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if p), None)
        if program and not failures:
            profile = os.path.join(folder, "profile")
            os.mkdir(profile)
            browser = Browser(program, profile)
            try:
                for domain in ("Page", "Runtime", "Log", "Network"):
                    browser.call(domain + ".enable")
                browser.call("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
                browser.call("Emulation.setFocusEmulationEnabled", enabled=True)
                browser.call("Emulation.setDeviceMetricsOverride", width=1100, height=900, deviceScaleFactor=1, mobile=False)
                for page, name, verdict, has_fix in pages:
                    browser.open(page)
                    look(browser, name, verdict, has_fix)
                browser.open(bad)
                check(HOSTILE in browser.run("document.body.innerText"), "the hostile name is to be read")
                check(HOSTILE in browser.run("document.title"), "the hostile name is in the title")
                check(browser.run("typeof hit") == "undefined", "the hostile name ran")
                check(browser.run("document.images.length + document.querySelectorAll('body > script').length") == 1, "the hostile name made elements")
                check(browser.faults() == [], f"hostile name: {browser.faults()}")
            finally:
                browser.close()
    if failures:
        return 1
    if not program:
        print("no Chromium here: pages were written, not opened (apt-get install chromium)")
        return 77
    print(f"{len(pages) + 1} pages, no faults")
    return 0


sys.exit(main())
