# SPDX-License-Identifier: Apache-2.0
"""Guests at the host ports of a cluster: real Linux kernels with their own drivers."""

from .uml import Guest, GuestFailed, missing

__all__ = ["Guest", "GuestFailed", "missing"]
