# SPDX-License-Identifier: Apache-2.0
"""Widths of record streams, by the names of ports and of the packages' constants."""

from __future__ import annotations

import re
from typing import Any


def width_by_name(port: str, text: str, elab: Any) -> dict[str, str]:
    """Record width of a header port, from the constants of the packages that were read.

    m_udp_hdr takes UDP_HDR_W; a port whose name says nothing takes the only record type that the
    module's own text names (udp_hdr_t or UDP_HDR_W).
    """
    words = re.sub(r"^[sm]_", "", port).upper().split("_")
    wanted = [f"{'_'.join(words[i:])}_W" for i in range(len(words))]
    text = re.sub(r"//.*", "", text)
    used = {m.upper() for m in re.findall(r"\b(\w+_hdr)_t\b", text)}
    used |= set(re.findall(r"\b(\w+_HDR)_W\b", text))
    if len(used) == 1:
        wanted.append(f"{used.pop()}_W")
    for want in wanted:
        for package in elab.compilation.getPackages():
            if any(p.name == want for p in package):
                return {"W": f"{package.name}::{want}"}
    return {}
