# SPDX-License-Identifier: Apache-2.0
"""The process that holds a private network namespace (started by `namespace.py`, stdlib only).

It moves itself into a new network namespace (inside a new user namespace if necessary), creates
the TAPs there, passes their descriptors to its parent over a socket, and stays until that socket
closes. The parent's own network is never left or changed.

Argument: the number of an inherited UNIX socket. One JSON request, one JSON answer; on
success the answer carries one descriptor per TAP.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile

CLONE_NEWNS = 0x00020000
CLONE_NEWUSER = 0x10000000
CLONE_NEWNET = 0x40000000
MS_BIND = 0x1000
MS_REC = 0x4000
MS_PRIVATE = 0x40000
TUNSETIFF = 0x400454CA
IFF_TUN = 0x0001
IFF_TAP = 0x0002
IFF_NO_PI = 0x1000

_libc = ctypes.CDLL(None, use_errno=True)


class Refused(Exception):
    """A step that the system denied: a short name of the step, and the errno."""

    def __init__(self, step: str, number: int, text: str = "") -> None:
        super().__init__(step)
        self.step = step
        self.number = number
        self.text = text


def _call(step: str, result: int) -> None:
    if result != 0:
        raise Refused(step, ctypes.get_errno())


def _write(step: str, path: str, text: str) -> None:
    try:
        with open(path, "wb", buffering=0) as file:
            file.write(text.encode())
    except OSError as problem:
        raise Refused(step, problem.errno or 0) from None


def enter_namespaces() -> bool:
    """Enter a new network namespace. Returns whether a user namespace was needed."""
    if os.geteuid() == 0 and _libc.unshare(CLONE_NEWNET | CLONE_NEWNS) == 0:
        return False
    uid, gid = os.geteuid(), os.getegid()
    _call("user namespace", _libc.unshare(CLONE_NEWUSER))
    _write("user namespace", "/proc/self/setgroups", "deny")
    _write("user namespace", "/proc/self/uid_map", f"0 {uid} 1")
    _write("user namespace", "/proc/self/gid_map", f"0 {gid} 1")
    _call("network namespace", _libc.unshare(CLONE_NEWNET | CLONE_NEWNS))
    return True


def ip(*args: str) -> None:
    """Run the `ip` program; its error message goes into `Refused`."""
    program = shutil.which("ip") or shutil.which("ip", path="/usr/sbin:/sbin:/usr/bin:/bin")
    if program is None:
        raise Refused("ip program", errno.ENOENT)
    done = subprocess.run([program, *args], capture_output=True, text=True, timeout=20, check=False)
    if done.returncode != 0:
        raise Refused("ip program", 0, f"ip {' '.join(args)}: {done.stderr.strip()}")


def ipv6_off() -> None:
    """Disable IPv6, so that Linux sends no router solicitations."""
    for name in ("all", "default"):
        try:
            with open(
                f"/proc/sys/net/ipv6/conf/{name}/disable_ipv6", "w", encoding="utf-8"
            ) as file:
                file.write("1")
        except OSError:
            pass  # no IPv6 in this kernel, or /proc/sys is read-only: addrgenmode below does it


def ipv6_on(name: str, address: str) -> None:
    """Enable IPv6 at a device, before it is up: usable at once, without asking for routers."""
    for setting, value in {
        "disable_ipv6": 0,
        "accept_dad": 0,
        "dad_transmits": 0,
        "router_solicitations": 0,
    }.items():
        _write("IPv6", f"/proc/sys/net/ipv6/conf/{name}/{setting}", str(value))
    ip("link", "set", "dev", name, "addrgenmode", "eui64")
    if address != "auto":
        ip("-6", "addr", "add", address, "dev", name, "nodad")


def make_tap(name: str, mac: str, address: str, mtu: int, address6: str) -> int:
    """Create a TAP in this namespace, up, with its addresses. Returns its non-blocking descriptor.

    Without a MAC address it is a TUN, which carries IP packets instead of frames.
    """
    try:
        fd = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as problem:
        raise Refused("open /dev/net/tun", problem.errno or 0) from None
    try:
        request = struct.pack("16sH22x", name.encode(), (IFF_TAP if mac else IFF_TUN) | IFF_NO_PI)
        fcntl.ioctl(fd, TUNSETIFF, request)
    except OSError as problem:
        raise Refused("make a TAP", problem.errno or 0) from None
    if address6 == "none":
        with contextlib.suppress(Refused):  # a kernel without IPv6
            ip("link", "set", "dev", name, "addrgenmode", "none")
    ip("link", "set", "dev", name, *(["address", mac] if mac else []), "mtu", str(mtu))
    if address6 != "none":
        ipv6_on(name, address6)
    if address:
        ip("addr", "add", address, *(["broadcast", "+"] if mac else []), "dev", name)
    ip("link", "set", "dev", name, "up")
    return fd


def mount_hosts(text: str) -> bool:
    """Resolve station names in this namespace. Optional: failure is ignored."""
    try:
        if _libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None) != 0:
            return False
        with open("/etc/hosts", encoding="utf-8") as file:
            text = file.read() + "\n" + text
        with tempfile.NamedTemporaryFile("w", prefix="kumi-hosts-", delete=False) as copy:
            copy.write(text)
        os.chmod(copy.name, 0o644)
        done = bool(_libc.mount(copy.name.encode(), b"/etc/hosts", None, MS_BIND, None) == 0)
        os.unlink(copy.name)
        return done
    except OSError:
        return False


def main() -> None:
    """Create the namespace, answer, and stay until the parent closes the socket."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    channel = socket.socket(fileno=int(sys.argv[1]))
    request = json.loads(channel.recv(1 << 20))
    fds: list[int] = []
    try:
        user = enter_namespaces()
        ipv6_off()
        ip("link", "set", "dev", "lo", "up")
        for tap in request["taps"]:
            fds.append(make_tap(tap["name"], tap["mac"], tap["ip"], tap["mtu"], tap["ip6"]))
        hosts = bool(request["hosts"]) and mount_hosts(request["hosts"])
        answer: dict[str, object] = {"ok": True, "user": user, "hosts": hosts}
    except Refused as problem:
        answer = {"ok": False, "step": problem.step, "errno": problem.number, "text": problem.text}
    except (OSError, subprocess.SubprocessError) as problem:
        answer = {"ok": False, "step": "set-up", "errno": 0, "text": str(problem)}
    data = json.dumps(answer).encode()
    if answer["ok"] and fds:
        socket.send_fds(channel, [data], fds)
    else:
        channel.send(data)
    for fd in fds:
        os.close(fd)
    while answer["ok"]:
        if not channel.recv(4096):  # closed: the parent has exited
            return


if __name__ == "__main__":
    main()
