# SPDX-License-Identifier: Apache-2.0
"""Fetches what guests need into the cache: `python -m kumihimo.guest.fetch`, for the set-up."""

from __future__ import annotations

import sys

from . import dpdk, kernel, qemu


def main() -> int:
    """0 if everything is here."""
    parts = (
        ("Debian's Linux for QEMU's guests (70 MB)", kernel.find, kernel.fetch),
        ("QEMU 10 for guests with a card (27 MB with Debian's indexes)", qemu.find, qemu.fetch),
        ("DPDK's testpmd (5 MB)", dpdk.find, dpdk.fetch),
    )
    lacking = 0
    for what, find, fetch in parts:
        if find() is None:
            print(f"fetching {what}", file=sys.stderr, flush=True)
            if fetch() is None:
                print(f"no {what}", file=sys.stderr, flush=True)
                lacking += 1
    return 1 if lacking else 0


if __name__ == "__main__":
    sys.exit(main())
