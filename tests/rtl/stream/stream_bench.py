# SPDX-License-Identifier: Apache-2.0
"""Test tops with many instances of stream blocks side by side, so that one build serves all."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from kumihimo.testing import Dut, Frame

AXIS_SIGNALS = ("tdata", "tkeep", "tvalid", "tready", "tlast", "tuser", "tid", "tdest")
AXIS_DEFAULTS = {"DATA_W": 64, "USER_W": 2, "ID_W": 4, "DEST_W": 4}


class Bench:
    """Collects instances and writes the flat top."""

    def __init__(self, name: str) -> None:
        """A top module called `name`."""
        self.name = name
        self._ports: list[str] = ["input logic clk", "input logic rst"]
        self._body: list[str] = []

    def _axis(self, base: str, interface: str, into: bool, own: Mapping[str, int]) -> None:
        widths = {
            "tdata": own["DATA_W"],
            "tkeep": own["DATA_W"] // 8,
            "tuser": own["USER_W"],
            "tid": own["ID_W"],
            "tdest": own["DEST_W"],
        }
        prefix = f"{'s' if into else 'm'}_axis_{base}"
        for signal in AXIS_SIGNALS:
            driven = into != (signal == "tready")
            bits = f"[{widths[signal] - 1}:0] " if signal in widths else ""
            self._ports.append(f"{'input' if driven else 'output'} logic {bits}{prefix}_{signal}")
            pair = (f"{interface}.{signal}", f"{prefix}_{signal}")
            left, right = pair if driven else pair[::-1]
            self._body.append(f"  assign {left} = {right};")

    def _pin(self, way: str, name: str, bits: int) -> None:
        self._ports.append(f"{way} logic [{bits - 1}:0] {name}")

    def add(
        self,
        name: str,
        module: str,
        params: Mapping[str, int] | None = None,
        axis: Mapping[str, Mapping[str, int]] | None = None,
        hdr: Mapping[str, int] | None = None,
        arrays: Mapping[str, int] | None = None,
        pins_in: Mapping[str, int] | None = None,
        pins_out: Mapping[str, int] | None = None,
        **common: int,
    ) -> None:
        """One instance. Its ports are s_axis_NAME (arrays: s_axis_NAME0 ...), pins NAME_PIN."""
        links = [".clk", ".rst"]
        for port in axis if axis is not None else {"s_axis": {}, "m_axis": {}}:
            own = {**AXIS_DEFAULTS, **common, **(axis or {}).get(port, {})}
            settings = ", ".join(f".{k}({v})" for k, v in own.items())
            wire = f"x_{name}_{port}"
            count = (arrays or {}).get(port, 0)
            array = f" [{count}]" if count else ""
            self._body.append(f"  kumi_axis_if #({settings}) {wire}{array} ();")
            into = port.startswith("s_")
            if count:
                for k in range(count):
                    self._axis(f"{name}{k}", f"{wire}[{k}]", into, own)
            else:
                self._axis(name, wire, into, own)
            links.append(f".{port}({wire})")
        for port, bits in (hdr or {}).items():
            wire = f"x_{name}_{port}"
            into = port.startswith("s_")
            prefix = f"{'s' if into else 'm'}_hdr_{name}"
            self._body.append(f"  kumi_rec_if #(.W({bits})) {wire} ();")
            for signal in ("data", "valid", "ready"):
                driven = into != (signal == "ready")
                size = f"[{bits - 1}:0] " if signal == "data" else ""
                way = "input" if driven else "output"
                self._ports.append(f"{way} logic {size}{prefix}_{signal}")
                pair = (f"{wire}.{signal}", f"{prefix}_{signal}")
                left, right = pair if driven else pair[::-1]
                self._body.append(f"  assign {left} = {right};")
            links.append(f".{port}({wire})")
        for way, pins in (("input", pins_in), ("output", pins_out)):
            for pin, bits in (pins or {}).items():
                self._pin(way, f"{name}_{pin}", bits)
                links.append(f".{pin}({name}_{pin})")
        settings = ", ".join(f".{k}({v})" for k, v in (params or {}).items())
        self._body.append(f"  {module} #({settings}) u_{name} ({', '.join(links)});")

    def add_listener(self, name: str, module: str, width: int, bits: int, seed: bool) -> None:
        """A kumi_crc32 or kumi_checksum on an always ready stream; its result is a record."""
        own = {**AXIS_DEFAULTS, "DATA_W": width}
        settings = ", ".join(f".{k}({v})" for k, v in own.items())
        wire = f"x_{name}"
        self._body.append(f"  kumi_axis_if #({settings}) {wire} ();")
        if width > 512:  # the widest port there is, and a converter
            own["DATA_W"] = 512
            settings = ", ".join(f".{k}({v})" for k, v in own.items())
            self._body.append(f"  kumi_axis_if #({settings}) {wire}_in ();")
            self._body.append(
                f"  kumi_axis_width u_{name}_up (.clk, .rst, .s_axis({wire}_in), .m_axis({wire}));"
            )
            self._axis(name, f"{wire}_in", True, own)
        else:
            self._axis(name, wire, True, own)
        self._body.append(f"  assign {wire}.tready = 1'b1;")
        extra = ""
        if seed:
            self._pin("input", f"{name}_seed", 16)
            extra = f".in_seed({name}_seed), "
        self._ports += [
            f"output logic [{bits - 1}:0] m_hdr_{name}_data",
            f"output logic m_hdr_{name}_valid",
            f"input logic m_hdr_{name}_ready",
        ]
        out = "out_sum" if seed else "out_crc"
        self._body.append(
            f"  {module} #(.DATA_W({width})) u_{name} (.clk, .rst, .in_valid({wire}.tvalid),"
            f" .in_last({wire}.tlast), .in_data({wire}.tdata), .in_keep({wire}.tkeep), {extra}"
            f".out_valid(m_hdr_{name}_valid), .{out}(m_hdr_{name}_data));"
        )
        self._body.append(f"  logic unused_{name}; assign unused_{name} = m_hdr_{name}_ready;")

    def text(self) -> str:
        """The SystemVerilog of the top."""
        ports = ",\n    ".join(self._ports)
        body = "\n".join(self._body)
        return f"module {self.name} (\n    {ports}\n);\n{body}\nendmodule\n"

    def build(self) -> Dut:
        """Build it (or find it in the cache) and reset it."""
        text = self.text()
        with tempfile.TemporaryDirectory(prefix="kumi_stream_") as folder:
            path = Path(folder) / f"{self.name}.sv"
            path.write_text(text)
            return Dut(path, profile="soak")  # many tests share it


STALLS = [(0.0, 0.0), (0.4, 0.0), (0.0, 0.4), (0.5, 0.5)]  # share of cycles: inputs, outputs


def random_frames(rng: random.Random, width: int, count: int, bad: float = 0.0) -> list[Frame]:
    """Frames of every interesting length and of random ones, with random side-band."""
    edges = interesting_lengths(width)
    lengths = edges + [rng.randint(1, 600) for _ in range(max(0, count - len(edges)))]
    rng.shuffle(lengths)
    return [
        Frame(
            rng.randbytes(length),
            bad=rng.random() < bad,
            user=rng.choice((0, 2)),
            id=rng.randrange(16),
            dest=rng.randrange(16),
        )
        for length in lengths[:count]
    ]


def same(out: Sequence[Frame], expected: Sequence[Frame], side: bool = True) -> None:
    """Fail unless the frames are equal, side-band included."""
    assert len(out) == len(expected)
    for i, (a, b) in enumerate(zip(out, expected, strict=True)):
        assert a.data == b.data, f"frame {i}: {len(a.data)} bytes came out, {len(b.data)} went in"
        assert a.bad == b.bad, f"frame {i}: bad mark"
        if side:
            assert (a.user & 2, a.id, a.dest) == (b.user & 2, b.id, b.dest), f"frame {i}: side-band"


def gapless(out: Sequence[Frame]) -> None:
    """Fail unless a beat moved in every cycle from the first to the last."""
    beats = sum(f.beats for f in out)
    assert out[-1].last_cycle - out[0].cycle + 1 == beats


@cache
def interesting_lengths(width: int) -> list[int]:
    """Frame lengths at every edge of a data width: one byte, partial, exact and one more."""
    step = width // 8
    lengths = {1, 2, 3, 59, 60, 61, 64}
    for beats in (1, 2, 3, 4, 7, 8):
        lengths |= {beats * step - 1, beats * step, beats * step + 1}
    lengths |= {step + k for k in range(1, min(step, 16))}
    return sorted(n for n in lengths if 0 < n <= 600)
