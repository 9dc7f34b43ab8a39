# SPDX-License-Identifier: Apache-2.0
"""What cannot become RTL is refused with file, line, and what to write instead."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from kumihimo.hls.compile import compile_file
from kumihimo.hls.errors import HlsError
from kumihimo.hls.node import build_node
from ruamel.yaml import YAML

CASES = YAML(typ="safe").load(Path(__file__).with_name("refused.yaml"))


@pytest.mark.parametrize("case", CASES, ids=[c["says"] for c in CASES])
def test_refused(tmp_path: Path, case: dict[str, Any]) -> None:
    file = tmp_path / "own.cl"
    file.write_text(case["source"], encoding="utf-8")
    with pytest.raises(HlsError) as found:
        if case.get("node"):
            build_node(file, tmp_path / "node")
        else:
            compile_file(file)
    assert case["says"] in found.value.text
    assert case["instead"] in found.value.hint
    assert found.value.place.file.endswith("own.cl")
    assert found.value.place.line == case["line"]
