# SPDX-License-Identifier: Apache-2.0
"""Kernels from Python: handles, buffers as of PYNQ, contexts and queues as of pyopencl."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import kumihimo.opencl as cl
import numpy as np
import pytest
from kumihimo import Cluster
from kumihimo.cluster import Node
from kumihimo.common.errors import KumiError
from kumihimo.hls.host import KernelTimeout
from kumihimo.host import allocate

TEXT = """\
name: host
nodes:
  alice: {{design: {design}, ip: none, memories: {{"": {{latency: 100 ns, jitter: 20 ns}}}}}}
"""


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    file = tmp_path_factory.mktemp("host") / "host.yaml"
    file.write_text(TEXT.format(design=Path(__file__).with_name("host.cl")), encoding="utf-8")
    with Cluster(file) as running:
        yield running["alice"]


def test_buffers_of_pynq(node: Node) -> None:
    """A buffer is brought to the node at the start, and back at the end; slices have addresses."""
    numbers = np.linspace(-3, 3, 40, dtype=np.float32)
    source, target = (allocate(n, np.float32, target=node) for n in (40, (40,)))
    source[:] = numbers
    cycles = node.kernel("scale").run(source, target, 0.5, 40)
    assert (target == numbers * np.float32(0.5)).all() and cycles == node.kernel("scale").cycles
    node.kernel("scale").run(**{"from": source[8:], "to": target, "factor": 2, "n": 4})
    assert (target[:4] == numbers[8:12] * 2).all()
    source.freebuffer()
    with pytest.raises(KumiError, match="no place in shared memory"):
        node.kernel("scale").start(source, target, 0.5, 40)
    target.freebuffer()


def test_kinds_of_arguments(node: Node) -> None:
    out = allocate(7, np.int32, target=node)
    large = -5_000_000_000
    node.kernel("mix").run(out, -3, 60_000, large, [1, 2, 3, -4], np.array([0.0, 1.5], "f4"))
    low, high = large & 0xFFFFFFFF, large >> 32
    expected = [-3, 60_000, low - (low >> 31 << 32), high, 1, -4, 0x3FC00000]
    assert out.tolist() == expected


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"small": 300}, "small of mix has 8 bits: 300"),
        ({"wide": 1.5}, "wide of mix is ushort: 1.5"),
        ({"four": [1, 2]}, "four of mix is int4: 2 elements"),
        ({"four": [1, 2, 3, 2**40]}, "four of mix is int4: "),
        ({"large": [1, 2]}, "large of mix is long: "),
        ({"colour": 1}, "The kernel mix takes to, small, wide"),
    ],
)
def test_wrong_arguments(node: Node, change: dict[str, object], says: str) -> None:
    """Refused with what is expected, and nothing is started."""
    right = {"to": 4096, "small": 0, "wide": 0, "large": 0, "four": [0] * 4, "two": [0, 0]}
    runs = node.kernel("mix").runs
    with pytest.raises(KumiError, match=says):
        node.kernel("mix").start(**{**right, **change})
    assert node.kernel("mix").runs == runs and not node.kernel("mix").busy


def test_pyopencl(node: Node) -> None:
    ctx = cl.Context(node)
    queue, program = cl.CommandQueue(ctx), cl.Program(ctx)
    numbers = np.arange(32, dtype=np.int32) - 7
    flags = cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR
    with (
        cl.Buffer(ctx, flags, hostbuf=numbers) as a,
        cl.Buffer(ctx, cl.mem_flags.READ_WRITE, numbers.nbytes) as b,
    ):
        program.square(queue, (32,), None, a, b)
        program.square(queue, (32,), None, b, a)  # in order, after the first
        found = np.empty_like(numbers)
        cl.enqueue_copy(queue, found, a)
        assert (found == numbers**4).all()
        cl.enqueue_copy(queue, b, numbers[::-1])
        assert program.square(queue, (32,), None, b, a).wait() > 32
        cl.enqueue_copy(queue, found, a)
        assert (found == numbers[::-1] ** 2).all()
        with pytest.raises(KumiError, match="1 dimensions"):
            program.square(queue, None, None, a, b)
        with pytest.raises(KumiError, match="do not fit"):
            cl.enqueue_copy(queue, b, np.zeros(33, np.int32))
    with pytest.raises(KumiError, match="released"):
        program.square(queue, (32,), None, a, b)
    with pytest.raises(KumiError, match="COPY_HOST_PTR"):
        cl.Buffer(ctx, cl.mem_flags.READ_ONLY, hostbuf=numbers)
    with pytest.raises(KumiError, match="no kernel sqare"):
        program.sqare(queue, (32,), None, a, b)


def test_start_and_wait(node: Node) -> None:
    """`node.kernel` is the same object each time, so a wait knows of the start."""
    out = allocate(3, np.int32, target=node)
    node.kernel("take").start(out, 3)
    with pytest.raises(KernelTimeout, match="take"):
        node.kernel("take").wait("5 us")
    with pytest.raises(KumiError, match="is running"):
        node.kernel("take").start(out, 3)
    for _ in range(3):
        node.kernel("stuck").run()
    assert node.kernel("take").wait("5 us") > 0
    assert out.tolist() == [1, 1, 1]
