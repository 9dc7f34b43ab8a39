# SPDX-License-Identifier: Apache-2.0
"""Clusters that must account for every frame.

With KUMI_LEDGER=strict a loss that no counter names is an error when a cluster ends. The tests of
this project run so.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ..common.errors import KumiError
from ..ledger import Ledger, sentences
from .snapshot import snapshot

if TYPE_CHECKING:
    from .cluster import Cluster

VARIABLE = "KUMI_LEDGER"
SECONDS = 20.0
"""Longest wall time for reading registers; nodes that were not read have no say."""


def strict() -> bool:
    """Whether a cluster that ends must balance."""
    return os.environ.get(VARIABLE) == "strict"


def check(ledger: Ledger, name: str) -> None:
    """Raise if frames are unexplained."""
    if ledger.unexplained:
        text = " ".join(f"{sentence}." for sentence in sentences(ledger))
        raise KumiError(f"The ledger of {name} does not balance: {text}")


def audit(cluster: Cluster, registers: bool = True) -> None:
    """Check the ledger of a cluster that will not run on; its captures and recordings end here."""
    cluster.engine.complete_files()
    stats = snapshot(cluster, SECONDS) if registers else cluster.stats()
    check(Ledger.of(stats), cluster.name)
