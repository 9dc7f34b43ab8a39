# SPDX-License-Identifier: Apache-2.0
"""Guests at the ports of a cluster: real Linux kernels with their own drivers."""

from .process import GuestFailed
from .qemu import RdmaGuest
from .uml import Guest, missing

__all__ = ["Guest", "GuestFailed", "RdmaGuest", "missing"]
