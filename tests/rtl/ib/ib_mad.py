# SPDX-License-Identifier: Apache-2.0
"""Management datagrams for tests: packing, unpacking, and an agent that answers them."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field, replace

from ib_model import Header, icrc, packet
from kumihimo.testing import Dut, Frame

GET, SET, TRAP, REPRESS, GET_RESP = 1, 2, 5, 7, 0x81
LID_ROUTED, DIRECTED, PERF = 0x01, 0x81, 0x04
NODE_DESC, NODE_INFO, SWITCH_INFO, GUID_INFO, PORT_INFO = 0x10, 0x11, 0x12, 0x14, 0x15
P_KEYS, SL2VL, VL_ARB, LFT, MFT, SM_INFO = 0x16, 0x17, 0x18, 0x19, 0x1B, 0x20
CLASS_INFO, NOTICE, COUNTERS, COUNTERS_EXT = 0x01, 0x02, 0x12, 0x1D
OK, BAD_VERSION, BAD_METHOD, BAD_ATTRIBUTE, BAD_FIELD = 0, 0x04, 0x08, 0x0C, 0x1C
PERMISSIVE = 0xFFFF
HOST = 0x80
BY_LFT = 0xFF
CA, SWITCH, ROUTER = 1, 2, 3
GUID = 0x0002C90300AABB00
BACK = 0x8000  # status bit of a directed route's way back


@dataclass(frozen=True)
class Mad:
    """A datagram of subnet or performance management, and its packet's LIDs and queue pairs."""

    attr: int = NODE_INFO
    method: int = GET
    cls: int = DIRECTED
    mod: int = 0
    data: bytes = b""
    m_key: int = 0
    status: int = 0
    hop_ptr: int = 0
    hop_cnt: int = 0
    path: bytes = b""
    back: bytes = b""
    tid: int = 0x1234_0000_0001
    dr_slid: int = PERMISSIVE
    dr_dlid: int = PERMISSIVE
    class_ver: int = 1
    base_ver: int = 1
    dlid: int = PERMISSIVE
    slid: int = PERMISSIVE
    sl: int = 0
    src_qp: int = field(default=-1)
    q_key: int = 0x80010000

    @property
    def qp1(self) -> bool:
        return self.cls not in (LID_ROUTED, DIRECTED)

    def datagram(self) -> bytes:
        head = struct.pack(
            ">BBBBHBBQHHI", self.base_ver, self.cls, self.class_ver, self.method, self.status,
            self.hop_ptr, self.hop_cnt, self.tid, self.attr, 0, self.mod,
        )  # fmt: skip
        if self.qp1:
            return (head.ljust(64, b"\0") + self.data).ljust(256, b"\0")
        head += struct.pack(">QHH", self.m_key, self.dr_slid, self.dr_dlid).ljust(40, b"\0")
        return (
            head + self.data.ljust(64, b"\0") + self.path.ljust(64, b"\0")
            + self.back.ljust(64, b"\0")
        )  # fmt: skip

    def packet(self) -> bytes:
        qp = int(self.qp1)
        deth = struct.pack(
            ">II", self.q_key if self.qp1 else 0, qp if self.src_qp < 0 else self.src_qp
        )
        head = Header(
            vl=0 if self.qp1 else 15, sl=self.sl, dlid=self.dlid, slid=self.slid, dest_qp=qp
        )
        return packet(deth + self.datagram(), head)

    @staticmethod
    def of(data: bytes) -> Mad:
        """Of a packet, whose headers and ICRC must be right."""
        assert len(data) == 288
        assert icrc(data[:-4]) == data[-4:]
        vl_ver, sl_lnh, dlid, length, slid = struct.unpack_from(">BBHHH", data)
        assert vl_ver & 15 == 0 and sl_lnh & 15 == 2 and length == 72
        opcode, flags, _, dest_qp, psn = struct.unpack_from(">BBHII", data, 8)
        q_key, src_qp = struct.unpack_from(">II", data, 20)
        assert opcode == 0x64 and flags & 0x3F == 0 and psn == 0
        mad = data[28:-4]
        (base, cls, ver, method, status, ptr, cnt, tid, attr, _, mod) = struct.unpack_from(
            ">BBBBHBBQHHI", mad
        )
        m_key, dr_slid, dr_dlid = struct.unpack_from(">QHH", mad, 24)
        qp1 = cls not in (LID_ROUTED, DIRECTED)
        assert vl_ver >> 4 == (0 if qp1 else 15)
        return Mad(
            attr, method, cls, mod, mad[64:] if qp1 else mad[64:128], m_key, status, ptr, cnt,
            mad[128:192], mad[192:], tid, dr_slid, dr_dlid, ver, base, dlid, slid, sl_lnh >> 4,
            dest_qp if src_qp in (0, 1) else src_qp, q_key,
        )  # fmt: skip


class Agent:
    """The agent under test; `kind` is its node type."""

    def __init__(
        self, kind: int = SWITCH, ports: int = 4, host: bool = False, width: int = 32
    ) -> None:
        self.kind, self.ports, self.host = kind, ports, host
        self.dut = Dut.of_module(
            "tests/rtl/ib/kumi_tb_ib_agent.sv",
            {"NODE_TYPE": kind, "PORTS": ports, "HOST": int(host)},
            {"*": {"DATA_W": width, "DEST_W": 8}},
            pins={"node_guid": GUID},
        )
        self.start()

    def start(self) -> None:
        self.dut.set("node_guid", GUID)
        self.dut.set("link_up", (1 << self.ports) - 1)
        self.dut.set("select", 1)
        self.dut.run_until(lambda: self.dut.get("ready"), 20_000, step=16, what="ready")

    def restart(self) -> None:
        self.dut.restart()
        self.start()

    def send(self, mad: Mad | bytes, port: int = 1) -> None:
        self.dut.send(
            "s_mgmt", Frame(mad if isinstance(mad, bytes) else mad.packet(), dest=port)
        )  # fmt: skip

    def one(self, mad: Mad | bytes, port: int = 1) -> tuple[Mad, int]:
        """The one packet that a datagram causes, and where it goes."""
        self.send(mad, port)
        (frame,) = self.dut.recv("m_mgmt", 1, 2000)
        return Mad.of(frame.data), frame.dest

    def ask(self, mad: Mad, port: int = 1) -> Mad:
        """The answer, with what holds of every answer checked."""
        got, dest = self.one(mad, port)
        assert (got.attr, got.mod, got.tid, got.cls) == (mad.attr, mad.mod, mad.tid, mad.cls)
        assert got.method == GET_RESP and got.sl == mad.sl
        if mad.cls == DIRECTED:
            assert got.status & BACK and (dest == port or port & HOST)
        return replace(got, status=got.status & 0x7FFF)

    def get(self, attr: int, mod: int = 0, port: int = 1, m_key: int = 0) -> bytes:
        got = self.ask(Mad(attr, mod=mod, m_key=m_key), port)
        assert got.status == OK, f"{attr:#x}: status {got.status:#x}"
        return got.data

    def set(self, attr: int, data: bytes, mod: int = 0, port: int = 1, m_key: int = 0) -> bytes:
        got = self.ask(Mad(attr, SET, mod=mod, data=data, m_key=m_key), port)
        assert got.status == OK, f"{attr:#x}: status {got.status:#x}"
        return got.data

    def port_info(self, port: int = 1, at: int = 1) -> bytearray:
        return bytearray(self.get(PORT_INFO, port, at))

    def set_port(self, port: int = 1, at: int = 1, m_key: int = 0, **fields: int) -> bytes:
        """Set fields of a PortInfo by name; the others as they are."""
        info = bytearray(self.get(PORT_INFO, port, at, m_key))
        info[0x20] &= 0xF0
        info[0x21] &= 0x0F
        for name, value in fields.items():
            place, low, bits = PORT_FIELDS[name]
            size = max(1, bits // 8)
            old = int.from_bytes(info[place : place + size], "big")
            old = old & ~(((1 << bits) - 1) << low) | value << low
            info[place : place + size] = old.to_bytes(size, "big")
        return self.set(PORT_INFO, bytes(info), port, at, m_key)

    def nothing(self, cycles: int = 600) -> None:
        """Nothing comes out."""
        self.dut.run(cycles)
        assert not self.dut.recv("m_mgmt")

    def cfg(self, port: int = 1) -> dict[str, int]:
        self.dut.set("select", port)
        self.dut.run(2)
        return self.dut.get_struct("cfg_seen")

    def state(self, port: int = 1) -> int:
        self.dut.set("select", port)
        self.dut.run(2)
        return self.dut.get_struct("status_seen")["port_state"]

    def table(self, name: str, at: int, position: int = 0) -> int:
        self.dut.set("at", at)
        self.dut.set("position", position)
        self.dut.run(2)
        return self.dut.get(f"table_{name}")


# PortInfo: byte, lowest bit within the byte or the whole field, bits.
PORT_FIELDS = {
    "m_key": (0x00, 0, 64), "prefix": (0x08, 0, 64), "lid": (0x10, 0, 16),
    "sm_lid": (0x12, 0, 16), "lease": (0x1A, 0, 16), "state": (0x20, 0, 4),
    "phys": (0x21, 4, 4), "down_default": (0x21, 0, 4), "protect": (0x22, 6, 2),
    "lmc": (0x22, 0, 3), "mtu": (0x24, 4, 4), "sm_sl": (0x24, 0, 4), "high_limit": (0x26, 0, 8),
    "stall": (0x2A, 5, 3), "hoq": (0x2A, 0, 5), "vls": (0x2B, 4, 4),
    "key_violations": (0x2C, 0, 16), "timeout": (0x33, 0, 5), "phy_errors": (0x35, 4, 4),
    "overrun": (0x35, 0, 4),
}  # fmt: skip


def field_of(info: bytes, name: str) -> int:
    place, low, bits = PORT_FIELDS[name]
    value = int.from_bytes(info[place : place + max(1, bits // 8)], "big")
    return value >> low & ((1 << bits) - 1)
