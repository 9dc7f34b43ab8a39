# SPDX-License-Identifier: Apache-2.0
"""The ledger in sentences: what came in, what became of it, which counter dropped how many."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .accounts import NOT_READ, Account, Item
from .ledger import Ledger

SHORT = 6
_CAME = {
    "node": "frames in",
    "node output": "frames to send",
    "switch": "frames in",
    "cable": "frames sent",
    "circuits": "packets for circuits",
}


def _drops(found: Sequence[Item]) -> str:
    # The name of a cable stands before its sentence.
    named = [
        f"{item.name.rpartition('.')[2] if item.name.startswith('cables.') else item.name} "
        f"({item.text})"
        for item in found
    ]
    if len(named) == 1:
        return named[0]
    return ", ".join(f"{item.count:,} {name}" for item, name in zip(found, named, strict=True))


def _count(count: int, text: str) -> str:
    """`1 ARP packet taken`, `2 ARP packets taken`."""
    if count == 1:
        text = re.sub(r"^((?:[A-Z]+ )?[a-z]+)s\b", r"\1", text)
    return f"{count:,} {text}"


def _sum(account: Account) -> str:
    parts = [_count(account.came_in, _CAME.get(account.kind, "frames in"))]
    parts += [_count(item.count, item.text) for item in (*account.added, *account.went)]
    if account.inside:
        parts.append(f"{account.inside:,} still inside")
    left = account.unexplained
    if left > 0:
        parts.append(f"{left:,} that no counter accounts for")
    elif left < 0:
        parts.append(f"counters name {-left:,} more than that")
    if account.dropped:
        parts.append(f"{account.drops:,} dropped: {_drops(account.dropped)}")
    return ", ".join(parts)


def sentence(account: Account) -> str:
    """One account in one sentence."""
    name = account.where if account.kind.startswith("node") else f"{account.kind} {account.where}"
    text = f"{name}: {_sum(account)}"
    if account.kind == "node" and not account.counted and account.later:
        text = f"{name}: {account.came_in:,} frames in"
        text += "".join(f", {_count(i.count, i.text)}" for i in account.later if not i.name)
    named = [item for item in account.later if item.name]
    if named and account.kind == "node" and not (account.counted or account.came_in):
        text = f"{name}: {sum(i.count for i in named):,} dropped: {_drops(named)}"
    elif named:
        text += f"; later {sum(i.count for i in named):,} dropped: {_drops(named)}"
    if account.uncertain:
        text += f"; {account.uncertain:,} moved while the counters were read"
    return text + (f"; {account.note}" if account.note else "")


def _clean(account: Account) -> bool:
    return not (account.drops or account.added or account.inside or account.unexplained)


def sentences(ledger: Ledger) -> list[str]:
    """The whole ledger. Cables and ends without a loss share a sentence."""
    found, quiet, frames = [], 0, 0
    for account in ledger.accounts:
        if account.kind == "node output" and _clean(account):
            continue
        if account.kind in ("cable", "tap", "peer", "script") and _clean(account):
            quiet += account.kind == "cable"
            frames += account.came_in if account.kind == "cable" else 0
            continue
        found.append(sentence(account))
    if quiet:
        found.append(f"{_count(quiet, 'directions of cables')} lost nothing ({frames:,} frames)")
    return [*found, _verdict(ledger)]


def _verdict(ledger: Ledger) -> str:
    if ledger.unexplained:
        return f"{ledger.unexplained:,} frames are not accounted for"
    open_ = [a.where for a in ledger.accounts if not a.counted and a.came_in]
    if open_:
        return f"Every frame is accounted for, except inside {', '.join(open_)}"
    return "Every frame is accounted for"


def short(ledger: Ledger) -> list[str]:
    """Only what was dropped or is unexplained; at most a few sentences."""
    wrong = [a for a in ledger.accounts if a.drops or a.unexplained or any(i.name for i in a.later)]
    late = [a.where for a in ledger.accounts if a.kind == "node" and a.note.startswith(NOT_READ)]
    wrong.sort(key=lambda a: -(a.drops + abs(a.unexplained)))
    found = [sentence(account) for account in wrong[:SHORT]]
    more = len(wrong) - len(found)
    if more:
        found.append(f"and drops in {_count(more, 'places')} more")
    if ledger.unexplained:
        found.append(_verdict(ledger))
    if late:
        names = ", ".join(late[:SHORT]) + (", ..." if len(late) > SHORT else "")
        found.append(f"registers not all read: {_count(len(late), 'nodes')} ({names})")
    return found
