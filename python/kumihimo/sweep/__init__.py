# SPDX-License-Identifier: Apache-2.0
"""`kumi sweep`: one cluster file run at many settings, as one table."""

from .points import Point, points
from .runner import Definition, Local, Outcome, Scheduler, Sweep
from .table import Table, write_csv, write_parquet

__all__ = [
    "Definition",
    "Local",
    "Outcome",
    "Point",
    "Scheduler",
    "Sweep",
    "Table",
    "points",
    "write_csv",
    "write_parquet",
]
