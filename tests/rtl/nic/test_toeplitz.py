# SPDX-License-Identifier: Apache-2.0
"""The Toeplitz hash against the vectors of the RSS specification."""

from __future__ import annotations

import socket

import pytest
from kumihimo.testing import Dut

VECTORS = [  # source, destination, hash of the addresses, and with the ports
    ("66.9.149.187", 2794, "161.142.100.80", 1766, 0x323E8FC2, 0x51CCC178),
    ("199.92.111.2", 14230, "65.69.140.83", 4739, 0xD718262A, 0xC626B0EA),
    ("24.19.198.95", 12898, "12.22.207.184", 38024, 0xD2D0A5DE, 0x5C2B394A),
    ("38.27.205.30", 48228, "209.142.163.6", 2217, 0x82989176, 0xAFC7327F),
    ("153.39.163.191", 44251, "202.188.127.2", 1303, 0x5D1809C5, 0x10E828A2),
]


@pytest.fixture(scope="module")
def dut() -> Dut:
    return Dut.of_module("hw/nic/rx/kumi_nic_toeplitz.sv")


@pytest.mark.parametrize(("source", "sport", "to", "dport", "two", "four"), VECTORS)
def test_vectors(
    dut: Dut, source: str, sport: int, to: str, dport: int, two: int, four: int
) -> None:
    addresses = socket.inet_aton(source) + socket.inet_aton(to)
    for ports, expected in (
        (bytes(4), two),
        (sport.to_bytes(2, "big") + dport.to_bytes(2, "big"), four),
    ):
        dut.set("data", int.from_bytes(addresses + ports, "big"))
        dut.run(3)
        assert dut.get("hash") == expected
