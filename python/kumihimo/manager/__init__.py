# SPDX-License-Identifier: Apache-2.0
"""Cluster manager: configures all boards in parallel, and shows their state.

A board is anything with a name that reads and writes 32-bit words (`Board`): a node of the
simulator, a board behind an agent's socket, a model in a test. `configure` and `status` do the
work, `setup` computes the wanted state of each board.
"""
