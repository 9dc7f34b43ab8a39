# SPDX-License-Identifier: Apache-2.0
"""`kumi gzip`."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from kumihimo.cli.app import app
from kumihimo.common.errors import KumiError
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


@pytest.mark.parametrize("width", [64, 128])
def test_gunzip(tmp_path: Path, width: int) -> None:
    """The circuit's contents are gzip's, of two members as well."""
    file, out = tmp_path / "x.gz", tmp_path / "x"
    data = b"".join(b"line %d of a file\n" % i for i in range(900)) if width == 64 else b""
    file.write_bytes(gzip.compress(data[:5000], mtime=0) + gzip.compress(data[5000:]))
    words = ["gunzip", str(file), "--out", str(out), "--json", "--width", str(width)]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    result = json.loads(done.stdout)
    assert out.read_bytes() == data and result["bytes"] == len(data)
    assert result["bytes_per_cycle"] == len(data) / result["cycles"]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "ends too early"),
        (b"no gzip file", "does not begin like a gzip file"),
        (gzip.compress(b"abc", mtime=0)[:-1], "ends too early"),
        (gzip.compress(b"abc", mtime=0)[:-5] + bytes(5), "checksum"),
    ],
)
def test_gunzip_says_what_is_wrong(tmp_path: Path, data: bytes, says: str) -> None:
    file = tmp_path / "x.gz"
    file.write_bytes(data)
    with pytest.raises(KumiError, match=says) as told:
        CliRunner().invoke(app, ["gunzip", str(file)], catch_exceptions=False)
    assert str(file) in str(told.value)
