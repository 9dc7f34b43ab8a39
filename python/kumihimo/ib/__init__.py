# SPDX-License-Identifier: Apache-2.0
"""InfiniBand ports of a cluster's nodes: state, counters, and packets through the mailbox."""
