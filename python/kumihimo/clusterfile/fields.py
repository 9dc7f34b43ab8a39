# SPDX-License-Identifier: Apache-2.0
"""Types of a cluster file's fields: quantities, addresses and names, validated and converted."""

from __future__ import annotations

import ipaddress
import re
from typing import Annotated

from pydantic import BeforeValidator, Field, WithJsonSchema

from . import units

NAME_PATTERN = r"^[A-Za-z_][A-Za-z0-9_-]{0,31}$"
ENDPOINT_PATTERN = r"^[A-Za-z_][A-Za-z0-9_-]*(\.[A-Za-z0-9_]+)?$"
_MAC = re.compile(r"^([0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}$")


def _mac(value: object) -> str:
    text = str(value)
    if text == "auto":
        return text
    if not _MAC.match(text):
        raise ValueError(
            f"expected a MAC address like `02:00:00:00:00:0a` or `auto`, found `{text}`"
        )
    text = text.lower().replace("-", ":")
    if int(text[:2], 16) & 1:
        raise ValueError(
            f"`{text}` is a group (multicast) address; a station needs an even first byte"
        )
    if text == "00:00:00:00:00:00":
        raise ValueError("the all-zero MAC address cannot be a station's")
    return text


def _ip_interface(value: object) -> str:
    text = str(value)
    if text in ("auto", "none"):
        return text
    example = "`10.77.0.10/24`, `auto` or `none`"
    if "/" not in text:
        raise ValueError(
            f"expected an IPv4 address with its prefix length, {example}, found `{text}`"
        )
    try:
        parsed = ipaddress.IPv4Interface(text)
    except ValueError as problem:
        raise ValueError(f"expected {example}, found `{text}` ({problem})") from None
    check_host_address(parsed)
    return str(parsed)


def _node_ip(value: object) -> str:
    return "dhcp" if str(value) == "dhcp" else _ip_interface(value)


def _ip6_interface(value: object) -> str:
    text = str(value)
    if text in ("auto", "none"):
        return text
    example = "`fd00::10/64`, `auto` or `none`"
    try:
        parsed = ipaddress.IPv6Interface(text)
    except ValueError as problem:
        raise ValueError(f"expected {example}, found `{text}` ({problem})") from None
    if "/" not in text:
        raise ValueError(
            f"expected an IPv6 address with its prefix length, {example}, found `{text}`"
        )
    ip = parsed.ip
    if ip.is_multicast or ip.is_unspecified or ip.is_loopback or ip.is_link_local:
        raise ValueError(
            f"`{ip}` cannot be given to a host; `auto` takes the address of the link alone"
        )
    return str(parsed)


def check_host_address(interface: ipaddress.IPv4Interface) -> None:
    """Reject addresses that a host cannot have."""
    ip, network = interface.ip, interface.network
    if ip.is_multicast or ip.is_unspecified or ip.is_loopback or int(ip) == 0xFFFFFFFF:
        raise ValueError(f"`{ip}` cannot be a host's address")
    if network.prefixlen < 31 and ip == network.network_address:
        raise ValueError(f"`{interface}` is the address of the network itself")
    if network.prefixlen < 31 and ip == network.broadcast_address:
        raise ValueError(f"`{interface}` is the network's broadcast address")


def _ip_address(value: object) -> str:
    try:
        return str(ipaddress.IPv4Address(str(value)))
    except ValueError:
        raise ValueError(f"expected an IPv4 address like `10.77.0.1`, found `{value}`") from None


def _ip_network(value: object) -> str:
    try:
        return str(ipaddress.IPv4Network(str(value)))
    except ValueError as problem:
        raise ValueError(
            f"expected a network like `10.77.0.0/24`, found `{value}` ({problem})"
        ) from None


def _integer(value: object) -> int:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int):
        return value
    try:
        return int(str(value).replace("_", ""), 0)
    except ValueError:
        raise ValueError(f"expected a whole number like `5` or `0x1f`, found `{value}`") from None


def _schema(what: str, example: str, *types: str) -> WithJsonSchema:
    names = list(types) or ["string", "number"]
    description = f"{what}, for example `{example}`"
    return WithJsonSchema({"type": names, "description": description})


def _register_value(value: object) -> int | str:
    """A number, an IPv4 address (as a number, first octet highest), or a station's name."""
    text = str(value)
    if re.match(r"^\d+\.\d+\.\d+\.\d+$", text):
        return int(ipaddress.IPv4Address(_ip_address(text)))
    if isinstance(value, str) and re.match(NAME_PATTERN, text):
        return text
    number = _integer(value)
    if not 0 <= number < 2**32:
        raise ValueError(f"`{value}` does not fit a 32-bit register")
    return number


Time = Annotated[int, BeforeValidator(units.time_ps), _schema("A time", "500 ns")]
Latency = Annotated[
    int,
    BeforeValidator(units.cable_ps),
    _schema("A time, or metres of cable at 5 ns each", "5 m"),
]
Frequency = Annotated[
    float, BeforeValidator(units.frequency_hz), _schema("A frequency", "156.25 MHz")
]
Rate = Annotated[float, BeforeValidator(units.rate_bps), _schema("A bit rate", "10 Gb/s")]
Size = Annotated[int, BeforeValidator(units.size_bytes), _schema("A size", "128 KiB")]
ByteRate = Annotated[
    float, BeforeValidator(units.byte_rate), _schema("A rate in bytes", "540 MB/s")
]
Chance = Annotated[float, BeforeValidator(units.chance), _schema("A chance from 0 to 1", "0.1 %")]
RegisterValue = Annotated[
    int | str,
    BeforeValidator(_register_value),
    _schema("A number, an IPv4 address or a station's name", "0x1f"),
]


def _memory(value: object) -> int:
    """A size, or as QEMU and the kernel write one: `256M` is 256 MiB."""
    short = re.match(r"^\s*(\d+)\s*([MG])\s*$", str(value))
    size = units.size_bytes(f"{short[1]} {short[2]}iB" if short else value)
    if size % (1 << 20) or not 32 <= size >> 20 <= 65536:
        raise ValueError(f"expected 32 MiB to 64 GiB in whole MiB, like `256M`, found `{value}`")
    return size


Memory = Annotated[int, BeforeValidator(_memory), _schema("A guest's memory", "256M")]


def _skews(value: object) -> tuple[int, ...] | int:
    """One time, the largest skew, or a list with one time per lane."""
    if isinstance(value, list):
        return tuple(units.time_ps(v) for v in value)
    return units.time_ps(value)


def _span(value: object) -> tuple[int, int]:
    """`10 us - 20 us`, or a list of two times."""
    parts = value if isinstance(value, list) else re.split(r"\s+(?:-|to)\s+", str(value).strip())
    if len(parts) != 2:
        raise ValueError(f"expected two times like `10 us - 20 us`, found `{value}`")
    start, end = (units.time_ps(part) for part in parts)
    if end <= start:
        raise ValueError(f"`{value}` ends before it begins")
    return start, end


Skew = Annotated[
    int | tuple[int, ...],
    BeforeValidator(_skews),
    WithJsonSchema(
        {
            "description": "Largest extra latency of a lane, or a list with one time per lane",
            "anyOf": [
                {"type": ["string", "number"]},
                {"type": "array", "items": {"type": ["string", "number"]}},
            ],
        }
    ),
]
Span = Annotated[
    tuple[int, int], BeforeValidator(_span), _schema("From one time to another", "10 us - 20 us")
]
Mac = Annotated[
    str, BeforeValidator(_mac), _schema("A MAC address or `auto`", "02:00:00:00:00:0a", "string")
]
IpInterface = Annotated[
    str,
    BeforeValidator(_ip_interface),
    _schema("An IPv4 address with prefix, `auto` or `none`", "10.77.0.10/24", "string"),
]
NodeIp = Annotated[
    str,
    BeforeValidator(_node_ip),
    _schema("An IPv4 address with prefix, `auto`, `dhcp` or `none`", "10.77.0.10/24", "string"),
]
Ip6Interface = Annotated[
    str,
    BeforeValidator(_ip6_interface),
    _schema("An IPv6 address with prefix, `auto` or `none`", "fd00::10/64", "string"),
]
IpAddress = Annotated[
    str, BeforeValidator(_ip_address), _schema("An IPv4 address", "10.77.0.1", "string")
]
IpNetwork = Annotated[
    str, BeforeValidator(_ip_network), _schema("An IPv4 network", "10.77.0.0/24", "string")
]
Name = Annotated[str, Field(pattern=NAME_PATTERN)]
Endpoint = Annotated[
    str, Field(pattern=ENDPOINT_PATTERN, description="`node.port`, `switch`, `switch.3`, `tap`")
]
