# SPDX-License-Identifier: Apache-2.0
"""tshark on what the line of the link under test carries: fields as sent, nothing malformed."""

from __future__ import annotations

import random
import struct
import subprocess
from pathlib import Path

from ib_capture import ERF_INFINIBAND, ERF_LINK, read, write_erf
from ib_line import Line
from ib_model import Header, packet, vcrc

# Reliable connection (SEND only, WRITE only, READ request, ACK, fetch and add) and UD SEND only,
# each with the extension headers that belong to it.
OPERATIONS = {0x04: 0, 0x0A: 16, 0x0C: 16, 0x11: 4, 0x14: 28, 0x64: 8}
LINK_PACKET_BYTES = 64  # tshark reads addresses where an LRH and a GRH would be


def smp(attribute: int, tid: int) -> bytes:
    """A LID-routed Get of subnet management, behind its DETH."""
    deth = struct.pack(">II", 0, 0)
    return deth + struct.pack(">BBBBHHQHHI", 1, 1, 1, 1, 0, 0, tid, attribute, 0, 0).ljust(
        256, b"\0"
    )


def test_packets_of_the_line(tmp_path: Path) -> None:
    rng = random.Random(1)
    line = Line()
    line.bring_up()
    sent = []
    for n in range(60):
        opcode = rng.choice(list(OPERATIONS))
        head = Header(
            sl=rng.randrange(16), dlid=rng.randrange(1, 0xBFFF), slid=n + 1, opcode=opcode,
            dest_qp=rng.randrange(2, 1 << 24), psn=rng.randrange(1 << 24), grh=rng.random() < 0.3,
        )  # fmt: skip
        payload = rng.randbytes(rng.randrange(200)) if opcode in (0x04, 0x0A, 0x64) else b""
        sent.append((head, packet(rng.randbytes(OPERATIONS[opcode]) + payload, head)))
    for n, attribute in enumerate((0x10, 0x11, 0x12, 0x15)):
        head = Header(vl=15, dlid=7, slid=100 + n, dest_qp=0)
        sent.append((head, packet(smp(attribute, n), head)))
    line.dut.send("s_axis", [data for _, data in sent])
    line.run(6000)
    carried = [f.data for f in line.found() if f.kind == "packet"]
    link = [f.data for f in line.found() if f.kind == "fc"]
    assert len(carried) == len(sent) and link

    file = tmp_path / "ib.pcap"
    write_erf(file, [(ERF_INFINIBAND, data + vcrc(data)) for data in carried])
    rows = read(
        file, "infiniband.lrh.slid", "infiniband.lrh.dlid", "infiniband.lrh.sl",
        "infiniband.lrh.vl", "infiniband.lrh.pktlen", "infiniband.bth.opcode",
        "infiniband.bth.destqp", "infiniband.bth.psn", "infiniband.grh.nxthdr",
        "infiniband.mad.attributeid", "infiniband.mad.transactionid", "_ws.malformed",
    )  # fmt: skip
    assert len(rows) == len(sent)
    seen = {}
    for row in rows:
        assert row[-1] == "", f"malformed: {row}"
        numbers = [int(v, 0) if v else None for v in row[:-1]]
        seen[numbers[0]] = numbers
    for head, data in sent:
        vl = head.vl if head.vl == 15 else head.sl % line.vls
        number = seen[head.slid]
        assert number[1:8] == [
            head.dlid, head.sl, vl, len(data) // 4, head.opcode, head.dest_qp, head.psn,
        ]  # fmt: skip
        assert number[8] == (0x1B if head.grh else None)
    assert [seen[100 + n][9] for n in range(4)] == [0x10, 0x11, 0x12, 0x15]

    write_erf(file, [(ERF_LINK, data.ljust(LINK_PACKET_BYTES, b"\0")) for data in link])
    text = subprocess.run(
        ["tshark", "-n", "-V", "-r", str(file)], capture_output=True, text=True, check=True
    ).stdout
    assert "alformed" not in text and text.count("Credit Limit") == len(link)
