# SPDX-License-Identifier: Apache-2.0
"""An ordinary user, outside the clone: a kernel of its own, a cluster, and Linux programs.

If the system does not allow this user a network, it is the sentence about that which is tested. Run
by root, the tests become `nobody`, without groups and capabilities; run by anyone else, they stay
that user.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from kumihimo.build import build, cache_root
from kumihimo.common.paths import project_root
from kumihimo.scaffold import new_kernel

NOBODY = 65534
Run = Callable[..., "subprocess.CompletedProcess[str]"]
PAIR = """\
nodes:
  ping: {design: pingpong, regs: {pingpong.peer_ip: pong, pingpong.ctrl.start: 1}}
  pong: {design: pingpong}
cables:
  - {between: [ping, pong]}
"""


def readable(path: Path) -> bool:
    """Whether everybody may read a folder, and pass through those above it."""
    parents = path.resolve().parents
    return bool(path.stat().st_mode & stat.S_IROTH) and all(
        folder.stat().st_mode & stat.S_IXOTH for folder in (path.resolve(), *parents)
    )


def as_user() -> list[str]:
    """The words before a command that make it an ordinary user's."""
    if os.getuid() != 0:
        return []
    words = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    places = (project_root(), Path(sys.prefix), Path(sys.base_prefix))
    if all(map(readable, places)):
        return [*words, "--inh-caps=-all", "--bounding-set=-all"]
    # A clone that only root can read: the user may read all, and still write nothing.
    return [*words, "--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    """A home outside the clone; its cache holds two designs, so that nothing large is compiled."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        place.chmod(0o755)
        new_kernel("shout", place / "same/shout")
        libraries = [build(place / "same/shout/kumi_node_shout.sv").path, build("pingpong").path]
        shutil.rmtree(place / "same")
        for library in libraries:
            shutil.copytree(library.parent, place / "home/cache/lib" / library.parent.name)
        assert libraries[0].is_relative_to(cache_root())
        for path in [place / "home", *(place / "home").rglob("*")]:
            if os.getuid() == 0:
                os.chown(path, NOBODY, NOBODY)
        yield place / "home"


@pytest.fixture
def run(home: Path) -> Run:
    env = {**os.environ, "HOME": str(home), "KUMI_CACHE": str(home / "cache"), "TMPDIR": str(home)}
    env |= {"PYTHONDONTWRITEBYTECODE": "1", "LOGNAME": "nobody", "USER": "nobody"}
    env.pop("XDG_RUNTIME_DIR", None)
    env.pop("XDG_CACHE_HOME", None)

    def command(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*as_user(), sys.executable, *words],
            cwd=home,
            env=env,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return command


def test_it_is_an_ordinary_user(run: Run) -> None:
    """As the kernel sees it: no root, no capability to write what is not its own."""
    seen = run("-c", "import os; print(os.getuid(), open('/proc/self/status').read())")
    words = seen.stdout.split()
    assert int(words[0]) != 0, seen
    effective = int(words[words.index("CapEff:") + 1], 16)
    assert effective & ~(1 << 2) == 0, hex(effective)  # at most CAP_DAC_READ_SEARCH
    denied = run("-c", f"open({str(project_root() / 'written')!r}, 'w')")
    if os.getuid() == 0:
        assert denied.returncode != 0 and "Permission denied" in denied.stderr


def test_a_kernel_and_a_cluster_without_linux(run: Run, home: Path) -> None:
    made = run("-m", "kumihimo.cli", "new", "kernel", "shout")
    assert made.returncode == 0, made.stderr
    assert (home / "shout/shout.sv").stat().st_uid == (NOBODY if os.getuid() == 0 else os.getuid())
    checked = run("-m", "kumihimo.cli", "lint", "shout/kumi_node_shout.sv")
    assert checked.returncode == 0 and "clean" in checked.stderr, checked.stderr
    (home / "pair.yaml").write_text(PAIR)
    ended = run("-m", "kumihimo.cli", "up", "pair.yaml", "--until", "pong.ip.rx_frame>=5")
    assert ended.returncode == 0 and "ended (pong.ip.rx_frame>=5)" in ended.stderr, ended.stderr


def test_linux_reaches_the_kernel_or_the_user_learns_what_to_do(run: Run, home: Path) -> None:
    if not (home / "shout").is_dir():
        assert run("-m", "kumihimo.cli", "new", "kernel", "shout").returncode == 0
    words = ("-m", "kumihimo.cli", "shell", "shout/shout.yaml", "--")
    done = run(*words, "ping", "-c", "2", "-W", "30", "shout")
    spaces = subprocess.run(
        [*as_user(), "unshare", "--user", "--map-root-user", "--net", "true"], check=False
    )
    tun = run("-c", "import os; os.open('/dev/net/tun', os.O_RDWR)")
    if spaces.returncode == 0 and tun.returncode == 0:
        assert done.returncode == 0 and " 0% packet loss" in done.stdout, done.stderr
        return
    assert done.returncode == 3, done
    said = done.stderr.strip().splitlines()
    if spaces.returncode != 0:
        assert "This system does not let an ordinary user make a network" in done.stderr, said
    else:
        assert "/dev/net/tun" in done.stderr, said
        assert "Run: sudo" in done.stderr, said
    assert len(said) <= 3 and "Traceback" not in done.stderr, said
    doctor = run("-m", "kumihimo.cli", "doctor", "--json")
    failed = {c["name"]: c["fix"] for c in json.loads(doctor.stdout)["checks"] if not c["ok"]}
    assert doctor.returncode == 3 and failed.keys() & {"/dev/net/tun", "private network"}, failed
