# SPDX-License-Identifier: Apache-2.0
"""`kumi bench tcp-flood`: a TCP node under a flood of SYNs that fills its line.

A is attacked, with the engine's reset values for cookies. B has a session with it, Linux opens some
in the middle of the flood, F sends SYNs of the least size, back to back, each from another address,
port and number. All four are at one switch, so the flood and what the others send share A's line,
and F sends at what the session leaves of it:

send:    the session's data leave A; its ACKs are 3 % of what comes, the flood is 97 %.
receive: the session's data come from B over a line of half the rate, the flood is the other half.

The session's rate is bytes at its receiver, over the whole flood against a while before it. A's
answers to the flood (SYN, ACK with cookies) share its way out with the session's data.

The honest clients are Linux behind a TAP, with its own timers in wall time: a SYN without an answer
comes again after a second. A has no means to tell their SYNs from others, and while sessions fill
its way out it sends one cookie for each of their segments at most. The flood lasts until they are
done, or have tried for as long as they may.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt

from kumihimo._engine import Engine
from kumihimo.bench.core import BenchError, BenchResult, Origin, Progress
from kumihimo.bench.eth.rig import Mmio
from kumihimo.bench.tcp.linux_host import LinuxStation, read_frame
from kumihimo.bench.tcp.rig import NS, ON_CHIP, OVERHEAD, PERIOD_PS, US, label, library, setup
from kumihimo.bench.tcp.segments import SYN, Maker, number
from kumihimo.build import BuildResult
from kumihimo.cluster.timers import set_timers
from kumihimo.regs import RegisterMap

A, B = range(2)
PORT = 4000
GATEWAY = "10.77.0.254"  # the flood's answers go there
LINUX = "10.77.0.12"
MAC_F = 0x02_00_00_00_0F_0F
FRAME = 60  # bytes without FCS
MSS = b"\x02\x04\x05\xb4"
STEP = 20 * US
ACK_SHARE = 0.03  # of the line, at an ACK for every second segment
TIMES = {"rto_init": 200, "rto_min": 200, "rto_max": 400}
LINUX_SETTINGS = {"tcp_no_metrics_save": 1}
CLIENT = Path(__file__).with_name("flood_client.py")

# Where a frame's fields are that differ: identification, source address, port and number.
_VARY = (18, 19, 26, 27, 28, 29, 34, 35, 38, 39, 40, 41)


class Syns:
    """Frames of a flood, all different, a million in a second or two."""

    def __init__(self, mac: int, address: str, seed: int = 1) -> None:
        self._rng = np.random.default_rng(seed)
        frame = Maker(MAC_F, mac, address).segment(0, 0, PORT, 0, 0, SYN, options=MSS)
        self._frame = np.frombuffer(frame, np.uint8)

    def batch(self, count: int) -> list[bytes]:
        """The next ones."""
        frames = np.tile(self._frame, (count, 1))
        frames[:, _VARY] = self._rng.integers(0, 256, (count, len(_VARY)), np.uint8)
        frames[:, 26] = 11 + frames[:, 26] % 100  # the first octet of an address: no group, no loop
        frames[:, [24, 25, 50, 51]] = 0
        words = frames.reshape(count, -1, 2).astype(np.uint32)
        values = words[:, :, 0] << 8 | words[:, :, 1]
        self._seal(frames, 24, values[:, 7:17].sum(axis=1))
        # Pseudo header: addresses, protocol, length.
        self._seal(frames, 50, values[:, 13:29].sum(axis=1) + 6 + 24)
        data = frames.tobytes()
        return [data[i : i + FRAME] for i in range(0, len(data), FRAME)]

    @staticmethod
    def _seal(frames: npt.NDArray[np.uint8], at: int, sums: npt.NDArray[np.uint32]) -> None:
        check = 0xFFFF - sums % 0xFFFF
        frames[:, at], frames[:, at + 1] = check >> 8, check & 0xFF


class Town:
    """The nodes, the switch and the source of the flood."""

    def __init__(
        self,
        built: BuildResult,
        *,
        line_bps: float,
        session_bps: float,
        flood_bps: float,
        period_ps: int = PERIOD_PS,
        mtu: int = 1500,
        threads: int = 0,
    ) -> None:
        """Join them and wait until all listen."""
        self.period_ps = period_ps
        self.engine = Engine(threads=threads, seed=1)
        nodes = [self.engine.add_node(name, str(built.path), {"clk": period_ps}) for name in "ab"]
        self.switch = self.engine.add_switch("switch", ports=4, queue_bytes=1 << 20)
        self.flooder = self.engine.add_script("flood")
        self.cable = self.engine.add_script("linux")
        ends = [*((node, "eth0") for node in nodes), (self.cable, ""), (self.flooder, "")]
        for i, rate in enumerate((line_bps, session_bps, line_bps, flood_bps)):
            self.engine.connect(ends[i], (self.switch, str(i)), rate_bps=rate, latency_ps=50 * NS)
        self.engine.start()
        self.regs = [RegisterMap(Mmio(self.engine, node)) for node in nodes]
        for index, regs in enumerate(self.regs):
            self._set_up(index, regs, mtu)
        self.syns = Syns(self.mac(A), "10.77.0.10")
        self.per_step = flood_bps * STEP * 1e-12 / 8 / (FRAME + OVERHEAD)
        self.flooding, self.sent, self._due = False, 0, 0.0
        maker = Maker(MAC_F, self.mac(A), "10.77.0.10")
        self.engine.send(self.flooder, maker.announcement(number(GATEWAY)))
        self.linux = LinuxStation(
            address=f"{LINUX}/24", mac="02:00:00:00:00:12", mtu=mtu, settings=LINUX_SETTINGS
        )
        self.wait(
            "all listen", lambda: all(r.tcp_traffic.status.get("listening") for r in self.regs)
        )

    @staticmethod
    def ip(index: int) -> int:
        """Address of a node."""
        return number("10.77.0.10") + index

    @staticmethod
    def mac(index: int) -> int:
        """Hardware address of a node."""
        return 0x0200_0000_0010 + index

    def _set_up(self, index: int, regs: RegisterMap, mtu: int) -> None:
        tcp = regs.tcp
        set_timers(regs, "fast")
        tcp.period.write(self.period_ps)
        tcp.segment.set(mss=mtu - 40)
        tcp.secret0.write(index + 1)
        tcp.retries.set(syn=15, data=15)
        for name, value in TIMES.items():
            tcp[name].write(value)
        regs.tcp_traffic.peer_ip.write(self.ip(B if index == A else A))
        regs.ip.mac_hi.write(self.mac(index) >> 32)
        regs.ip.mac_lo.write(self.mac(index) & 0xFFFF_FFFF)
        regs.ip.tick.write(round(1e9 / self.period_ps))
        regs.ip.gateway.write(number(GATEWAY))
        regs.ip.ip.write(self.ip(index))

    # ---- time -----------------------------------------------------------------------------

    def run(self, ps: int) -> None:
        """Advance; frames of the flood are queued a step ahead."""
        end = self.engine.now_ps + ps
        while self.engine.now_ps < end:
            if self.flooding:
                self._due += self.per_step
                for frame in self.syns.batch(int(self._due)):
                    self.engine.send(self.flooder, frame)
                self.sent += int(self._due)
                self._due -= int(self._due)
            while (sent := read_frame(self.linux.fd)) is not None:
                self.engine.send(self.cable, sent.ljust(FRAME, b"\0"))
            self.engine.run(min(STEP, end - self.engine.now_ps))
            for _, frame in self.engine.received(self.cable):
                os.write(self.linux.fd, frame)

    def wait(self, what: str, done: Any, limit_ps: int = 20_000 * US) -> None:
        """Run until done()."""
        end = self.engine.now_ps + limit_ps
        while not done():
            if self.engine.now_ps >= end:
                raise BenchError(f"{what}: not within {limit_ps // US} us\n{self.show()}")
            self.run(STEP)

    def show(self) -> str:
        """Counters of A that are not zero."""
        groups = (self.regs[A].tcp.counters(), self.core(), self.regs[A].ip.counters())
        return " ".join(str({k: v for k, v in group.items() if v}) for group in groups)

    def core(self) -> dict[str, int]:
        """Counters of A's state machine."""
        return dict(self.regs[A].tcp.counters("core"))

    def got(self, index: int) -> int:
        """Bytes that a node's application has received."""
        return int(self.regs[index].tcp_traffic.read64("got"))

    def order(self, index: int, **commands: int) -> None:
        """A command to a node's application."""
        self.regs[index].tcp_traffic.ctrl.set(**commands)

    def __enter__(self) -> Town:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.linux.close()
        self.engine.close()


def honest(town: Town, count: int, each: int, end_ps: int, patience_s: float) -> dict[str, Any]:
    """Linux opens connections to A at once, writes to each, and closes it; during the flood.

    The flood lasts until `end_ps` at least, and until they are done.
    """
    argv = [sys.executable, "-I", "-S", str(CLIENT), "10.77.0.10", str(PORT)]
    argv += [str(count), str(each), str(patience_s)]
    begin = time.monotonic()
    program = town.linux.namespace.popen(argv, stdout=subprocess.PIPE, text=True)
    with program:
        while program.poll() is None:
            if time.monotonic() - begin > patience_s + 120:
                program.kill()
                raise BenchError(f"Linux's clients do not end\n{town.show()}")
            town.run(5 * STEP)
        assert program.stdout is not None
        rows = [json.loads(line) for line in program.stdout]
    if town.engine.now_ps < end_ps:
        town.run(end_ps - town.engine.now_ps)
    took = [row["connected_s"] for row in rows if row.get("closed")]
    broken = [row for row in rows if "connected_s" in row and not row["closed"]]
    if broken or len(rows) != count:
        raise BenchError(f"an honest client's connection broke: {rows}\n{town.show()}")
    return {
        "linux_tried": count,
        "linux_connects": len(took),
        "linux_bytes": len(took) * each,
        "linux_connected_after_s": sorted(took),
        "linux_problems": [row["problem"] for row in rows if "problem" in row],
        "linux_tried_for_s": patience_s,
        "wall_s": time.monotonic() - begin,
    }


def flood(
    built: BuildResult,
    way: str,
    *,
    flood_us: int,
    before_us: int,
    line_bps: float = 100e9,
    fill: float = 1.0,
    clients: int = 4,
    patience_s: float = 60.0,
    each: int = 20_000,
    chunk: int = 14_600,
    **more: Any,
) -> dict[str, Any]:
    """One row: the session sends or receives ("send", "receive"), seen from the attacked node.

    `fill`: share of what the session leaves of the line that the flood takes.
    """
    send = way == "send"
    session_bps = line_bps if send else line_bps / 2
    flood_bps = fill * (line_bps * (1 - ACK_SHARE) if send else line_bps / 2)
    town = Town(built, line_bps=line_bps, session_bps=session_bps, flood_bps=flood_bps, **more)
    with town:
        source, sink = (A, B) if send else (B, A)
        block = town.regs[source].tcp_traffic
        block.size.set(sessions=1, chunk=chunk)
        town.order(source, open=1)
        town.wait("the session opens", lambda: not block.status.get("busy"))
        block.bytes.write(1 << 31)
        town.order(source, write=1)
        town.run(before_us * US)  # the window grows
        at, begin = town.got(sink), town.engine.now_ps
        town.run(before_us * US)
        rate_before = (town.got(sink) - at) / (town.engine.now_ps - begin)

        town.flooding = True
        at, begin, before = town.got(sink), town.engine.now_ps, town.core()
        town.run(flood_us * US // 10)
        row = honest(town, clients, each, begin + flood_us * US, patience_s)
        extra = 0 if send else row["linux_bytes"]
        took_us = (town.engine.now_ps - begin) / US
        rate_during = (town.got(sink) - at - extra) / (town.engine.now_ps - begin)
        counts = {key: value - before[key] for key, value in town.core().items()}
        front, ip = town.regs[A].tcp.counters(), town.regs[A].ip.counters()
        bad = {
            name: town.regs[i].tcp_traffic[name].read()
            for i in (A, B)
            for name in ("bad_bytes", "broken", "refused")
        }
        if any(bad.values()):
            raise BenchError(f"the session: {bad}\n{town.show()}")
        if ip["rx_frame"] < town.sent * 0.99:
            raise BenchError(f"{town.sent} SYNs, the node saw {ip['rx_frame']} frames")
        return {
            "what": f"the session's data {'leave' if send else 'reach'} the attacked node",
            "flood_us": took_us,
            "line_gb_s": line_bps / 1e9,
            "flood_gb_s": flood_bps / 1e9,
            "session_line_gb_s": session_bps / 1e9,
            "syns": town.sent,
            "syns_per_us": town.sent / took_us,
            "rate_before_gb_s": rate_before * 8000,
            "rate_during_gb_s": rate_during * 8000,
            "share": rate_during / rate_before,
            "cookies_sent": counts["miss_cookie_sent"],
            "cookies_taken": counts["miss_cookie_accepted"],
            "half_open_taken": counts["miss_passive"],
            "syns_dropped": front["drop_miss_full"] + counts["miss_no_reply"],
            "hits_dropped": front["drop_hit_full"] + front["drop_buffer_full"],
            "retransmitted": counts["tx_retransmit"],
            "ack_share_assumed": ACK_SHARE if send else 0.0,
            **row,
        }


def run(progress: Progress, quick: bool) -> BenchResult:
    """Both directions; `quick` floods for 0.5 ms."""
    progress.step("building an engine of 512 bits", 0, 3)
    built = library(ON_CHIP)
    result = BenchResult("tcp-flood", rtl={label(ON_CHIP): built.design_hash})
    times: Mapping[str, int] = (
        {"flood_us": 2000, "before_us": 100} if quick else {"flood_us": 10_000, "before_us": 300}
    )
    for number_of, way in enumerate(("send", "receive")):
        progress.step(f"flood, the session's data {way}", number_of + 1, 3)
        result.rows.append(flood(built, way, **times))
    rows = result.rows
    result.summary = {
        "established_share": min(row["share"] for row in rows),
        "linux_connects": sum(row["linux_connects"] for row in rows),
        "linux_tried": sum(row["linux_tried"] for row in rows),
        "syns": sum(row["syns"] for row in rows),
        "cookies_sent": sum(row["cookies_sent"] for row in rows),
    }
    registers = {f"tcp.{name}": value for name, value in TIMES.items()}
    result.setup = setup(ON_CHIP, registers, note="100 Gb/s, SYNs back to back")
    result.goals = {
        "established_share": (">=", 0.9),
        "linux_connects": ("==", sum(row["linux_tried"] for row in rows)),
    }
    result.origins = dict.fromkeys(result.goals, Origin.REQUIREMENT)
    return result
