# SPDX-License-Identifier: Apache-2.0
"""Real sockets between four boards in a ring of serial links; each host has its own network."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass

import pytest
from kumihimo.common.errors import KumiError
from kumihimo.host import Packet
from kumihimo.ip_over_link.boards import BEST_MOST, LinkedBoards, Ways
from kumihimo.ip_over_link.sockets import LinkSockets
from kumihimo.link.stdm import Stdm
from kumihimo.net import Namespace
from wire import ROOT

NAMES = ("n0", "n1", "n2", "n3")
SECONDS = 120  # a loaded machine; each takes about one
BEHIND = "10.8.0.0/24"  # the network that n0 is the gateway of

TCP_SERVER = """
import socket, sys
server = socket.create_server(("", 5001))
print("ready", flush=True)
c, _ = server.accept()
while data := c.recv(65536):
    c.sendall(data)
"""
TCP_CLIENT = """
import random, socket, sys, threading
data = random.Random(1).randbytes(int(sys.argv[2]))
c = socket.create_connection((sys.argv[1], 5001), timeout=100)
threading.Thread(target=lambda: (c.sendall(data), c.shutdown(socket.SHUT_WR))).start()
back = b""
while got := c.recv(65536):
    back += got
assert back == data, (len(back), len(data))
print("same", len(back))
"""
# Keys typed one after the other, each echoed before the next.
TCP_KEYS = """
import socket, sys
c = socket.create_connection((sys.argv[1], 5001), timeout=100)
c.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
for n in range(30):
    c.sendall(bytes([n]))
    assert c.recv(10) == bytes([n]), n
print("same", 30)
"""
UDP_SERVER = """
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("", 5002))
print("ready", flush=True)
while True:
    data, who = s.recvfrom(65536)
    s.sendto(data, who)
"""
UDP_CLIENT = """
import random, socket, sys
rng = random.Random(3)
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.settimeout(60)
s.connect((sys.argv[1], int(sys.argv[2])))
sizes = [int(text) for text in sys.argv[3:]]
for size in sizes:
    data = rng.randbytes(size)
    s.send(data)
    assert s.recv(65536) == data, size
print("same", len(sizes))
"""
HTTP_SERVER = """
import functools, http.server, sys
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=sys.argv[1])
server = http.server.ThreadingHTTPServer(("", 8080), handler)
print("ready", flush=True)
server.serve_forever()
"""


def python(code: str, *args: object) -> list[str]:
    return [sys.executable, "-I", "-S", "-c", code, *map(str, args)]


@dataclass
class Client:
    """A computer on an ordinary Ethernet behind the gateway."""

    gateway: Namespace
    pid: int
    ip: str = "10.8.0.2"

    def command(self, argv: list[str]) -> list[str]:
        return ["nsenter", f"--target={self.pid}", "--net", "--", *argv]

    def run(self, argv: list[str], timeout: float = SECONDS) -> subprocess.CompletedProcess[str]:
        return self.gateway.run(self.command(argv), timeout)

    def popen(self, argv: list[str], **options: object) -> subprocess.Popen[str]:
        return self.gateway.popen(self.command(argv), **options)


Place = Namespace | Client


@pytest.fixture(scope="module")
def boards() -> Iterator[LinkedBoards]:
    folder = ROOT / "examples"
    with LinkedBoards(folder / "link_ring.yaml", folder / "link_ring_plan.yaml") as made:
        yield made


@pytest.fixture(scope="module")
def ring(boards: LinkedBoards) -> Iterator[LinkSockets]:
    with LinkSockets(boards, behind={"n0": BEHIND}) as made:
        yield made


@pytest.fixture(scope="module")
def client(ring: LinkSockets) -> Iterator[Client]:
    """Behind n0, on a pair of virtual Ethernet ports; n0's network forwards."""
    gateway = ring["n0"]
    process = gateway.popen(["unshare", "--net", "sleep", "1000"], stdin=subprocess.DEVNULL)
    made = Client(gateway, process.pid)
    inside = (
        "ip addr add 10.8.0.2/24 dev eth0; ip link set eth0 up; ip route add default via 10.8.0.1"
    )
    try:
        end = time.monotonic() + 30  # until the process has its own network
        here = gateway.run(["readlink", "/proc/self/ns/net"]).stdout
        while gateway.run(["readlink", f"/proc/{process.pid}/ns/net"]).stdout in ("", here):
            assert time.monotonic() < end
            time.sleep(0.02)
        for argv in (
            ["ip", "link", "add", "eth0", "type", "veth", "peer", "eth0", "netns", str(made.pid)],
            ["ip", "addr", "add", "10.8.0.1/24", "dev", "eth0"],
            ["ip", "link", "set", "eth0", "up"],
            ["sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward"],
            made.command(["sh", "-ec", inside]),
        ):
            done = gateway.run(argv)
            assert done.returncode == 0, (argv, done.stderr)
        yield made
    finally:
        process.kill()
        process.wait(10)


def ping(place: Place, target: str, *options: str, count: int = 2) -> None:
    """One at a time: once ping has an answer it waits only an interval for the others."""
    for _ in range(count):
        done = place.run(["ping", "-c", "1", "-W", "60", *options, target], timeout=SECONDS)
        assert " 1 received" in done.stdout, done.stdout + done.stderr


def talk(server: Place, code: str, place: Place, argv: list[str], *args: object) -> str:
    """Start a server, wait for it, run a client."""
    there = server.popen(
        python(code, *args), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert there.stdout is not None and there.stdout.readline().strip() == "ready"
        done = place.run(argv, timeout=SECONDS)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout
    finally:
        there.kill()
        there.communicate(timeout=20)


# ---- between hosts -----------------------------------------------------------------------------


@pytest.mark.parametrize("a", NAMES)
@pytest.mark.parametrize("b", NAMES)
def test_ping_by_best_effort(ring: LinkSockets, a: str, b: str) -> None:
    """All pairs: neighbours, across, and itself."""
    ping(ring[a], ring.best(b))


@pytest.mark.parametrize("a", range(4))
@pytest.mark.parametrize("step", [1, 3])
def test_ping_by_circuit(ring: LinkSockets, a: int, step: int) -> None:
    """Both neighbours of every board, by their own circuits."""
    name, other = NAMES[a], NAMES[(a + step) % 4]
    before = ring.bridges[name].counts.to_link
    ping(ring[name], ring.circuit(other))
    assert ring.bridges[name].counts.to_link == before + 2


@pytest.mark.parametrize("size", [0, 1, 1472])
def test_ping_sizes(ring: LinkSockets, size: int) -> None:
    ping(ring["n0"], ring.best("n2"), "-M", "do", "-s", str(size))
    ping(ring["n3"], ring.circuit("n0"), "-M", "do", "-s", str(size))


def test_tcp_across(ring: LinkSockets) -> None:
    """60 kB there and back over two hops."""
    argv = python(TCP_CLIENT, ring.best("n2"), 60_000)
    assert talk(ring["n2"], TCP_SERVER, ring["n0"], argv) == "same 60000\n"


def test_tcp_by_circuit(ring: LinkSockets) -> None:
    """60 kB there and back over a circuit."""
    argv = python(TCP_CLIENT, ring.circuit("n2"), 60_000)
    assert talk(ring["n2"], TCP_SERVER, ring["n1"], argv) == "same 60000\n"


def test_tcp_keys(ring: LinkSockets) -> None:
    """Single bytes and their echoes, as a terminal has them."""
    argv = python(TCP_KEYS, ring.best("n1"))
    assert talk(ring["n1"], TCP_SERVER, ring["n3"], argv) == "same 30\n"


def test_udp(ring: LinkSockets) -> None:
    """Datagrams from nothing to ones in three fragments."""
    sizes = (0, 1, 7, 8, 9, 100, 1472, 1473, 4000)
    for place, target in (("n1", ring.best("n3")), ("n2", ring.circuit("n3"))):
        argv = python(UDP_CLIENT, target, 5002, *sizes)
        assert talk(ring["n3"], UDP_SERVER, ring[place], argv) == f"same {len(sizes)}\n"


def test_nobody_there(ring: LinkSockets) -> None:
    """A packet for an unknown address ends at the bridge and is counted."""
    before = ring.bridges["n1"].counts.no_route
    done = ring["n1"].run(["ping", "-c1", "-W1", "10.9.0.77"], timeout=SECONDS)
    assert "0 received" in done.stdout
    assert ring.bridges["n1"].counts.no_route == before + 1


# ---- kernels -----------------------------------------------------------------------------------


@pytest.mark.parametrize("a", range(4))
def test_kernel_answers(ring: LinkSockets, a: int) -> None:
    """Ping and UDP echo of the IP kernel at the end of a circuit, in each board."""
    target = ring.kernel(NAMES[(a + 1) % 4])
    for size in (0, 1, 56, 1472):
        ping(ring[NAMES[a]], target, "-s", str(size))
    sizes = (1, 2, 17, 18, 19, 500, 1471, 1472)
    argv = python(UDP_CLIENT, target, 7, *sizes)
    done = ring[NAMES[a]].run(argv, timeout=SECONDS)
    assert done.stdout == f"same {len(sizes)}\n", done.stderr


def test_kernel_of_another_board(ring: LinkSockets) -> None:
    """A host without a circuit to a kernel does not reach it."""
    done = ring["n0"].run(["ping", "-c1", "-W1", ring.kernel("n2")], timeout=SECONDS)
    assert "0 received" in done.stdout


# ---- gateway -----------------------------------------------------------------------------------


@pytest.mark.parametrize("board", NAMES)
def test_ping_through_the_gateway(ring: LinkSockets, client: Client, board: str) -> None:
    """A computer on Ethernet reaches each board, and each board it."""
    ping(client, ring.best(board))
    ping(ring[board], client.ip)


def test_sockets_through_the_gateway(ring: LinkSockets, client: Client) -> None:
    """TCP and UDP, either side being the server."""
    argv = python(TCP_CLIENT, ring.best("n2"), 50_000)
    assert talk(ring["n2"], TCP_SERVER, client, argv) == "same 50000\n"
    argv = python(UDP_CLIENT, client.ip, 5002, 1, 1472, 3000)
    assert talk(client, UDP_SERVER, ring["n3"], argv) == "same 3\n"


def test_curl_through_the_gateway(
    ring: LinkSockets, client: Client, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A file from a web server on a board's host."""
    folder = tmp_path_factory.mktemp("web")
    data = random.Random(5).randbytes(60_000)
    (folder / "file").write_bytes(data)
    got = folder / "got"
    url = f"http://{ring.best('n1')}:8080/file"
    argv = ["curl", "-sS", "-f", "--max-time", "100", "-o", str(got), url]
    talk(ring["n1"], HTTP_SERVER, client, argv, folder)
    assert got.read_bytes() == data


# ---- packets -----------------------------------------------------------------------------------


def test_all_ways_at_once(ring: LinkSockets, boards: LinkedBoards) -> None:
    """All circuits between hosts, and best effort of all pairs: nothing is lost or mixed."""
    rng = random.Random(8)
    sizes, best_sizes = (1, 8, 63, 1500, 9000), (1, 8, 63, 1500, BEST_MOST)
    with ring.paused():
        boards.cluster.run("60 us")  # late packets of a test before
        for name in NAMES:
            for channel in range(4):
                boards.ring(name, channel).poll()
        wanted: dict[tuple[str, int], list[bytes]] = {}
        for circuit in boards.plan.circuits:
            if "pair" not in circuit["name"]:
                continue
            (a, _, out), (b, _, back) = boards.ends(circuit["name"])
            for _ in range(6):
                data = rng.randbytes(rng.choice(sizes))
                assert boards.ring(a, out).send(data)
                wanted.setdefault((b, back), []).append(data)
        best: dict[tuple[str, int], list[bytes]] = {}  # by receiver and number of the sender
        for a in NAMES:
            for b in NAMES:
                for _ in range(3 * (a != b)):
                    data = rng.randbytes(rng.choice(best_sizes))
                    assert boards.best(a).send(data, boards.number(b))
                    best.setdefault((b, boards.number(a)), []).append(data)
        got: dict[tuple[str, int], list[bytes]] = {key: [] for key in wanted}
        got_best: dict[tuple[str, int], list[bytes]] = {key: [] for key in best}
        for _ in range(300):
            boards.cluster.run("2 us")
            for name, channel in wanted:
                got[name, channel] += [p.data for p in boards.ring(name, channel).poll()]
            for name in NAMES:
                for packet in boards.best(name).poll():
                    got_best[name, packet.id].append(packet.data)
            if got == wanted and got_best == best:
                break
        assert got == wanted
        assert got_best == best


def test_too_long_for_best_effort(ring: LinkSockets, boards: LinkedBoards) -> None:
    """A packet that a switch cannot store is dropped by the sender's and counted, others pass."""
    with ring.paused():
        here = Stdm(boards.cluster["n0"].mmio, boards.cluster["n0"].regs.stdm.base)
        before = here.counters(0)
        for size in (BEST_MOST + 1, 100):
            assert boards.best("n0").send(bytes(size), boards.number("n2"))
        boards.cluster.run("40 us")
        assert [len(packet.data) for packet in boards.best("n2").poll()] == [100]
        after = here.counters(0)
        assert {k for k in after if after[k] != before[k]} == {"be_broken"}
        assert after["be_broken"] == before["be_broken"] + 1


def test_counts(ring: LinkSockets, boards: LinkedBoards) -> None:
    """After all of it: no packet was damaged, cut or dropped for want of room on any circuit."""
    with ring.paused():
        for name in NAMES:
            block = boards.cluster[name].regs.circuit
            for circuit in range(5):  # of the host, the register fifo's, the kernel's
                used = circuit != 3
                assert (block["sent"].read(circuit) >= 8) == used, (name, circuit)
                assert (block["good"].read(circuit) >= 8) == used, (name, circuit)
                for wrong in ("bad", "truncated", "full", "dropped"):
                    assert block[wrong].read(circuit) == 0, (name, circuit, wrong)
            echo = boards.cluster[name].regs.echo.counters()
            assert echo["rx_datagrams"] == echo["tx_datagrams"] == 8
        for name, bridge in ring.bridges.items():
            counts = asdict(bridge.counts)
            assert not counts["not_ipv4"] and not counts["too_long"], (name, counts)


def test_wrong_names(boards: LinkedBoards) -> None:
    with pytest.raises(KumiError, match="4096 bytes"):
        LinkSockets(boards, mtu=9000)
    with pytest.raises(KumiError, match="no circuit pair9"):
        boards.ends("pair9")
    with pytest.raises(KumiError, match="kernel0 does not join two hosts"):
        boards.circuit("kernel0")


class Slot:
    """A ring that takes a number of packets."""

    mtu = 100

    def __init__(self, room: int) -> None:
        self.room = room
        self.taken: list[tuple[bytes, int]] = []
        self.kicks = 0

    def queue(self, data: bytes, dest: int = 0) -> bool:
        if len(self.taken) == self.room:
            return False
        self.taken.append((data, dest))
        return True

    def kick(self) -> None:
        self.kicks += 1

    def poll(self, limit: int = 0) -> list[Packet]:
        return [Packet(data, dest) for data, dest in self.taken[: limit or None]]


def test_ways() -> None:
    """Each packet goes to its ring; a full one is reported, and only used ones are kicked."""
    rings = [Slot(2), Slot(1), Slot(1)]
    ways = Ways(rings)
    assert [ways.queue(b"a", 7), ways.queue(b"b", 256 + 3), ways.queue(b"c", 256)] == [1, 1, 0]
    ways.kick()
    ways.kick()
    assert [ring.kicks for ring in rings] == [1, 1, 0]
    assert [packet.id for packet in ways.poll()] == [7, 3]
    assert ways.mtu == 100
