# SPDX-License-Identifier: Apache-2.0
"""User-mode Linux at a vhost-user socket: boots in two seconds, needs no privileges.

The guest's root is this machine's, read-only, so every program that is here is there; /run and
/tmp are its own. Its network card is the node at the other end of the socket.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from types import TracebackType

from ..common.errors import KumiError

MODULES = ("net/core/failover", "drivers/net/net_failover", "drivers/net/virtio_net")
_MODULE_ROOT = Path("/usr/lib/uml/modules")
_DONE = "kumi-guest-exit"
_TERM_S = 2.0


class GuestFailed(KumiError):
    """A guest did not boot, or its script failed."""


def missing() -> list[str]:
    """Debian packages without which no guest can boot."""
    wanted = {
        "user-mode-linux": shutil.which("linux.uml") and _MODULE_ROOT.is_dir(),
        "kmod": shutil.which("insmod", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"),
    }
    return [package for package, here in wanted.items() if not here]


class Guest:
    """A guest that runs one script, or a shell, and halts.

    Arguments:
        socket: the vhost-user socket of a cluster's host.
        script: shell commands that run as root in the guest; None: an interactive shell.
        memory: of the guest, as the kernel writes sizes (`256M`).
    """

    def __init__(self, socket: Path | str, script: str | None = None, memory: str = "256M") -> None:
        absent = missing()
        if absent:
            raise GuestFailed(
                f"a guest needs {' and '.join(absent)}: apt-get install {' '.join(absent)}"
            )
        self._folder = tempfile.TemporaryDirectory(prefix="kumi-guest-")
        self._init = Path(self._folder.name) / "init"
        self._init.write_text(self._init_text(script))
        self._init.chmod(0o755)
        self._lines: list[str] = []
        self._changed = threading.Condition()
        shell = script is None
        self._process = subprocess.Popen(
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
            stdin=None if shell else subprocess.DEVNULL,
            stdout=None if shell else subprocess.PIPE,
            stderr=None if shell else subprocess.STDOUT,
            start_new_session=not shell,
            text=True,
            errors="replace",
        )
        self._own_group = not shell
        if not shell:
            threading.Thread(target=self._read, daemon=True).start()

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
            f"  insmod {_MODULE_ROOT}/$(uname -r)/kernel/$m.ko || echo {_DONE} 127",
            "done",
            "for i in $(seq 50); do [ -e /sys/class/net/eth0 ] && break; sleep 0.1; done",
        ]
        if script is None:
            lines += ["setsid sh -i <> /dev/console >&0 2>&1"]
        else:
            lines += ["cat <&3 > /tmp/script; exec 3<&-", "sh /tmp/script", f"echo {_DONE} $?"]
        return "\n".join([*lines, "halt -f -n", ""])

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            with self._changed:
                self._lines.append(line.rstrip())
                self._changed.notify_all()
        with self._changed:
            self._changed.notify_all()

    @property
    def output(self) -> str:
        """What the guest has printed so far."""
        with self._changed:
            return "\n".join(self._lines)

    @property
    def running(self) -> bool:
        """Whether its kernel runs."""
        return self._process.poll() is None

    def wait_for(self, text: str, timeout: float = 60) -> None:
        """Wait until a line that contains the text was printed."""
        end = time.monotonic() + timeout
        with self._changed:
            while not any(text in line for line in self._lines):
                left = end - time.monotonic()
                # What it printed last may still be on its way.
                if left <= 0 or not (self.running or self._changed.wait(0.5)):
                    raise GuestFailed(
                        f"the guest did not print '{text}':\n" + "\n".join(self._lines)
                    )
                self._changed.wait(min(left, 1.0))

    def finish(self, timeout: float = 60) -> str:
        """Wait for the end of the script; its output. A failed script raises."""
        self.wait_for(_DONE, timeout)
        text = self.output
        self.stop()
        body, _, code = text.rpartition(_DONE)
        if code.split()[:1] != ["0"]:
            raise GuestFailed(f"the guest's script failed ({code.strip()}):\n{body}")
        return body

    def wait(self) -> int:
        """Wait for the end of a shell."""
        return self._process.wait()

    def kill(self) -> None:
        """End the guest at once, as by pulling its plug."""
        self._signal(signal.SIGKILL)
        self._process.wait()

    def stop(self) -> None:
        """End the guest and everything of it."""
        if self.running:
            self._signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_TERM_S)
        self._signal(signal.SIGKILL)
        self._process.wait()
        self._folder.cleanup()

    def _signal(self, number: signal.Signals) -> None:
        # Its processes are many, and those of a killed kernel would sleep for ever.
        try:
            if self._own_group:
                os.killpg(self._process.pid, number)
            else:
                self._process.send_signal(number)
        except ProcessLookupError:
            pass

    def __enter__(self) -> Guest:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is not None and self._lines:
            print(self.output, file=sys.stderr)
        self.stop()
