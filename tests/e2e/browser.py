# SPDX-License-Identifier: Apache-2.0
"""Chromium without a window, driven by its DevTools protocol over a pipe: takes python3 alone. The browser and all that it
started end with the `with` statement.

    with Browser() as browser:
        page = browser.open("file:///tmp/page.html", width=1280, height=900)
        page.run("document.title"); page.press("j"); page.click("#theme"); page.screenshot("page.png")
"""
import base64
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time

KEYS = {"Enter": (13, "\r"), "Escape": (27, ""), "Tab": (9, ""), "ArrowLeft": (37, ""), "ArrowUp": (38, ""),
        "ArrowRight": (39, ""), "ArrowDown": (40, ""), " ": (32, " ")}


def find():
    """The browser's path, or None."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


def alive(group):
    """Processes of that group, but those that are dead already: where nobody collects orphans they stay."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % name, encoding="utf-8", errors="replace") as file:
                state, _, its_group = file.read().rpartition(")")[2].split()[:3]
        except OSError:
            continue  # it ended meanwhile
        if int(its_group) == group and state not in "ZX":
            found.append(int(name))
    return found


class Browser:
    """limit: seconds that one answer may take."""

    def __init__(self, limit=60):
        self.limit = limit
        self.answers, self.events, self.rest, self.last = {}, [], b"", 0

    def __enter__(self):
        self.profile = tempfile.mkdtemp(prefix="hipgrain-browser.")
        there, self.write = os.pipe()
        self.read, back = os.pipe()

        def descriptors():
            # The protocol's are 3 and 4: first out of their way.
            one, two = os.dup2(there, 103), os.dup2(back, 104)
            os.dup2(one, 3)
            os.dup2(two, 4)

        arguments = [find(), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                     "--disable-background-networking", "--disable-extensions", "--hide-scrollbars",
                     "--user-data-dir=" + self.profile, "--remote-debugging-pipe", "about:blank"]
        self.process = subprocess.Popen(arguments, preexec_fn=descriptors, close_fds=False, start_new_session=True,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(there)
        os.close(back)
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close")
        except (OSError, RuntimeError):
            pass  # it has ended already
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            pass
        try:
            os.killpg(self.process.pid, signal.SIGKILL)  # its session: what it started is in it
        except ProcessLookupError:
            pass
        self.process.wait()
        os.close(self.read)
        os.close(self.write)
        shutil.rmtree(self.profile, ignore_errors=True)

    def receive(self, until):
        while True:
            message, end, rest = self.rest.partition(b"\0")
            if end:
                self.rest = rest
                return json.loads(message)
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.read], [], [], left)[0]:
                raise RuntimeError("the browser does not answer")
            data = os.read(self.read, 1 << 20)
            if not data:
                raise RuntimeError("the browser ended")
            self.rest += data

    def call(self, method, session=None, **parameters):
        self.last += 1
        number, until = self.last, time.monotonic() + self.limit
        message = {"id": number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.write, data):]
        while number not in self.answers:
            answer = self.receive(until)
            if "id" in answer:
                self.answers[answer["id"]] = answer
            else:
                self.events.append(answer)
        answer = self.answers.pop(number)
        if "error" in answer:
            raise RuntimeError("%s: %s" % (method, answer["error"]["message"]))
        return answer["result"]

    def open(self, url, **size):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        return Page(self, session, url, **size)


class Page:
    def __init__(self, browser, session, url, width=1280, height=900, dark=False):
        self.browser, self.session = browser, session
        for domain in ("Page", "Runtime", "Log"):
            self.call(domain + ".enable")
        self.resize(width, height)
        if dark:
            self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
        self.go(url)

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def go(self, url):
        """Load it; `seconds` is how long that took, until its script was done, `busy` the processor time of that."""
        self.call("Performance.enable", timeDomain="threadTicks")
        before = self.metric("TaskDuration")
        began = time.monotonic()
        self.call("Page.navigate", url=url)
        self.wait("document.documentElement?.dataset.ready === 'yes' && location.href !== 'about:blank'")
        self.seconds = time.monotonic() - began
        self.busy = self.metric("TaskDuration") - before

    def metric(self, name):
        return next(m["value"] for m in self.call("Performance.getMetrics")["metrics"] if m["name"] == name)

    def run(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True, userGesture=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", details["text"]))
        return result["result"].get("value")

    def wait(self, expression):
        until = time.monotonic() + self.browser.limit
        while not self.run(expression):
            if time.monotonic() > until:
                raise RuntimeError("never true: " + expression)
            time.sleep(0.02)

    def settle(self):
        """Two frames: what was to be drawn is."""
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")

    def complaints(self):
        """What the page wrote to the console, and errors."""
        self.run("0")
        return [e for e in self.browser.events if e.get("sessionId") == self.session and
                e["method"] in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")]

    def press(self, key, shift=False):
        code, text = KEYS[key] if key in KEYS else (ord(key.upper()) if key.isalnum() else 0, key)
        event = dict(key=key, windowsVirtualKeyCode=code, modifiers=8 if shift else 0)
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", text=text, **event)
        self.call("Input.dispatchKeyEvent", type="keyUp", **event)
        self.settle()

    def center(self, selector):
        self.run("document.querySelector(%s).scrollIntoView({ block: 'nearest' })" % json.dumps(selector))
        return self.run("(() => { const b = document.querySelector(%s).getBoundingClientRect();"
                        " return [b.left + b.width / 2, b.top + b.height / 2]; })()" % json.dumps(selector))

    def click_at(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
        self.settle()

    def click(self, selector):
        self.click_at(*self.center(selector))

    def wheel(self, x, y, dy):
        self.call("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=dy)
        self.settle()

    def pinch(self, x, y, scale):
        """Two fingers that lie 100 pixels apart, one of which moves."""
        points = lambda second: [{"x": x, "y": y, "id": 1}, {"x": second, "y": y, "id": 2}]
        self.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[points(x + 100)[0]])
        self.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=points(x + 100))
        for step in range(1, 6):
            self.call("Input.dispatchTouchEvent", type="touchMove", touchPoints=points(x + 100 * (1 + (scale - 1) * step / 5)))
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        self.settle()

    def screenshot(self, path):
        self.settle()
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
