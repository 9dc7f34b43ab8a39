# SPDX-License-Identifier: Apache-2.0
"""Parameter sets of the compressor that are tested and measured."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class DeflateParams:
    """Parameters of kumi_deflate.

    lanes:     bytes a cycle.
    ways:      entries of a bucket for each place in a beat.
    hash_bits: log2 of the buckets.
    segment:   bytes that a lane compresses of each block.
    match:     bytes that are compared at once, 8, 16 or 32.
    """

    lanes: int
    ways: int
    hash_bits: int
    segment: int
    match: int = 8

    @property
    def sv(self) -> dict[str, int]:
        """The parameters of the module."""
        return {
            "N": self.lanes,
            "WAYS": self.ways,
            "HASH_W": self.hash_bits,
            "SEGMENT": self.segment,
            "MATCH": self.match,
        }


# By name, as `kumi gzip --set` takes it. "8" has the module's defaults.
SETS: dict[str, DeflateParams] = {
    "1": DeflateParams(1, 8, 11, 16384),
    "4": DeflateParams(4, 4, 11, 8192),
    "8": DeflateParams(8, 2, 12, 4096),
    "best": DeflateParams(1, 32, 12, 32768, 32),
}
