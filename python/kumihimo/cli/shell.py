# SPDX-License-Identifier: Apache-2.0
"""`kumi shell`: a shell, or one command, inside a cluster's private network."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
from collections.abc import Mapping
from pathlib import Path

import psutil

from ..common import tools
from ..common.errors import KumiError
from ..net import Inside
from ..net.session import being_built, starting, wait_for


def _environment(name: str) -> dict[str, str]:
    return {**os.environ, "KUMI_CLUSTER": name, "PS1": f"({name}) \\w\\$ "}


def _command(command: list[str], name: str) -> list[str]:
    if command:
        return command
    shell = os.environ.get("SHELL") or "/bin/sh"
    if os.path.basename(shell) == "bash":
        # The prompt names the cluster, whatever the user's start-up file sets.
        show = f'[ -f ~/.bashrc ] && . ~/.bashrc; PS1="({name}) $PS1"'
        return [shell, "--rcfile", f"/dev/fd/{_pipe(show)}", "-i"]
    return [shell]


def _pipe(text: str) -> int:
    reader, writer = os.pipe()
    os.write(writer, text.encode())
    os.close(writer)
    os.set_inheritable(reader, True)
    return reader


def enter(inside: Inside, command: list[str], name: str, stations: Mapping[str, str]) -> int:
    """Run a command, or the user's shell, in the network and wait for it."""
    if not command:
        listed = ", ".join(f"{n} {ip}" for n, ip in stations.items())
        print(f"Inside {name}: {listed}. `exit` leaves.", flush=True)
    if command and shutil.which(command[0]) is None and "/" not in command[0]:
        extra = shutil.which(command[0], path="/usr/sbin:/sbin")
        if extra is None:
            raise KumiError(f"There is no program {command[0]}.", code=127)
        command = [extra, *command[1:]]
    argv = inside.command(_command(command, name))
    # A terminal's Ctrl-C is meant for the program inside, which has the terminal as well.
    terminal = sys.stdin.isatty()
    before = signal.signal(signal.SIGINT, signal.SIG_IGN) if terminal else None
    try:
        process = tools.begin(
            argv,
            lasting=terminal,
            start_new_session=not terminal,
            env=_environment(name),
            close_fds=False,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        try:
            code = process.wait()
        except BaseException:
            _end(process)
            raise
    finally:
        if before is not None:
            signal.signal(signal.SIGINT, before)
    return code if code >= 0 else 128 - code


def _end(process: tools.Tool) -> None:
    """End it and what it started, as a terminal that closes does; by force if that is ignored."""
    family = [psutil.Process(process.pid)] if process.poll() is None else []
    family += [child for one in family for child in one.children(recursive=True)]
    for one in family:
        with contextlib.suppress(psutil.NoSuchProcess):
            one.send_signal(signal.SIGHUP)
    for one in psutil.wait_procs(family, 0.5)[1]:
        with contextlib.suppress(psutil.NoSuchProcess):
            one.kill()
    process.wait()


def run(
    cluster: str | None,
    command: list[str],
    pcap: Path | None,
    record: Path | None,
    threads: int,
) -> int:
    """Enter a running cluster, or boot one for the duration of the shell."""
    if cluster is None or not cluster.endswith((".yaml", ".yml")):
        if building := being_built(cluster):
            print(f"{building[0]} is being built; waiting until it runs.", flush=True)
        session = wait_for(cluster)
        return enter(session.network(), command, session.name, session.stations)

    from ..cluster import Cluster
    from ..manager.agent import serving_cluster
    from . import console
    from .up import prepare_outputs

    prepare_outputs(pcap, record)
    booted = Cluster(cluster, threads=threads, pcap=pcap, record=record, comment="kumi shell")
    if not booted.plan.taps:
        raise KumiError(
            f"{cluster} has no TAP, so there is no network to enter.",
            "Add `taps: {host0: {}}` and a cable for it.",
            2,
        )
    with starting(booted.name):
        console.build(booted)
    with booted:
        with serving_cluster(booted), booted.serving():
            assert booted.namespace is not None
            code = enter(booted.namespace.inside, command, booted.name, booted.plan.addresses())
            seen = console.messages(booted, 0)
            console.held_back(booted)
        console.last_messages(booted, seen)
    return code
