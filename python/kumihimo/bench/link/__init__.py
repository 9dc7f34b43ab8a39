# SPDX-License-Identifier: Apache-2.0
"""Benches: Serial links and circuit switching."""
