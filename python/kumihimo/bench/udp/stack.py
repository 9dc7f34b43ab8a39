# SPDX-License-Identifier: Apache-2.0
"""`kumi bench udp`: the UDP/IP stack in clock cycles, at every width.

Receive: frames come back to back at the `eth` port, one beat per cycle; latency is from the first
beat of a frame at the port to its first payload beat at the kernel. Transmit: records and payloads
are offered without a pause, with the checksum given, left out, or generated. Echo: the whole node
with its kernel, first beat in to first beat out.

The peer is the best-known open 64-bit stack, measured the same way (port to port, no MAC).
"""

from __future__ import annotations

from typing import Any

from kumihimo.bench.core import BenchError, BenchResult, Origin, Progress
from kumihimo.bench.frames import udp_frame
from kumihimo.bench.setup import Setup
from kumihimo.regs import RegisterMap
from kumihimo.synth import flow
from kumihimo.testing import Dut, Frame

WIDTHS = (64, 128, 256, 512)
SIZES = (18, 64, 512, 1472, 8972)
OWN = ("02:00:00:00:00:0a", "10.77.0.10")
PEER = ("02:00:00:00:00:01", "10.77.0.1")
CKS = {"none": 0, "generate": 1, "given": 2}

# verilog-ethernet, udp_complete_64 with Ethernet parser and builder: cycles and payload bytes
# per cycle by payload size, Verilated and driven in the same way; LUTs by the same Yosys flow.
PEER_RX_CYCLES = 12
PEER_ECHO_CYCLES = 24
PEER_DEAD_CYCLES = 7
PEER_LUT = 3265
PEER_RX_RATE = {18: 1.64, 64: 3.76, 1472: 7.63}
PEER_TX_RATE = {18: 1.20, 64: 3.04, 1472: 7.47}


def _block(width: int, store: int = 0) -> Setup:
    return Setup("kumi_ip_stack", {"DATA_W": width, "RX_STORE": store}, node="kumi_node_udp_echo")


def _node(width: int, store: int) -> Setup:
    return Setup("kumi_node_udp_echo", {"DATA_W": width, "TX_STORE": store})


def _payload(size: int, index: int) -> bytes:
    return bytes((index * 31 + i * 7 + (i >> 8)) & 0xFF for i in range(size))


def _frame(size: int, index: int) -> bytes:
    return udp_frame(_payload(size, index), PEER[0], OWN[0], PEER[1], OWN[1], 40000, 7)


def _stack(width: int, store: int) -> Dut:
    dut = Dut("kumi_ip_stack_flat", {"DATA_W": width, "RX_STORE": store}, profile="fast")
    dut.set("cfg", _config(dut))
    return dut


def _config(dut: Dut) -> int:
    return dut.struct("ip_cfg_t").pack(
        mac=int(OWN[0].replace(":", ""), 16),
        ip=0x0A4D000A,
        netmask=0xFFFFFF00,
        ttl=64,
        tick_cycles=1_000_000,
        arp_retry_ticks=100,
        arp_retries=3,
        arp_age_ticks=1000,
        enable=1,
        ping=1,
        udp_any=1,
    )


def _beats(size: int, width: int) -> int:
    return -(-size // (width // 8))


def _receive(dut: Dut, width: int, store: int, size: int, count: int) -> dict[str, Any]:
    dut.restart()
    dut.set("cfg", _config(dut))
    dut.run(600)  # the ARP cache clears itself after reset
    dut.recv("m_axis_udp"), dut.sent("s_axis_eth0")
    dut.send("s_axis_eth0", [_frame(size, i) for i in range(count)])
    got = dut.recv("m_axis_udp", count, timeout_cycles=count * (size + 400) + 4000)
    sent = dut.sent("s_axis_eth0")
    wrong = sum(f.bad or f.data != _payload(size, i) for i, f in enumerate(got))
    frame_beats = _beats(max(60, size + 42), width)
    # The steady rate: from the first beat of the first frame to that of the last.
    cycles = (sent[-1][0] - sent[0][0]) / (count - 1)
    return {
        "direction": "receive",
        "width": width,
        "payload_bytes": size,
        "verified_before_delivery": bool(store),
        "cycles_latency": max(f.cycle - s[0] for f, s in zip(got, sent, strict=True)),
        "cycles_per_packet": cycles,
        "dead_cycles_per_packet": cycles - frame_beats,
        "bytes_per_cycle": size / cycles,
        "lost_beats": sum(_beats(size, width) - f.beats for f in got) + wrong,
        **_block(width, store).as_row(),
    }


def _transmit(dut: Dut, width: int, mode: str, size: int, count: int) -> dict[str, Any]:
    dut.restart()
    dut.set("cfg", _config(dut))
    dut.run(600)
    dut.recv("m_axis_eth0")
    record = dut.struct("udp_hdr_t")
    head = record.pack(
        peer_mac=int(PEER[0].replace(":", ""), 16),
        peer_mac_valid=1,
        peer_ip=0x0A4D0001,
        peer_port=40000,
        local_port=7,
        length=size,
        checksum=0x1234,
        cks=CKS[mode],
    )
    dut.sent("s_axis_udp")
    dut.send("s_axis_udp", [Frame(_payload(size, i)) for i in range(count)])
    dut.send("s_hdr_udp", [head] * count)
    got = dut.recv("m_axis_eth0", count, timeout_cycles=count * (size + 400) + 4000)
    taken = dut.sent("s_axis_udp")
    frame_beats = _beats(max(60, size + 42), width)
    steady = count // 4  # the first frames fill the buffer
    cycles = (got[-1].cycle - got[steady].cycle) / (count - 1 - steady)
    wrong = sum(f.data[42 : 42 + size] != _payload(size, i) for i, f in enumerate(got))
    return {
        "direction": "transmit",
        "width": width,
        "payload_bytes": size,
        "checksum": mode,
        "cycles_latency": got[0].cycle - taken[0][0],
        "cycles_per_packet": cycles,
        "dead_cycles_per_packet": cycles - frame_beats,
        "bytes_per_cycle": size / cycles,
        "lost_beats": sum(frame_beats - f.beats for f in got) + wrong,
        "gaps_inside_frames": dut.stats("m_axis_eth0")["tx_gap"],
        **_block(width).as_row(),
    }


class _Registers:
    """The register port of a node under test, as the register map wants it."""

    def __init__(self, dut: Dut) -> None:
        self._dut = dut

    def read(self, addr: int) -> int:
        return self._dut.axil_read(addr)

    def write(self, addr: int, data: int) -> None:
        self._dut.axil_write(addr, data)


def _echo(width: int, store: int, size: int, count: int) -> tuple[dict[str, Any], str]:
    dut = Dut("udp_echo", {"DATA_W": width, "TX_STORE": store}, profile="fast")
    regs = RegisterMap(_Registers(dut))
    regs.ip.mac_hi.write(int(OWN[0].replace(":", ""), 16) >> 32)
    regs.ip.mac_lo.write(int(OWN[0].replace(":", ""), 16) & 0xFFFFFFFF)
    regs.ip.ip.write(0x0A4D000A)
    regs.ip.netmask.write(0xFFFFFF00)
    dut.run(1000)
    dut.recv("eth0"), dut.sent("eth0")
    dut.send("eth0", [_frame(size, i) for i in range(count)])
    got = dut.recv("eth0", count, timeout_cycles=count * (size + 400) + 4000)
    sent = dut.sent("eth0")
    wrong = sum(f.data[42 : 42 + size] != _payload(size, i) for i, f in enumerate(got))
    cycles = (got[-1].cycle - got[0].cycle) / (count - 1)
    row = {
        "direction": "echo",
        "width": width,
        "payload_bytes": size,
        "frame_held_before_sending": bool(store),
        "cycles_latency": got[0].cycle - sent[0][0],
        "cycles_per_packet": cycles,
        "dead_cycles_per_packet": cycles - _beats(max(60, size + 42), width),
        "bytes_per_cycle": size / cycles,
        "lost_beats": wrong,
        **_node(width, store).as_row(),
    }
    return row, dut.built.design_hash


def _with_peer(row: dict[str, Any]) -> dict[str, Any]:
    if row["width"] != 64:
        return row
    size = row["payload_bytes"]
    peer: dict[str, Any] = {}
    if row["direction"] == "receive":
        peer = {"cycles_latency": PEER_RX_CYCLES, "bytes_per_cycle": PEER_RX_RATE.get(size)}
    elif row["direction"] == "transmit" and row["checksum"] == "none":
        peer = {"bytes_per_cycle": PEER_TX_RATE.get(size)}
    elif row["direction"] == "echo" and not row["frame_held_before_sending"]:
        peer = {"cycles_latency": PEER_ECHO_CYCLES, "dead_cycles_per_packet": PEER_DEAD_CYCLES}
    return {**row, "peer": peer} if peer else row


def _luts(quick: bool) -> int | None:
    """LUTs of the 64-bit stack, mapped now; `quick` only takes what the cache has of this tree."""
    found = flow.mapped("kumi_ip_stack", {"DATA_W": "64"}, cached_only=quick)
    return None if found is None else int(found["lut"])


SHIPPED_SIZE = 64  # payload bytes of the figure of the node that ships


def run(progress: Progress, quick: bool) -> BenchResult:
    """Measure all widths and sizes; `quick` sends fewer frames and leaves the middle widths out."""
    result = BenchResult("udp")
    count = 12 if quick else 60
    widths = (64, 512) if quick else WIDTHS
    total = len(widths) * 3
    for i, width in enumerate(widths):
        for store in (0,) if quick else (0, 1):
            progress.step(f"{width} bits, {'verified' if store else 'cut-through'}", 3 * i, total)
            dut = _stack(width, store)
            result.rtl[f"kumi_ip_stack DATA_W={width} RX_STORE={store}"] = dut.built.design_hash
            for size in SIZES:
                result.rows.append(_receive(dut, width, store, size, count))
            if store == 0:
                for mode in CKS:
                    for size in SIZES:
                        result.rows.append(_transmit(dut, width, mode, size, count))
        progress.step(f"{width} bits, echo node", 3 * i + 2, total)
        for size in SIZES:
            row, digest = _echo(width, 0, size, count)
            result.rows.append(row)
            result.rtl[f"kumi_node_udp_echo DATA_W={width} TX_STORE=0"] = digest
    progress.step("64 bits, echo node as it ships", total - 1, total)
    row, digest = _echo(64, 1, SHIPPED_SIZE, count)
    result.rows.append(row)
    result.rtl["kumi_node_udp_echo DATA_W=64 TX_STORE=1"] = digest
    result.rows = [_with_peer(row) for row in result.rows]

    def worst(key: str, **match: Any) -> float:
        rows = [r for r in result.rows if all(r.get(k) == v for k, v in match.items())]
        if not rows:
            raise BenchError(f"no row for {match}")
        return float(max(r[key] for r in rows))

    cut = {"direction": "receive", "verified_before_delivery": False}
    given = {"direction": "transmit", "checksum": "given"}
    for width in (64, 512):
        result.summary[f"rx_cycles_{width}"] = worst("cycles_latency", width=width, **cut)
        result.summary[f"tx_cycles_{width}"] = worst("cycles_latency", width=width, **given)
    result.summary["lost_beats"] = int(sum(r["lost_beats"] for r in result.rows))
    result.summary["dead_cycles_rx_64"] = worst("dead_cycles_per_packet", width=64, **cut)
    result.summary["dead_cycles_tx_64"] = worst("dead_cycles_per_packet", width=64, **given)
    echo = {"direction": "echo", "width": 64}
    result.summary["echo_cycles_64"] = worst(
        "cycles_latency", **echo, frame_held_before_sending=False
    )
    result.summary["echo_cycles_64_shipped"] = worst(
        "cycles_latency", **echo, frame_held_before_sending=True
    )
    result.summary["bytes_per_cycle_512_8972"] = min(
        worst("bytes_per_cycle", width=512, payload_bytes=8972, **cut),
        worst("bytes_per_cycle", width=512, payload_bytes=8972, **given),
    )
    progress.step("mapping the 64-bit stack", total - 1, total)
    result.summary["lut_64"] = _luts(quick)
    result.setup = Setup(
        "kumi_ip_stack", {"DATA_W": 512}, note="and all other widths", node="kumi_node_udp_echo"
    )
    for name in result.summary:
        width = 512 if "512" in name else 64
        result.setups[name] = _block(width)
    result.setups["lost_beats"] = result.setup
    result.setups["echo_cycles_64"] = _node(64, 0)
    result.setups["echo_cycles_64_shipped"] = Setup(
        "kumi_node_udp_echo", note=f"datagrams of {SHIPPED_SIZE} bytes"
    )
    result.goals = {
        "lost_beats": ("==", 0),
        "rx_cycles_512": ("<=", 8),
        "tx_cycles_512": ("<=", 8),
        "rx_cycles_64": ("<=", 8),
        "echo_cycles_64": ("<=", 16),
        "dead_cycles_rx_64": ("<=", 0),
        "dead_cycles_tx_64": ("<=", 0),
        "lut_64": ("<", PEER_LUT),
    }
    if quick and result.summary["lut_64"] is None:
        del result.goals["lut_64"]
    result.origins = dict.fromkeys(result.goals, Origin.REQUIREMENT) | {"lut_64": Origin.PEER}
    return result
