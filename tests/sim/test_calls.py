# SPDX-License-Identifier: Apache-2.0
"""Calls from other threads, signals, failures, registers, pins, waveform windows."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest
from kumihimo._engine import Engine, EngineError
from simkit import MS, PERIODS, US, frame, generator, mac


def one(lib: str, **options: str) -> tuple[Engine, int, int]:
    eng = Engine(2)
    n = eng.add_node("n", lib, PERIODS, **options)
    x = eng.add_script("x")
    eng.connect((n, "eth0"), (x, ""))
    return eng, n, x


def test_load(fake_node: str) -> None:
    info = Engine(1).load(fake_node)
    assert info["design"] == "fake_echo" and info["clocks"] == ["clk", "aux_clk"]
    assert [p["name"] for p in info["ports"]] == ["eth0", "eth1", ""]


def test_registers(fake_node: str) -> None:
    eng, n, _ = one(fake_node)
    with pytest.raises(EngineError, match="needs start"):
        eng.axil_read(n, 0)
    eng.axil_write(n, 4, 0x12345678)
    eng.start()
    assert eng.now_ps == 0
    assert eng.axil_read(n, 0) == 0x6B756D69
    assert eng.axil_read(n, 4) == 0x12345678
    assert 0 < eng.now_ps < 10 * US
    eng.axil_write(n, 4, 5)
    assert eng.axil_read(n, 4) == 5
    with pytest.raises(EngineError, match="write to register 0x00000030: SLVERR"):
        eng.axil_write(n, 0x30, 0)
    with pytest.raises(EngineError, match="read of register 0x00000040: DECERR"):
        eng.axil_read(n, 0x40)
    with pytest.raises(EngineError, match="no answer"):
        eng.axil_read(n, 0x34)
    with pytest.raises(EngineError, match="no register port 'dma'"):
        eng.axil_read(n, 0, port="dma")
    with pytest.raises(EngineError, match="is a script, not a node"):
        eng.axil_read(1, 0)


def test_set_up_errors_are_told(fake_node: str) -> None:
    eng, n, _ = one(fake_node)
    eng.axil_write(n, 0x30, 1)
    with pytest.raises(EngineError, match="set-up of register 0x00000030 failed: SLVERR"):
        eng.start()


def test_pins(fake_node: str) -> None:
    eng, n, _ = one(fake_node)
    eng.start()
    eng.set_pin(n, "mode", 1)
    assert eng.pin(n, "mode") == 1
    with pytest.raises(EngineError, match="is an output"):
        eng.set_pin(n, "leds", 1)
    with pytest.raises(EngineError, match="no pin 'led'; it has 'busy'"):
        eng.pin(n, "led")


def test_calls_while_serving(fake_node: str) -> None:
    """Registers, pins, frames and figures from several threads, the engine asleep or not."""
    eng, n, x = one(fake_node)
    eng.start()
    server = threading.Thread(target=eng.serve)
    server.start()
    errors: list[BaseException] = []

    def client(k: int) -> None:
        try:
            for i in range(50):
                assert eng.axil_read(n, 0) == 0x6B756D69
                eng.send(x, frame(mac(1), mac(2), 60, k * 1000 + i))
                eng.pin(n, "busy")
                eng.stats()
                eng.digest()
        except BaseException as e:
            errors.append(e)

    threads = [threading.Thread(target=client, args=(k,)) for k in range(3)]
    t0 = time.monotonic()
    for t in threads:
        t.start()
    for t in threads:
        t.join(30)
    assert not errors and time.monotonic() - t0 < 20
    end = time.monotonic() + 5
    got = 0
    while got < 150 and time.monotonic() < end:
        got += len(eng.received(x))
    assert got == 150
    with pytest.raises(EngineError, match="run by another thread"):
        eng.run(1)
    eng.stop()
    server.join(5)
    assert not server.is_alive()
    eng.close()


def test_registers_while_a_server_comes_and_goes(fake_node: str) -> None:
    """A call that drives by itself and a run that begins at that moment do not hurt each other."""
    eng, n, _ = one(fake_node)
    eng.start()
    failures: list[BaseException] = []

    def serve() -> None:
        try:
            for _ in range(50):
                ends = time.monotonic() + 0.005
                eng.serve(lambda ends=ends: time.monotonic() > ends)
        except BaseException as problem:
            failures.append(problem)

    server = threading.Thread(target=serve)
    server.start()
    while server.is_alive():
        eng.axil_write(n, 4, 77)
        assert eng.axil_read(n, 4) == 77
    server.join()
    assert not failures


def test_serve_stops_by_callable_and_time(fake_node: str) -> None:
    eng, n, _ = one(fake_node)
    eng.start()
    asked: list[int] = []

    def stop() -> bool:
        asked.append(eng.axil_read(n, 4))  # calls from within are fine
        return len(asked) >= 3

    t0 = time.monotonic()
    assert eng.serve(stop) == "stopped"
    assert 0.1 <= time.monotonic() - t0 < 1.0
    assert eng.serve(until_ps=eng.now_ps + 3 * MS) == "until"


def test_idle_stays_behind_wall_time() -> None:
    """Light actors could run far ahead; idle they do not."""
    for idle in ("sleep", "run"):
        eng = Engine(1)
        a, b = eng.add_script("a"), eng.add_script("b")
        eng.connect((a, ""), (b, ""))
        eng.start()
        t0 = time.monotonic()
        eng.serve(lambda t0=t0: time.monotonic() - t0 > 0.3, idle=idle)
        wall = time.monotonic() - t0
        assert 0.001 < eng.now_ps / 1e12 <= wall
        if idle == "run":
            assert eng.now_ps / 1e12 > 0.05 * wall


def test_busy_pin_keeps_it_awake(fake_node: str) -> None:
    eng, n, x = one(fake_node)
    generator(eng, n, mac(1), mac(2), 20, 60, 20000)  # a frame each 128 us
    eng.start()
    eng.serve(lambda: eng.axil_read(n, 0x10) == 0)
    assert len(eng.received(x)) >= 19


def test_failing_node(fake_node: str) -> None:
    eng, n, _x = one(fake_node)
    eng.start()
    eng.run(10 * US)
    eng.set_pin(n, "mode", 2)
    with pytest.raises(EngineError, match="node 'n' failed: assertion failed: mode has bit 1"):
        eng.run(10 * US)
    with pytest.raises(EngineError, match="node 'n' failed"):
        eng.axil_read(n, 0)
    assert eng.serve().startswith("failed: node 'n'")
    assert ("error", "assertion failed: mode has bit 1") in [(m[0], m[3]) for m in eng.messages()]
    eng.close()


def test_progress_and_exceptions(fake_node: str) -> None:
    eng, n, _ = one(fake_node)
    eng.set_pin(n, "work", 2000)
    eng.start()
    seen: list[tuple[int, int]] = []

    def progress(now: int, end: int) -> None:
        seen.append((now, end))
        if len(seen) == 3:
            raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        eng.run(1000 * MS, progress)
    assert seen[0][1] == 1000 * MS and seen[0][0] < seen[1][0] < seen[2][0]
    assert eng.run(10 * US) == "done"


@pytest.mark.parametrize("call", ["run(10**15)", "serve()"])
def test_interrupt(fake_node: str, call: str, tmp_path: Path) -> None:
    """Ctrl-C ends a drive within 100 ms, and everything is written."""
    code = f"""
        import sys, time
        from kumihimo._engine import Engine
        eng = Engine(2)
        n = eng.add_node("n", {fake_node!r}, {PERIODS!r})
        eng.start()
        print("go", flush=True)
        try:
            eng.{call}
        except KeyboardInterrupt:
            print("interrupted", time.monotonic(), flush=True)
            eng.close()
            print("closed", flush=True)
    """
    p = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True
    )
    assert p.stdout and p.stdout.readline() == "go\n"
    time.sleep(0.2)
    t0 = time.monotonic()
    os.kill(p.pid, signal.SIGINT)
    out, _ = p.communicate(timeout=10)
    word, when = out.split()[:2]
    assert word == "interrupted" and out.endswith("closed\n")
    # At once; a machine that is busy with other things may take longer to schedule it.
    idle = os.getloadavg()[0] < (os.cpu_count() or 1)
    assert float(when) - t0 < (0.3 if idle else 2.0)


def test_stop_from_another_thread(fake_node: str) -> None:
    eng, _n, _ = one(fake_node)
    eng.start()
    threading.Timer(0.1, eng.stop).start()
    t0 = time.monotonic()
    assert eng.run(10**15) == "stopped"
    assert time.monotonic() - t0 < 1.0


def test_trace_windows(fake_node: str) -> None:
    eng, n, _ = one(fake_node, trace="x.fst")
    eng.trace_window(n, 100_003, 200_007)
    eng.start()
    eng.run(300_000)
    traced = [(m[1], m[3]) for m in eng.messages() if "trace" in m[3]]
    assert traced[-2:] == [(100_003, "trace on"), (200_007, "trace off")]


def test_closed(fake_node: str) -> None:
    eng, _n, _x = one(fake_node)
    eng.start()
    eng.close()
    eng.close()
    with pytest.raises(EngineError, match="closed"):
        eng.run(1)
    assert eng.stats()["nodes"]["n"]["cycles"] == 0
