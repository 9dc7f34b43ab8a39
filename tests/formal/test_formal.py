# SPDX-License-Identifier: Apache-2.0
"""Every proof of formal/, one test each. Passes are cached by the content of all they read."""

from __future__ import annotations

import pytest
from kumihimo.common.paths import project_root
from kumihimo.dev.formal import Proof, discover, run_proof

PROOFS = discover(project_root())
LONG = pytest.mark.long(only=True)


@pytest.mark.parametrize(
    "proof", [pytest.param(p, id=p.name, marks=[LONG] if p.long else []) for p in PROOFS]
)
def test_proof(proof: Proof) -> None:
    outcome = run_proof(proof)
    assert outcome.passed, f"{outcome.status}\n{outcome.detail}"


def test_every_proof_file_proves_and_covers() -> None:
    """A .sby without a cover task could prove things about a design that never moves.

    Nor may all that a file proves wait for the long run. A proof up to a bound (bmc) is one, and
    formal/README.md lists it with its bound.
    """
    for path in {p.path for p in PROOFS}:
        text = path.read_text()
        modes = {w for line in text.splitlines() if "mode" in line for w in line.split()}
        assert modes & {"prove", "bmc"} and "cover" in modes, f"{path.name}: no proof, or no cover"
        short = [p for p in PROOFS if p.path == path and not p.long]
        assert any("cover" not in p.task for p in short), f"{path.name}: every proof is long"
