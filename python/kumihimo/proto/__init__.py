# SPDX-License-Identifier: Apache-2.0
"""Frame formats of the Ethernet blocks, outside of the hardware.

`eth_rtp` and `eth_controller` build and take apart frames with the standard library alone;
`layers` has the same formats as scapy layers, and needs scapy. The dissector for Wireshark is
`kumihimo/data/wireshark/kumihimo.lua`.
"""

from __future__ import annotations

from pathlib import Path

DISSECTOR = Path(__file__).resolve().parents[1] / "data" / "wireshark" / "kumihimo.lua"
