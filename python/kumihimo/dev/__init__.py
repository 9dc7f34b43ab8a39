# SPDX-License-Identifier: Apache-2.0
"""Tools for who works on the project itself: proofs and style checks."""
