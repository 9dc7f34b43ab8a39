# SPDX-License-Identifier: Apache-2.0
"""Messages of the connection manager, as tshark reads them, and what is no such message.

rdma_cm itself is met in tests/cluster/test_roce_linux.py.
"""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest
from kumihimo.rdma import cm_messages as cm
from kumihimo.rdma.cm_messages import Message, parse
from scapy.contrib.roce import BTH
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.packet import Raw
from scapy.utils import wrpcap

ONE, TWO = "10.77.0.1", "10.77.0.9"
REQUEST = Message(
    cm.REQ, 0x1122, local_id=7, qpn=0x123456, psn=0x654321, private=b"hello".ljust(56, b"\0"),
    port=7174, source=ONE, source_port=0x9000, destination=TWO, mtu=4096, ack_timeout=18,
    retry_cnt=5, rnr_retry=6, responder_resources=3, initiator_depth=4,
)  # fmt: skip
MESSAGES = [
    REQUEST,
    Message(cm.REP, 1, 8, 7, 0xABCDEF, 0x1234, bytes(196), rnr_retry=7, responder_resources=2),
    Message(cm.REJ, 1, 0, 7, reason=cm.INVALID_SERVICE, private=bytes(148)),
    Message(cm.RTU, 1, 7, 8, private=bytes(224)),
    Message(cm.DREQ, 2, 7, 8, qpn=0xABCDEF),
    Message(cm.DREP, 2, 8, 7),
]


@pytest.mark.parametrize("message", MESSAGES, ids=lambda m: str(m.kind))
def test_a_message_comes_back(message: Message) -> None:
    mad = message.pack()
    assert len(mad) == cm.MAD_BYTES
    assert parse(mad) == message


def test_tshark_reads_them(tmp_path: Path) -> None:
    frames = []
    for message in MESSAGES:
        udp = Ether() / IP(src=ONE, dst=TWO) / UDP(sport=0xC000, dport=4791, chksum=0)
        head = BTH(opcode=0x64, migreq=1, pkey=0xFFFF, dqpn=1, psn=1)
        deth = (0x80010000).to_bytes(4) + (1).to_bytes(4)
        frames.append(udp / head / Raw(deth + message.pack()))
    capture = tmp_path / "cm.pcap"
    wrpcap(str(capture), frames)
    shown = subprocess.run(
        ["tshark", "-r", str(capture), "-V"], capture_output=True, text=True, check=True
    ).stdout
    assert "alformed" not in shown
    for text in ("ConnectRequest", "ConnectReply", "ConnectReject", "ReadyToUse", "Disconnect"):
        assert text.lower() in shown.lower().replace(" ", ""), text
    for text in ("0x123456", "0x654321", "0xabcdef"):
        assert text in shown.lower(), text


def test_what_is_no_message() -> None:
    rng = random.Random(1)
    good = REQUEST.pack()
    assert parse(b"") is None
    assert parse(good[:-1]) is None
    for at, value in ((0, 2), (1, 3), (2, 1), (3, 0x81), (17, 0x0F), (17, 0x17)):
        assert parse(good[:at] + bytes([value]) + good[at + 1 :]) is None
    for at, value in ((24 + 13, 7), (24 + 43, 2), (24 + 50, 0), (24 + 50, 0x60), (24 + 141, 0x60)):
        assert parse(good[:at] + bytes([value]) + good[at + 1 :]) is None, at
    for _ in range(2000):  # never an exception
        changed = bytearray(good)
        for _ in range(rng.randrange(1, 6)):
            changed[rng.randrange(256)] = rng.randrange(256)
        parse(bytes(changed))
    with pytest.raises(ValueError, match="private data"):
        Message(cm.RTU, 1, private=bytes(225)).pack()
