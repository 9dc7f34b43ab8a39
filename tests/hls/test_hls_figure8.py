# SPDX-License-Identifier: Apache-2.0
"""Figure 8 of the paper, as printed: sender and receiver through two Ethernet controllers.

And over the reliable transport, on a cable that loses frames.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from hlskit import Run, Twin
from kumihimo import Cluster
from kumihimo.common.errors import KumiError
from kumihimo.testing.sizes import by_size

FILE = Path(__file__).with_name("figure8.yaml")
FROM, TO = 0x1_0000, 0x1000_0000


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster(FILE) as running:
        yield running


def send(cluster: Cluster, words: int, seed: int) -> tuple[int, int]:
    """Send words from alice to bob, compare every byte; cycles of sender and receiver."""
    alice, bob = cluster["alice"], cluster["bob"]
    data = random.Random(seed).randbytes(32 * words)
    alice.memory().write(FROM, data)
    sender, receiver = alice.kernel("sender"), bob.kernel("receiver")
    receiver.start(TO, words)
    sender.start(send_data256=FROM, count=words, source_addr=0xA, dest_addr=0xB)
    sent = sender.wait("1 s")
    received = receiver.wait("1 s")
    assert bob.memory().read(TO, 32 * words) == data
    assert bob.memory().read(TO + 32 * words, 32) == bytes(32)
    bob.memory().write(TO, bytes(32 * words))
    assert not sender.failed and not receiver.failed
    return sent, received


@pytest.mark.parametrize("words", [0, 1, 2, 287, 1000, 4000])
def test_every_byte_arrives(cluster: Cluster, words: int) -> None:
    send(cluster, words, words)
    nodes = cluster.stats()["nodes"]
    errors = [p["protocol_errors"] for n in nodes.values() for p in n["ports"].values()]
    assert not any(errors)


@pytest.fixture(scope="module")
def lossy() -> Iterator[Cluster]:
    with Cluster(FILE.with_name("figure8_transport.yaml")) as running:
        yield running


@pytest.mark.parametrize("words", [0, 1, 2, 287, 1000, 4000])
def test_every_byte_arrives_although_frames_are_lost(lossy: Cluster, words: int) -> None:
    send(lossy, words, words)
    assert lossy["bob"].regs.figure8.io_transport.read() == 0
    errors = [
        p["protocol_errors"] for n in lossy.stats()["nodes"].values() for p in n["ports"].values()
    ]
    assert not any(errors)


def test_frames_are_lost(lossy: Cluster) -> None:
    """Messages are right while the transport sends frames again: 3 % of them do not arrive."""
    again = lossy["alice"].regs.eth_rtp.tx_retransmit
    for seed in range(40):
        send(lossy, 1000, seed)
        if int(again.read()) > 2:
            return
    pytest.fail("no frame was lost")


def test_random_back_pressure(tmp_path: Path) -> None:
    """Stalls on every port, memory that reorders: the sender's words, the receiver's memory."""
    twin = Twin(FILE.with_suffix(".cl"), tmp_path)
    for words in (0, 1, 2, 287, 1000):
        data = bytearray(random.Random(words).randbytes(32 * words))
        sent = {"send_data256": data, "count": words, "source_addr": 1, "dest_addr": 2}
        twin.compare(Run({"sender": sent}), stall=0.4, seed=words + 1, latency=15, jitter=8)
        received = {"receive_data256": bytearray(32 * words), "count": words}
        inputs = {
            "RECEIVE_DATA": [
                int.from_bytes(data[i : i + 32], "little") for i in range(0, len(data), 32)
            ]
        }
        run = Run({"receiver": received}, inputs)
        twin.compare(run, stall=0.4, seed=words + 2, latency=15, jitter=8)


def test_messages_back_to_back(cluster: Cluster) -> None:
    for words in (0, 1, 2, 287, 1000):
        send(cluster, words, words + 1)


def test_line_share(cluster: Cluster) -> None:
    """14 more frames of 287 words take as long as they take on a line of 40 Gb/s."""
    one, two = (send(cluster, 287 * frames, frames)[1] for frames in (14, 28))
    line_s = 14 * (9216 + 24) * 8 / 40e9
    assert (two - one) / 316.666667e6 <= line_s / 0.99


def test_kernel_by_name(cluster: Cluster) -> None:
    alice = cluster["alice"]
    assert list(alice.kernel("receiver").arguments) == ["receive_data256", "count"]
    with pytest.raises(KumiError, match="no kernel sendr") as found:
        alice.kernel("sendr")
    assert "sender" in found.value.hint
    with pytest.raises(KumiError, match="The kernel sender takes"):
        alice.kernel("sender").start(count=1)


@pytest.mark.long
def test_a_long_message(cluster: Cluster) -> None:
    """10,000 words; in the long run a million."""
    send(cluster, by_size(10_000, 1_000_000), 7)


@pytest.mark.long
def test_a_long_message_although_frames_are_lost(lossy: Cluster) -> None:
    send(lossy, by_size(10_000, 1_000_000), 8)
