# SPDX-License-Identifier: Apache-2.0
"""Linux under loss: what `kumi bench tcp-loss` holds the TCP engine against.

The engine's cable has 100 Gb/s and a round trip of 10 us: 125 kB, or 83 frames of 1500 bytes, fill
it. No ordinary machine moves that, and in simulated time Linux does not live. So Linux gets the
same cable in slow motion, in wall time: 1000 times less rate, 1000 times the round trip (100 Mb/s,
10 ms), and as many frames in the pipe. What loss does to a congestion window is the same then; the
constants of Linux (least time-out 200 ms, delayed ACK 40 ms) weigh 1000 times less than they would
on the fast cable, which is in Linux's favour.

A share is goodput over the goodput of the same two stacks without loss. Everything is as Linux has
it (SACK, timestamps, window scale), but for the congestion control, which is named: CUBIC where
this machine's kernel lets a program have it, else NewReno. Cable and programs go before all others
on the machine where that is allowed (`real_time`), or a busy machine would be what is measured.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from kumihimo.bench.core import BenchError, Progress
from kumihimo.bench.tcp.linux_host import LinuxStation
from kumihimo.bench.tcp.slow_cable import SlowCable

SLOWER = 1000
RATE_BPS, ROUND_TRIP_S = 100e9 / SLOWER, 10e-6 * SLOWER
# Seconds: at 1e-5 some frame is lost every 12 seconds.
TIMES = {0.0: 30.0, 1e-3: 60.0, 1e-4: 90.0, 1e-5: 240.0}
QUICK = {0.0: 10.0, 1e-3: 15.0, 1e-4: 15.0, 1e-5: 30.0}
WARM_UP_S = 3.0

RECEIVER = """
import json, socket, sys, time
warm, seconds = float(sys.argv[1]), float(sys.argv[2])
server = socket.create_server(("", 5002))
print("ready", flush=True)
way, _ = server.accept()
begin = time.monotonic()
room, total, first, start = bytearray(1 << 20), 0, -1, begin
while (now := time.monotonic()) < begin + warm + seconds:
    total += way.recv_into(room)
    if first < 0 and now >= begin + warm:
        first, start = total, now
print(json.dumps([total - first, now - start]), flush=True)
"""
SENDER = """
import json, socket, sys
way = socket.socket()
for name in (b"cubic", b"reno"):
    try:
        way.setsockopt(socket.IPPROTO_TCP, 13, name)
        break
    except OSError:
        pass
way.connect((sys.argv[1], 5002))
print(way.getsockopt(socket.IPPROTO_TCP, 13, 16).rstrip(b"\\0").decode(), flush=True)
block = bytes(1 << 16)
try:
    while True:
        way.sendall(block)
except OSError:
    pass
"""


def _python(code: str, *args: object) -> list[str]:
    return [sys.executable, "-I", "-S", "-c", code, *map(str, args)]


def _line(program: subprocess.Popen[str]) -> str:
    assert program.stdout is not None
    return program.stdout.readline().strip()


@contextmanager
def _before_all_others() -> Iterator[bool]:
    """Real-time scheduling for this thread and what it starts; False where that is forbidden."""
    policy, param = os.sched_getscheduler(0), os.sched_getparam(0)
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
    except OSError:
        yield False
        return
    try:
        yield True
    finally:
        os.sched_setscheduler(0, policy, param)


def goodput(
    loss: float, seconds: float, mtu: int = 1500, warm_up: float = WARM_UP_S
) -> dict[str, Any]:
    """One flow from one host to the other for so long."""
    pipes: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "text": True}
    settings = {"tcp_no_metrics_save": 1}
    with (
        _before_all_others() as real_time,
        LinuxStation("host0", "10.77.0.1/24", "02:4b:4d:00:01:01", mtu, settings) as one,
        LinuxStation("host1", "10.77.0.10/24", "02:4b:4d:00:01:0a", mtu, settings) as two,
        SlowCable((one.fd, two.fd), RATE_BPS, ROUND_TRIP_S / 2, loss) as cable,
    ):
        receiver = two.namespace.popen(_python(RECEIVER, warm_up, seconds), **pipes)
        try:
            if _line(receiver) != "ready":
                raise BenchError("the receiver did not start")
            sender = one.namespace.popen(_python(SENDER, two.ip), **pipes)
            try:
                control = _line(sender)
                text = receiver.communicate(timeout=seconds + warm_up + 60)[0]
            finally:
                sender.kill()
                sender.communicate()
        finally:
            receiver.kill()
            receiver.wait()
    count, took = json.loads(text)
    return {
        "row": "linux",
        "time": f"wall, a cable {SLOWER} times slower",
        "congestion_control": control,
        "mtu": mtu,
        "loss": loss,
        "goodput_share_of_line": count * 8 / took / RATE_BPS,
        "seconds": took,
        "lost_frames": cable.lost,
        "latest_frame_ms": cable.late * 1e3,
        "real_time": real_time,
    }


def shares(
    progress: Progress, quick: bool = False
) -> tuple[list[dict[str, Any]], dict[str, float]]:
    """Rows, and for the summary linux_1e5, linux_1e4, linux_1e3."""
    times = QUICK if quick else TIMES
    rows: list[dict[str, Any]] = []
    for loss, seconds in (*times.items(), (0.0, times[0.0])):
        progress.step(f"Linux, loss {loss:g}", len(rows), len(times) + 1)
        rows.append(goodput(loss, seconds))
    free = statistics.mean(r["goodput_share_of_line"] for r in rows if not r["loss"])
    summary = {}
    for row in rows:
        row["share"] = row["goodput_share_of_line"] / free
        if row["loss"]:
            summary[f"linux_{row['loss']:.0e}".replace("e-0", "e")] = row["share"]
    return rows, summary
