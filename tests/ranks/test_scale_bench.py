# SPDX-License-Identifier: Apache-2.0
"""`kumi bench scale --quick`: every figure of the full run, smaller."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

KEYS = {
    *("digests_equal", "clusters", "ranks_over_threads", "nodes_1024_start_s", "mb_per_node"),
    *("node_cycles_1024_over_2", "kill_stop_s", "model_error", "messages_a_window"),
    *("bytes_a_window", "idle_neighbour_share", "weak_scaling_2"),
    *("predicted_64_cores_efficiency", "prediction_over_measured_here"),
}


@pytest.mark.long(only=True)
def test_quick() -> None:
    argv = [sys.executable, "-m", "kumihimo.cli", "bench", "scale", "--quick", "--json"]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert set(found["summary"]) >= KEYS
    assert found["summary"]["digests_equal"] == 1
    assert 0 < found["summary"]["kill_stop_s"] <= 5
    assert 0 < found["summary"]["model_error"] <= 0.10
    assert found["summary"]["messages_a_window"] <= 1.5
    predicted = [row for row in found["rows"] if row["figure"] == "prediction, not measured"]
    assert [row["cores"] for row in predicted] == [64]
