# SPDX-License-Identifier: Apache-2.0
"""A module or node under test."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from kumihimo.build import BuildResult, ParamValue, Shell, build, make_shell
from kumihimo.cluster.disk import Disk
from kumihimo.clusterfile.disk_options import settings as disk_settings
from kumihimo.common.errors import did_you_mean
from kumihimo.testing.backends import DutDisk, DutMemory
from kumihimo.testing.frames import DutFailed, Frame, Hang, ProtocolError
from kumihimo.testing.structs import StructType

TIMEOUT_CYCLES = 20_000


class Dut:
    """A Verilated design with its ports, after reset, at time zero.

    Ports are named by their flat prefix (`s_axis`, `m_axis_eth0`, `s_hdr_udp`), by the module's own
    port name (`Dut.of_module`), or by the port's name alone (`eth0`).
    """

    def __init__(
        self,
        design: str | Path,
        params: Mapping[str, ParamValue] | None = None,
        files: Iterable[str | Path] = (),
        periods_ps: Mapping[str, int] | None = None,
        profile: str = "test",
        seed: int = 1,
        trace: str | Path = "",
        pins: Mapping[str, Any] | None = None,
        defines: Mapping[str, str] | None = None,
        phases_ps: Mapping[str, int] | None = None,
        check: bool = True,
        _shell: Shell | None = None,
    ) -> None:
        """Build the design, or find it in the cache, create an instance, and reset it.

        Args:
            design: name or path of a flat top.
            params: parameters of the top.
            files: more sources or `.f` lists.
            periods_ps: clock periods; 6400 ps is the default.
            profile: build profile.
            seed: of the uninitialised registers.
            trace: write a waveform (FST) here; also $KUMI_TRACE=folder.
            pins: values of input pins during reset.
            defines: macro definitions.
            phases_ps: first rising edge of each clock.
            check: raise if the design violates the stream protocol.
        """
        folder = os.environ.get("KUMI_TRACE")
        if folder and not trace:
            Path(folder).mkdir(parents=True, exist_ok=True)
            stem = _shell.top if _shell else Path(design).stem
            trace = Path(folder) / f"{stem}_{os.getpid()}_{Dut._count}.fst"
        Dut._count += 1
        if trace and profile in ("test", "fast"):
            profile = "test-trace" if profile == "test" else "trace"
        self.shell = _shell
        self.built: BuildResult
        if _shell is not None:
            self.built = build(
                _shell.top,
                profile=profile,
                top=_shell.top,
                text=_shell.text,
                sources=_shell.sources,
            )
        else:
            self.built = build(design, params, profile, files, defines)
        self.info = self.built.info
        self.check = check
        self._aliases = dict(_shell.aliases) if _shell else {}
        self._pins = {p.name: p for p in self.info.pins}
        self._fields = {p.name: p.fields for p in self.info.pins if p.fields}
        if _shell:
            self._fields.update(_shell.fields)
        self._config = (dict(periods_ps or {}), dict(phases_ps or {}), seed, str(trace))
        self._start_pins = dict(pins or {})
        self._ports: dict[str, tuple[str, str]] = {}
        for port in self.info.ports:
            for way in (port.rx, port.tx):
                if way is not None:
                    self._ports[way.prefix[:-1]] = (port.name, port.kind)
        self._waiting: dict[str, list[Frame]] = {}
        self.restart()
        Dut.live.add(self)

    _count = 0
    live: ClassVar[weakref.WeakSet[Dut]] = weakref.WeakSet()
    """Designs under test that are still in use."""

    @classmethod
    def of_module(
        cls,
        module: str | Path,
        params: Mapping[str, ParamValue] | None = None,
        interfaces: Mapping[str, Mapping[str, int]] | None = None,
        files: Iterable[str | Path] = (),
        clocks: Mapping[str, str] | None = None,
        defines: Mapping[str, str] | None = None,
        top: str | None = None,
        **more: Any,
    ) -> Dut:
        """Test any module: interface ports become flat ones in a generated shell.

        `interfaces` gives the interface parameters of each port ("*" for all), `clocks` the clock
        of each interface port where there are several; `more` goes to the constructor.
        """
        shell = make_shell(module, params, interfaces, files, defines, clocks, top)
        return cls(shell.top, _shell=shell, **more)

    def restart(self, seed: int | None = None) -> None:
        """Create a new instance, reset, at time zero; discards the old one."""
        from kumihimo._engine import Node

        periods, phases, own_seed, trace = self._config
        self.node: Any = Node(
            str(self.built.path),
            periods_ps=periods,
            phases_ps=phases,
            seed=own_seed if seed is None else seed,
            trace=trace,
            name=self.info.design,
        )
        self._waiting.clear()
        self._stalls: dict[tuple[str, str], list[float]] = {}
        self._memories: dict[str, dict[str, Any]] = {}
        for name, value in self._start_pins.items():
            self.set(name, value)
        self.node.reset(16, 4)
        self._check_failed()

    # ---- names ------------------------------------------------------------------------------

    def _port(self, name: str, way: str = "") -> str:
        """The flat prefix of a port."""
        name = self._aliases.get(name, name)
        if name in self._ports:
            if way and name[0] != way:
                raise KeyError(f"{name} is an {'output' if way == 's' else 'input'} of the node.")
            return name
        for prefix, (own, _) in self._ports.items():
            if own == name and (not way or prefix[0] == way):
                return prefix
        known = [*self._ports, *self._aliases]
        raise KeyError(f"{self.info.top} has no port {name}." + did_you_mean(name, known))

    def _pin(self, name: str) -> str:
        name = self._aliases.get(name, name)
        if name not in self._pins:
            raise KeyError(
                f"{self.info.top} has no pin {name}." + did_you_mean(name, list(self._pins))
            )
        return name

    def struct(self, name: str) -> StructType:
        """A packed struct type of a package, "kumi_ip_pkg::udp_hdr_t" or just "udp_hdr_t"."""
        for full, rows in self.info.structs.items():
            if name in (full, full.split("::")[-1]):
                return StructType(full, rows)
        raise KeyError(f"no packed struct {name}." + did_you_mean(name, list(self.info.structs)))

    # ---- frames -----------------------------------------------------------------------------

    def send(
        self,
        port: str,
        frames: bytes | bytearray | int | Frame | Iterable[bytes | bytearray | int | Frame],
        **how: Any,
    ) -> None:
        """Queue frames to the node, which accepts them at its own pace.

        `how`: bad, user, users, id, dest as in Frame, t_ps (earliest time), piece_bytes (beats of
        another width). An integer is a record of a header stream.
        """
        prefix = self._port(port, "s")
        if isinstance(frames, bytes | bytearray | int | Frame):
            frames = [frames]
        kind = self._ports[prefix][1]
        for item in frames:
            t_ps = int(how.get("t_ps", 0))
            piece_bytes = int(how.get("piece_bytes", 0))
            if isinstance(item, Frame):
                frame = item
            elif isinstance(item, int):
                rx = self._width(prefix)
                frame = Frame(item.to_bytes((rx + 7) // 8, "little"))
            else:
                options = {k: v for k, v in how.items() if k not in ("t_ps", "piece_bytes")}
                frame = Frame(bytes(item), **options)
            if kind == "axil":
                raise KeyError(f"{port} is a register port: use axil_read and axil_write")
            users = list(frame.users) or ([frame.user] if frame.user else [])
            self.node.push(
                prefix, frame.data, users, frame.id, frame.dest, frame.bad, t_ps, piece_bytes
            )

    def _width(self, prefix: str) -> int:
        for port in self.info.ports:
            for way in (port.rx, port.tx):
                if way is not None and way.prefix[:-1] == prefix:
                    return way.bits
        raise KeyError(prefix)

    def recv(
        self, port: str, count: int | None = None, timeout_cycles: int = TIMEOUT_CYCLES
    ) -> list[Frame]:
        """Frames received from a port.

        With `count`: run until that many have arrived, or fail. Without: the frames available now.
        """
        prefix = self._port(port, "m")
        have = self._waiting.setdefault(prefix, [])
        have += self._pop(prefix)
        if count is None:
            self._after()
            out, self._waiting[prefix] = have, []
            return out
        if len(have) < count:
            good = self.node.run_until_frames(prefix, count - len(have), timeout_cycles)
            have += self._pop(prefix)
            self._after()
            if not good:
                raise Hang(
                    f"{len(have)} of {count} frames came out of {port} within {timeout_cycles} "
                    f"cycles (cycle {self.cycle})\n{self._picture()}"
                )
        self._waiting[prefix] = have[count:]
        return have[:count]

    def recv_data(
        self, port: str, count: int | None = None, timeout_cycles: int = TIMEOUT_CYCLES
    ) -> list[bytes]:
        """Like `recv`, but returns only the bytes."""
        return [f.data for f in self.recv(port, count, timeout_cycles)]

    def _period(self, prefix: str) -> int:
        """Clock period of a port."""
        for port in self.info.ports:
            for way in (port.rx, port.tx):
                if way is not None and way.prefix[:-1] == prefix:
                    clock = port.tx_clock if way is port.tx and port.tx_clock else port.clock
                    return self._config[0].get(clock) or 6400
        raise KeyError(prefix)

    def _pop(self, prefix: str) -> list[Frame]:
        period = self._period(prefix)
        return [
            Frame(
                f.data,
                f.bad,
                f.user,
                f.id,
                f.dest,
                list(f.users),
                f.t_first_ps // period,
                f.t_last_ps // period,
                f.beats,
                [t // period for t in f.beat_ps],
            )
            for f in self.node.pop(prefix)
        ]

    def sent(self, port: str) -> list[tuple[int, int]]:
        """(first, last) beat cycle of each frame that the node accepted since the last call."""
        prefix = self._port(port, "s")
        period = self._period(prefix)
        return [(a // period, b // period) for a, b in self.node.taken(prefix)]

    def waiting(self, port: str) -> int:
        """Frames that the node has not completely accepted."""
        return int(self.node.waiting(self._port(port, "s")))

    def stall(self, port: str, chance: float, seed: int = 1) -> None:
        """Random stalls in the given share of cycles.

        An input port of the node offers no beat, an output port is not ready, a memory port both.
        """
        prefix = self._port(port)
        own = self._stalls.setdefault(self._ports[prefix], [0.0, 0.0])
        if self._ports[prefix][1] == "axi":
            own[:] = [chance, chance]
        else:
            own[0 if prefix[0] == "s" else 1] = chance
        self.node.stall(prefix, own[0], own[1], seed)

    def stall_all(self, rx: float = 0.0, tx: float = 0.0, seed: int = 1) -> None:
        """Random stalls at every port: `rx` at inputs of the node, `tx` at its outputs.

        At a memory port `rx` applies to responses, and `tx` to addresses and write data.
        """
        for i, (prefix, (_, kind)) in enumerate(self._ports.items()):
            if kind == "axi":
                self._stalls[self._ports[prefix]] = [rx, tx]
                self.node.stall(prefix, rx, tx, seed * 1000 + i)
            elif kind not in ("axil", "lane", "sata", "ib"):
                self.stall(prefix, rx if prefix[0] == "s" else tx, seed * 1000 + i)

    def line(
        self, port: str, bits_per_second: float, overhead: int = 24, rx_limit_bytes: int = 0
    ) -> None:
        """Give an eth port a line rate (0: none) and a limit of bytes that wait before the node."""
        rate = 8e12 / bits_per_second if bits_per_second else 0.0
        self.node.line(self._port(port), rate, overhead, rx_limit_bytes)

    def stats(self, port: str) -> dict[str, int]:
        """Counters of a port (kumi_port_stats)."""
        return dict(self.node.stats(self._port(port)))

    # ---- time -------------------------------------------------------------------------------

    @property
    def cycle(self) -> int:
        """Cycles of the first clock since reset."""
        return int(self.node.cycle)

    def run(self, cycles: int = 1) -> None:
        """Run a number of cycles."""
        self.node.run(cycles)
        self._after()

    def run_until(
        self,
        condition: Callable[[], Any],
        timeout_cycles: int = TIMEOUT_CYCLES,
        step: int = 1,
        what: str = "the condition",
    ) -> int:
        """Run until condition() is true; returns the cycle. Raises Hang after the timeout."""
        end = self.cycle + timeout_cycles
        while not condition():
            if self.cycle >= end:
                raise Hang(
                    f"{what} did not come true within {timeout_cycles} cycles "
                    f"(cycle {self.cycle})\n{self._picture()}"
                )
            self.run(step)
        return self.cycle

    def drain(self, timeout_cycles: int = TIMEOUT_CYCLES, settle: int = 64) -> None:
        """Run until the node has accepted everything, and `settle` more cycles."""
        if not self.node.run_until_taken(timeout_cycles):
            self._after()
            raise Hang(
                f"the node did not take all that was sent within {timeout_cycles} cycles "
                f"(cycle {self.cycle})\n{self._picture()}"
            )
        self.run(settle)

    # ---- pins and registers -----------------------------------------------------------------

    def set(self, pin: str, value: int | Mapping[str, int]) -> None:
        """Drive an input pin from the next clock edge on; a packed struct also as a dict."""
        name = self._pin(pin)
        if isinstance(value, Mapping):
            value = StructType(name, self._fields.get(name, ())).pack(value)
        self.node.set_pin(name, int(value))

    def get(self, pin: str) -> int:
        """A pin's value just before the last clock edge."""
        return int(self.node.get_pin(self._pin(pin)))

    def get_struct(self, pin: str) -> dict[str, int]:
        """A packed struct pin, field by field."""
        name = self._pin(pin)
        return StructType(name, self._fields.get(name, ())).unpack(self.get(name))

    def watch(self, pin: str) -> None:
        """Start to count the cycles in which each bit of an output pin is high."""
        self.node.watch(self._pin(pin))

    def counts(self, pin: str) -> dict[str, int]:
        """Cycles in which each one-bit field of a watched pin was high (bits: "0", "1", ...)."""
        name = self._pin(pin)
        bits = self.node.watched(name)
        rows = self._fields.get(name)
        if rows:
            return {field: bits[low] for field, low, width in rows if width == 1}
        return {str(i): n for i, n in enumerate(bits)}

    def axil_read(self, addr: int, port: str = "s_axil") -> int:
        """Read a register; an error response raises."""
        data, resp = self.node.axil(self._port(port), False, addr)
        self._after()
        if resp != 0:
            raise DutFailed(f"read of 0x{addr:x}: response {resp}")
        return int(data)

    def axil_write(self, addr: int, data: int, port: str = "s_axil", strb: int = 15) -> None:
        """Write a register; an error response raises."""
        _, resp = self.node.axil(self._port(port), True, addr, data & 0xFFFFFFFF, strb)
        self._after()
        if resp != 0:
            raise DutFailed(f"write of 0x{addr:x}: response {resp}")

    def axil_response(self, write: bool, addr: int, data: int = 0, port: str = "s_axil") -> int:
        """The response code of one operation (0 OKAY, 2 SLVERR, 3 DECERR, 255 none)."""
        _, resp = self.node.axil(self._port(port), write, addr, data)
        self._after()
        return int(resp)

    def memory(self, port: str) -> DutMemory:
        """The memory behind an AXI4 port."""
        prefix = self._port(port, "m")
        if self._ports[prefix][1] != "axi":
            raise KeyError(f"port {port} of {self.info.top} has no memory")
        return DutMemory(self, prefix)

    def disk(self, port: str, seed: int = 1, **like: Any) -> Disk:
        """Attach a disk to a Serial ATA port, replacing any other; it is powered on now.

        `like`: see `clusterfile.disk_options.settings`; default: 64 MiB in memory.
        """
        prefix = self._sata(port)
        if "size" not in like and "file" not in like:
            like["size"] = 64 << 20
        name = self._ports[prefix][0]
        sectors = self.node.disk(prefix, name, disk_settings(seed=seed, **like))
        return Disk(DutDisk(self, prefix), name, int(sectors))

    def disk_remove(self, port: str) -> None:
        """Detach the disk of a Serial ATA port; unwritten cache content is lost."""
        self.node.disk_remove(self._sata(port))

    def _sata(self, port: str) -> str:
        prefix = self._port(port, "s")
        if self._ports[prefix][1] != "sata":
            raise KeyError(f"port {port} of {self.info.top} is not a Serial ATA port")
        return prefix

    # ---- lanes ------------------------------------------------------------------------------

    def lane_cable(
        self,
        a: str,
        b: str | None = None,
        latency_cycles: int = 20,
        skew_ps: int = 0,
        ber: float = 0.0,
        seed: int = 1,
        noise: bool = False,
    ) -> None:
        """Connect two lanes or InfiniBand ports, or one to itself, as a cluster's cable does.

        The seed determines the receiver's block boundary. `noise`: a dark line carries noise.
        """
        ends = [self._port(a, "s"), self._port(b or a, "s")]
        ways = dict.fromkeys([(ends[0], ends[1]), (ends[1], ends[0])])
        for i, (source, target) in enumerate(ways):
            latency = latency_cycles * self._period(target)
            self.node.lane_tie(source, target, latency, skew_ps, ber, 2 * seed + i, noise)

    def lane_plug(self, lane: str, plugged: bool) -> None:
        """Plug the sending end of a lane's cable in or out."""
        self.node.lane_plug(self._port(lane, "s"), plugged)

    def ib_flip(self, port: str, lane: int, bit: int) -> None:
        """Spoil a bit of what a lane of an InfiniBand port sends in the next cycle."""
        self.node.ib_flip(self._port(port, "s"), lane, bit)

    def lane_send(self, lane: str, blocks: Sequence[tuple[int, int]], shift: int = 66) -> None:
        """Queue (data, head) blocks at a lane without a cable, one per cycle.

        `shift` counts only at the first block: alignment of the window, 66 for whole blocks.
        """
        self.node.lane_push(self._port(lane, "s"), list(blocks), shift)

    def lane_keep(self, lane: str) -> None:
        """Start to record the blocks that leave a lane."""
        self.node.lane_keep(self._port(lane, "s"))

    def lane_sent(self, lane: str) -> list[tuple[int, int, int]]:
        """(cycle, data, head) of the blocks that left a lane since the last call."""
        prefix = self._port(lane, "m")
        period = self._period(prefix)
        return [(t // period, data, head) for t, data, head in self.node.lane_take(prefix)]

    # ---- what went wrong --------------------------------------------------------------------

    @property
    def messages(self) -> list[tuple[int, str]]:
        """Messages of the design: (level, text)."""
        return list(self.node.messages)

    def protocol_errors(self) -> dict[str, int]:
        """Protocol errors by port."""
        out = {p: self.stats(p)["protocol_errors"] for p in self._ports}
        return {p: n for p, n in out.items() if n}

    def _check_failed(self) -> None:
        text = self.node.failed
        if text is not None:
            said = "\n".join(t for _, t in self.messages[-10:])
            raise DutFailed(f"{text} (cycle {self.cycle})\n{said}")

    def _after(self) -> None:
        self._check_failed()
        if self.check and self.node.protocol_errors:
            errors = self.protocol_errors()
            raise ProtocolError(f"stream rules broken: {errors} (cycle {self.cycle})")

    def _picture(self) -> str:
        rows = []
        for prefix, (_, kind) in self._ports.items():
            s = self.stats(prefix)
            way = "rx" if prefix[0] == "s" else "tx"
            line = f"  {prefix}: {s[way + '_frames']} frames, {s[way + '_beats']} beats"
            if way == "rx" and kind not in ("axil", "lane", "sata", "ib"):
                line += f", {self.node.waiting(prefix)} frames not taken, {s['rx_wait']} waits"
            rows.append(line)
        for level, text in self.messages[-5:]:
            rows.append(f"  [{level}] {text}")
        return "\n".join(rows)
