# SPDX-License-Identifier: Apache-2.0
"""User-mode Linux at a vhost-user socket: boots in two seconds, needs no privileges.

The guest's root is this machine's, read-only, so every program that is here is there; /run and
/tmp are its own. Its network card is the node at the other end of the socket.
"""

from __future__ import annotations

import os
import shlex
import shutil
import tempfile
from pathlib import Path

from .process import BOOTED, DONE, GuestProcess, require

MODULES = ("net/core/failover", "drivers/net/net_failover", "drivers/net/virtio_net")
_MODULE_ROOT = Path("/usr/lib/uml/modules")


def missing() -> list[str]:
    """Debian packages without which no guest can boot."""
    wanted = {
        "user-mode-linux": shutil.which("linux.uml") and _MODULE_ROOT.is_dir(),
        "kmod": shutil.which("insmod", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"),
    }
    return [package for package, here in wanted.items() if not here]


class Guest(GuestProcess):
    """A guest that runs one script, or a shell, and halts.

    Arguments:
        socket: the vhost-user socket of a cluster's host.
        script: shell commands that run as root in the guest; None: an interactive shell.
        memory: of the guest, as the kernel writes sizes (`256M`).
    """

    def __init__(self, socket: Path | str, script: str | None = None, memory: str = "256M") -> None:
        require(missing())
        self._folder = tempfile.TemporaryDirectory(prefix="kumi-guest-")
        self._init = Path(self._folder.name) / "init"
        self._init.write_text(self._init_text(script))
        self._init.chmod(0o755)
        super().__init__(
            [
                "linux.uml",
                f"mem={memory}",
                "root=/dev/root",
                "rootfstype=hostfs",
                "rootflags=/",
                "ro",
                "quiet",
                f"init={self._init}",
                f"virtio_uml.device={Path(socket).resolve()}:1",
                "con=null",
                "con0=fd:0,fd:1",
            ],
            shell=script is None,
        )

    def _init_text(self, script: str | None) -> str:
        modules = " ".join(MODULES)
        lines = [
            "#!/bin/sh",
            "export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp",
            "mount -t proc proc /proc && mount -t sysfs sysfs /sys",
        ]
        if script is not None:
            (self._init.parent / "script").write_text(script)
            lines.append(f"exec 3< {shlex.quote(str(self._init.parent / 'script'))}")
        lines += [
            "mount -t tmpfs tmpfs /run; mount -t tmpfs tmpfs /tmp; cd /tmp",
            f"for m in {modules}; do",
            f"  insmod {_MODULE_ROOT}/$(uname -r)/kernel/$m.ko || echo {DONE} 127",
            "done",
            "for i in $(seq 50); do [ -e /sys/class/net/eth0 ] && break; sleep 0.1; done",
        ]
        if script is None:
            lines += ["setsid sh -i <> /dev/console >&0 2>&1"]
        else:
            lines += [
                "cat <&3 > /tmp/script; exec 3<&-",
                f"echo {BOOTED}",
                "sh /tmp/script",
                f"echo {DONE} $?",
            ]
        return "\n".join([*lines, "halt -f -n", ""])

    def _release(self) -> None:
        self._folder.cleanup()
