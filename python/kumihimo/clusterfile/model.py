# SPDX-License-Identifier: Apache-2.0
"""Pydantic models of a cluster file's sections, with quantities in base units.

The models check single fields; `resolve` checks what involves several sections (endpoints,
addresses). The JSON schema for editors is generated from the same models (`schema`).
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from .fields import (
    ByteRate,
    Chance,
    Endpoint,
    Frequency,
    Ip6Interface,
    IpAddress,
    IpInterface,
    IpNetwork,
    Latency,
    Mac,
    Memory,
    Name,
    NodeIp,
    Rate,
    RegisterValue,
    Size,
    Skew,
    Span,
    Time,
)


class Section(BaseModel):
    """Base of every section: unknown fields are errors, values are not coerced."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Impairments(Section):
    """Impairments of one direction of a cable."""

    loss: Chance = Field(0.0, description="Chance that a frame is lost")
    ber: Chance = Field(
        0.0, description="Chance that a bit is wrong (the frame then fails its FCS)"
    )
    duplicate: Chance = Field(0.0, description="Chance that a frame arrives twice")
    reorder: Chance = Field(0.0, description="Chance that a frame is held back")
    reorder_gap: Annotated[int, Field(ge=1, le=1000)] = Field(
        3, description="Number of later frames that overtake a reordered one"
    )
    jitter: Time = Field(0, description="Largest random addition to the latency")


class MemorySpec(Section):
    """The memory behind an AXI4 port of a node."""

    size: Size = Field(2**32, description="Bytes; accesses beyond return DECERR")
    latency: Time = Field(100_000, description="From the address to the response")
    jitter: Time = Field(0, description="Largest random addition to the latency, per burst")
    bandwidth: Rate | None = Field(None, description="Per direction (default: no limit)")
    shared: bool = Field(False, description="Both directions share the bandwidth")
    reorder: bool = Field(False, description="Bursts with different ids may complete in any order")
    interleave: bool = Field(
        False, description="With `reorder`: read beats of different ids may alternate"
    )

    @model_validator(mode="after")
    def _some_bytes(self) -> MemorySpec:
        if self.size == 0:
            raise ValueError("a memory has at least one byte")
        return self


Rank = Annotated[int, Field(ge=0)] | None


class NodeSpec(Section):
    """One FPGA: a design, its clocks, its addresses and the registers written before time zero."""

    design: str = Field(
        description="Name of a node in hw/node (`udp_echo`), or path of a .sv file beside this file"
    )
    params: dict[str, int | bool | str] = Field(
        default={}, description="Parameters of the top module"
    )
    detail: Literal["rtl", "model"] = Field(
        "rtl",
        description="The RTL, or a faster model of the same behaviour: of `ib_switch`, "
        "and of `link` as a board that forwards (`LANES: 1`, no host and no kernel)",
    )
    clocks: dict[str, Frequency] = Field(default={}, description="Clock frequencies by clock name")
    mac: Mac = Field("auto", description="MAC address of eth0")
    ip: NodeIp = Field("auto", description="IPv4 address of eth0; `dhcp`: from a server")
    ip6: Ip6Interface = Field(
        "none", description="IPv6 beside it: a global address, `auto`: of the link and from routers"
    )
    gateway: IpAddress | None = Field(None, description="Router for addresses outside the network")
    timers: Literal["product", "fast"] = Field(
        "product", description="TCP timers: the engine's reset values, or ones for a simulation"
    )
    regs: dict[str, RegisterValue] = Field(
        default={},
        description="`block.register`, `block.register.field` or a byte address, to value",
    )
    memories: dict[str, MemorySpec] = Field(
        default={}, description="Memories by the name of the node's AXI4 port"
    )
    open_ports: list[str] = Field(default=[], description="Ports intentionally without a cable")
    trace: bool = Field(False, description="Build with waveforms (slower)")
    rank: Rank = Field(None, description="Process that holds it, with `kumi up --ranks`")


class SwitchSpec(Section):
    """A learning Ethernet switch."""

    ports: Annotated[int, Field(ge=2, le=256)] = 8
    mode: Literal["store-and-forward", "cut-through"] = "store-and-forward"
    latency: Time = Field(322_000, description="From decision to first bit out")
    queue: Size = Field(131_072, description="Queue of one port")
    pause: bool = Field(False, description="Send and obey IEEE 802.3x PAUSE")
    pfc: bool = Field(False, description="Send and obey priority flow control")
    ageing: Time = Field(300 * 10**12, description="Time after which an unused address expires")
    rank: Rank = Field(None, description="Process that holds it, with `kumi up --ranks`")


class CableSpec(Impairments):
    """A cable; both directions are equal unless `a_to_b` or `b_to_a` differ.

    Between lanes it has `latency`, `ber`, `skew`, `dark` and `unplugged`; `alice.l0` means every
    lane `l0_0`, `l0_1`, ... Between InfiniBand ports (`alice.p1`) it has the same, for all lanes of
    the port together. Twice the same end is a loop.
    """

    between: Annotated[list[Endpoint], Field(min_length=2, max_length=2)] = Field(
        description="Two ends: `node.port`, `switch` (next free port), `switch.3`, `tap`, `peer`"
    )
    rate: Rate = Field(10e9, description="Line rate")
    latency: Latency = Field(500_000, description="Propagation time")
    skew: Skew = Field(
        0, description="Lanes, InfiniBand: largest extra latency, or one time per lane"
    )
    dark: Literal["zeros", "noise"] = Field(
        "zeros", description="Lanes, InfiniBand: input of the receiver while unplugged"
    )
    unplugged: list[Span] = Field(
        default=[], description="Lanes, InfiniBand: times at which the cable is unplugged"
    )
    a_to_b: Impairments | None = Field(None, description="Impairments of the first direction only")
    b_to_a: Impairments | None = Field(None, description="Impairments of the second direction only")

    @model_validator(mode="after")
    def _some_latency(self) -> CableSpec:
        if self.latency < 1_000:
            raise ValueError("a cable needs a latency of at least 1 ns (0.2 m of fibre)")
        return self

    def direction(self, forward: bool) -> Impairments:
        """Impairments of one direction."""
        special = self.a_to_b if forward else self.b_to_a
        if special is not None:
            return special
        return Impairments.model_construct(
            **{name: getattr(self, name) for name in Impairments.model_fields}
        )


class ChannelSpec(Section):
    """A channel from kernels of one node to kernels of another, over the Ethernet transport."""

    source: Endpoint = Field(
        alias="from", description="`node.NAME`: its kernels write io(`remote_NAME`)"
    )
    to: Endpoint = Field(description="`node.NAME`: its kernels read io(`remote_NAME`)")


class TapSpec(Section):
    """A Linux network interface inside the cluster's private network namespace."""

    ip: IpInterface = "auto"
    ip6: Ip6Interface = Field(
        "none", description="IPv6 beside it: a global address; `auto`: that of the link"
    )
    mac: Mac = "auto"
    mtu: Annotated[int, Field(ge=576, le=16000)] = 9000


class PeerSpec(Section):
    """A UNIX stream socket that carries frames (a virtual machine, a program of your own)."""

    socket: str = Field(description="Path of the socket, relative to this file")
    listen: bool = Field(True, description="Wait for the peer, or connect to it")


class HostSpec(Section):
    """A guest at a host port of a node: a vhost-user socket that this end listens at."""

    port: Endpoint = Field(description="`node.port`")
    socket: str = Field(description="Path of the socket, relative to this file")


class GuestSpec(Section):
    """A Linux whose network card is a node; its socket is in the folder of the run."""

    port: Endpoint = Field(description="`node.port`, a host port")
    kind: Literal["uml", "qemu"] = Field(
        "uml", description="Linux in user mode, or Debian's kernel in QEMU"
    )
    script: str | None = Field(
        None, description="Shell commands that `kumi up` lets it run as root; none: `kumi guest`"
    )
    memory: Memory = Field(256 << 20, description="Of the guest")


FAULT_NAMES = (
    "slow, hang, resume, refuse, bad_crc, line_errors, bad_sectors, repair, "
    "corrupt, drop_writes, unplug, plug, power_cut, power_on"
)


class FaultArguments(Section):
    """Arguments of a disk's faults; each takes some of them."""

    factor: float | None = Field(None, description="slow: factor on all access times")
    forever: bool | None = Field(None, description="hang: not even COMRESET ends it")
    share: Chance | None = Field(
        None, description="refuse, bad_crc: of the FISes; line_errors: of the bits"
    )
    lba: Annotated[int, Field(ge=0)] | None = Field(None, description="First sector")
    count: Annotated[int, Field(ge=1)] | None = Field(
        None, description="Sectors; drop_writes: writes"
    )
    permanent: bool | None = Field(None, description="bad_sectors: writing does not repair them")

    def arguments(self) -> dict[str, Any]:
        """Given arguments, by name."""
        given = self.model_dump(include=set(FaultArguments.model_fields))
        return {name: value for name, value in given.items() if value is not None}


class DiskFaultSpec(FaultArguments):
    """A fault of a disk, or its end."""

    do: str = Field(description=FAULT_NAMES)
    at: Time = Field(0, description="When")


class EventSpec(FaultArguments):
    """What happens at a simulated time, or once when a condition holds."""

    at: Time | None = Field(None, description="When, in simulated time")
    when: str | None = Field(
        None, description="In place of `at`: a condition, like `alice.echo.drop_port>0`"
    )
    do: Literal["unplug", "plug", "impair", "flip", "write", "reset", "fault"] = Field(
        description="A cable, a register, a node, or a disk"
    )
    cable: Endpoint | None = Field(
        None,
        description="unplug, plug, impair, flip: an end of the cable (`alice.eth0`), a lane or a "
        "link",
    )
    direction: Literal["a_to_b", "b_to_a"] | None = Field(
        None, description="impair: of this direction only; flip: of this one, default a_to_b"
    )
    lane: Annotated[int, Field(ge=0, le=3)] | None = Field(
        None, description="flip: lane of an InfiniBand cable, default 0"
    )
    bit: Annotated[int, Field(ge=0, le=39)] | None = Field(
        None, description="flip: bit of what the lane carries in that clock cycle, 0 first"
    )
    loss: Chance | None = Field(None, description="impair: as of a cable; so are the next five")
    ber: Chance | None = None
    duplicate: Chance | None = None
    reorder: Chance | None = None
    reorder_gap: Annotated[int, Field(ge=1, le=1000)] | None = None
    jitter: Time | None = None
    node: Name | None = Field(None, description="reset: this node")
    reg: str | None = Field(
        None, description="write: `node.block.register`, a field of it, or `node.0x1000`"
    )
    value: RegisterValue | None = Field(None, description="write: what")
    disk: Name | None = Field(None, description="fault: of this disk")
    fault: str | None = Field(None, description=f"fault: {FAULT_NAMES}")


class DiskSpec(Section):
    """A disk at a Serial ATA port of a node. Defaults are those of the profile."""

    port: Endpoint = Field(description="`node.port`")
    profile: Literal["ssd", "hdd"] = "ssd"
    size: Size | None = Field(None, description="Default: size of the file")
    file: str | None = Field(
        None, description="Holds the content, relative to this file (default: memory)"
    )
    snapshot: bool = Field(False, description="Never write the file; changes are lost")
    read_rate: ByteRate | None = Field(None, description="Of the medium, in its first zone")
    write_rate: ByteRate | None = None
    latency: Time | None = Field(
        None, description="SSD: before the data of a read that was not read ahead"
    )
    write_latency: Time | None = Field(None, description="SSD: before data is on the medium")
    jitter: Time | None = Field(None, description="SSD: largest random addition")
    read_ahead: Size | None = Field(None, description="Read-ahead")
    cache: Size | None = Field(None, description="Capacity of the write cache")
    rpm: Annotated[int, Field(ge=1000, le=20000)] | None = None
    seek_min: Time | None = Field(None, description="HDD: to the next track")
    seek_max: Time | None = Field(None, description="HDD: from edge to edge")
    zones: Annotated[int, Field(ge=1, le=1000)] | None = None
    inner_rate: Annotated[float, Field(gt=0, le=1)] | None = Field(
        None, description="HDD: rate of the innermost zone, relative to the outermost"
    )
    queue_depth: Annotated[int, Field(ge=0, le=32)] | None = Field(
        None, description="Maximum number of queued commands; 0: no queueing"
    )
    trim: bool | None = None
    serial: Annotated[str, Field(max_length=20)] | None = Field(None, description="Default: name")
    model: Annotated[str, Field(max_length=40)] | None = None
    ready: Time | None = Field(None, description="From power-on to the signature")
    line: Time | None = Field(None, description="Delay of each direction, transceivers included")
    cont: bool | None = Field(None, description="Send CONT in place of repeated primitives")
    hold: Chance | None = Field(None, description="Probability of HOLD at each word of a frame")
    faults: list[DiskFaultSpec] = []

    @model_validator(mode="after")
    def _content(self) -> DiskSpec:
        if self.size is None and self.file is None:
            raise ValueError("a disk needs a `size`, a `file`, or both")
        if self.size is not None and (self.size == 0 or self.size % 512):
            raise ValueError("the size of a disk is a multiple of 512 bytes, and not zero")
        if self.cache is not None and self.cache < 32 * 1024:
            raise ValueError("the cache of a disk has at least 32 KiB")
        return self

    def settings(self) -> dict[str, Any]:
        """Given options, by the names of `kumihimo.clusterfile.disk_options.settings`."""
        times = ("latency", "write_latency", "jitter", "seek_min", "seek_max", "ready", "line")
        out: dict[str, Any] = {}
        for name, value in self.model_dump(exclude={"port", "faults", "file", "snapshot"}).items():
            if value is None:
                continue
            if name in ("read_ahead", "cache"):
                value //= 512
            out[f"{name}_ps" if name in times else name] = value
        return out


class Defaults(Section):
    """Default fields of all nodes, cables and so on."""

    node: dict[str, Any] = {}
    cable: dict[str, Any] = {}
    switch: dict[str, Any] = {}
    tap: dict[str, Any] = {}
    disk: dict[str, Any] = {}


class ClusterFile(Section):
    """A cluster file."""

    name: Name = "cluster"
    description: str = ""
    seed: Annotated[int, Field(ge=0, lt=2**64)] = Field(1, description="Seed of all random numbers")
    network: IpNetwork = Field("10.77.0.0/24", description="Range of `auto` addresses")
    wall_timers: bool = Field(
        False, description="Time-outs of nodes towards Linux follow wall time while served"
    )
    include: list[str] = Field(default=[], description="Cluster files to merge")
    defaults: Defaults = Defaults()
    nodes: dict[Name, NodeSpec] = {}
    switches: dict[Name, SwitchSpec] = {}
    cables: list[CableSpec] = []
    channels: list[ChannelSpec] = Field(
        default=[], description="Channels between OpenCL kernels of different nodes"
    )
    taps: dict[Name, TapSpec] = {}
    peers: dict[Name, PeerSpec] = {}
    hosts: dict[Name, HostSpec] = {}
    guests: dict[Name, GuestSpec] = {}
    disks: dict[Name, DiskSpec] = {}
    events: list[EventSpec] = Field(default=[], description="What happens at simulated times")
    capture: list[Endpoint] | None = Field(None, description="Stations to capture (default: all)")
