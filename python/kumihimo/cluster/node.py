# SPDX-License-Identifier: Apache-2.0
"""A node of a running cluster: its registers, channels, memories and pins."""

from __future__ import annotations

import ipaddress
import time
from typing import TYPE_CHECKING, Any

from ..clusterfile import NodePlan, units
from ..common.attributes import FixedAttributes
from ..common.errors import KumiError, did_you_mean
from ..hls.host import KernelHandle, kernel_names
from .backends import Mmio, NodeMemory
from .channel import Channel
from .memory import Memory
from .running import RunningCluster
from .setup_regs import DEFAULT_CLOCK
from .steering import Steering

if TYPE_CHECKING:
    from ..build import BuildResult
    from ..rdma import Rdma
    from ..regs import RegisterMap


class Node(FixedAttributes):
    """One FPGA of a running cluster."""

    def __init__(
        self, cluster: RunningCluster, placed: NodePlan, index: int, built: BuildResult
    ) -> None:
        self._cluster = cluster
        self._plan = placed
        self.index = index
        self._built = built
        self._regs: RegisterMap | None = None
        self._kernels: dict[str, KernelHandle] = {}
        self._rdma: Rdma | None = None
        self.channels: dict[str, Channel] = {}
        """Stream ports other than Ethernet, by name."""
        self._fix()

    @property
    def name(self) -> str:
        """Name in the cluster file."""
        return self._plan.name

    @property
    def design(self) -> str:
        """Name of the design."""
        return self._plan.spec.design

    @property
    def ip(self) -> str | None:
        """IPv4 address, without the prefix length; with `ip: dhcp` that of its lease, if any."""
        if self._plan.spec.ip == "dhcp":
            leased = int(self.regs.dhcp.ip.read())
            return str(ipaddress.IPv4Address(leased)) if leased else None
        return str(self._plan.ip.ip) if self._plan.ip else None

    @property
    def mac(self) -> str:
        """MAC address."""
        return self._plan.mac

    @property
    def clock_hz(self) -> float:
        """Frequency of the core clock."""
        return self._plan.spec.clocks.get("clk", DEFAULT_CLOCK)

    @property
    def has_registers(self) -> bool:
        """Whether the design has an AXI4-Lite port that is not of a host port, hence a guest's."""
        return self._built.info.register_port is not None

    @property
    def busy(self) -> bool | None:
        """The design's own word on whether frames are inside: its pin `busy`; None: it has none."""
        if not any(pin.name == "busy" and pin.output for pin in self._built.info.pins):
            return None
        return bool(self.pin("busy"))

    @property
    def mmio(self) -> Mmio:
        """Registers by address, at the design's first AXI4-Lite port that is not a guest's."""
        port = self._built.info.register_port
        if port is not None:
            return Mmio(self._cluster.engine, self.index, port)
        raise KumiError(f"The design {self.design} of {self.name} has no AXI4-Lite port.")

    @property
    def regs(self) -> RegisterMap:
        """Registers by name; blocks are discovered through the identity block."""
        if self._regs is None:
            from ..regs import RegisterMap

            self._regs = RegisterMap(self.mmio)
        return self._regs

    @property
    def rdma(self) -> Rdma:
        """Verbs of a design with RDMA (`roce_endpoint`); always the same object."""
        if self._rdma is None:
            from ..rdma import Rdma

            self._rdma = Rdma(self.name, self.regs.rdma, self.memory("mem"), self._let_time_pass)
        return self._rdma

    def _let_time_pass(self) -> None:
        if self._cluster.is_serving:
            time.sleep(0.002)
        else:
            self._cluster.run("2 us")

    def release(self) -> None:
        """Forget the register map, which holds on to the engine."""
        self._regs = None
        self._rdma = None

    @property
    def stats(self) -> dict[str, Any]:
        """Cycles, and frames, beats and bytes of each port."""
        return dict(self._cluster.stats()["nodes"][self.name])

    def channel(self, name: str) -> Channel:
        """A stream port other than Ethernet, to read and write."""
        try:
            return self.channels[name]
        except KeyError:
            hint = did_you_mean(name, self.channels).strip()
            have = f"It has {', '.join(self.channels)}." if self.channels else "It has none."
            text = f"The design {self.design} of {self.name} has no channel {name}."
            raise KumiError(text, hint or have) from None

    def memory(self, name: str = "") -> Memory:
        """The memory behind an AXI4 port; the name may be omitted if there is only one."""
        ports = [port.name for port in self._built.info.ports if port.kind == "axi"]
        if not name and len(ports) == 1:
            name = ports[0]
        if name not in ports:
            hint = did_you_mean(name, ports).strip()
            have = f"It has {', '.join(ports)}." if ports else "It has none."
            text = (
                f"The design {self.design} of {self.name} has no memory port {name}".rstrip() + "."
            )
            raise KumiError(text, hint or have)
        return Memory(NodeMemory(self._cluster, self.name, self.index, name))

    def steering(self, host: str = "host") -> Steering:
        """The table of flows of a network card (design `nic`), at a host port."""
        if not any(port.kind == "axil" and port.name == host for port in self._built.info.ports):
            text = f"The design {self.design} of {self.name} has no host port {host}."
            raise KumiError(text)
        return Steering(Mmio(self._cluster.engine, self.index, host))

    def kernel(self, name: str) -> KernelHandle:
        """An OpenCL kernel of the design, to start and wait for; always the same object."""
        if name not in self._kernels:
            handle = KernelHandle(name, self.regs, self._cluster.run, units.time_ps)
            self._kernels[name] = handle
        return self._kernels[name]

    @property
    def kernels(self) -> list[str]:
        """Names of the design's OpenCL kernels."""
        names = (name for block in self.regs for name in kernel_names(self.regs[block]))
        return list(dict.fromkeys(names))

    @property
    def now_ps(self) -> int:
        """Simulated time of its cluster, in picoseconds."""
        return self._cluster.now_ps

    def pin(self, name: str) -> int:
        """Value of an output pin."""
        return int(self._cluster.engine.pin(self.index, name))

    def set_pin(self, name: str, value: int) -> None:
        """Drive an input pin from the next clock edge on."""
        self._cluster.engine.set_pin(self.index, name, value)

    def __repr__(self) -> str:
        address = self._plan.ip.ip if self._plan.ip else self._plan.spec.ip
        return f"<Node {self.name}: {self.design} at {address}>"
