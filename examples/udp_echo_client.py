#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An ordinary UDP program: sends datagrams to an echo server, compares every byte that returns.

    python3 udp_echo_client.py 10.77.0.10 --count 10000 --max 8972 --seconds 30

It knows nothing of simulation. Sizes go through the whole range in a random order, several
datagrams are on their way at once, and it waits patiently, because the far end may be slow. A
datagram that does not return is sent again and counted. Exit code 0: all came back intact.
"""

from __future__ import annotations

import argparse
import json
import random
import socket
import sys
import time
from collections import deque


def sizes(count: int, low: int, high: int, rng: random.Random) -> list[int]:
    """Every size once (or an even spread of them), then random ones, in a random order."""
    span = high - low + 1
    if count >= span:
        out = [*range(low, high + 1), *(rng.randint(low, high) for _ in range(count - span))]
    else:
        out = [low + round(i * (span - 1) / max(1, count - 1)) for i in range(count)]
    rng.shuffle(out)
    return out


class Echo:
    """One conversation with the echo server."""

    def __init__(self, options: argparse.Namespace) -> None:
        rng = random.Random(options.seed)
        self.options = options
        self.payloads = [
            rng.randbytes(n) for n in sizes(options.count, options.min, options.max, rng)
        ]
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        self.socket.connect((options.host, options.port))
        self.waiting: dict[bytes, deque[int]] = {}
        self.flying: dict[int, float] = {}
        self.flying_bytes = 0
        self.seen: set[bytes] = set()
        self.tries = [0] * len(self.payloads)
        self.good = self.resent = self.wrong = self.late = 0

    def send(self, index: int) -> None:
        """Send one datagram (again)."""
        payload = self.payloads[index]
        self.socket.send(payload)
        self.tries[index] += 1
        if index not in self.flying:
            self.flying_bytes += len(payload)
            self.waiting.setdefault(payload, deque()).append(index)
        self.flying[index] = time.monotonic()

    def take(self, data: bytes) -> None:
        """Account for one datagram that came back."""
        queue = self.waiting.get(data)
        if not queue:
            known = data in self.seen
            self.late += known
            self.wrong += not known
            return
        index = queue.popleft()
        if not queue:
            del self.waiting[data]
        self.seen.add(self.payloads[index])
        del self.flying[index]
        self.flying_bytes -= len(data)
        self.good += 1

    def run(self) -> bool:
        """Send all, and wait for all. False when something did not come back intact."""
        options, following = self.options, 0
        end = time.monotonic() + options.deadline
        shown = 0.0
        enough = time.monotonic() + options.seconds if options.seconds else end
        while self.good < len(self.payloads) and self.wrong == 0:
            if time.monotonic() > enough:  # what is under way is still waited for
                del self.payloads[following:]
            while following < len(self.payloads) and self.room(self.payloads[following]):
                self.send(following)
                following += 1
            self.socket.settimeout(min(1.0, options.timeout))
            try:
                self.take(self.socket.recv(65536))
            except TimeoutError:
                pass
            except ConnectionRefusedError:
                continue
            now = time.monotonic()
            if now > end:
                return False
            for index, sent in list(self.flying.items())[:1]:
                if now - sent > options.timeout:
                    if self.tries[index] > options.retries:
                        return False
                    del self.flying[index]
                    self.flying[index] = now
                    self.socket.send(self.payloads[index])
                    self.tries[index] += 1
                    self.resent += 1
            if options.progress and now - shown > 0.5:
                shown = now
                print(f"{self.good} {len(self.payloads)}", file=sys.stderr, flush=True)
        return self.wrong == 0

    def room(self, payload: bytes) -> bool:
        """Whether one more may be on its way."""
        if not self.flying:
            return True
        full = self.flying_bytes + len(payload) > self.options.window_bytes
        return len(self.flying) < self.options.window and not full


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("host")
    parser.add_argument("--port", type=int, default=7)
    parser.add_argument("--count", type=int, default=10_000, help="datagrams")
    parser.add_argument("--min", type=int, default=1, help="smallest payload")
    parser.add_argument("--max", type=int, default=8972, help="largest payload")
    parser.add_argument("--window", type=int, default=32, help="datagrams on their way at once")
    parser.add_argument("--window-bytes", type=int, default=96 * 1024, help="bytes on their way")
    parser.add_argument("--timeout", type=float, default=15.0, help="seconds before sending again")
    parser.add_argument("--retries", type=int, default=5)
    parser.add_argument("--deadline", type=float, default=600.0, help="seconds for everything")
    parser.add_argument("--seconds", type=float, default=0, help="then send no more; 0: all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--progress", action="store_true", help="`done total` lines on stderr")
    parser.add_argument("--json", action="store_true", help="the result as JSON")
    echo = Echo(parser.parse_args())
    start = time.monotonic()
    fine = echo.run()
    spent = time.monotonic() - start
    total = sum(map(len, echo.payloads))
    result = {
        "ok": fine,
        "sent": len(echo.payloads),
        "good": echo.good,
        "resent": echo.resent,
        "wrong": echo.wrong,
        "late": echo.late,
        "payload_bytes": total,
        "wall_s": round(spent, 3),
    }
    if echo.options.json:
        print(json.dumps(result))
    else:
        print(
            f"{echo.good} of {len(echo.payloads)} datagrams came back intact ({total} bytes, "
            f"{echo.resent} sent again) in {spent:.1f} s"
        )
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
