# SPDX-License-Identifier: Apache-2.0
"""A page in headless Chromium, driven over its debugging protocol: evaluate, wait, screenshot."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tornado.websocket

START_S = 60.0


class Page:
    """One page; every call waits for its answer."""

    def __init__(self, address: str, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop

        async def connect() -> Any:
            return await tornado.websocket.websocket_connect(address, max_message_size=1 << 26)

        self._socket = loop.run_until_complete(connect())
        self._number = 0
        self.problems: list[str] = []
        self._ask("Runtime.enable")
        self._ask("Page.enable")

    def _ask(self, method: str, **parameters: Any) -> Any:
        self._number += 1
        asked = {"id": self._number, "method": method, "params": parameters}

        async def answer() -> Any:
            await self._socket.write_message(json.dumps(asked))
            while True:
                message = json.loads(await self._socket.read_message() or "{}")
                if message.get("method") == "Runtime.exceptionThrown":
                    self.problems.append(str(message["params"]["exceptionDetails"]))
                if message.get("id") == asked["id"]:
                    return message.get("result", message)

        return self._loop.run_until_complete(asyncio.wait_for(answer(), 30))

    def value(self, script: str) -> Any:
        """Value of a JavaScript expression."""
        return self._ask("Runtime.evaluate", expression=script, returnByValue=True)["result"].get(
            "value"
        )

    def wait(self, script: str, seconds: float = 30.0) -> Any:
        """Wait until an expression is true; returns its value."""
        deadline = time.monotonic() + seconds
        while not (found := self.value(script)):
            assert time.monotonic() < deadline, f"{script} is {found}; {self.problems}"
            time.sleep(0.1)
        return found

    def screenshot(self, file: Path) -> None:
        """A picture of the page."""
        data = self._ask("Page.captureScreenshot", format="png")["data"]
        file.write_bytes(base64.b64decode(data))

    def open(self, address: str) -> None:
        """Go to another address."""
        self._ask("Page.navigate", url=address)


@contextlib.contextmanager
def chromium(size: str = "1280,1000") -> Iterator[Page]:
    """A new, empty browser with one page."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        pytest.fail("Chromium is missing: apt-get install chromium")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        process = subprocess.Popen(
            [
                *(program, "--headless=new", "--no-sandbox", "--disable-gpu"),
                *("--disable-dev-shm-usage", "--remote-debugging-port=0", "--no-first-run"),
                *("--remote-allow-origins=*", f"--window-size={size}"),
                *(f"--user-data-dir={folder}", "about:blank"),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        loop = asyncio.new_event_loop()
        try:
            yield Page(_address(Path(folder), process, loop), loop)
        finally:
            process.terminate()
            process.wait(10)
            loop.close()


def _address(folder: Path, process: subprocess.Popen[bytes], loop: Any) -> str:
    import tornado.httpclient

    note, deadline = folder / "DevToolsActivePort", time.monotonic() + START_S
    while time.monotonic() < deadline:
        assert process.poll() is None, "Chromium ended"
        with contextlib.suppress(OSError, IndexError, ValueError, tornado.httpclient.HTTPError):
            port = int(note.read_text().splitlines()[0])
            client = tornado.httpclient.AsyncHTTPClient(force_instance=True)

            async def fetch(port: int = port, client: Any = client) -> Any:
                return await client.fetch(f"http://127.0.0.1:{port}/json/list")

            pages = json.loads(loop.run_until_complete(fetch()).body)
            return str(next(p["webSocketDebuggerUrl"] for p in pages if p["type"] == "page"))
        time.sleep(0.1)
    raise AssertionError("Chromium did not start")
