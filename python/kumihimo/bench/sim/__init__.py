# SPDX-License-Identifier: Apache-2.0
"""Benches: the cluster engine."""
