# SPDX-License-Identifier: Apache-2.0
"""Serial links between boards: planning of circuits, and exact models of what the switches do."""
