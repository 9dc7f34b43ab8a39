# SPDX-License-Identifier: Apache-2.0
"""Guests at the ports of a cluster: real Linux kernels with their own drivers."""

from .card import CardGuest
from .dpdk import TestpmdProcess
from .placed import Placed
from .process import GuestFailed, GuestProcess
from .rdma import RdmaGuest
from .uml import Guest, missing

__all__ = [
    "CardGuest",
    "Guest",
    "GuestFailed",
    "GuestProcess",
    "Placed",
    "RdmaGuest",
    "TestpmdProcess",
    "missing",
]
