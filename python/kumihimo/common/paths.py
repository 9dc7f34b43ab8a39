# SPDX-License-Identifier: Apache-2.0
"""Location of the project's files."""

from __future__ import annotations

import os
from functools import cache
from importlib import util
from pathlib import Path

from kumihimo.common.errors import KumiError


@cache
def project_root() -> Path:
    """The folder that holds hw/, sim/ and examples/.

    It is $KUMI_HOME, else the one inside the installed package, else the clone we run from.
    """
    named = os.environ.get("KUMI_HOME")
    here = Path(__file__).resolve()
    places = [Path(named).resolve()] if named else [here.parents[1] / "share", *here.parents]
    for place in places:
        if (place / "hw" / "include" / "kumi_assert.svh").is_file():
            return place
    raise KumiError(
        f"The project's hardware sources are not at {places[0]}. Set KUMI_HOME to a clone, or "
        "install kumihimo again."
    )


def engine_is_old() -> bool:
    """Whether a source of the cluster engine is newer than its build, as after a `git pull`."""
    found = util.find_spec("kumihimo._engine")
    if found is None or found.origin is None:
        return False
    built = Path(found.origin).stat().st_mtime
    sources = (project_root() / "sim").rglob("*.[ch]pp")
    return any(file.stat().st_mtime > built for file in sources)
