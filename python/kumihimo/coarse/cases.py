# SPDX-License-Identifier: Apache-2.0
"""What is predicted, in a user's words: a collective of some bytes on some boards."""

from __future__ import annotations

from dataclasses import dataclass

from ..common.errors import KumiError
from .model import WORD_BYTES
from .network import Torus, Tree, torus_of, tree_of
from .program import (
    Program,
    all_to_all,
    doubling_all_reduce,
    ring_all_reduce,
    torus_all_reduce,
    torus_all_to_all,
)

NETWORKS = ("tree", "torus")
ALGORITHMS = ("doubling", "ring")
BOARDS = (64, 1024, 4096, 16384, 65536)


@dataclass(frozen=True)
class Case:
    """A collective of any number of boards; `size` as `collective` takes it."""

    name: str
    size: int
    network: str
    algorithm: str = "doubling"

    def on(self, boards: int) -> tuple[Tree | Torus, Program]:
        """What `Model.predict` takes."""
        return collective(self.name, boards, self.size, self.network, self.algorithm)


CASES = (
    *(Case("all-reduce", size, "tree", how) for size in (4096, 1 << 20) for how in ALGORITHMS),
    *(Case("all-reduce", size, "torus") for size in (4096, 1 << 20)),
    *(Case("all-to-all", 256, network) for network in NETWORKS),
)
"""What the figures show."""


def collective(
    name: str,
    boards: int,
    size: int,
    network: str = "tree",
    algorithm: str = "doubling",
    ports: int = 32,
    oversubscription: float = 1.0,
) -> tuple[Tree | Torus, Program]:
    """The network and the program of `all-reduce` or `all-to-all`, for `Model.predict`.

    Args:
        name:             the collective.
        boards:           how many.
        size:             bytes of the vector (all-reduce), or from each to each (all-to-all).
        network:          `tree` of Ethernet switches, or `torus` of serial links.
        algorithm:        of an all-reduce on a tree: `doubling` or `ring`.
        ports:            boards, or switches, below a switch of the tree.
        oversubscription: what the boards below a switch can send, relative to its uplink.

    Raises:
        KumiError: numbers that do not make a network or a program.
    """
    if network not in NETWORKS or name not in ("all-reduce", "all-to-all"):
        raise KumiError(f"There is no {name} on a {network}.", "all-reduce or all-to-all", 2)
    words = -(-size // WORD_BYTES[network])
    if network == "torus":
        torus = torus_of(boards)
        make = torus_all_reduce if name == "all-reduce" else torus_all_to_all
        return torus, make(torus.shape, words)
    if name == "all-reduce" and algorithm not in ALGORITHMS:
        text = f"There is no algorithm `{algorithm}`."
        raise KumiError(text, f"There are {' and '.join(ALGORITHMS)}.", 2)
    try:
        tree = tree_of(boards, ports, oversubscription)
        if name == "all-to-all":
            return tree, all_to_all(boards, words)
        if algorithm == "ring":
            return tree, ring_all_reduce(boards, words)
        return tree, doubling_all_reduce(boards, words)
    except ValueError as problem:
        raise KumiError(f"This is no cluster: {problem}.", "Powers of two always are.", 2) from None
