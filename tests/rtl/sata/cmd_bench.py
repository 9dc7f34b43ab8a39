# SPDX-License-Identifier: Apache-2.0
"""The command layer with a user of its own and a disk, both at the level of records and FISes."""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass, field

from kumihimo.testing import Dut, Frame
from sata_bench import to_bytes, to_words
from sata_disk import SECTOR, Disk, Faults, Nature

OPS = ["READ", "WRITE", "FLUSH", "TRIM", "IDENTIFY", "FEATURES", "LOG", "RESET"]
REASONS = ["OK", "ERR", "ABRT", "IDNF", "UNC", "ICRC", "DF"]
REASONS += ["TIMEOUT", "NO_DEVICE", "RANGE", "BAD_DATA", "SHORT"]
CODES = ["OK", "RERR", "ABORT", "TIMEOUT", "DOWN", "BAD", "YIELD"]
CFG = {
    "enable": 1,
    "restart": 0,
    "queued": 1,
    "activate": 1,
    "cache": 0,
    "depth": 31,
    "retries": 2,
    "limit": 20000,
    "ready": 2000,
    "absent": 300,
}
WIDTHS = {
    "s_axis": {"DATA_W": 32},
    "m_axis": {"DATA_W": 32},
    "fis_tx": {"DATA_W": 32},
    "fis_rx": {"DATA_W": 32},
    "s_cmd": {"W": 102},
    "m_rsp": {"W": 84},
    "m_fetch": {"W": 55},
    "m_segment": {"W": 41},
}


@dataclass
class Request:
    """A request and what became of it."""

    op: str
    lba: int = 0
    sectors: int = 0
    data: bytes = b""
    fua: bool = False
    feature: int = 0
    tag: int = 0
    reason: str = ""
    status: int = 0
    error: int = 0
    where: int = 0
    got: bytearray = field(default_factory=bytearray)
    came: list[tuple[int, int]] = field(default_factory=list)  # good segments: offset, bytes


class User:
    """Gives requests, answers fetches, puts read data in place.

    `dut` has the ports of kumi_sata_cmd, or channels of a node whose names end with `node`.
    """

    def __init__(self, dut: Dut, seed: int = 1, node: str = "") -> None:
        self.dut = dut
        names = ("s_cmd", "m_rsp", "m_fetch", "m_segment", "s_axis", "m_axis")
        flat = ("s_hdr_cmd", "m_hdr_rsp", "m_hdr_fetch", "m_hdr_segment", "s_axis_wr", "m_axis_rd")
        self.ports = {
            name: name if not node else f + node for name, f in zip(names, flat, strict=True)
        }
        self.rng = random.Random(seed)
        self.cmd_t = dut.struct("blk_cmd_t")
        self.rsp_t = dut.struct("blk_rsp_t")
        self.fetch_t = dut.struct("blk_fetch_t")
        self.segment_t = dut.struct("blk_segment_t")
        self.open: dict[int, Request] = {}
        self.done: list[Request] = []
        self.segments: deque[tuple[int, int]] = deque()
        self.next_tag = self.rng.randrange(1 << 16)
        self.spoil_source = 0  # number of frames to mark bad
        self.cut_source = 0  # number of frames to cut short
        self.mute = False  # fetches are not answered

    def give(self, request: Request) -> Request:
        """A new request."""
        while self.next_tag in self.open:
            self.next_tag = (self.next_tag + 1) % 65536
        request.tag = self.next_tag
        self.next_tag = (self.next_tag + 7) % 65536
        size = {"READ": request.sectors, "LOG": request.sectors, "IDENTIFY": 1}.get(request.op, 0)
        request.got = bytearray(min(size, 65536) * SECTOR)
        self.open[request.tag] = request
        self.dut.send(
            self.ports["s_cmd"],
            self.cmd_t.pack(
                tag=request.tag,
                op=OPS.index(request.op) if request.op in OPS else 15,
                fua=int(request.fua),
                feature=request.feature,
                sectors=request.sectors,
                lba=request.lba,
            ),
        )
        return request

    def step(self) -> None:
        """Look at what came."""
        for frame in [] if self.mute else self.dut.recv(self.ports["m_fetch"]):
            want = self.fetch_t.unpack(frame.value)
            request = self.open[want["tag"]]
            data = request.data[want["offset"] : want["offset"] + want["bytes"]]
            assert len(data) == want["bytes"], "asked for more than there is"
            bad = self.spoil_source > 0
            self.spoil_source -= int(bad)
            if self.cut_source:
                self.cut_source -= 1
                data = data[: max(4, len(data) // 8 * 4)]
            self.dut.send(self.ports["s_axis"], [Frame(data, bad=bad)])
        for frame in self.dut.recv(self.ports["m_segment"]):
            rec = self.segment_t.unpack(frame.value)
            self.segments.append((rec["tag"], rec["offset"]))
        for frame in self.dut.recv(self.ports["m_axis"]):
            tag, offset = self.segments.popleft()
            assert len(frame.data) <= 8192
            request = self.open[tag]
            assert offset + len(frame.data) <= len(request.got), "more data than asked for"
            request.got[offset : offset + len(frame.data)] = frame.data
            if not frame.bad:
                request.came.append((offset, len(frame.data)))
        for frame in self.dut.recv(self.ports["m_rsp"]):
            rec = self.rsp_t.unpack(frame.value)
            request = self.open.pop(rec["tag"])
            request.reason = REASONS[rec["status"]]
            request.status, request.error = rec["ata_status"], rec["ata_error"]
            request.where = rec["lba"]
            self.done.append(request)


class Cmd:
    """kumi_sata_cmd, a User, and a Disk behind a link that is up at once."""

    def __init__(
        self,
        nature: Nature | None = None,
        faults: Faults | None = None,
        seed: int = 1,
        stall: float = 0.0,
        **cfg: int,
    ) -> None:
        self.dut = Dut.of_module("kumi_sata_cmd", {"TICK_CYCLES": 32, "RESET_CYCLES": 64}, WIDTHS)
        if stall:
            self.dut.stall_all(rx=stall / 2, tx=stall, seed=seed)
        self.rng = random.Random(seed)
        self.disk = Disk(seed, nature, faults)
        self.user = User(self.dut, seed)
        self.cfg = {**CFG, **cfg}
        self.dut.set("cfg", self.cfg)
        self.plugged = True
        self.down = 0  # cycles until the link is up again
        self.was_up = False
        self.codes: deque[str] = deque()  # fates of the next FISes of the host, OK beyond them
        self.spoil: deque[int] = deque()  # Data FISes to the host to be spoilt: how many words stay
        self.resets = 0
        self.dut.watch("ev")

    def configure(self, **cfg: int) -> None:
        """Other settings."""
        self.cfg.update(cfg)
        self.dut.set("cfg", self.cfg)

    def events(self) -> dict[str, int]:
        """Counts of the pulses."""
        return dict(self.dut.counts("ev"))

    def step(self, cycles: int = 8) -> None:
        """Some cycles, then the world."""
        dut = self.dut
        dut.run(cycles)
        restart = dut.get("restart") or not self.plugged
        if restart:
            if self.was_up:
                self.resets += 1
                self.disk.reset(signature=False)
            self.was_up, self.down = False, 6
        elif not self.was_up:
            self.down -= 1
            if self.down <= 0:
                self.was_up = True
                self.disk.reset()
        dut.set("up", int(self.was_up))
        dut.set("present", int(self.plugged))
        dut.set("receiving", int(dut.waiting("fis_rx") > 0))
        for frame in dut.recv("fis_tx"):
            code = self.codes.popleft() if self.codes else "OK"
            if not self.was_up:
                code = "DOWN"
            elif frame.data[0] == 0x27 and self.disk.first():
                code = "YIELD"
            if frame.bad:
                code = "BAD"
            if code == "OK":
                self.disk.take(to_words(frame.data))
            dut.set("tx_code", CODES.index(code))
            dut.set("tx_done", 1)
            dut.run(1)
            dut.set("tx_done", 0)
        if self.was_up and not dut.waiting("fis_rx"):
            self.disk.work()
            while self.disk.out:
                fis = self.disk.out.popleft()
                bad = fis[0] & 0xFF == 0x46 and len(self.spoil) > 0
                if bad:
                    fis = fis[: self.spoil.popleft()]
                dut.send("fis_rx", [Frame(to_bytes(fis), bad=bad)])
                dut.set("receiving", 1)
        self.user.step()

    def until(self, condition, limit: int = 40_000, what: str = "it") -> None:  # type: ignore[no-untyped-def]
        """Run until it is so."""
        for _ in range(limit // 8):
            if condition():
                return
            self.step()
        waiting = [(r.op, r.lba, r.sectors) for r in self.user.open.values()]
        raise AssertionError(
            f"{what} did not come: open {waiting}, "
            f"disk {self.disk.log[-8:]} {self.disk.errors}, {self.events()}"
        )

    def ready(self) -> None:
        """Wait for the device to be ready."""
        self.until(lambda: self.dut.get_struct("status")["ready"], what="readiness")

    def all_done(self, limit: int = 40_000) -> None:
        """Wait for all responses."""
        self.until(lambda: not self.user.open, limit, "a response")
