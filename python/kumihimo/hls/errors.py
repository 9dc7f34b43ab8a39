# SPDX-License-Identifier: Apache-2.0
"""What a kernel's source may not contain: an error with file, line and what to write instead."""

from __future__ import annotations

from dataclasses import dataclass

from ..common.errors import KumiError


@dataclass(frozen=True)
class Place:
    """A line of the user's source; line 0 is the file as a whole."""

    file: str = ""
    line: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


NOWHERE = Place()


class HlsError(KumiError):
    """A kernel that cannot become RTL.

    The text is one sentence that begins with the place, the hint says what to write instead.
    """

    def __init__(self, place: Place, text: str, instead: str = "") -> None:
        super().__init__(f"{place}: {text}" if place.file else text, instead, 2)
        self.place = place
