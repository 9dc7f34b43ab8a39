# SPDX-License-Identifier: Apache-2.0
"""Benches: the network card."""
