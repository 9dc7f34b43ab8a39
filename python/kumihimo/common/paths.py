# SPDX-License-Identifier: Apache-2.0
"""Location of the project's files."""

from __future__ import annotations

import os
from functools import cache
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
