# SPDX-License-Identifier: Apache-2.0
"""Benches: a designer's day, from mistakes that are named to commands that end."""
