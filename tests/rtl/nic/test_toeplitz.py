# SPDX-License-Identifier: Apache-2.0
"""The Toeplitz hash against the vectors of the RSS specification."""

from __future__ import annotations

import socket

import pytest
from kumihimo.testing import Dut

KEY = bytes.fromhex(
    "6d5a56da255b0ec24167253d43a38fb0d0ca2bcbae7b30b477cb2da38030f20c6a42b73bbeac01fa"
)
VECTORS = [  # source, destination, hash of the addresses, and with the ports
    ("66.9.149.187", 2794, "161.142.100.80", 1766, 0x323E8FC2, 0x51CCC178),
    ("199.92.111.2", 14230, "65.69.140.83", 4739, 0xD718262A, 0xC626B0EA),
    ("24.19.198.95", 12898, "12.22.207.184", 38024, 0xD2D0A5DE, 0x5C2B394A),
    ("38.27.205.30", 48228, "209.142.163.6", 2217, 0x82989176, 0xAFC7327F),
    ("153.39.163.191", 44251, "202.188.127.2", 1303, 0x5D1809C5, 0x10E828A2),
]
VECTORS6 = [
    ("3ffe:2501:200:1fff::7", 2794, "3ffe:2501:200:3::1", 1766, 0x2CC18CD5, 0x40207D3D),
    ("3ffe:501:8::260:97ff:fe40:efab", 14230, "ff02::1", 4739, 0x0F0C461C, 0xDDE51BBF),
    (
        "3ffe:1900:4545:3:200:f8ff:fe21:67cf",
        44251,
        "fe80::200:f8ff:fe21:67cf",
        38024,
        0x4B61E985,
        0x02D1FEEF,
    ),
]


@pytest.fixture(scope="module")
def dut() -> Dut:
    return Dut.of_module("hw/nic/rx/kumi_nic_toeplitz.sv")


@pytest.mark.parametrize(("source", "sport", "to", "dport", "two", "four"), VECTORS + VECTORS6)
def test_vectors(
    dut: Dut, source: str, sport: int, to: str, dport: int, two: int, four: int
) -> None:
    family = socket.AF_INET6 if ":" in source else socket.AF_INET
    addresses = socket.inet_pton(family, source) + socket.inet_pton(family, to)
    for ports, expected in (
        (bytes(4), two),
        (sport.to_bytes(2, "big") + dport.to_bytes(2, "big"), four),
    ):
        dut.set("key", int.from_bytes(KEY, "big"))
        dut.set("data", int.from_bytes((addresses + ports).ljust(36, b"\0"), "big"))
        dut.run(4)
        assert dut.get("hash") == expected
