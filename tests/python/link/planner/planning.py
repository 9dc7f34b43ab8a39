# SPDX-License-Identifier: Apache-2.0
"""Short ways to ask for a plan, shared by the planner's tests."""

from __future__ import annotations

import random

import pytest
from kumihimo.link.planner import plan
from kumihimo.link.planner.check import check
from kumihimo.link.planner.plan_doc import Plan
from kumihimo.link.planner.reasons import NoPlan
from kumihimo.link.planner.request import parse_request


def circuit(a: str, b: str, slots: int = 1, **more: object) -> str:
    fields = {"from": a, "to": b, "slots": slots, **more}
    return "  - {" + ", ".join(f"{k}: {v}" for k, v in fields.items()) + "}"


def request(topology: str, slots: int, *circuits: str, more: str = "") -> str:
    lines = [f"topology: {{{topology}}}", f"slots: {slots}", more, "circuits:", *circuits]
    return "\n".join(lines) + ("" if circuits else " []") + "\n"


def planned(topology: str, slots: int, *circuits: str, more: str = "") -> Plan:
    """A plan that was replayed without a conflict."""
    made = plan(parse_request(request(topology, slots, *circuits, more=more)))
    verdict = check(made.data)
    assert verdict.conflicts == []
    assert verdict.words == sum(c["slots"] for c in made.circuits)
    return made


def refused(topology: str, slots: int, *circuits: str, more: str = "") -> NoPlan:
    """The reasons of a request that has no plan."""
    with pytest.raises(NoPlan) as caught:
        plan(parse_request(request(topology, slots, *circuits, more=more)))
    return caught.value


def some_circuits(draw: random.Random, boards: list[str], count: int, most: int) -> list[str]:
    out = []
    for _ in range(count):
        a, b = draw.sample(boards, 2)
        out.append(circuit(a, b, draw.randint(1, most)))
    return out
