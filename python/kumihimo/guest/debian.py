# SPDX-License-Identifier: Apache-2.0
"""Debian packages that guests need, unpacked in the cache by an ordinary user, not installed.

apt keeps indexes of its own for this, below the cache: those of the machine stay as they are, and
need not have what is asked for. The mirror is the machine's.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from ..build.cache import cache_root, lock, work_folder
from ..common import tools

_UPDATE_S = 300.0
_DOWNLOAD_S = 900.0
_ROUNDS = 8
_SOURCES = Path("/etc/apt")
_KEYS = Path("/usr/share/keyrings/debian-archive-keyring.gpg")


def stored(name: str) -> Path:
    """Where the packages of a name are unpacked, or will be."""
    return cache_root() / "guest" / name


def unpack(packages: Sequence[Path], root: Path) -> bool:
    """Unpack packages below one root."""
    done = (tools.run(["dpkg-deb", "-x", package, root], timeout=300) for package in packages)
    return all(run.returncode == 0 for run in done)


def fetch(
    name: str,
    packages: Sequence[str],
    *,
    backports: bool = False,
    more: Callable[[Path], Sequence[str]] = lambda root: (),
) -> Path | None:
    """Download packages and unpack them below one root in the cache; None if that cannot be.

    Arguments:
        name: of the folder; what is there already is replaced.
        packages: their names.
        backports: take Debian's backports to the release of this machine where they have them.
        more: asked for further packages that what is below the root needs, until it names none.
    """
    with contextlib.suppress(subprocess.TimeoutExpired), lock("guest-apt"):
        apt = _apt(backports)
        if apt is None:
            return None
        with work_folder() as folder:
            root = folder / "root"
            wanted = list(packages)
            for number in range(_ROUNDS):
                if not wanted:
                    stored(name).parent.mkdir(parents=True, exist_ok=True)
                    shutil.rmtree(stored(name), ignore_errors=True)
                    root.rename(stored(name))
                    return stored(name)
                place = folder / str(number)
                place.mkdir()
                got = tools.run([*apt, "download", *wanted], cwd=place, timeout=_DOWNLOAD_S)
                if got.returncode != 0 or not unpack(list(place.glob("*.deb")), root):
                    return None
                wanted = list(more(root))
    return None


def _apt(backports: bool) -> list[str] | None:
    """apt-get with indexes of its own, up to date; None where there is no Debian."""
    name = release()
    mirror = _mirror(name)
    if not (name and mirror and shutil.which("apt-get") and shutil.which("dpkg-deb")):
        return None
    folder = stored("apt")
    for part in ("lists/partial", "cache/archives/partial"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    signed = f"[signed-by={_KEYS}] " if _KEYS.is_file() else ""
    suites = [name, f"{name}-backports"]
    lines = "".join(f"deb {signed}{mirror} {suite} main\n" for suite in suites)
    (folder / "sources.list").write_text(lines)
    options = {
        "Dir::State::lists": folder / "lists",
        "Dir::Cache": folder / "cache",
        "Dir::Etc::sourcelist": folder / "sources.list",
        "Dir::Etc::sourceparts": "/dev/null",
        # As root it would download as a user who cannot write here.
        "APT::Sandbox::User": "root",
    }
    apt = ["apt-get", "-q", *(word for n, v in options.items() for word in ("-o", f"{n}={v}"))]
    if tools.run([*apt, "update"], timeout=_UPDATE_S).returncode != 0:
        return None
    return [*apt, "-t", suites[backports]]


def release() -> str:
    """The code name of this machine's Debian; "" for another system."""
    with contextlib.suppress(OSError):
        text = Path("/etc/os-release").read_text()
        if re.search(r"^ID=debian$", text, re.MULTILINE):
            found = re.search(r"^VERSION_CODENAME=(\w+)$", text, re.MULTILINE)
            return found[1] if found else ""
    return ""


def _mirror(name: str) -> str:
    """The address from which this machine has its release, of either form of apt's sources."""
    files = [*sorted(_SOURCES.glob("sources.list*/*")), _SOURCES / "sources.list"]
    for file in (f for f in files if f.is_file()):
        text = file.read_text(errors="replace")
        if line := re.search(rf"^deb\s+(?:\[[^]]*\]\s+)?(\S+)\s+{name}\s", text, re.MULTILINE):
            return line[1]
        for stanza in re.split(r"\n\s*\n", text):
            fields = dict(re.findall(r"^(\w+):[ \t]*(.*)$", stanza, re.MULTILINE))
            if name in fields.get("Suites", "").split() and fields.get("URIs"):
                return str(fields["URIs"].split()[0])
    return ""
