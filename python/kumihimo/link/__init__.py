# SPDX-License-Identifier: Apache-2.0
"""Serial links between boards: circuit planning, and exact models of the switches."""
