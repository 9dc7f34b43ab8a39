# SPDX-License-Identifier: Apache-2.0
"""`kumi live`: a page in the browser that shows a cluster while it runs."""

from __future__ import annotations

import json
import tempfile
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..cluster import Cluster
from ..common.errors import KumiError
from ..manager.agent import serving_cluster
from ..net.session import Session, find, running, starting
from . import console
from .up import prepare_outputs, stop_signals


@contextmanager
def _page(session: Session, port: int, browser: bool, as_json: bool) -> Iterator[None]:
    try:
        from ..live.server import serving_page
    except ImportError:
        raise KumiError(
            "`kumi live` needs a small web server.", "Run: pip install plotly tornado", 3
        ) from None
    with serving_page(session, port) as address:
        if as_json:
            print(json.dumps({"name": session.name, "address": address}), flush=True)
        console.err.print(f"{session.name} is shown at {address} (Ctrl-C ends the page)")
        if browser:
            webbrowser.open(address)
        yield


def run(
    what: str | None, pcap: Path | None, port: int, browser: bool, threads: int, as_json: bool
) -> int:
    """Show a running cluster, or boot the one of a file and show it."""
    if what is None or not what.endswith((".yaml", ".yml")):
        if pcap is not None:
            raise KumiError("--pcap is for a cluster that is booted here.", "Give its file.", 2)
        session = find(what)
        if not session.pcap:
            console.err.print(
                "It writes no capture, so there are no latencies; start it with --pcap.",
                style="yellow",
            )
        with stop_signals() as asked, _page(session, port, browser, as_json):
            while not asked.wait(1.0) and session.pid in [s.pid for s in running()]:
                pass
        return 0
    with tempfile.TemporaryDirectory() as folder:
        capture = pcap or Path(folder) / "live.pcapng"
        prepare_outputs(pcap)
        cluster = Cluster(what, threads=threads, pcap=capture, comment=f"kumi live {what}")
        with starting(cluster.name):
            console.build(cluster)
        with stop_signals() as asked, cluster, serving_cluster(cluster) as session:
            console.err.print(console.stations(cluster))
            with _page(session, port, browser, as_json):
                cluster.serve(asked.is_set)
    if pcap:
        console.err.print(f"wrote {pcap}")
    return 0
