# SPDX-License-Identifier: Apache-2.0
"""`NAME=VALUE` words of a command line."""

from __future__ import annotations

from collections.abc import Iterable

from .errors import KumiError


def pairs(words: Iterable[str], option: str = "--param") -> dict[str, str]:
    """The words as a dictionary, values as text."""
    found = {}
    for word in words:
        name, equals, value = word.partition("=")
        # A dot: of a port of the module, as in `s_axis.DATA_W`.
        good = all(part.isidentifier() for part in name.split("."))
        if not equals or not value or not good:
            hint = "Such as DATA_W=512." if option == "--param" else ""
            raise KumiError(f"{option} {word}: expected NAME=VALUE.", hint, 2)
        found[name] = value
    return found


def parameters(words: Iterable[str]) -> dict[str, int | bool | str]:
    """The words as parameters of a module: numbers (`512`, `0x10`) become numbers."""
    found: dict[str, int | bool | str] = {}
    for name, text in pairs(words).items():
        try:
            found[name] = int(text, 0)
        except ValueError:
            found[name] = text
    return found
