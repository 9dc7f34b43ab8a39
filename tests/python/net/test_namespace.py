# SPDX-License-Identifier: Apache-2.0
"""Private networks: their content, isolation from the outside, and error messages."""

from __future__ import annotations

import errno
import os
import select
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from kumihimo.net import Namespace, TapConfig
from kumihimo.net.namespace import explain

TAP = TapConfig("host0", "02:00:00:00:ff:00", "10.77.0.1/24", 9000)


def links() -> str:
    return subprocess.run(["ip", "-o", "addr"], capture_output=True, text=True, check=True).stdout


@pytest.fixture
def namespace():
    with Namespace([TAP], {"alice": "10.77.0.10"}) as made:
        yield made


def test_tap_is_inside_and_configured(namespace: Namespace) -> None:
    shown = namespace.run(["ip", "-o", "addr", "show", "host0"]).stdout
    assert "10.77.0.1/24" in shown
    shown = namespace.run(["ip", "-o", "link", "show", "host0"]).stdout
    assert "mtu 9000" in shown and "02:00:00:00:ff:00" in shown and "LOWER_UP" in shown
    assert "inet6" not in namespace.run(["ip", "-o", "addr"]).stdout.replace("lo    inet6", "")


def test_the_hosts_network_is_untouched() -> None:
    before = links()
    with Namespace([TAP]):
        assert links() == before
    assert links() == before


def test_frames_come_out_of_the_descriptor_and_nothing_else_does(namespace: Namespace) -> None:
    fd = namespace.tap_fds["host0"]
    assert not os.get_blocking(fd)
    assert not select.select([fd], [], [], 0.3)[0], "an idle interface must be silent"
    with namespace.popen(["ping", "-c1", "-W1", "10.77.0.10"], stdout=subprocess.DEVNULL) as ping:
        assert select.select([fd], [], [], 5)[0]
        frame = os.read(fd, 65536)
        ping.kill()
    assert frame[:6] == b"\xff" * 6 and frame[12:14] == b"\x08\x06"


def test_stations_have_names(namespace: Namespace) -> None:
    if not namespace.inside.hosts:
        pytest.skip("this system does not allow the mount")
    assert "10.77.0.10" in namespace.run(["getent", "hosts", "alice"]).stdout
    assert namespace.run(["pwd"]).stdout.strip() == os.getcwd()
    assert "alice" not in Path("/etc/hosts").read_text()


def test_namespace_goes_with_its_maker() -> None:
    code = (
        "import os, kumihimo.net as n\n"
        f"s = n.Namespace([n.TapConfig('host0', '{TAP.mac}', '{TAP.ip}')])\n"
        "print(s.pid, flush=True)\nos.kill(os.getpid(), 9)\n"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    pid = int(out.stdout)
    deadline = time.monotonic() + 5
    while Path(f"/proc/{pid}").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not Path(f"/proc/{pid}").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to become somebody else")
def test_an_ordinary_user_needs_no_root() -> None:
    code = (
        "import kumi.net as n\n"
        f"s = n.Namespace([n.TapConfig('host0', '{TAP.mac}', '{TAP.ip}')])\n"
        "print(s.inside.user, s.run(['ip', '-o', 'addr', 'show', 'host0']).stdout)\n"
    )
    package = Path(__file__).resolve().parents[3] / "python" / "kumihimo"
    with tempfile.TemporaryDirectory(prefix="kumi-test-") as folder:
        os.chmod(folder, 0o755)
        names = ("__init__.py", "namespace.py", "holder.py")
        common = ("__init__.py", "closing.py", "errors.py", "process.py", "tools.py")
        parts = [*(f"common/{name}" for name in common), *(f"net/{name}" for name in names)]
        for part in parts:
            target = Path(folder) / "kumi" / part
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text((package / part).read_text())
        out = subprocess.run(
            ["/usr/bin/python3", "-c", code],
            capture_output=True,
            text=True,
            timeout=60,
            cwd=folder,
            user=65534,
            group=65534,
        )
    if "user namespaces" in out.stderr:
        pytest.skip("this system forbids user namespaces")
    if os.stat("/dev/net/tun").st_mode & 0o006 == 0o006:
        assert out.stdout.startswith("True") and "10.77.0.1/24" in out.stdout, out.stderr
    else:
        assert "chmod 666 /dev/net/tun" in out.stderr


@pytest.mark.parametrize(
    ("step", "number", "words"),
    [
        ("open /dev/net/tun", errno.ENOENT, "modprobe tun"),
        ("open /dev/net/tun", errno.EACCES, "chmod 666"),
        ("make a TAP", errno.EPERM, "NET_ADMIN"),
        ("ip program", errno.ENOENT, "apt-get install iproute2"),
        ("user namespace", errno.EPERM, "root"),
        ("network namespace", errno.EPERM, "root"),
    ],
)
def test_refusals_say_what_to_do(step: str, number: int, words: str) -> None:
    assert words in str(explain(step, number))
