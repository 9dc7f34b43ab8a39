# SPDX-License-Identifier: Apache-2.0
"""Builds node libraries: slang reads the top, Verilator and the C++ compiler do the rest."""

from __future__ import annotations

from kumihimo.build.builder import BuildResult, build
from kumihimo.build.cache import cache_root, prune
from kumihimo.build.design import Clock, DesignInfo, Direction, ParamValue, Pin, Port
from kumihimo.build.errors import BuildError
from kumihimo.build.filelist import FileList, for_module, read_list
from kumihimo.build.scan import resolve_design, scan
from kumihimo.build.shell import Shell, make_shell

__all__ = [
    "BuildError",
    "BuildResult",
    "Clock",
    "DesignInfo",
    "Direction",
    "FileList",
    "ParamValue",
    "Pin",
    "Port",
    "Shell",
    "build",
    "cache_root",
    "for_module",
    "make_shell",
    "prune",
    "read_list",
    "resolve_design",
    "scan",
]
