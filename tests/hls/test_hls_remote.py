# SPDX-License-Identifier: Apache-2.0
"""Channels to kernels of another node: over a cable that loses, reorders and doubles frames."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from kumihimo import Cluster
from kumihimo.clusterfile import ClusterFileError, plan

FILE = Path(__file__).with_name("remote.yaml")
FROM, TO, SUM = 0x1_0000, 0x1000_0000, 0x2000_0000


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster(FILE) as running:
        yield running


@pytest.mark.parametrize("words", [0, 1, 2, 287, 3000])
def test_every_word_arrives(cluster: Cluster, words: int) -> None:
    """Wide and narrow channels in both directions at once; the narrow ones' reader is slow."""
    nodes = [cluster["alice"], cluster["bob"]]
    data = [random.Random(words + i).randbytes(32 * words) for i in range(2)]
    for node, sent in zip(nodes, data, strict=True):
        node.memory().write(FROM, sent)
        node.kernel("sink").start(TO, words)
        node.kernel("total").start(SUM, words, 5)
        node.kernel("numbers").start(words, 1000)
        node.kernel("source").start(FROM, words)
    turned = [(x << 5) % 2**32 for x in range(1000, 1000 + words)]
    for node, sent in zip(nodes, reversed(data), strict=True):
        for kernel in ("source", "numbers", "sink", "total"):
            node.kernel(kernel).wait("20 ms")
        assert node.memory().read(TO, 32 * words) == sent
        assert int.from_bytes(node.memory().read(SUM, 4), "little") == sum(turned) % 2**32
        assert node.regs.remote.io_remote.read() == 0


def test_unread_channel_holds_up_no_other(cluster: Cluster) -> None:
    """2,000 words that nobody reads wait; those of the other channel pass them."""
    alice, bob = cluster["alice"], cluster["bob"]
    data = random.Random(5).randbytes(32 * 2000)
    alice.memory().write(FROM, data)
    alice.kernel("numbers").start(2000, 7)
    cluster.run("20 us")
    bob.kernel("sink").start(TO, 2000)
    alice.kernel("source").start(FROM, 2000)
    bob.kernel("sink").wait("20 ms")
    assert bob.memory().read(TO, len(data)) == data
    assert alice.kernel("numbers").busy
    bob.kernel("total").run(SUM, 2000, 0, timeout="20 ms")
    alice.kernel("numbers").wait("1 ms")
    assert int.from_bytes(bob.memory().read(SUM, 4), "little") == sum(range(7, 2007))


RIGHT = "- {from: alice.wide_out, to: bob.wide_in}"
WRONG = {
    "- {from: alice.wide_ou, to: bob.wide_in}": r"remote_wide_ou`\); they write "
    r'`alice.narrow_out`, `alice.wide_out`. Did you mean "wide_out"',
    "- {from: alice.wide_in, to: bob.wide_in}": "kernels of `alice` read `wide_in` here",
    "- {from: alice.wide_out, to: bob.narrow_in}": "words of 256 bits and `bob.narrow_in` of 32",
    "- {from: alice.wide_out, to: alice.wide_in}": "both ends are on one node",
    "- {from: carol.wide_out, to: bob.wide_in}": "no node called `carol`",
    "- {from: bob.wide_out, to: alice.wide_in}": "already has its other end",
    "": "add `{from: alice.wide_out, to: OTHER.NAME}` to `channels`",
}


@pytest.mark.parametrize("wrong", WRONG)
def test_mistakes_in_the_file(tmp_path: Path, wrong: str) -> None:
    """Each is refused with its line and what there is."""
    text = FILE.read_text(encoding="utf-8")
    text = text.replace("design: remote.cl", f"design: {FILE.with_suffix('.cl')}")
    rows = text.splitlines()
    at = RIGHT if wrong else "alice: {}"
    line = next(i for i, row in enumerate(rows, 1) if at in row)
    file = tmp_path / "wrong.yaml"
    file.write_text(text.replace(RIGHT, wrong, 1), encoding="utf-8")
    with pytest.raises(ClusterFileError, match=WRONG[wrong]) as found:
        plan(file)
    lines = {int(n) for n in re.findall(r"wrong\.yaml:(\d+)", str(found.value))}
    assert lines & {line, line + 2}  # a second use is found at the second
