# SPDX-License-Identifier: Apache-2.0
"""Drop counters of management in the registers of the nodes: one real packet, or more, for each."""

from __future__ import annotations

import struct

import pytest
from ib_mad import GET, GET_RESP, LID_ROUTED, NODE_INFO, PERMISSIVE, PORT_INFO, SET, Mad
from ib_model import Header, packet
from ib_site import END_LID, Site


@pytest.fixture(scope="module")
def site() -> Site:
    return Site()


def spoiled(data: bytes) -> bytes:
    """With a wrong ICRC."""
    return data[:-1] + bytes([data[-1] ^ 1])


def by_lid(lid: int, **more: object) -> Mad:
    return Mad(NODE_INFO, GET, cls=LID_ROUTED, dlid=lid, slid=1, **more)


def key_set(old: bytes, key: int) -> bytes:
    """PortInfo with an M_Key that protects Sets."""
    info = bytearray(old)
    info[0x20] &= 0xF0
    info[0x21] &= 0x0F
    info[:8] = struct.pack(">Q", key)
    info[0x22] = info[0x22] & 0x3F | 1 << 6
    return bytes(info)


def count(site: Site, block: str, wanted: dict[str, int], *packets: bytes) -> None:
    """These packets raise these counters, and no other."""
    before = site.drops(block)
    site.send(*packets)
    site.settled()
    after = site.drops(block)
    assert {k: n - before[k] for k, n in after.items() if n != before[k]} == wanted


def test_drops_of_a_switch(site: Site) -> None:
    good = Mad(NODE_INFO).packet()
    assert len(site.drops("switch")) == 9 and not any(site.drops("switch").values())
    count(site, "switch", {"mgmt_bad_icrc": 2}, spoiled(good), good, spoiled(good))
    count(site, "switch", {"mgmt_bad_packet": 1}, Mad(NODE_INFO, base_ver=2).packet())
    count(site, "switch", {"mgmt_bad_route": 1}, Mad(NODE_INFO, hop_ptr=7, hop_cnt=1).packet())
    orphan = Mad(NODE_INFO, GET_RESP, cls=LID_ROUTED, slid=1)
    count(site, "switch", {"mgmt_no_manager": 1}, orphan.packet())
    # The answer goes by the tables, which do not know LID 40.
    lost = Mad(NODE_INFO, GET, cls=LID_ROUTED, dlid=PERMISSIVE, slid=40)
    count(site, "switch", {"mgmt_relay": 1}, lost.packet(), good)
    long = packet(bytes(400), Header(vl=15, dlid=PERMISSIVE))
    count(site, "switch", {"mgmt_discard": 1}, long, good)

    old = site.ask(Mad(PORT_INFO)).data
    site.ask(Mad(PORT_INFO, SET, data=key_set(old, 77)))
    wrong = Mad(PORT_INFO, SET, data=key_set(old, 78), m_key=78)
    count(site, "switch", {"mgmt_bad_m_key": 1}, wrong.packet())
    site.ask(Mad(PORT_INFO, SET, data=key_set(old, 0), m_key=77))

    before = site.drops("switch")
    site.feed(good, crc=bytes(2))
    site.settled()
    assert site.drops("switch") == before | {"mgmt_bad": before["mgmt_bad"] + 1}
    assert site.switch["rcv_errors"].read_all()[0] == 1
    assert site.ask(Mad(NODE_INFO)).attr == NODE_INFO


def test_drops_of_an_endpoint(site: Site) -> None:
    good = by_lid(END_LID).packet()
    assert len(site.drops("end")) == 5 and not any(site.drops("end").values())
    count(site, "end", {"mgmt_bad_icrc": 2}, spoiled(good), spoiled(good))
    count(site, "end", {"mgmt_bad_packet": 1}, by_lid(END_LID, base_ver=2).packet())
    route = Mad(NODE_INFO, hop_ptr=7, hop_cnt=1, dlid=END_LID).packet()
    count(site, "end", {"mgmt_bad_route": 1}, route)
    before = site.drops("end")["mgmt_full"]
    site.send(*[spoiled(good)] * 40)
    site.settled()
    after = site.drops("end")
    assert after["mgmt_full"] > before
    assert after["mgmt_full"] + after["mgmt_bad_icrc"] == 42

    def set_key(key: int, m_key: int) -> bytes:
        path = bytes([0, 1, 2])  # the second hop leaves the switch by port 2
        old = site.ask(Mad(PORT_INFO, hop_ptr=1, hop_cnt=2, path=path)).data
        info = key_set(old, key)
        return Mad(
            PORT_INFO, SET, hop_ptr=1, hop_cnt=2, path=path, data=info, m_key=m_key
        ).packet()  # fmt: skip

    site.send(set_key(77, 0))
    site.settled()
    count(site, "end", {"mgmt_bad_m_key": 1}, set_key(78, 79))
    site.send(set_key(0, 77))
    site.settled()
    assert site.drops("end")["mgmt_bad_m_key"] == 1
