# SPDX-License-Identifier: Apache-2.0
"""Records between the transport engine and its wires (`rc_pkt_t` without `path.traffic`)."""

from __future__ import annotations

import random

# (name, bits) of the record, first member first.
FIELDS = (
    *(("addr", 32), ("flow", 16), ("opcode", 8), ("se", 1), ("ack_req", 1), ("p_key", 16)),
    *(("dest_qp", 24), ("psn", 24), ("length", 13), ("q_key", 32), ("src_qp", 24), ("va", 64)),
    *(("r_key", 32), ("dma_len", 32), ("swap_add", 64), ("compare", 64), ("syndrome", 8)),
    *(("msn", 24), ("imm", 32)),
)
BASIC = ("addr", "flow", "opcode", "se", "ack_req", "p_key", "dest_qp", "psn", "length")
RETH, ATOMIC = ("va", "r_key", "dma_len"), ("va", "r_key", "swap_add", "compare")
AETH, DETH = ("syndrome", "msn"), ("q_key", "src_qp")

# Opcode: fields of its extension headers, whether it may have payload (clause 9.2, table 38).
OPCODES: dict[int, tuple[tuple[str, ...], bool]] = {
    **{op: ((), True) for op in (0x00, 0x01, 0x02, 0x04, 0x07, 0x08, 0x0E)},
    **{op: (("imm",), True) for op in (0x03, 0x05, 0x09)},
    **{op: (RETH, True) for op in (0x06, 0x0A)},
    0x0B: ((*RETH, "imm"), True),
    0x0C: (RETH, False),
    **{op: (AETH, True) for op in (0x0D, 0x0F, 0x10)},
    0x11: (AETH, False),
    0x12: ((*AETH, "swap_add"), False),
    0x13: (ATOMIC, False),
    0x14: (ATOMIC, False),
    0x64: (DETH, True),
    0x65: ((*DETH, "imm"), True),
}
LENGTHS = [*range(0, 70), 127, 128, 129, 255, 256, 511, 512, 1023, 1024, 4092, 4093, 4095, 4096]


def pack(values: dict[str, int]) -> int:
    total = 0
    for name, bits in FIELDS:
        total = total << bits | values.get(name, 0)
    return total


def unpack(number: int) -> dict[str, int]:
    values = {}
    for name, bits in reversed(FIELDS):
        values[name] = number & (1 << bits) - 1
        number >>= bits
    return values


def extension(values: dict[str, int]) -> bytes:
    """The headers behind the BTH, as the specification draws them."""
    fields, _ = OPCODES[values["opcode"]]
    out = b""
    if "q_key" in fields:
        out += values["q_key"].to_bytes(4) + values["src_qp"].to_bytes(4)
    if "va" in fields:
        out += values["va"].to_bytes(8) + values["r_key"].to_bytes(4)
    if "dma_len" in fields:
        out += values["dma_len"].to_bytes(4)
    if "compare" in fields:
        out += values["swap_add"].to_bytes(8) + values["compare"].to_bytes(8)
    if "imm" in fields:
        out += values["imm"].to_bytes(4)
    if "msn" in fields:
        out += values["syndrome"].to_bytes(1) + values["msn"].to_bytes(3)
        if "swap_add" in fields:
            out += values["swap_add"].to_bytes(8)
    return out


def random_record(rng: random.Random, opcode: int, length: int, peer: int) -> dict[str, int]:
    """A record in which only the opcode's own fields are set."""
    fields, payload = OPCODES[opcode]
    widths = dict(FIELDS)
    values = {f: rng.getrandbits(widths[f]) for f in (*BASIC, *fields)}
    values |= {"opcode": opcode, "length": length if payload else 0, "addr": peer}
    return values


def cases(rng: random.Random, peer: int) -> list[tuple[dict[str, int], bytes]]:
    """Every opcode, and every length in LENGTHS."""
    wanted = [(op, rng.choice(LENGTHS)) for op in OPCODES for _ in range(3)]
    with_payload = [op for op, (_, payload) in OPCODES.items() if payload]
    wanted += [(rng.choice(with_payload), length) for length in LENGTHS]
    rng.shuffle(wanted)
    records = [random_record(rng, op, length, peer) for op, length in wanted]
    return [(r, rng.randbytes(r["length"])) for r in records]
