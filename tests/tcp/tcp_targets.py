# SPDX-License-Identifier: Apache-2.0
"""Targets of the TCP suite: the Linux kernel behind a TAP."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Iterator
from contextlib import contextmanager

from kumihimo.bench.tcp_linux import LinuxStation, read_frame
from tcp_peer import Target, Times

# What Linux has for machines under attack or with few CPUs would make tests slow, or blind.
LINUX_SETTINGS = {
    "tcp_rfc1337": 1,  # as this suite wants it of every target
    "tcp_invalid_ratelimit": 0,  # each bad segment gets its answer
    "tcp_comp_sack_nr": 0,  # SACKs at once
    "tcp_congestion_control": "reno",
    "tcp_no_metrics_save": 1,  # tests do not learn from each other
    "tcp_fin_timeout": 3,
    "tcp_syncookies": 1,
}
LINUX_TIMES = Times(
    patience=15.0, hush=0.06, rto=0.19, syn=1.0, ack=1.0, keep_idle=2.0, keep_all=4.0
)


class TapWire:
    """The other end of a TAP, in wall time."""

    def __init__(self, fd: int) -> None:
        self._fd = fd

    def send(self, frame: bytes) -> None:
        os.write(self._fd, frame)

    def receive(self, seconds: float) -> bytes | None:
        frame = read_frame(self._fd)
        if frame is None and select.select([self._fd], [], [], seconds)[0]:
            frame = read_frame(self._fd)
        return frame

    def now(self) -> float:
        return time.monotonic()

    def close(self) -> None:
        """The station closes the TAP."""


@contextmanager
def linux() -> Iterator[Target]:
    """The Linux kernel of this machine, in a namespace."""
    with LinuxStation(settings=LINUX_SETTINGS) as station:
        station.serve(["--receive", "32768"])
        yield Target(
            name="linux",
            wire=TapWire(station.fd),
            ip=station.ip,
            times=LINUX_TIMES,
            mss=8960,
            bad_checksums=lambda: station.counter("Tcp", "InCsumErrors"),
        )
