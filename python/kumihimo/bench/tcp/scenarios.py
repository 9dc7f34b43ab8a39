# SPDX-License-Identifier: Apache-2.0
"""What Linux programs do to a TCP server: ordinary transfers, aborts, vanishing peers.

A scenario takes a place and sizes, compares every byte, and raises `BenchError` when one is wrong.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kumihimo.bench.core import BenchError
from kumihimo.bench.tcp.places import Place, Sizes
from kumihimo.common.process import find_program

CLIENT = Path(__file__).with_name("client.py")
SECOND = "10.77.0.2"  # an address of the client's host that can vanish


def client(place: Place, sizes: Sizes, program: str, **options: object) -> dict[str, Any]:
    """Run a program of client.py; raises when a byte was wrong or nothing moved."""
    argv = [sys.executable, "-I", "-S", str(CLIENT), program, place.ip]
    for name, value in {"patience": sizes.patience_s, **options}.items():
        argv += [f"--{name}", str(value)]
    try:
        done = place.namespace.run(argv, sizes.patience_s * 2)
    except subprocess.TimeoutExpired as problem:
        raise BenchError(f"{program}: no end within {problem.timeout:.0f} s") from None
    try:
        result: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    except (IndexError, ValueError):
        raise BenchError(f"{program}: {(done.stdout + done.stderr).strip()[-500:]}") from None
    if not result.pop("ok"):
        raise BenchError(f"{program}: {result['problem']}")
    return result


def program(place: Place, sizes: Sizes, *argv: str) -> str:
    """Run somebody else's program; what it printed."""
    path = find_program(argv[0])
    if path is None:
        raise BenchError(f"{argv[0]} is missing: `kumi doctor` says how to get it")
    try:
        done = place.namespace.run([path, *argv[1:]], sizes.patience_s)
    except subprocess.TimeoutExpired:
        raise BenchError(f"{argv[0]}: no end within {sizes.patience_s:.0f} s") from None
    if done.returncode:
        raise BenchError(f"{argv[0]}: {(done.stdout + done.stderr).strip()[-500:]}")
    return done.stdout + done.stderr


# ---- scenarios -------------------------------------------------------------------------------


def stream(place: Place, sizes: Sizes) -> dict[str, Any]:
    """Both ways at once, half-closed at the end."""
    return client(place, sizes, "echo", bytes=sizes.stream)


def at_once(place: Place, sizes: Sizes) -> dict[str, Any]:
    """Many connections at once."""
    return client(place, sizes, "echo", bytes=sizes.each, connections=sizes.at_once)


def one_by_one(place: Place, sizes: Sizes) -> dict[str, Any]:
    """Many connections one after another."""
    return client(place, sizes, "serial", bytes=100, count=sizes.one_by_one)


def reader_stops(place: Place, sizes: Sizes) -> dict[str, Any]:
    """Zero windows both ways for some seconds."""
    row = client(place, sizes, "stop", bytes=sizes.stop, rest=sizes.rest_s)
    if row["stuck_at"] >= sizes.stop:
        raise BenchError(f"nothing stood still: {sizes.stop} bytes found room")
    return row


def small_segments(place: Place, sizes: Sizes) -> dict[str, Any]:
    """The client's MSS from small to jumbo."""
    for mss in sizes.mss:
        client(place, sizes, "echo", bytes=min(sizes.stream, 2_000_000), mss=mss)
    return {"mss": list(sizes.mss)}


def without(place: Place, sizes: Sizes) -> dict[str, Any]:
    """Clients without window scale, without timestamps, without SACK, without all of them."""
    names = ("tcp_window_scaling", "tcp_timestamps", "tcp_sack")
    for off in [*((name,) for name in names), names]:
        place.set(**{name: int(name not in off) for name in names})
        try:
            client(place, sizes, "echo", bytes=min(sizes.stream, 2_000_000))
        finally:
            place.set(**dict.fromkeys(names, 1))
    return {"off": [*names, "all"]}


def refused(place: Place, sizes: Sizes) -> dict[str, Any]:
    """Ports that are closed."""
    return client(place, sizes, "refused")


def web(place: Place, sizes: Sizes) -> dict[str, Any]:
    """HTTP; the server closes first in the end."""
    return client(place, sizes, "http")


def both_ways(place: Place, sizes: Sizes) -> dict[str, Any]:
    """The server opens a connection back, as `iperf -c -r` wants it."""
    return client(place, sizes, "both", bytes=min(sizes.stream, 5_000_000))


def kills(place: Place, sizes: Sizes) -> dict[str, Any]:
    """Clients that reset; nothing of them is left."""
    at_once = {"connections": sizes.kills_at_once}
    row = client(place, sizes, "kill", bytes=3000, count=sizes.kills, **at_once)
    return row | {"at_once": sizes.kills_at_once} | no_session(place)


def half_close(place: Place, sizes: Sizes) -> dict[str, Any]:
    """The client closes its half first, then the server; the other half goes on."""
    return client(place, sizes, "half", bytes=20_000, count=sizes.halves, rest=0.02)


def resets(place: Place, sizes: Sizes) -> dict[str, Any]:
    """RST to a server in every state that sockets of a client can bring it to; nothing is left.

    CLOSING and TIME-WAIT are not among them: the suite in tests/tcp sends RST in those.
    """
    return client(place, sizes, "reset", bytes=30_000, count=sizes.resets) | no_session(place)


def peers_vanish(place: Place, sizes: Sizes) -> dict[str, Any]:
    """Clients whose host vanishes during a transfer: the server drops them."""
    interface = "host0"
    place.namespace.run(["ip", "addr", "add", f"{SECOND}/24", "dev", interface])
    argv = [sys.executable, "-I", "-S", str(CLIENT), "hold", place.ip, "--source", SECOND]
    argv += ["--connections", str(sizes.held), "--still", str(sizes.patience_s)]
    with place.namespace.popen(
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as held:
        try:
            assert held.stdout is not None
            line = held.stdout.readline().strip()
            if line != "holding":
                raise BenchError(f"hold: {line or 'ended early'}")
            done = place.namespace.run(["ip", "addr", "del", f"{SECOND}/24", "dev", interface])
            if done.returncode:
                raise BenchError(f"ip: {done.stderr.strip()}")
            row = no_session(place)
        finally:
            held.kill()
    client(place, sizes, "echo", bytes=1000)
    return {"connections": sizes.held} | row


def no_session(place: Place) -> dict[str, Any]:
    """Wait until the server has no session; {} where it cannot be asked."""
    if place.sessions is None:
        return {}
    begin = time.monotonic()
    while left := place.sessions():
        if time.monotonic() - begin > place.gone_s:
            raise BenchError(f"{left} sessions are still there after {place.gone_s:.0f} s")
        time.sleep(0.05)
    return {"gone_s": time.monotonic() - begin}


def iperf(place: Place, sizes: Sizes) -> dict[str, Any]:
    """`iperf -c`."""
    text = program(place, sizes, "iperf", "-c", place.ip, "-n", sizes.iperf)
    rates = re.findall(r"sec\s+[\d.]+ \wBytes\s+([\d.]+ \w?bits/sec)", text)
    if len(rates) != 1:
        raise BenchError(f"iperf: {text[-500:]}")
    return {"rates": rates}


def iperf_both(place: Place, sizes: Sizes) -> dict[str, Any]:
    """`iperf -c -r`: there, and then back."""
    text = program(place, sizes, "iperf", "-c", place.ip, "-r", "-n", sizes.iperf)
    rates = re.findall(r"sec\s+[\d.]+ \wBytes\s+([\d.]+ \w?bits/sec)", text)
    if len(rates) != 2:
        raise BenchError(f"iperf -r: {text[-500:]}")
    return {"rates": rates}


def curl(place: Place, sizes: Sizes) -> dict[str, Any]:
    """`curl`."""
    text = program(place, sizes, "curl", "-sS", "--fail", f"http://{place.ip}/")
    if not text:
        raise BenchError("curl: an empty page")
    return {"page_bytes": len(text)}


def netcat(place: Place, sizes: Sizes) -> dict[str, Any]:
    """`nc`, fed by a shell."""
    path = find_program("nc")
    if path is None:
        raise BenchError("nc is missing: `kumi doctor` says how to get it")
    text = "".join(f"{i} bottles\\n" for i in range(200))
    script = f'printf "{text}" | "$1" -N -w {sizes.patience_s:.0f} "$2" 7'
    done = place.namespace.run(["sh", "-c", script, "sh", path, place.ip], sizes.patience_s)
    if done.stdout != text.replace("\\n", "\n"):
        raise BenchError(f"nc: {(done.stdout + done.stderr)[-300:]}")
    return {"bytes": len(done.stdout)}


Scenario = Callable[[Place, Sizes], dict[str, Any]]
# Over every cable. The first ones are what a test has time for on each.
EVERYWHERE: tuple[Scenario, ...] = (stream, at_once, one_by_one, kills)
REST: tuple[Scenario, ...] = (
    half_close,
    resets,
    reader_stops,
    small_segments,
    without,
    refused,
    web,
    both_ways,
    peers_vanish,
)
PROGRAMS: tuple[Scenario, ...] = (iperf, iperf_both, curl, netcat)
