# SPDX-License-Identifier: Apache-2.0
"""Libraries of designs as they were recorded, as long as the cache has them."""

from __future__ import annotations

from kumihimo.build import cache
from kumihimo.build.builder import BuildResult
from kumihimo.build.design import DesignInfo
from kumihimo.build.toolchain import interface_version


def recorded(design_hash: str, profile: str = "fast") -> BuildResult | None:
    """The library of a design whose sources may have changed since; None: it is gone.

    One that was made for another version of the engine counts as gone.
    """
    interface = interface_version()
    wanted = {"design": design_hash, "profile": profile, "interface": interface}
    for names in (cache.cache_root() / "lib").glob("*/names.json"):
        if cache.read_json(names) != wanted:
            continue
        library = names.with_name("node.so")
        data = cache.read_json(names.with_name("info.json"))
        if isinstance(data, dict) and library.is_file():
            info = DesignInfo.from_json(data)
            return BuildResult(library, info, names.parent.name, design_hash, True, 0.0, profile)
    return None
