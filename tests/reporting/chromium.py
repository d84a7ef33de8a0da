"""Open a file in headless Chromium through its debugging pipe: no driver, no further package."""

import base64
import fcntl
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

CANDIDATES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--remote-debugging-pipe",
)

# Chromium reads commands from descriptor 3 and answers on 4.
LAUNCHER = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.dup2(int(sys.argv[2]), 4)
os.execv(sys.argv[3], sys.argv[3:])
"""


def find_chromium() -> str | None:
    return next((path for name in CANDIDATES if (path := shutil.which(name))), None)


@dataclass
class Opened:
    """What happened while a page was opened, and what it measures."""

    requests: list[str] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)
    values: dict[str, Any] = field(default_factory=dict)


class Chromium:
    """One browser; a new tab for every page."""

    def __init__(self, program: str) -> None:
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        their_in, self._out = os.pipe()
        self._in, their_out = os.pipe()
        # Above what the launcher overwrites.
        read, write = (fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (their_in, their_out))
        self._process = subprocess.Popen(
            [
                sys.executable,
                "-c",
                LAUNCHER,
                str(read),
                str(write),
                program,
                *FLAGS,
                f"--user-data-dir={self._profile.name}",
                "about:blank",
            ],
            pass_fds=(read, write),
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for end in (their_in, their_out, read, write):
            os.close(end)
        self._buffer = b""
        self._last = 0
        self._events: list[dict[str, Any]] = []

    def close(self) -> None:
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        os.close(self._out)
        os.close(self._in)
        self._profile.cleanup()

    def _read(self, deadline: float) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._in], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                raise TimeoutError("Chromium did not answer")
            data = os.read(self._in, 1 << 20)
            if not data:
                raise ConnectionError("Chromium closed the pipe")
            self._buffer += data
        message, self._buffer = self._buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method: str, session: str | None = None, **params: Any) -> dict[str, Any]:
        self._last += 1
        message: dict[str, Any] = {"id": self._last, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + 60
        while True:
            answer = self._read(deadline)
            if answer.get("id") == self._last:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self._events.append(answer)

    def open(
        self,
        path: Path,
        *,
        width: int,
        height: int = 900,
        dark: bool = False,
        media: str = "screen",
        ask: dict[str, str] | None = None,
        screenshot: Path | None = None,
    ) -> Opened:
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable", session)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", session, media=media, features=[scheme])
        self.call(
            "Emulation.setDeviceMetricsOverride",
            session,
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        self._events.clear()
        self.call("Page.navigate", session, url=path.resolve().as_uri())
        deadline = time.monotonic() + 60
        while not any(event.get("method") == "Page.loadEventFired" for event in self._events):
            self._events.append(self._read(deadline))
        # Two frames, so that what layout and scripts would start has started.
        self.call(
            "Runtime.evaluate",
            session,
            expression="new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))",
            awaitPromise=True,
        )
        opened = Opened()
        for name, expression in (ask or {}).items():
            answer = self.call(
                "Runtime.evaluate", session, expression=expression, returnByValue=True
            )
            opened.values[name] = answer["result"].get("value")
        if screenshot is not None:
            shot = self.call(
                "Page.captureScreenshot", session, format="png", captureBeyondViewport=True
            )
            screenshot.write_bytes(base64.b64decode(shot["data"]))
        for event in self._events:
            method, params = event.get("method"), event.get("params", {})
            if method == "Network.requestWillBeSent":
                opened.requests.append(params["request"]["url"])
            elif method in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown"):
                opened.messages.append(json.dumps(params))
            elif method == "Log.entryAdded":
                opened.messages.append(params["entry"]["text"])
            elif method == "Page.javascriptDialogOpening":
                opened.dialogs.append(params["message"])
        self.call("Target.closeTarget", targetId=target)
        return opened
