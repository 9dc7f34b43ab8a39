# SPDX-License-Identifier: Apache-2.0
"""The precompiled header that all builds share, and headers that another checkout wrote again."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from kumihimo.build import compile as compiling
from kumihimo.build import toolchain


def test_headers_written_again_are_precompiled_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Clang refuses a precompiled header that is older than what it includes, equal or not."""
    strictest = next(filter(shutil.which, ["clang++-19", "clang++", "g++"]))
    monkeypatch.setenv("CXX", strictest)
    monkeypatch.setenv("KUMI_CACHE", str(tmp_path / "cache"))
    copies = [tmp_path / folder.name for folder in toolchain.runtime_dirs()]
    for folder, copy in zip(toolchain.runtime_dirs(), copies, strict=True):
        shutil.copytree(folder, copy)
    monkeypatch.setattr(toolchain, "runtime_dirs", lambda: copies)
    profile = replace(toolchain.profile("test"), hot=("-O0",), cold=("-O0",))
    source = tmp_path / "unit.cpp"

    def compiled(text: str) -> Path:
        source.write_text(text)
        compiling.compile_object(source, profile, False, "context")
        return compiling.precompiled(profile, False)

    first = compiled("int a;\n")
    header = copies[0] / "kumi/node/node.hpp"
    os.utime(header, ns=(0, header.stat().st_mtime_ns + 2_000_000_000))
    assert compiled("int b;\n") != first
