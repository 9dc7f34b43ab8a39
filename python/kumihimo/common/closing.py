# SPDX-License-Identifier: Apache-2.0
"""`with` for what has a `close()`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Self


class Closing(ABC):
    """Something that holds resources: the end of a `with` block closes it, exception or not."""

    @abstractmethod
    def close(self) -> None:
        """Release everything."""

    def __enter__(self) -> Self:
        """Nothing to begin: it holds its resources since it was made."""
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()
