# SPDX-License-Identifier: Apache-2.0
"""Benches: serial links and circuit switching."""
