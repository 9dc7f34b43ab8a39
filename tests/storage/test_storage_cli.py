# SPDX-License-Identifier: Apache-2.0
"""`kumi storage` as a user runs it, the demo, the bench's figures in small."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import nbd_client as nbd
import pytest
from kumihimo.storage import demo
from kumihimo.storage.demo import missing_programs
from nbd_client import Nbd


def _kumi(*argv: str, cwd: Path, code: int = 0) -> subprocess.CompletedProcess[str]:
    env = dict(os.environ, XDG_RUNTIME_DIR=str(cwd))
    done = subprocess.run(
        [sys.executable, "-m", "kumihimo.cli", "storage", *argv],
        capture_output=True,
        text=True,
        cwd=cwd,
        env=env,
        timeout=120,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done


@contextmanager
def _serve(cwd: Path, *argv: str) -> Iterator[str]:
    env = dict(os.environ, XDG_RUNTIME_DIR=str(cwd))
    words = [sys.executable, "-m", "kumihimo.cli", "storage", "serve", *argv, "--socket", "s"]
    server = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=cwd, env=env)
    assert server.stdout is not None
    uri = server.stdout.readline().strip()
    assert uri == "nbd+unix:///?socket=s"
    yield str(cwd / "s")
    server.send_signal(signal.SIGINT)
    assert server.wait(30) == 0


def test_a_life_of_an_array(tmp_path: Path) -> None:
    disks = [f"d{i}.img" for i in range(6)]
    create = ["create", *disks, "--size", "24M", "--redundancy", "double", "--width", "5"]
    done = _kumi(*create, "--test", "1M", "--name", "life", cwd=tmp_path)
    assert "3 data and 2 parity chunks" in done.stdout and "speed test" in done.stderr
    assert "belongs to array" in _kumi(*create, cwd=tmp_path, code=1).stderr
    data = random.Random(1).randbytes(5 << 20)
    with _serve(tmp_path, *disks) as socket:
        client = Nbd(socket).go()
        assert client.call(nbd.WRITE, 4096, len(data), data).error == 0
        assert client.call(nbd.FLUSH, 0, 0).error == 0
        assert "in use" in _kumi("serve", *disks, "--port", "0", cwd=tmp_path, code=1).stderr
        state = json.loads(_kumi("status", "d3.img", "--json", cwd=tmp_path).stdout)
        assert [d["state"] for d in state["devices"]] == ["active"] * 6
        _kumi("fail", "d0.img", "--device", "2", cwd=tmp_path, code=3)
        assert (
            "no device 9" in _kumi("fail", "d0.img", "--device", "9", cwd=tmp_path, code=1).stderr
        )
        assert client.call(nbd.READ, 4096, len(data)).data == data
        replace = ["replace", "d0.img", "--device", "2", "--with", "new.img", "--size", "24M"]
        state = json.loads(_kumi(*replace, "--json", cwd=tmp_path).stdout)
        assert state["degraded_stripes"] == 0
        state = json.loads(_kumi("scrub", "d1.img", "--json", cwd=tmp_path).stdout)
        assert state["rebuild"]["done"] == state["rebuild"]["total"]
        assert client.call(nbd.READ, 4096, len(data)).data == data
    kept = ["new.img", "d5.img", "d0.img", "d4.img", "d1.img", "d3.img"]
    assert "active" in _kumi("status", *kept, cwd=tmp_path).stdout
    assert "removed" in _kumi("status", *disks, cwd=tmp_path, code=1).stderr
    (tmp_path / "d4.img").unlink()
    kept.remove("d4.img")
    assert "degraded start" in _kumi("serve", *kept, cwd=tmp_path, code=1).stderr
    with _serve(tmp_path, *kept, "--degraded") as socket:
        assert Nbd(socket).go().call(nbd.READ, 4096, len(data)).data == data
    assert "is not there" in _kumi("status", "nothing.img", cwd=tmp_path, code=1).stderr


@pytest.mark.parametrize(
    "command", ["create", "serve", "status", "assemble", "fail", "add", "replace", "scrub"]
)
def test_help_has_an_example(command: str, tmp_path: Path) -> None:
    assert f"kumi storage {command}" in _kumi(command, "--help", cwd=tmp_path).stdout


def test_demo(tmp_path: Path) -> None:
    assert not missing_programs(), "make setup-test installs e2fsprogs"
    tree = tmp_path / "in"
    shutil.copytree(Path(__file__).parent, tree, ignore=shutil.ignore_patterns("__pycache__"))
    lines: list[str] = []
    result = demo.run(tmp_path / "out", tree, lines.append)
    assert result.clean and result.rebuilt > 0 and len(lines) == 5
    slow = min(result.speeds, key=lambda s: s.read_mbs)
    assert slow.path.name == "disk7.img"


def test_a_copy_of_a_served_array_is_not_mistaken_for_it(tmp_path: Path) -> None:
    """Commands reach the server of the very disks they name."""
    for folder in ("orig", "copy"):
        (tmp_path / folder).mkdir()
    disks = [f"orig/d{i}" for i in range(3)]
    create = ["create", *disks, "--size", "24M", "--redundancy", "mirror", "--test", "0"]
    _kumi(*create, cwd=tmp_path)
    copies = [shutil.copy(tmp_path / d, tmp_path / d.replace("orig", "copy")) for d in disks]
    with _serve(tmp_path, *map(str, copies)):
        # Nobody serves the originals: the command opens them, and the copies stay as they are.
        _kumi("fail", *disks, "--device", "0", cwd=tmp_path)
        state = json.loads(_kumi("status", "copy/d0", "--json", cwd=tmp_path).stdout)
        assert [d["state"] for d in state["devices"]] == ["active"] * 3
        assert (
            "other disks" in _kumi("serve", *disks[1:], "--port", "0", cwd=tmp_path, code=1).stderr
        )


def test_beyond_the_redundancy(tmp_path: Path) -> None:
    disks = [f"d{i}" for i in range(4)]
    create = ["create", *disks, "--size", "24M", "--redundancy", "single", "--width", "3"]
    _kumi(*create, "--test", "0", cwd=tmp_path)
    with _serve(tmp_path, *disks) as socket:
        client = Nbd(socket).go()
        assert client.call(nbd.WRITE, 0, 8 << 20, b"x" * (8 << 20)).error == 0
        assert client.call(nbd.FLUSH, 0, 0).error == 0
        _kumi("fail", "d0", "--device", "0", cwd=tmp_path, code=3)
        assert "redundancy" in _kumi("fail", "d0", "--device", "1", cwd=tmp_path, code=1).stderr
    left = ["d2", "d3"]
    for command in ("serve", "scrub"):
        assert "redundancy" in _kumi(command, *left, "--degraded", cwd=tmp_path, code=1).stderr
    assert "lost:" in _kumi("status", *left, cwd=tmp_path).stdout
    with _serve(tmp_path, *left, "--force") as socket:
        client = Nbd(socket).go()
        replies = [client.call(nbd.READ, at, 65536) for at in range(0, 8 << 20, 65536)]
        assert any(r.error for r in replies)
        assert all(r.error or r.data == b"x" * 65536 for r in replies)
    # The disk that was unplugged is there again: everything is.
    with _serve(tmp_path, "d1", *left) as socket:
        assert Nbd(socket).go().call(nbd.READ, 0, 8 << 20).data == b"x" * (8 << 20)
    state = json.loads(
        _kumi("add", "d1", *left, "--with", "new", "--size", "24M", "--json", cwd=tmp_path).stdout
    )
    assert state["degraded_stripes"] == 0


def test_creation_shows_copies_and_what_chunks_cannot_reach(tmp_path: Path) -> None:
    for name, size in (("d0", 24), ("d1", 200), ("d2", 200)):
        with (tmp_path / name).open("wb") as f:
            f.truncate(size << 20)
    done = _kumi("create", "d0", "d1", "d2", "--redundancy", "single", "--test", "0", cwd=tmp_path)
    assert "copies default" in done.stderr and "copies hold more than parity" in done.stderr
    assert "mirror, chunks of 64.0 KiB" in done.stdout
    assert "cannot be used" not in done.stderr
    with (tmp_path / "large").open("wb") as f:
        f.truncate((64 << 30) + (1 << 30))  # 2^24 chunks of 4 KiB, and 1 GiB
    wrong = ["create", "large", "--chunk", "4K", "--test", "0", "--redundancy", "none"]
    # More than it can be made of: the command says so before it makes an array.
    done = _kumi(*wrong, "--width", "1", "--spares", "1", cwd=tmp_path, code=1)
    assert "1.0 GiB of the disks cannot be used" in done.stderr


def test_assembly_by_force_names_what_it_loses(tmp_path: Path) -> None:
    disks = [f"d{i}" for i in range(4)]
    create = ["create", *disks, "--size", "24M", "--redundancy", "single", "--width", "3"]
    _kumi(*create, "--test", "0", "--chunk", "64K", cwd=tmp_path)
    with _serve(tmp_path, *disks) as socket:
        client = Nbd(socket).go()
        assert client.call(nbd.WRITE, 0, 8 << 20, b"x" * (8 << 20)).error == 0
        assert client.call(nbd.FLUSH, 0, 0).error == 0
    assert "active" in _kumi("assemble", *disks, cwd=tmp_path).stdout
    left = disks[:2]
    assert "redundancy" in _kumi("assemble", *left, cwd=tmp_path, code=1).stderr
    before = [(tmp_path / d).read_bytes() for d in left]
    plan = _kumi("assemble", *left, "--force", cwd=tmp_path, code=1).stderr
    assert "lost for good:" in plan and "at bytes" in plan and "device 3 is removed" in plan
    assert [(tmp_path / d).read_bytes() for d in left] == before
    done = _kumi("assemble", *left, "--force", "--yes", "--json", cwd=tmp_path, code=3)
    ranges = json.loads(done.stdout)["lost"]
    lost = {at for offset, n in ranges for at in range(offset, offset + n, 65536)}
    with _serve(tmp_path, *left) as socket:
        client = Nbd(socket).go()
        for at in range(0, 8 << 20, 65536):
            reply = client.call(nbd.READ, at, 65536)
            assert reply.error == 5 if at in lost else reply.data == b"x" * 65536
        # Written again it is there again.
        assert client.call(nbd.WRITE, 0, 8 << 20, b"y" * (8 << 20)).error == 0
        assert client.call(nbd.FLUSH, 0, 0).error == 0
        assert client.call(nbd.READ, 0, 8 << 20).data == b"y" * (8 << 20)


def test_a_signal_ends_a_server_in_the_middle_of_a_scrub(tmp_path: Path) -> None:
    """Within 5 s, and the command that follows the scrub ends with it."""
    disks = [f"d{i}" for i in range(3)]
    create = ["create", *disks, "--size", "24M", "--redundancy", "mirror", "--chunk", "4K"]
    _kumi(*create, "--test", "0", cwd=tmp_path)
    env = dict(os.environ, XDG_RUNTIME_DIR=str(tmp_path))
    kumi = [sys.executable, "-m", "kumihimo.cli", "storage"]
    words = [*kumi, "serve", *disks, "--socket", "s", "--read-only"]
    server = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=tmp_path, env=env)
    assert server.stdout is not None and server.stdout.readline()
    scrub = subprocess.Popen([*kumi, "scrub", "d1", "--limit", "0.1"], cwd=tmp_path, env=env)
    while True:
        rebuild = json.loads(_kumi("status", "d0", "--json", cwd=tmp_path).stdout)["rebuild"]
        if rebuild["running"]:
            break
    server.send_signal(signal.SIGTERM)
    assert server.wait(5) == 0
    assert scrub.wait(20) != 0
