# SPDX-License-Identifier: Apache-2.0
"""The one exception of the build: a sentence for the user, and the tool's own words."""

from __future__ import annotations

from kumihimo.common.errors import KumiError


class BuildError(KumiError):
    """A design cannot be built. `detail` holds the messages of slang, Verilator or the compiler."""

    def __init__(self, text: str, detail: str = "", hint: str = "") -> None:
        full = f"{text}\n{detail.rstrip()}" if detail.strip() else text
        super().__init__(full, hint)
        self.detail = detail
