# SPDX-License-Identifier: Apache-2.0
"""Errors for users: one sentence on the cause, one on the remedy."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

EXIT_USAGE = 2
EXIT_FAILED = 1
EXIT_ENVIRONMENT = 3


class KumiError(Exception):
    """An error the user can fix. `hint` is the remedy, `code` the exit status of `kumi`."""

    def __init__(self, text: str, hint: str = "", code: int = EXIT_FAILED) -> None:
        super().__init__(text)
        self.text = text
        self.hint = hint
        self.code = code

    def __str__(self) -> str:
        return f"{self.text} {self.hint}".strip()


class EnvironmentProblem(KumiError):
    """This machine lacks something (a program, a permission, a device)."""

    def __init__(self, text: str, hint: str = "") -> None:
        super().__init__(text, hint, EXIT_ENVIRONMENT)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """' Did you mean "x"?' if a similar name exists, else the known names, else nothing."""
    names = sorted({str(k) for k in known})
    close = get_close_matches(word, names, n=1, cutoff=0.6)
    if not close:
        folded = {n.lower(): n for n in names}
        close = [folded[m] for m in get_close_matches(word.lower(), list(folded), n=1, cutoff=0.6)]
    if close:
        return f' Did you mean "{close[0]}"?'
    if names:
        shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
        return f" Known: {shown}."
    return ""
