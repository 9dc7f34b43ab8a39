# SPDX-License-Identifier: Apache-2.0
"""The NBD server in front of the simulated storage node, with clients not written here."""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from kumihimo import _storage

SIZE = 384 << 10


def test_clients_through_the_node(tmp_path: Path) -> None:
    """An image goes in, comes out; what the node left on the disks is read by the C++ array."""
    missing = [tool for tool in ("nbdinfo", "nbdcopy", "qemu-img") if not shutil.which(tool)]
    if missing:
        pytest.fail(f"{', '.join(missing)} is missing: make setup-test")
    disks = [tmp_path / f"{i}.img" for i in range(3)]
    for path in disks:
        path.write_bytes(bytes(SIZE))
    files = [_storage.FileDevice(str(path)) for path in disks]
    _storage.Array.create(files, chunk_log2=12, k=2, p=1, dynamic=False)
    del files
    socket = tmp_path / "n.sock"
    words = [sys.executable, "-m", "kumihimo.cli", "storage", "serve", *map(str, disks)]
    server = subprocess.Popen(
        [*words, "--node", "--socket", str(socket)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert server.stdout is not None
        uri = server.stdout.readline().strip()
        assert uri.startswith("nbd+unix")
        size = int(subprocess.check_output(["nbdinfo", "--size", uri], text=True, timeout=60))
        data = random.Random(1).randbytes(size // 2)
        image, back = tmp_path / "image", tmp_path / "back"
        image.write_bytes(data + bytes(size - len(data)))
        subprocess.run(["nbdcopy", "--flush", str(image), uri], check=True, timeout=120)
        convert = ["qemu-img", "convert", "-f", "raw", "-O", "raw", uri, str(back)]
        subprocess.run(convert, check=True, timeout=120)
        assert back.read_bytes() == image.read_bytes()
    finally:
        server.send_signal(signal.SIGINT)
        assert server.wait(60) == 0
    array = _storage.Array.open([_storage.FileDevice(str(path)) for path in disks])
    volume = _storage.Volume(array)
    assert volume.read(0, size) == image.read_bytes()
    array.repair(0, array.info()["stripes"], True)
    assert array.info()["repaired"] == 0
