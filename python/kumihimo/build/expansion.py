# SPDX-License-Identifier: Apache-2.0
"""Finds the line of a user's RTL that made the generated C++ large: an unrolled loop, mostly.

Verilator unrolls loops and copies functions, so a line can become megabytes that take minutes to
compile. Only a design that is large for its sources is looked at, as that verilates it again.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path

from kumihimo.build.compile import verilate
from kumihimo.build.design import DesignInfo, ParamValue
from kumihimo.build.filelist import is_own
from kumihimo.build.toolchain import Profile

LEAST = 500_000  # bytes of C++, which compile in seconds
SUSPECT = 15  # times the size of all sources: ordinary nodes stay below
MOST = 20  # times the size of the user's file
_MARK = re.compile(r"/\*(\S+?):(\d+) 0x[0-9a-f]+\*/")


def _generated(folder: Path) -> list[Path]:
    return sorted(folder.glob("Vtop*.cpp"))


def _size(files: list[Path]) -> int:
    return sum(file.stat().st_size for file in files)


def expansion(
    info: DesignInfo,
    prof: Profile,
    params: Mapping[str, ParamValue],
    folder: Path,
    scratch: Path,
) -> str:
    """A warning that names the line, "" if nothing is out of proportion.

    Args:
        info: the design.
        prof: the profile of the build.
        params: values of its parameters.
        folder: what Verilator wrote.
        scratch: an empty folder.
    """
    own = {Path(f).name: Path(f) for f in info.files if is_own(f)}
    sources = _size([Path(f) for f in info.files])
    if not own or _size(_generated(folder)) < max(LEAST, SUSPECT * sources):
        return ""
    options = list(prof.verilator)
    options[options.index("--decorations") + 1] = "node"
    verilate(info, replace(prof, verilator=tuple(options)), scratch, dict(params))
    lines = _lines(_generated(scratch))
    files: Counter[str] = Counter()
    for (name, _), size in lines.items():
        files[name] += size
    for name, size in files.most_common():
        if name in own and size > MOST * own[name].stat().st_size:
            line = max((n for n in lines if n[0] == name), key=lambda n: lines[n])[1]
            before, here = own[name].stat().st_size / 1e3, lines[name, line] / 1e6
            return (
                f"{own[name]}:{line}: warning: this file of {before:.1f} kB became "
                f"{size / 1e6:.1f} MB of C++, {here:.1f} MB of it here: is a loop unrolled? "
                "[expansion]"
            )
    return ""


def _lines(files: list[Path]) -> Counter[tuple[str, int]]:
    """Bytes of C++ by source line: the text from each mark to the next."""
    found: Counter[tuple[str, int]] = Counter()
    for file in files:
        text = re.sub(r"[ \t]+", " ", file.read_text(errors="replace"))
        marks = list(_MARK.finditer(text))
        for mark, following in zip_longest(marks, marks[1:]):
            end = following.start() if following else len(text)
            found[Path(mark.group(1)).name, int(mark.group(2))] += end - mark.end()
    return found
