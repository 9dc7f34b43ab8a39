# SPDX-License-Identifier: Apache-2.0
"""Objects for users whose attributes are fixed: a misspelt assignment is refused, not swallowed."""

from __future__ import annotations

from .errors import did_you_mean


class FixedAttributes:
    """Base of a class that ends its constructor with `_fix()`."""

    _fixed = False

    def _fix(self) -> None:
        self._fixed = True

    def __setattr__(self, name: str, value: object) -> None:
        if self._fixed:
            what = type(self).__name__
            found = getattr(type(self), name, None)
            if isinstance(found, property) and found.fset is None:
                raise AttributeError(f"{name} of a {what} can only be read.")
            if found is None and name not in self.__dict__:
                known = [n for n in (*dir(type(self)), *self.__dict__) if not n.startswith("_")]
                raise AttributeError(
                    f"A {what} has no attribute {name}.{did_you_mean(name, known)}"
                )
        super().__setattr__(name, value)
