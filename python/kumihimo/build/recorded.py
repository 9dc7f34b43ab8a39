# SPDX-License-Identifier: Apache-2.0
"""Libraries of designs as they were recorded, as long as the cache has them."""

from __future__ import annotations

from kumihimo.build import cache, toolchain
from kumihimo.build.builder import BuildResult, _library, _stamp
from kumihimo.build.design import DesignInfo


def recorded(design_hash: str, profile: str = "fast") -> BuildResult | None:
    """The library of a design whose sources may have changed since; None: it is gone."""
    hash_ = cache.digest(_stamp(toolchain.profile(profile)), design_hash)[:40]
    library = _library(hash_)
    data = cache.read_json(library.with_name("info.json"))
    if not isinstance(data, dict) or not library.is_file():
        return None
    return BuildResult(library, DesignInfo.from_json(data), hash_, design_hash, True, 0.0, profile)
