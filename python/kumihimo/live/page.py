# SPDX-License-Identifier: Apache-2.0
"""The page: one for a running cluster, which asks its server, and one that holds its data."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from typing import Any

from ..common.errors import KumiError

_STATIC = Path(__file__).parent / "static"


def plotly_js() -> str:
    """The plotting library, from its wheel. Raises if that is not installed."""
    try:
        import plotly  # type: ignore[import-untyped]
    except ImportError:
        raise KumiError(
            "The plotting library is missing.", "Run: pip install plotly tornado", 3
        ) from None
    file = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
    return file.read_text(encoding="utf-8")


def _fill(title: str, library: str, data: str) -> str:
    text = (_STATIC / "page.html").read_text(encoding="utf-8")
    text = text.replace("@TITLE@", escape(title))
    parts = {
        "STYLE": (_STATIC / "page.css").read_text(encoding="utf-8"),
        "LIBRARY": library,
        "DATA": data,
        "SCRIPT": (_STATIC / "page.js").read_text(encoding="utf-8"),
    }
    for name, part in parts.items():
        before, _, after = text.partition(f"@{name}@")
        text = before + part + after
    return text


def live_page(title: str) -> str:
    """The page of a running cluster."""
    return _fill(title, '<script src="plotly.min.js"></script>', "null")


def report_page(title: str, data: dict[str, Any]) -> str:
    """A page that needs nothing else: library and data are in it."""
    held = json.dumps(data).replace("</", "<\\/")
    return _fill(title, f"<script>{plotly_js()}</script>", held)
