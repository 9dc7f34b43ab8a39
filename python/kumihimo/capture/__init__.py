# SPDX-License-Identifier: Apache-2.0
"""Packet captures: a pcapng reader, and latency and rate computed from a capture."""
