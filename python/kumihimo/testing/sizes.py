# SPDX-License-Identifier: Apache-2.0
"""Two sizes of a test: what `make test` runs, and what `make test-long` runs."""

from __future__ import annotations

import os
from typing import TypeVar

T = TypeVar("T")
VARIABLE = "KUMI_LONG"


def long_run() -> bool:
    """Whether this is the long run (`pytest --long`)."""
    return os.environ.get(VARIABLE) == "1"


def by_size(short: T, full: T) -> T:
    """The short value, or the full one in the long run; its test carries `pytest.mark.long`."""
    return full if long_run() else short


def data_widths(*full: int) -> tuple[int, ...]:
    """Data widths to test: the narrowest and the widest, in the long run all."""
    return by_size((full[0], full[-1]), full)
