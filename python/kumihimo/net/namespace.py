# SPDX-License-Identifier: Apache-2.0
"""A private network for a cluster's Linux side, without root if the system allows it.

A small child process (`holder.py`) lives in the new namespace; the caller keeps its own network
and gets the TAPs' descriptors. Programs are started inside with `nsenter`.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..common import tools
from ..common.closing import Closing
from ..common.errors import EnvironmentProblem

_HOLDER = Path(__file__).with_name("holder.py")
_SETUP_SECONDS = 60.0


@dataclass(frozen=True)
class TapConfig:
    """Configuration of a TAP; without a MAC address a TUN, which carries bare IP packets."""

    name: str
    mac: str
    ip: str = ""
    mtu: int = 1500
    ip6: str = "none"
    """An address with its prefix length; `auto`: only that of the link; `none`: no IPv6."""


@dataclass(frozen=True)
class Inside:
    """How to start a program in a namespace; can be stored in a file and used elsewhere."""

    pid: int
    user: bool
    hosts: bool

    def command(self, argv: Sequence[str]) -> list[str]:
        """The command line that runs `argv` inside."""
        nsenter = shutil.which("nsenter") or shutil.which("nsenter", path="/usr/bin:/bin")
        if nsenter is None:
            raise EnvironmentProblem(
                "The program nsenter is missing.", "Run: apt-get install util-linux"
            )
        out = [nsenter, f"--target={self.pid}", "--net"]
        if self.user:
            out += ["--user", "--preserve-credentials"]
        if self.hosts:
            out += ["--mount", f"--wdns={os.getcwd()}"]
        return [*out, "--", *argv]

    def alive(self) -> bool:
        """Whether the namespace's holder process is alive."""
        try:
            return _HOLDER.name in Path(f"/proc/{self.pid}/cmdline").read_text()
        except OSError:
            return False


class Namespace(Closing):
    """A private network namespace with TAPs. Close it, or use it in a `with`."""

    def __init__(
        self,
        taps: Sequence[TapConfig],
        hosts: Mapping[str, str] | None = None,
        hosts6: Mapping[str, str] | None = None,
    ) -> None:
        here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._channel = here
        with there:
            self._process = tools.begin(
                [sys.executable, "-I", "-S", str(_HOLDER), str(there.fileno())],
                lasting=True,
                pass_fds=[there.fileno()],
                stdin=subprocess.DEVNULL,
            )
        self.tap_fds: dict[str, int] = {}
        try:
            answer, fds = self._ask(taps, [*(hosts or {}).items(), *(hosts6 or {}).items()])
        except BaseException:
            self.close()
            raise
        if not answer.get("ok"):
            self.close()
            raise explain(str(answer["step"]), int(answer["errno"]), str(answer.get("text", "")))
        for fd in fds:
            os.set_inheritable(fd, False)
        self.tap_fds = dict(zip((t.name for t in taps), fds, strict=True))
        self.inside = Inside(self._process.pid, bool(answer["user"]), bool(answer["hosts"]))

    def _ask(
        self, taps: Sequence[TapConfig], hosts: Sequence[tuple[str, str]]
    ) -> tuple[dict[str, Any], list[int]]:
        lines = "".join(f"{ip}\t{name}\n" for name, ip in hosts)
        request = {"taps": [t.__dict__ for t in taps], "hosts": lines}
        self._channel.settimeout(_SETUP_SECONDS)
        try:
            self._channel.send(json.dumps(request).encode())
            data, fds, _flags, _address = socket.recv_fds(self._channel, 1 << 16, len(taps) + 1)
        except (TimeoutError, OSError):
            data, fds = b"", []
        if not data:
            raise EnvironmentProblem(
                "The helper that makes the private network ended early.", DOCTOR
            )
        return json.loads(data), fds

    @property
    def pid(self) -> int:
        """Process that holds the namespace."""
        return self._process.pid

    def popen(self, argv: Sequence[str], **options: Any) -> tools.Tool:
        """Start a program inside."""
        return tools.begin(self.inside.command(argv), **options)

    def run(self, argv: Sequence[str], timeout: float = 60.0) -> subprocess.CompletedProcess[str]:
        """Run a program inside and capture its output."""
        return tools.run(self.inside.command(argv), timeout=timeout)

    def close(self) -> None:
        """Release the namespace. It exists until the last program inside ends."""
        for fd in self.tap_fds.values():
            os.close(fd)
        self.tap_fds = {}
        self._channel.close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(5)


DOCTOR = "`kumi doctor` shows what this machine lacks."


def _sysctl(path: str) -> str:
    try:
        return Path("/proc/sys", path).read_text().strip()
    except OSError:
        return ""


def explain(step: str, number: int, text: str = "") -> EnvironmentProblem:
    """Error message for a step that the system denied."""
    reason = text or (os.strerror(number) if number else "")
    if step == "user namespace":
        what = (
            "This system does not let an ordinary user make a network of its own (user namespaces)."
        )
        if _sysctl("kernel/apparmor_restrict_unprivileged_userns") == "1":
            return EnvironmentProblem(
                what,
                "Run: sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0 "
                "(or use sudo kumi).",
            )
        if _sysctl("kernel/unprivileged_userns_clone") == "0":
            return EnvironmentProblem(
                what, "Run: sudo sysctl -w kernel.unprivileged_userns_clone=1"
            )
        if _sysctl("user/max_user_namespaces") == "0":
            return EnvironmentProblem(what, "Run: sudo sysctl -w user.max_user_namespaces=15000")
        return EnvironmentProblem(
            what,
            "Run it as root; in a container add `--cap-add SYS_ADMIN --cap-add NET_ADMIN "
            "--security-opt seccomp=unconfined --device /dev/net/tun`.",
        )
    if step == "network namespace":
        return EnvironmentProblem(
            f"No private network could be made ({reason}).", "Run it as root."
        )
    if step == "open /dev/net/tun":
        if number == errno.ENOENT:
            hint = "Run: sudo modprobe tun (in a container start it with `--device /dev/net/tun`)."
            return EnvironmentProblem("/dev/net/tun does not exist.", hint)
        if number == errno.ENODEV:
            return EnvironmentProblem("/dev/net/tun has no driver.", "Run: sudo modprobe tun")
        hint = "Run: sudo chmod 666 /dev/net/tun (in a container: `--device /dev/net/tun`)."
        return EnvironmentProblem(f"No permission to open /dev/net/tun ({reason}).", hint)
    if step == "IPv6":
        hint = "Leave out `ip6:` of the TAPs, or take a kernel with IPv6."
        return EnvironmentProblem(f"Linux has no IPv6 here ({reason}).", hint)
    if step == "make a TAP":
        hint = "In a container add `--cap-add NET_ADMIN`; else run it as root."
        return EnvironmentProblem(f"The system refused a TAP ({reason}).", hint)
    if step == "ip program":
        if number == errno.ENOENT:
            return EnvironmentProblem(
                "The program `ip` is missing.", "Run: apt-get install iproute2"
            )
        return EnvironmentProblem(f"The private network could not be set up: {reason}.", DOCTOR)
    return EnvironmentProblem(
        f"The private network could not be set up ({step}: {reason}).", DOCTOR
    )


def probe() -> EnvironmentProblem | None:
    """Try to create a namespace with a TAP, for `kumi doctor`. None: it works."""
    try:
        with Namespace([TapConfig("probe0", "02:00:00:00:00:01", "10.77.0.1/24")]):
            return None
    except EnvironmentProblem as problem:
        return problem
