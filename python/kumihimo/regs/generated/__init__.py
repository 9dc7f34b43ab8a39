# SPDX-License-Identifier: Apache-2.0
"""All register maps. Generated from regs/*.rdl by `python -m kumihimo.regs generate`; do not edit."""

from ..model import BlockInfo
from . import circuit as _circuit
from . import coll as _coll
from . import dhcp as _dhcp
from . import dma as _dma
from . import echo as _echo
from . import eth_check as _eth_check
from . import eth_echo as _eth_echo
from . import eth_gen as _eth_gen
from . import eth_port as _eth_port
from . import eth_rtp as _eth_rtp
from . import http as _http
from . import ib_port as _ib_port
from . import ib_router as _ib_router
from . import ib_switch as _ib_switch
from . import id as _id
from . import ip as _ip
from . import ip6 as _ip6
from . import iperf_client as _iperf_client
from . import iperf_server as _iperf_server
from . import lanes as _lanes
from . import mmio_fifo as _mmio_fifo
from . import pingpong as _pingpong
from . import rdma as _rdma
from . import sata as _sata
from . import stdm as _stdm
from . import storage as _storage
from . import tcp as _tcp
from . import tcp_echo as _tcp_echo
from . import tcp_traffic as _tcp_traffic
from . import traffic_check as _traffic_check
from . import traffic_gen as _traffic_gen

BLOCKS: dict[str, BlockInfo] = {
    "circuit": _circuit.BLOCK,
    "coll": _coll.BLOCK,
    "dhcp": _dhcp.BLOCK,
    "dma": _dma.BLOCK,
    "echo": _echo.BLOCK,
    "eth_check": _eth_check.BLOCK,
    "eth_echo": _eth_echo.BLOCK,
    "eth_gen": _eth_gen.BLOCK,
    "eth_port": _eth_port.BLOCK,
    "eth_rtp": _eth_rtp.BLOCK,
    "http": _http.BLOCK,
    "ib_port": _ib_port.BLOCK,
    "ib_router": _ib_router.BLOCK,
    "ib_switch": _ib_switch.BLOCK,
    "id": _id.BLOCK,
    "ip": _ip.BLOCK,
    "ip6": _ip6.BLOCK,
    "iperf_client": _iperf_client.BLOCK,
    "iperf_server": _iperf_server.BLOCK,
    "lanes": _lanes.BLOCK,
    "mmio_fifo": _mmio_fifo.BLOCK,
    "pingpong": _pingpong.BLOCK,
    "rdma": _rdma.BLOCK,
    "sata": _sata.BLOCK,
    "stdm": _stdm.BLOCK,
    "storage": _storage.BLOCK,
    "tcp": _tcp.BLOCK,
    "tcp_echo": _tcp_echo.BLOCK,
    "tcp_traffic": _tcp_traffic.BLOCK,
    "traffic_check": _traffic_check.BLOCK,
    "traffic_gen": _traffic_gen.BLOCK,
}
