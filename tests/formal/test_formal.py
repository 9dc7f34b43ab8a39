# SPDX-License-Identifier: Apache-2.0
"""Every proof of formal/, one test each. Passes are cached by the content of all they read.

The proofs of the selected tests run two at a time in the background; a test waits for its own.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from kumihimo.common.paths import project_root
from kumihimo.dev.formal import Proof, Runner, discover

PROOFS = discover(project_root())


@pytest.fixture(scope="session")
def runner(request: pytest.FixtureRequest) -> Iterator[Runner]:
    made = Runner(jobs=2)
    wanted = {item.callspec.params["proof"] for item in request.session.items
              if "proof" in getattr(getattr(item, "callspec", None), "params", {})}  # fmt: skip
    for proof in PROOFS:
        if proof in wanted:
            made.start(proof)
    yield made
    made.close()


@pytest.mark.parametrize("proof", PROOFS, ids=[p.name for p in PROOFS])
def test_proof(runner: Runner, proof: Proof) -> None:
    outcome = runner.result(proof)
    assert outcome.passed, f"{outcome.status}\n{outcome.detail}"


def test_every_proof_file_proves_and_covers() -> None:
    """A .sby without a cover task could prove things about a design that never moves."""
    for path in {p.path for p in PROOFS}:
        text = path.read_text()
        modes = {w for line in text.splitlines() if "mode" in line for w in line.split()}
        assert "prove" in modes and "cover" in modes, f"{path.name}: needs prove and cover tasks"
