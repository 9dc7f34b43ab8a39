# SPDX-License-Identifier: Apache-2.0
"""`kumi gzip`."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from kumihimo.cli.app import app
from typer.testing import CliRunner


def test_ratio_beside_gzip(tmp_path: Path) -> None:
    file, out = tmp_path / "x.txt", tmp_path / "x.gz"
    data = b"".join(b"line %d of a file, %d\n" % (i, i * i) for i in range(3000))
    file.write_bytes(data)
    done = CliRunner().invoke(app, ["gzip", str(file), "--out", str(out), "--json"])
    assert done.exit_code == 0, done.output
    result = json.loads(done.stdout)
    assert gzip.decompress(out.read_bytes()) == data
    assert result["ratio"] == len(data) / out.stat().st_size
    assert result["gzip1_ratio"] < result["gzip6_ratio"] <= result["gzip9_ratio"] * 1.001


def test_unknown_set(tmp_path: Path) -> None:
    file = tmp_path / "x"
    file.write_bytes(b"x")
    done = CliRunner().invoke(app, ["gzip", str(file), "--set", "bset"])
    assert done.exit_code != 0
