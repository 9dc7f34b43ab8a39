# SPDX-License-Identifier: Apache-2.0
"""Signals at random moments of every kind of command: it ends in time, and leaves nothing.

Whatever a command starts inherits a word of its own in the environment, by which it is found
afterwards, in whichever session or process group it is. Each command has its own folder for
temporary files, which must be empty afterwards (SIGKILL aside: then the system's cleaning must do).
A signal that found the command ended does not count: the command is started again, and the signal
comes sooner.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from kumihimo.bench.core import BenchError
from kumihimo.scaffold import new_kernel

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)
MARK = "KUMI_SIGNAL_TRIAL"
GONE_S = 10.0
TRIES = 6  # starts of a command that ends before its signal
CLUSTER = """\
name: signals
nodes:
  alice: {design: udp_echo}
cables:
  - {between: [alice, host0]}
taps:
  host0:
"""


@dataclass(frozen=True)
class Command:
    """A command line after `kumi`, and the seconds within which it is interrupted."""

    words: tuple[str, ...]
    within_s: float
    prepare: Callable[[random.Random], None] = lambda _: None


@dataclass(frozen=True)
class Trial:
    """What became of one: `stop_s` from the signal to the end of all that it had started.

    left: processes that lived on, and files.
    """

    command: str
    number: int
    after_s: float
    stop_s: float
    left: tuple[str, ...]


def commands(folder: Path) -> list[Command]:
    """Commands of every kind, on files in a folder; the recording is made by the caller."""
    kernel = folder / "hurry"
    if not kernel.is_dir():
        new_kernel("hurry", kernel)
        (folder / "signals.yaml").write_text(CLUSTER, encoding="utf-8")
    cluster, node = str(folder / "signals.yaml"), str(kernel / "kumi_node_hurry.sv")

    def edit(rng: random.Random) -> None:
        """Another design each time, so that there is something to compile."""
        file = kernel / "hurry.sv"
        text = file.read_text(encoding="utf-8").split("\n// trial")[0]
        value = rng.randrange(1 << 16)
        old = text[text.index("    hdr.cks = ") :].split("\n")[0]
        new = f"    hdr.cks = CKS_GENERATE; hdr.peer_port ^= 16'd{value};"
        file.write_text(text.replace(old, new), encoding="utf-8")

    return [
        Command(("build", node, "--fast-build"), 8.0, edit),
        Command(("up", str(kernel / "hurry.yaml"), "--fast-build"), 10.0, edit),
        Command(("up", cluster), 3.0),
        Command(("up", cluster, "--stats", str(folder / "s.json")), 3.0),
        Command(("shell", cluster, "--", "sleep", "100"), 3.0),
        Command(("shell", cluster, "--", "sh", "-c", "sleep 100; true"), 3.0),
        Command(("replay", str(folder / "long.kumirec")), 3.0),
        Command(("live", cluster, "--no-browser"), 4.0),
        Command(("demo", "--quick", "--out", str(folder / "demo")), 6.0),
        Command(("bench", "planner", "--quick"), 4.0),
        Command(("synth", "axis_reg"), 5.0),
        Command(("lint", node), 1.5),
        Command(("export", "axis_fifo", str(folder / "export"), "--force"), 2.0),
        Command(("new", "kernel", "other", "--folder", str(folder / "other")), 1.0),
        Command(("schema", "--check", cluster), 1.0),
        Command(("doctor",), 2.0),
    ]


def record(folder: Path) -> None:
    """A recording that takes seconds to replay."""
    words = [sys.executable, "-m", "kumihimo.cli", "shell", str(folder / "signals.yaml")]
    words += ["--record", str(folder / "long.kumirec"), "--", "sh", "-c"]
    subprocess.run([*words, "ping -c 40 -i 0.05 alice"], check=True, capture_output=True)


def _marked(word: str) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get(MARK) == word and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
    return found


def trial(command: Command, number: int, rng: random.Random) -> Trial:
    """Start a command, send it a signal at a random moment, and watch what remains."""
    after = rng.uniform(0.05, command.within_s)
    for _ in range(TRIES):
        command.prepare(rng)
        done = _interrupted(command, number, after)
        if done is not None:
            return done
        after *= 0.5
    raise BenchError(f"kumi {' '.join(command.words)} ends too soon for any signal")


def _heed() -> None:
    """Undo what nohup or a shell's `&` ignores, which a program would inherit."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def _interrupted(command: Command, number: int, after: float) -> Trial | None:
    """One start; None if the command had ended before the signal."""
    word = uuid.uuid4().hex
    with tempfile.TemporaryDirectory(prefix="kumi-trial-") as place:
        process = subprocess.Popen(
            [sys.executable, "-m", "kumihimo.cli", *command.words],
            env=os.environ | {MARK: word, "TMPDIR": place, "XDG_RUNTIME_DIR": place},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=_heed,
        )
        time.sleep(after)
        if process.poll() is not None:
            return None
        sent = time.monotonic()
        process.send_signal(number)
        left: list[psutil.Process] = []
        while time.monotonic() < sent + GONE_S:
            process.poll()
            left = _marked(word)
            if not left:
                break
            time.sleep(0.02)
        stopped = time.monotonic() - sent
        names = [_name(p) for p in left]
        for one in left:
            one.kill()
        process.wait()
        if number != signal.SIGKILL:
            names += [str(p.relative_to(place)) for p in Path(place).rglob("*") if not p.is_dir()]
    return Trial(" ".join(command.words[:2]), int(number), after, stopped, tuple(names))


def _name(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())[:80]
    except psutil.Error:
        return str(process.pid)


def trials(
    folder: Path,
    count: int,
    seed: int,
    kinds: Sequence[str] = (),
    say: Callable[[str], None] = lambda _: None,
) -> list[Trial]:
    """`count` trials, commands and signals by turns, moments at random.

    `kinds`: the commands to try, by their first word; all of them without.
    """
    rng = random.Random(seed)
    chosen = [c for c in commands(folder) if not kinds or c.words[0] in kinds]
    if any(c.words[0] == "replay" for c in chosen):
        record(folder)
    done = []
    for index in range(count):
        command = chosen[index % len(chosen)]
        number = SIGNALS[(index // len(chosen) + index % len(chosen)) % len(SIGNALS)]
        done.append(trial(command, number, rng))
        say(f"{done[-1].command}: {signal.Signals(number).name}")
    return done
