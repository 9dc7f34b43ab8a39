# SPDX-License-Identifier: Apache-2.0
"""The demo's guest: a Linux whose network card is RTL, driven by the kernel's own virtio driver."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from ..cluster import Cluster
from ..common.errors import KumiError
from ..common.paths import project_root

NAME = "alice"  # the guest of the cluster file
BOOT_S = 180.0  # of wall time, for the boot and the script


def cluster_file() -> Path:
    """A node with a network card, and one that answers its guest."""
    return project_root() / "examples" / "guest_ping.yaml"


def found(console: str) -> str:
    """The kernel's release and the pings that were answered; KumiError if any was not."""
    release = re.search(r"^kernel (\S+)", console, re.MULTILINE)
    pings = re.search(r"(\d+) packets transmitted, (\d+) (?:packets )?received", console)
    if not release or not pings or pings[1] != pings[2]:
        raise KumiError(f"The guest did not do what its script says:\n{console}")
    return f"Linux {release[1]} and its virtio_net driver: {pings[2]} of {pings[1]} pings answered"


def run(say: Callable[[str], None]) -> str:
    """Build, boot, ping; returns what was seen. KumiError if an answer is missing."""
    cluster = Cluster(cluster_file(), offline=True)
    cluster.build(lambda design, step: say(f"guest with a card: {design}, {step}"))
    script = cluster.plan.guests[NAME].script
    with cluster, cluster.serving():
        say("guest with a card: Linux boots")
        with cluster.guest(NAME, f"{script}\necho kernel $(uname -r)\n") as guest:
            return found(guest.finish(BOOT_S))
