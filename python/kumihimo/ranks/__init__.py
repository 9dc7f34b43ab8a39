# SPDX-License-Identifier: Apache-2.0
"""A cluster over several processes (ranks), with the same results bit for bit: docs/ranks.md."""
