# SPDX-License-Identifier: Apache-2.0
"""Serves the page of a running cluster on this machine, and what it shows, twice per second.

Everything comes from the cluster's socket (`manager.agent`), and from the capture that it writes if
it writes one: without, there are no latencies. The block of registers that the page shows is read
with each message; such a read is an access like any other.
"""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import tornado.httpserver
import tornado.netutil
import tornado.web
import tornado.websocket

from ..capture.pairing import Pairing
from ..capture.pcapng import Capture, Packet
from ..common.errors import KumiError
from ..manager.agent import RemoteBoard, boards_of
from ..manager.board import AccessError, BoardError
from ..net.session import Session
from ..regs import Reg, RegisterError, RegisterMap
from . import picture
from .page import live_page, plotly_js

EVERY_S = 0.5
READ_S = 0.2
"""Wall time that one message may spend on reading the capture."""
HOSTS = ("127.0.0.1", "localhost")


class Feed:
    """What the page of one cluster shows, as it changes. Not for several threads at once."""

    def __init__(self, session: Session) -> None:
        """Of a running cluster."""
        self._session = session
        self._agent = RemoteBoard("", session)
        self._maps: dict[str, RegisterMap] = {}
        self._before: dict[str, Any] | None = None
        self._pairing = Pairing()
        self._packets: Iterator[Packet | None] | None = None
        if session.pcap and Path(session.pcap).is_file():
            self._packets = Capture(Path(session.pcap)).follow()
        self._graph: dict[str, Any] | None = None
        self.block = ""
        """The block to read, as `alice.echo`."""

    def data(self) -> dict[str, Any]:
        """What there is to see now. Raises BoardError when the cluster has ended."""
        status = self._agent.ask({"do": "status"})
        stats = self._agent.ask({"do": "counters"})
        if self._graph is None:
            self._graph = picture.graph(stats)
        self._read_capture()
        now_ps = int(stats["engine"]["now_ps"])
        wall_s = float(status["wall_s"])
        data = {
            "now_ps": now_ps,
            "wall_s": wall_s,
            "ratio": wall_s * 1e12 / now_ps if now_ps else 0.0,
            "graph": self._graph,
            "cables": picture.cables(stats, self._before),
            "drops": picture.drops(stats),
            "exchanges": picture.exchanges(self._pairing.result()),
            "registers": self._registers(),
        }
        self._before = stats
        return data

    def _read_capture(self) -> None:
        until = time.monotonic() + READ_S
        for number, packet in enumerate(self._packets or ()):
            if packet is None:
                return
            self._pairing.add(packet)
            if number % 256 == 255 and time.monotonic() > until:
                return

    def _blocks(self) -> dict[str, tuple[str, str]]:
        """Blocks of registers by the name that the page shows, as (node, block)."""
        if not self._maps:
            for board in boards_of(self._session):
                try:
                    self._maps[board.name] = RegisterMap(board)
                except RegisterError:
                    continue
        return {
            f"{node}.{block}": (node, block)
            for node, table in self._maps.items()
            for block in table
            if block != "kernel"
        }

    def _registers(self) -> dict[str, Any] | None:
        blocks = self._blocks()
        if not blocks:
            return None
        if self.block not in blocks:
            self.block = next((name for name in blocks if not name.endswith(".id")), "")
        node, block = blocks.get(self.block) or next(iter(blocks.values()))
        rows = [_row(reg) for reg in self._maps[node][block] if "r" in reg.info.access]
        return {"block": f"{node}.{block}", "blocks": list(blocks), "rows": rows}


def _row(reg: Reg) -> dict[str, Any]:
    words = reg.read_all() if len(reg) <= 8 else [reg.read(i) for i in range(8)]
    row: dict[str, Any] = {
        "register": reg.info.name,
        "address": reg.addr,
        "value": words if len(reg) > 1 else words[0],
        "description": reg.info.description,
    }
    if len(reg) == 1 and len(reg.info.fields) > 1:
        row["fields"] = {f.name: f.extract(words[0]) for f in reg.info.fields if "r" in f.access}
    return row


class _Local(tornado.web.RequestHandler):
    """Only for pages of this machine: another site's script cannot ask under a name of its own."""

    def prepare(self) -> None:
        if self.request.host_name not in HOSTS:
            raise tornado.web.HTTPError(403)


class _Page(_Local):
    def initialize(self, text: Callable[[], str], kind: str) -> None:
        self._text, self._kind = text, kind

    def get(self) -> None:
        self.set_header("Content-Type", f"{self._kind}; charset=utf-8")
        self.finish(self._text())


class _Socket(tornado.websocket.WebSocketHandler):
    def initialize(self, session: Session) -> None:
        self._session = session
        self._feed: Feed | None = None
        self._task: asyncio.Task[None] | None = None

    def check_origin(self, origin: str) -> bool:
        return self.request.host_name in HOSTS and super().check_origin(origin)

    def open(self, *_: str, **__: str) -> None:
        self._feed = Feed(self._session)
        self._task = asyncio.create_task(self._send())

    def on_message(self, message: str | bytes) -> None:
        asked = json.loads(message)
        if self._feed is not None and isinstance(asked, dict):
            self._feed.block = str(asked.get("block", ""))

    async def _send(self) -> None:
        assert self._feed is not None
        loop = asyncio.get_running_loop()
        try:
            while True:
                data = await loop.run_in_executor(None, self._feed.data)
                await self.write_message(json.dumps(data))
                await asyncio.sleep(EVERY_S)
        except (BoardError, AccessError, OSError):
            self.close()
        except tornado.websocket.WebSocketClosedError:
            return

    def on_close(self) -> None:
        if self._task is not None:
            self._task.cancel()


@contextmanager
def serving_page(session: Session, port: int) -> Iterator[str]:
    """Serve the page during the block, in a thread; gives its address.

    Port 0 takes a free one. Raises KumiError if the port is taken.
    """
    library = plotly_js()
    application = tornado.web.Application(
        [
            (r"/", _Page, {"text": lambda: live_page(session.name), "kind": "text/html"}),
            (r"/plotly.min.js", _Page, {"text": lambda: library, "kind": "text/javascript"}),
            (r"/feed", _Socket, {"session": session}),
        ]
    )
    try:
        sockets = tornado.netutil.bind_sockets(port, "127.0.0.1")
    except OSError as problem:
        raise KumiError(
            f"Port {port} cannot be used: {problem.strerror}.", "Take another --port.", 2
        ) from None
    ended: list[Callable[[], object]] = []
    ready = threading.Event()

    async def serve() -> None:
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        ended.append(partial(loop.call_soon_threadsafe, stop.set))
        server = tornado.httpserver.HTTPServer(application)
        server.add_sockets(sockets)
        ready.set()
        await stop.wait()
        server.stop()
        await server.close_all_connections()

    thread = threading.Thread(target=lambda: asyncio.run(serve()), name="kumi-live", daemon=True)
    thread.start()
    ready.wait()
    try:
        yield f"http://127.0.0.1:{sockets[0].getsockname()[1]}/"
    finally:
        ended[0]()
        thread.join(5)
