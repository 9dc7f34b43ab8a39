# SPDX-License-Identifier: Apache-2.0
"""Captures and recordings: what others read in them, replay, full disks, truncated files."""

from __future__ import annotations

import json
import struct
import subprocess
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from kumihimo._engine import Engine, EngineError, Impairments, recording_info
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Dot1Q, Ether
from scapy.utils import PcapNgReader
from simkit import BROADCAST, MS, PERIODS, US, frame, generator, mac, ring, script_pair


def test_capture_is_read_by_others(
    tmp_path: Path, tshark_fields: Callable[..., list[list[str]]]
) -> None:
    path = tmp_path / "c.pcapng"
    eng, a, b = script_pair(latency_ps=1_234_567, ab=Impairments(loss=0.2))
    eng.capture(str(path), ports=[(a, ""), (b, "")], comment="two ends of one cable")
    eng.start()
    sent = []
    for i in range(200):
        ip = IP(src="10.0.0.1", dst="10.0.0.2") / UDP(sport=7, dport=7) / bytes(range(i % 200))
        head = Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02")
        sent.append(bytes((head / Dot1Q(vlan=7) / ip) if i % 3 == 0 else (head / ip)).ljust(60))
        eng.send(a, sent[-1], at_ps=i * US)
    eng.run(250 * US)
    arrived = eng.received(b)
    eng.close()

    rows = tshark_fields(
        path,
        "frame.time_epoch",
        "frame.interface_name",
        "frame.len",
        "frame.comment",
        "frame.packet_flags_direction",
        "_ws.malformed",
        "ip.checksum.status",
    )
    out = [r for r in rows if r[1] == "a"]
    into = [r for r in rows if r[1] == "b"]
    assert len(out) == 200 and len(into) == len(arrived) < 200
    # Nanoseconds of virtual time, of the last byte.
    for r, (i, data) in zip(out, enumerate(sent), strict=True):
        assert int(r[0].replace(".", "")) == (i * US + (8 + len(data)) * 800) // 1000
    assert [int(r[0].replace(".", "")) for r in into] == [t // 1000 for t, _ in arrived]
    assert [r[3] for r in out].count("lost on the cable") == 200 - len(arrived)
    assert {r[4] for r in out} == {"0x00000002"} and {r[4] for r in into} == {"0x00000001"}
    assert not any(r[5] for r in rows)
    times = [float(r[0]) for r in rows]
    assert times == sorted(times)

    with PcapNgReader(str(path)) as reader:
        packets = list(reader)
    assert [bytes(p) for p in packets if p.sniffed_on == "a"] == sent


def test_capture_defaults_to_the_nodes(fake_node: str, tmp_path: Path, tshark: str) -> None:
    path = tmp_path / "c.pcapng"
    eng = ring(fake_node, 2, nodes=3)
    eng.capture(str(path))
    eng.start()
    eng.run(200 * US)
    frames = eng.stats()["captures"][str(path)]["frames"]
    eng.close()
    done = subprocess.run(
        [tshark, "-r", str(path), "-T", "fields", "-e", "frame.interface_name"],
        check=True,
        capture_output=True,
        text=True,
    )
    names = done.stdout.split()
    assert set(names) == {"n0.eth0", "n1.eth0", "n2.eth0"}
    assert len(names) >= frames > 100


def session(path: str, out: Path, drive: Callable[[Engine, int, int], Any]) -> Engine:
    """A node and a script on a switch, ready for a recording or its replay."""
    eng = Engine(2, seed=3)
    n = eng.add_node("n", path, PERIODS)
    x = eng.add_script("x")
    sw = eng.add_switch("sw", 4)
    bad = Impairments(loss=0.05, ber=1e-6, reorder=0.05)
    eng.connect((n, "eth0"), (sw, ""), ab=bad, ba=bad)
    eng.connect((x, ""), (sw, ""))
    eng.capture(str(out), comment="session")
    drive(eng, n, x)
    return eng


def record_session(path: str, tmp_path: Path, close: bool = True) -> tuple[Path, bytes, str]:
    rec, cap = tmp_path / "s.kumirec", tmp_path / "live.pcapng"

    def drive(eng: Engine, n: int, x: int) -> None:
        eng.record(str(rec), json.dumps({"cluster": "name: demo"}))
        eng.set_pin(n, "work", 3)
        generator(eng, n, BROADCAST, mac(1), 500, 120, 300)
        eng.start()
        for i in range(300):
            eng.send(x, frame(mac(1), mac(2), 60 + i, i), at_ps=eng.now_ps + (i % 5) * US)
            eng.run(3 * US + i * 1111)
            if i % 50 == 0:
                eng.axil_write(n, 4, i)
                assert eng.axil_read(n, 4) == i
                eng.flush()
            if i == 120:
                eng.set_pin(n, "work", 1)

    eng = session(path, cap, drive)
    digest = eng.digest()
    if close:
        eng.close()
    return rec, cap.read_bytes(), digest


def replay_session(path: str, rec: Path, cap: Path) -> tuple[dict[str, Any], Engine]:
    result: dict[str, Any] = {}
    eng = session(path, cap, lambda eng, n, x: result.update(eng.replay(str(rec))))
    eng.close()
    return result, eng


def test_replay_is_the_same_run(fake_node: str, tmp_path: Path) -> None:
    rec, live, digest = record_session(fake_node, tmp_path)
    info = recording_info(str(rec))
    assert json.loads(info["metadata"]) == {"cluster": "name: demo"}
    assert info["complete"] and info["digest"] == digest and info["frames"] == 300
    result, _ = replay_session(fake_node, rec, tmp_path / "again.pcapng")
    assert result["equal"] and result["complete"] and result["digest"] == digest
    assert result["checks"] >= 7
    assert (tmp_path / "again.pcapng").read_bytes() == live


def test_replay_of_a_cut_file(fake_node: str, tmp_path: Path) -> None:
    rec, _, _ = record_session(fake_node, tmp_path)
    whole = rec.read_bytes()
    cut = tmp_path / "cut.kumirec"
    seen = set()
    for size in (len(whole) - 1, len(whole) // 2, len(whole) // 2 + 7, len(whole) // 3):
        cut.write_bytes(whole[:size])
        assert not recording_info(str(cut))["complete"]
        result, eng = replay_session(fake_node, cut, tmp_path / "c.pcapng")
        assert result["equal"] and not result["complete"] and result["checks"] >= 1
        assert any("no end marker" in m[3] for m in eng.messages())
        seen.add(result["events"])
    assert len(seen) >= 3
    # A damaged byte ends the replay before the record that holds it.
    broken = bytearray(whole)
    broken[len(whole) // 2] ^= 1
    cut.write_bytes(broken)
    assert not recording_info(str(cut))["complete"]


def test_replay_notices_a_difference(fake_node: str, tmp_path: Path) -> None:
    rec, _, _ = record_session(fake_node, tmp_path)
    data = bytearray(rec.read_bytes())
    # Another last byte in every frame that came in, with checksums that fit.
    at = 16
    while at < len(data):
        size, kind = struct.unpack_from("<II", data, at)
        if kind == 2:
            data[at + 8 + size - 1] ^= 0xFF
            struct.pack_into("<I", data, at + 8 + size, zlib.crc32(data[at : at + 8 + size]))
        at += 12 + size
    rec.write_bytes(data)
    result, eng = replay_session(fake_node, rec, tmp_path / "d.pcapng")
    assert not result["equal"] and 0 < result["differs_ps"] < result["final_ps"]
    assert result["digest"] != result["expected"]
    assert any(level == "error" and "differs" in text for level, _, _, text in eng.messages())


def test_replay_wants_the_same_cluster(fake_node: str, tmp_path: Path) -> None:
    rec, _, _ = record_session(fake_node, tmp_path)
    eng = Engine(1, seed=3)
    eng.add_node("n", fake_node, PERIODS)
    with pytest.raises(EngineError, match="recorded: script x; here: "):
        eng.replay(str(rec))
    (tmp_path / "no").write_bytes(b"no recording")
    with pytest.raises(EngineError, match="is no recording"):
        eng.replay(str(tmp_path / "no"))
    with pytest.raises(EngineError, match="cannot read"):
        eng.replay(str(tmp_path / "nothing"))


def test_full_disk(fake_node: str) -> None:
    """A full disk stops the writer, not the run."""
    eng = ring(fake_node, 2, nodes=4)
    eng.record("/dev/full", "{}")
    eng.capture("/dev/full")
    eng.start()
    assert eng.run(3 * MS) == "done"
    eng.flush()
    errors = [(source, text) for level, _, source, text in eng.messages() if level == "error"]
    assert sorted(s for s, _ in errors) == ["capture", "recording"]
    assert all("No space left on device" in t and "the run goes on" in t for _, t in errors)
    assert eng.run(1 * MS) == "done"
    eng.close()


def test_unwritable_paths() -> None:
    eng, _, _ = script_pair()
    with pytest.raises(EngineError, match="cannot write /nowhere/x"):
        eng.record("/nowhere/x", "{}")
    eng.capture("/nowhere/x")
    with pytest.raises(EngineError, match="cannot write /nowhere/x"):
        eng.start()
