# SPDX-License-Identifier: Apache-2.0
"""Completions, GIDs and errors of the verbs."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass

from ..common.errors import KumiError

RETRIES_EXCEEDED = 12
_STATUS = {
    0: "success",
    1: "local length error",
    2: "local QP operation error",
    4: "local protection error",
    5: "work request flushed",
    7: "bad response",
    9: "remote invalid request",
    10: "remote access error",
    11: "remote operation error",
    12: "retries exceeded",
    13: "RNR retries exceeded",
}


class RdmaError(KumiError):
    """A verb that cannot be done."""


class Gid:
    """The GID of a RoCEv2 port: its IPv4 address in an IPv6 address."""

    @staticmethod
    def of(address: str) -> bytes:
        """The 16 bytes of an address."""
        return bytes(10) + b"\xff\xff" + ipaddress.IPv4Address(address).packed

    @staticmethod
    def address(gid: bytes) -> str:
        """The IPv4 address of a GID."""
        if gid[:12] != bytes(10) + b"\xff\xff":
            raise RdmaError(f"the GID {gid.hex(':', 2)} has no IPv4 address: RoCEv2 over IPv4 only")
        return str(ipaddress.IPv4Address(gid[12:]))


@dataclass(frozen=True)
class Completion:
    """A work request that has completed. `status` has the numbers of enum ibv_wc_status."""

    qp: int
    id: int
    op: int
    status: int
    length: int
    imm: int | None
    write: bool
    src_qp: int
    src_address: str = ""  # of a receive
    src_flow: int = 0  # UDP source port of a receive

    @property
    def ok(self) -> bool:
        """Whether it succeeded."""
        return self.status == 0

    @property
    def text(self) -> str:
        """The status in words."""
        return _STATUS.get(self.status, str(self.status))
