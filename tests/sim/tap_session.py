# SPDX-License-Identifier: Apache-2.0
"""Cases of test_tap.py. Run only inside a private network namespace; prints JSON."""

from __future__ import annotations

import fcntl
import json
import os
import socket
import statistics
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from kumihimo._engine import Engine
from simkit import PERIODS, US, frame, generator, mac

IFF_TAP, IFF_NO_PI, TUNSETIFF = 0x2, 0x1000, 0x400454CA


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)


def open_tap(name: str) -> int:
    fd = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(fd, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TAP | IFF_NO_PI))
    with open(f"/proc/sys/net/ipv6/conf/{name}/disable_ipv6", "w") as f:
        f.write("1")
    ip("link", "set", name, "up", "mtu", "9000")
    return fd


def raw_socket(name: str) -> socket.socket:
    s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x88B5))
    s.bind((name, 0x88B5))
    s.settimeout(5)
    return s


def build(lib: str, fd: int, capture: Path) -> tuple[Any, int]:
    eng = Engine(2, seed=5)
    t = eng.add_tap("host", fd)
    sw = eng.add_switch("sw", 4)
    eng.connect((t, ""), (sw, ""))
    nodes = []
    for i in range(3):
        n = eng.add_node(f"n{i}", lib, PERIODS)
        eng.connect((n, "eth0"), (sw, ""))
        eng.set_pin(n, "mode", 0 if i == 0 else 1)
        nodes.append(n)
    eng.capture(str(capture))
    return eng, nodes[0]


def serve(eng: Any) -> tuple[threading.Thread, list[str]]:
    reason: list[str] = []
    t = threading.Thread(target=lambda: reason.append(eng.serve()))
    t.start()
    return t, reason


def exchange(s: socket.socket, tag: int, size: int) -> None:
    s.send(frame(mac(1), mac(2), size, tag))
    want = frame(mac(2), mac(1), size, tag)
    while s.recv(65536) != want:
        pass


def echo(lib: str, tmp: Path) -> dict:
    fd = open_tap("t0")
    live, again, rec = tmp / "live.pcapng", tmp / "again.pcapng", tmp / "r.kumirec"
    eng, n = build(lib, fd, live)
    eng.record(str(rec), "{}")
    eng.axil_write(n, 4, 77)
    eng.start()
    thread, _ = serve(eng)
    s = raw_socket("t0")
    for i in range(200):
        exchange(s, i, 60 + 44 * i)
        if i % 20 == 0:
            assert eng.axil_read(n, 4) == 77
    echoed = eng.axil_read(n, 8)
    eng.stop()
    thread.join()
    eng.close()
    other, _ = build(lib, -1, again)
    result = other.replay(str(rec))
    other.close()
    same = live.read_bytes() == again.read_bytes()
    return {"sent": 200, "echoed": echoed, "replay": result, "captures_equal": same}


def idle(lib: str, tmp: Path) -> dict:
    fd = open_tap("t0")
    eng, _ = build(lib, fd, tmp / "c.pcapng")
    eng.start()
    began = time.monotonic_ns()
    thread, _ = serve(eng)
    s = raw_socket("t0")
    times = []
    for i in range(40):
        time.sleep(0.02)
        t0 = time.perf_counter()
        exchange(s, i, 98)
        times.append((time.perf_counter() - t0) * 1e3)
    cpu0, t0 = time.process_time(), time.monotonic()
    time.sleep(0.5)
    cpu = (time.process_time() - cpu0) / (time.monotonic() - t0)
    now = eng.now_ps
    ahead = now - (time.monotonic_ns() - began) * 1000
    stats = eng.stats()["engine"]
    eng.stop()
    thread.join()
    return {
        "median_ms": statistics.median(times),
        "max_ms": max(times),
        "virtual_ps": now,
        "ahead_ps": ahead,
        "idle_cpu": cpu,
        "sleeps": stats["sleeps"],
        "idle_s": stats["idle_s"],
    }


def gone(lib: str, tmp: Path) -> dict:
    fd = open_tap("t0")
    eng, n = build(lib, fd, tmp / "c.pcapng")
    generator(eng, n, mac(2), mac(1), 1 << 30, 100, 2000)
    eng.start()
    thread, reason = serve(eng)

    def wait(key: str, more: int) -> int:
        end = time.monotonic() + 10
        while (v := eng.stats()["taps"]["host"][key]) <= more:
            assert time.monotonic() < end, key
            time.sleep(0.005)
        return v

    wait("rx_frames", 10)
    ip("link", "set", "t0", "down")
    down = wait("to_linux_down", 5)
    ip("link", "set", "t0", "up")
    s = raw_socket("t0")
    came_back = len(s.recv(65536)) == 100
    ip("link", "delete", "t0")
    count = wait("to_linux_gone", 5)
    before = eng.now_ps
    time.sleep(0.05)
    advanced = eng.now_ps > before + 10 * US
    eng.stop()
    thread.join(5)
    out = {
        "down_counted": down,
        "came_back": came_back,
        "gone_counted": count,
        "advanced": advanced,
        "alive": eng.stats()["taps"]["host"]["alive"],
        "reason": reason[0],
        "messages": [m[3] for m in eng.messages()],
    }
    eng.close()
    return out


if __name__ == "__main__":
    case = {"echo": echo, "idle": idle, "gone": gone}[sys.argv[1]]
    print(json.dumps(case(sys.argv[2], Path(sys.argv[3]))))
