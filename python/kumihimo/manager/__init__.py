# SPDX-License-Identifier: Apache-2.0
"""Cluster manager: brings all boards into a wanted state in parallel, and shows what they are in.

A board is anything with a name that reads and writes 32-bit words (`Board`): a node of the
simulator, a board behind an agent's socket, a model in a test. `configure` and `status` do the
work, `setup` says what each board shall be.
"""
