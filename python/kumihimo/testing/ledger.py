# SPDX-License-Identifier: Apache-2.0
"""pytest plugin: at the end of a test every frame of its clusters and nodes is accounted for.

Clusters, also those of commands, run with KUMI_LEDGER=strict: one that does not balance fails as it
ends. A node that a test drives by itself (`Dut`) is looked at when the test has passed.

Where no balance is possible a test says why: `@pytest.mark.no_ledger("the engine is killed")`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import pytest

if TYPE_CHECKING:
    from kumihimo.testing.dut import Dut

VARIABLE = "KUMI_LEDGER"
MARKER = "no_ledger"
_looked: WeakKeyDictionary[Dut, tuple[object, int]] = WeakKeyDictionary()
"""The instance of each node, and its cycle, when it was looked at last."""


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker; every cluster from now on must balance."""
    config.addinivalue_line("markers", f"{MARKER}(why): frames need not be accounted for")
    os.environ[VARIABLE] = "strict"


def _excused(item: pytest.Item) -> bool:
    marker = item.get_closest_marker(MARKER)
    if marker is not None and not (marker.args and str(marker.args[0]).strip()):
        raise pytest.UsageError(f"{item.nodeid}: {MARKER} needs a reason")
    return marker is not None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Run the test, then look at the nodes that it drove."""
    excused = _excused(item)
    with pytest.MonkeyPatch.context() as patch:
        if excused:
            patch.delenv(VARIABLE, raising=False)
        result = yield
    if not excused:
        _look()
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    """The clusters of an excused test's fixtures are excused as well."""
    with pytest.MonkeyPatch.context() as patch:
        if _excused(item):
            patch.delenv(VARIABLE, raising=False)
        return (yield)


def _look() -> None:
    """Fail if a node that ran does not balance."""
    module: Any = sys.modules.get("kumihimo.testing.dut")
    for dut in list(module.Dut.live) if module else ():
        if dut.node.failed is None and _looked.get(dut) != (dut.node, dut.cycle):
            _check(dut)
            _looked[dut] = dut.node, dut.cycle


def _check(dut: Dut) -> None:
    from kumihimo.ledger import sentences
    from kumihimo.testing.books import is_node, ledger_of

    if is_node(dut):
        ledger = ledger_of(dut)
        assert not ledger.unexplained, " ".join(sentences(ledger))
