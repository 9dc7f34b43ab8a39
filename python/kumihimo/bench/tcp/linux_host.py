# SPDX-License-Identifier: Apache-2.0
"""A station that is the Linux kernel: a namespace with one TAP and the servers of a TCP node.

Whoever makes it holds the other end of the TAP (`fd`) and is the cable.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from kumihimo.common.closing import Closing
from kumihimo.common.errors import EnvironmentProblem
from kumihimo.common.tools import Tool
from kumihimo.net import Namespace, TapConfig

SERVER = Path(__file__).with_name("linux_server.py")

# One command for all settings. A kernel that lacks one keeps its own way; what it does then is
# within the RFCs too, only slower to test.
_SET = 'for a in "$@"; do echo "${a#*=}" > "/proc/sys/net/ipv4/${a%%=*}"; done 2>/dev/null; true'


class LinuxStation(Closing):
    """A private Linux host at the end of a cable. Close it, or use it in a `with`."""

    def __init__(
        self,
        name: str = "linux0",
        address: str = "10.77.0.1/24",
        mac: str = "02:4b:4d:00:01:01",
        mtu: int = 9000,
        settings: Mapping[str, str | int] | None = None,
        hosts: Mapping[str, str] | None = None,
    ) -> None:
        """Make the namespace. `settings` are names below /proc/sys/net/ipv4."""
        self.name = name
        self.ip = address.partition("/")[0]
        self.mac = mac
        self.namespace = Namespace([TapConfig(name, mac, address, mtu)], hosts)
        self.fd = self.namespace.tap_fds[name]
        self._server: Tool | None = None
        if settings:
            words = [f"{key}={value}" for key, value in settings.items()]
            self.namespace.run(["sh", "-c", _SET, "sh", *words])

    def serve(self, arguments: Sequence[str] = ()) -> None:
        """Start the servers, and wait until their ports are open."""
        argv = [sys.executable, "-I", "-S", str(SERVER), *arguments]
        self._server = self.namespace.popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._server.stdout is not None
        if self._server.stdout.readline().strip() != "ready":
            raise EnvironmentProblem("The TCP servers did not start.", "`kumi doctor` may say why.")

    def counter(self, group: str, name: str) -> int:
        """A counter of /proc/net/snmp or netstat, as ("Tcp", "InCsumErrors")."""
        text = self.namespace.run(["cat", "/proc/net/snmp", "/proc/net/netstat"]).stdout
        heads: dict[str, list[str]] = {}
        for line in text.splitlines():
            key, _, rest = line.partition(":")
            if key not in heads:
                heads[key] = rest.split()
            elif key == group:
                return int(dict(zip(heads[key], rest.split(), strict=True))[name])
        raise KeyError(f"{group}.{name}")

    def close(self) -> None:
        """End the servers and let the namespace go."""
        if self._server is not None:
            assert self._server.stdin is not None and self._server.stdout is not None
            self._server.end()
            self._server.stdin.close()
            self._server.stdout.close()
            self._server = None
        self.namespace.close()


def read_frame(fd: int) -> bytes | None:
    """The next frame that Linux sent, if there is one."""
    try:
        return os.read(fd, 1 << 16)
    except BlockingIOError:
        return None
