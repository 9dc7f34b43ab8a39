# SPDX-License-Identifier: Apache-2.0
"""IP between boards joined by serial links: board set-up and a private network."""
