# SPDX-License-Identifier: Apache-2.0
"""The disk model at a host core that was not written here: LiteSATA's link, transport, commands."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from kumihimo.cluster.disk import Disk
from kumihimo.testing import Dut, Frame

HERE = Path(__file__).parent
SECTOR = 512
KINDS = {"write": 1, "read": 2, "identify": 4}
END, FAILED = 8, 16


@pytest.fixture(scope="module")
def verilog(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("lite") / "litesata_host.v"
    made = subprocess.run(
        [sys.executable, str(HERE / "litesata_host.py"), str(out)], capture_output=True, text=True
    )
    assert made.returncode == 0, made.stderr
    return out


class Host:
    """The core with its disk, once the link is up."""

    def __init__(self, verilog: Path, **like: Any) -> None:
        self.dut = Dut(verilog, periods_ps={"clk": 6667}, profile="fast")
        # Its core listens only when its control has waited long enough, and a disk that sends CONT
        # before that would never be understood. Real disks take longer.
        like = {"size": 16 << 20, "ready_ps": 200_000_000, "latency_ps": 1_000_000, **like}
        self.disk: Disk = self.dut.disk("d0", **like)
        # It would take the signature for the end of its first command.
        self.dut.run_until(lambda: self.disk.stats["wire"]["frames_out"], 50_000, step=100)
        assert self.dut.get("up")
        # It looks at its receive fifo's RAM also when that is empty. In an FPGA the RAM starts as
        # zeros, here with anything; one read goes through all of it.
        self.read(0, 4)

    def command(self, kind: str, sector: int = 0, count: int = 0, data: bytes = bytes(4)) -> None:
        user = sector | count << 32 | KINDS[kind] << 48
        self.dut.send("s_axis_cmd", Frame(data, users=[user] * (len(data) // 4)))

    def answer(self) -> Frame:
        return self.dut.recv("m_axis_rsp", 1, 400_000)[0]

    def write(self, sector: int, data: bytes) -> bool:
        self.command("write", sector, len(data) // SECTOR, data)
        got = self.answer()
        assert got.user & END and got.user & 1
        return not got.user & FAILED

    def read(self, sector: int, count: int) -> tuple[bytes, bool]:
        self.command("read", sector, count)
        data = b""
        while True:
            got = self.answer()
            if got.user & END:
                return data, not got.user & FAILED
            data += got.data


def some(seed: int, sectors: int) -> bytes:
    return random.Random(seed).randbytes(sectors * SECTOR)


@pytest.mark.parametrize("cont", [True, False])
@pytest.mark.parametrize("hold", [0.0, 0.01])
def test_core(verilog: Path, cont: bool, hold: float) -> None:
    host = Host(verilog, cont=cont, hold=hold)
    host.command("identify")
    words = host.answer().data
    assert int.from_bytes(words[200:208], "little") == host.disk.sectors
    assert sum(words) % 256 == 0
    for lba, count in ((0, 1), (1000, 16), (2000, 17), (32767, 1), (5000, 150)):
        data = some(lba, count)
        assert host.write(lba, data)
        assert host.disk.read(lba * SECTOR, len(data)) == data
        assert host.read(lba, count) == (data, True)
    wire = host.disk.stats["wire"]
    assert wire["crc_errors"] == wire["rerr_got"] == wire["illegal"] == wire["aborts"] == 0
    assert (wire["holds_sent"] > 100) == (hold > 0)


def test_slow_reader(verilog: Path) -> None:
    """The core's fifo fills, so it holds the disk."""
    host = Host(verilog)
    data = some(1, 64)
    host.disk.write(0, data)
    host.dut.stall("m_axis_rsp", 0.7)
    host.dut.stall("s_axis_cmd", 0.7)
    assert host.read(0, 64) == (data, True)
    assert host.write(64, data)
    assert host.disk.read(64 * SECTOR, len(data)) == data
    assert host.disk.stats["wire"]["holds_got"] > 10


def test_its_errors(verilog: Path) -> None:
    host = Host(verilog)
    host.disk.fault("bad_sectors", lba=20)
    data, good = host.read(16, 8)
    assert not good and data == bytes(4 * SECTOR)
    assert not host.read(host.disk.sectors, 1)[1]
    assert host.read(0, 4) == (bytes(4 * SECTOR), True)


def test_rate(verilog: Path) -> None:
    """On hardware this core is published with 0.90 (write) and 0.94 (read) of the line."""
    host = Host(verilog, read_rate=2e9, write_rate=2e9)
    data = some(1, 1024)
    begin = host.dut.cycle
    assert host.write(0, data)
    assert 0.88 < len(data) / 4 / (host.dut.cycle - begin) < 0.96
    begin = host.dut.cycle
    assert host.read(0, 1024) == (data, True)
    assert 0.92 < len(data) / 4 / (host.dut.cycle - begin) < 0.98
