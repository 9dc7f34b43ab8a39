# SPDX-License-Identifier: Apache-2.0
"""Makes .venv and what the make targets need; run by make with the system's Python.

    python3 scripts/setup.py demo|test

Only the standard library is used. Each step leaves the hash of its inputs in .venv, so a second run
does nothing and takes a moment. Debian packages are installed where that needs no password
(root, or sudo that does not ask); else the one line to run is printed.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
APT = "apt-get install -y --no-install-recommends"

# (file or program that shows it is here, Debian package)
PACKAGES = {
    "demo": (
        ("g++", "g++"),
        ("make", "make"),
        ("ip", "iproute2"),
        ("ping", "iputils-ping"),
        ("nsenter", "util-linux"),
    ),
    # Shown by the demo, which has stand-ins for those that cannot be installed.
    "clients": (
        ("arping", "iputils-arping"),
        ("curl", "curl"),
        ("iperf", "iperf"),
        ("nc", "netcat-openbsd"),
        ("mkfs.ext4", "e2fsprogs"),
    ),
    "test": (
        ("tshark", "tshark"),
        ("nbdcopy", "libnbd-bin"),
        ("nbdfuse", "libnbd-bin"),
        ("nbdsh", "python3-libnbd"),
        ("fuse2fs", "fuse2fs"),
        ("fusermount3", "fuse3"),
        ("nbdkit", "nbdkit"),
        ("qemu-io", "qemu-utils"),
        ("fio", "fio"),
        ("chromium", "chromium"),
        ("clang-19", "clang-19"),
        ("opensm", "opensm"),
        ("ibnetdiscover", "infiniband-diags"),
        ("ibsim-run", "ibsim-utils"),
        ("linux.uml", "user-mode-linux"),
        ("insmod", "kmod"),
        ("ethtool", "ethtool"),
        ("iperf3", "iperf3"),
        ("qemu-system-x86_64", "qemu-system-x86"),
        ("busybox", "busybox-static"),
        ("rdma", "iproute2"),
        ("ibv_rc_pingpong", "ibverbs-utils"),
        ("/etc/libibverbs.d/rxe.driver", "ibverbs-providers"),
        ("ib_write_bw", "perftest"),
        ("rping", "rdmacm-utils"),
    ),
}
LEVELS = ("demo", "test")
ENGINE_INPUTS = (
    "pyproject.toml",
    "CMakeLists.txt",
    "sim/src",
    "sim/storage",
    "sim/python",
    "sim/include/kumi",
)


def say(text: str) -> None:
    """One line of progress."""
    print(f"setup: {text}", file=sys.stderr, flush=True)


def stop(text: str) -> None:
    """End with a sentence that says what to do."""
    print(f"setup: {text}", file=sys.stderr)
    sys.exit(3)


def run(*argv: str | Path, quiet: bool = False) -> bool:
    """Run a program; its output goes to standard error, or is shown only when it fails."""
    words = [str(a) for a in argv]
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    out = subprocess.PIPE if quiet else sys.stderr
    done = subprocess.run(
        words, stdout=out, stderr=subprocess.STDOUT, env=environment, text=True, check=False
    )
    if quiet and done.returncode != 0:
        print(done.stdout, file=sys.stderr)
    return done.returncode == 0


def present(what: str) -> bool:
    """Whether a program, or a file given by its path, is here."""
    if what.startswith("/"):
        return Path(what).exists()
    path = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin:/usr/bin:/bin"
    return shutil.which(what, path=path) is not None


def root_prefix() -> list[str] | None:
    """How to become root without a password: nothing to add, sudo, or no way."""
    if os.geteuid() == 0:
        return []
    if present("sudo"):
        asked = subprocess.run(["sudo", "-n", "true"], capture_output=True, check=False)
        if asked.returncode == 0:
            return ["sudo", "-n"]
    return None


def apt(packages: list[str], needed: bool = True, without: str = "") -> None:
    """Install Debian packages, or say how; `without` tells what happens if they stay away."""
    if not packages:
        return
    line = f"{'' if os.geteuid() == 0 else 'sudo '}{APT} {' '.join(packages)}"
    prefix = root_prefix()
    if prefix is None or not present("apt-get"):
        if needed:
            stop(f"these are missing: {', '.join(packages)}. Run: {line}")
        say(f"missing: {', '.join(packages)}; {without}. To get them: {line}")
        return
    say(f"installing Debian packages: {' '.join(packages)}")
    if "opensm" in packages and present("systemctl"):
        # The tests run it on a simulated fabric; it must not manage a real one of this machine.
        run(*prefix, "systemctl", "mask", "opensm.service", quiet=True)
        say("the service opensm stays off; to use it: systemctl unmask opensm")
    if not run(*prefix, *APT.split(), *packages, quiet=False):
        run(*prefix, "apt-get", "update", "-q", quiet=True)
        if not run(*prefix, *APT.split(), *packages, quiet=False) and needed:
            stop(f"apt-get failed. Run it yourself: {line}")


def absent(group: str) -> list[str]:
    """Debian packages of a group whose programs are not here."""
    return [package for what, package in PACKAGES[group] if not present(what)]


def digest(*inputs: str) -> str:
    """Hash of files and folders, by name and content."""
    total = hashlib.sha256(sys.version.encode())
    for name in inputs:
        place = ROOT / name
        for file in sorted(place.rglob("*")) if place.is_dir() else [place]:
            if file.is_file() and "__pycache__" not in file.parts:
                total.update(f"{file.relative_to(ROOT)}\0".encode())
                total.update(file.read_bytes())
    return total.hexdigest()


def module_names() -> str:
    """The package's files by name: an editable install knows the modules that it was made with."""
    package = ROOT / "python" / "kumihimo"
    return "\n".join(sorted(str(f.relative_to(ROOT)) for f in package.rglob("*.py")))


def done(step: str, value: str) -> bool:
    """Whether a step was finished with these inputs."""
    stamp = VENV / f".kumi-{step}"
    return stamp.is_file() and stamp.read_text() == value


def finish(step: str, value: str) -> None:
    """Remember that a step was finished."""
    (VENV / f".kumi-{step}").write_text(value)


def make_venv() -> None:
    """The virtual environment, with pip in it."""
    if PYTHON.exists() and (VENV / "bin" / "pip").exists():
        return
    say("making the virtual environment .venv")
    if not run(sys.executable, "-m", "venv", "--clear", VENV, quiet=True):
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        system = Path(sys.executable).parent == Path("/usr/bin")
        apt([f"python{version}-venv" if system else "python3-venv"])
        if not run(sys.executable, "-m", "venv", "--clear", VENV, quiet=True):
            stop(f"`{sys.executable} -m venv` fails. On Debian: apt-get install python3-venv")


def install(level: str) -> None:
    """The pinned Python packages of a level."""
    inputs = [f"requirements/{name}.txt" for name in ("demo", "test")][: 1 + (level == "test")]
    want = digest(*inputs)
    if done(level, want):
        return
    say(f"installing the Python packages of requirements/{level}.txt")
    quiet = ("--disable-pip-version-check", "--progress-bar=off", "-q")
    pip = (PYTHON, "-m", "pip", "install", *quiet)
    if not run(*pip, "-r", ROOT / "requirements" / f"{level}.txt"):
        stop("pip failed; see above. It needs a connection to a Python package index.")
    finish(level, want)


def engine() -> None:
    """The C++ engine and the command `kumi`, as an editable install."""
    want = hashlib.sha256((digest(*ENGINE_INPUTS) + module_names()).encode()).hexdigest()
    if done("engine", want) and (VENV / "bin" / "kumi").exists():
        for built in VENV.glob("lib/python3*/site-packages/kumihimo/_engine*.so"):
            built.touch()  # a checkout gives sources a new date, whatever is in them
        return
    say("building the cluster engine (a minute or two the first time)")
    os.environ["PATH"] = f"{VENV / 'bin'}:{os.environ.get('PATH', '')}"
    os.environ.setdefault("CMAKE_BUILD_PARALLEL_LEVEL", str(min(os.cpu_count() or 1, 8)))
    pip = (PYTHON, "-m", "pip", "--disable-pip-version-check", "install", "-q")
    if not run(*pip, "--no-build-isolation", "--no-deps", "-e", ROOT, quiet=True):
        stop("the engine did not build; see above.")
    finish("engine", want)


def guests() -> None:
    """What guests need beside what is installed: Debian's packages in the cache."""
    if not run(PYTHON, "-m", "kumihimo.guest.fetch"):
        say("tests with such guests fail")


def main() -> None:
    """Bring this machine to the level asked for."""
    level = sys.argv[1] if len(sys.argv) > 1 else "demo"
    if level not in LEVELS:
        stop(f"unknown level {level}; there are: {', '.join(LEVELS)}")
    if sys.version_info < (3, 11):  # noqa: UP036
        have = sys.version.split()[0]
        stop(f"Python 3.11 or newer is needed, this is {have}. Say: make PYTHON=...")
    start = time.monotonic()
    apt(absent("demo"))
    apt(absent("clients"), needed=False, without="the demo uses programs of its own instead")
    if level == "test":
        apt(absent("test"), needed=False, without="tests that need them fail")
    make_venv()
    install("demo")
    if level == "test":
        install("test")
    engine()
    if level == "test":
        guests()
    if time.monotonic() - start > 5:
        say(f"ready after {time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main()
