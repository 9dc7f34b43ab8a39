# SPDX-License-Identifier: Apache-2.0
"""The wheel: what it holds, and that its commands work in an environment outside the clone.

The environment takes other packages from this one through a path file; kumihimo itself can only
come from the wheel.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import kumihimo
import pytest
from kumihimo.common.paths import project_root
from kumihimo.testing.sizes import long_run

ROOT = project_root()
BIN = Path(sys.executable).parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built as `make dist` does; the C++ parts are compiled already."""
    folder = tmp_path_factory.mktemp("dist")
    words = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "-q"]
    words += ["--no-deps", "--no-build-isolation", "--no-index", "-w", str(folder), str(ROOT)]
    path = os.pathsep.join([str(BIN), os.environ["PATH"]])
    done = subprocess.run(
        words, env=os.environ | {"PATH": path}, capture_output=True, text=True, timeout=600,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return next(folder.glob("kumihimo-*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with the wheel in it; its bin folder."""
    place = tmp_path_factory.mktemp("fresh") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", place], check=True)
    words = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    words += ["--python", str(place / "bin" / "python"), "install", "--no-deps", "--no-index"]
    subprocess.run([*words, str(wheel)], check=True)
    site = next(place.glob("lib/python*/site-packages"))
    (site / "others.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return place / "bin"


def run(installed: Path, words: list[str], folder: Path, timeout: float = 600) -> str:
    """A command of the environment, with nothing that leads to the clone; what it printed."""
    left_out = ("KUMI_HOME", "PYTHONPATH", "VIRTUAL_ENV")
    environment = {k: v for k, v in os.environ.items() if k not in left_out}
    done = subprocess.run(
        [str(installed / words[0]), *words[1:]],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    return done.stdout + done.stderr


def test_what_the_wheel_holds(wheel: Path) -> None:
    """Engine, RTL, registers, headers of node libraries, boards, examples, pages, scaffold."""
    names = set(zipfile.ZipFile(wheel).namelist())
    share = "kumihimo/share"
    for folder, pattern in (
        ("hw", "*.sv"),
        ("hw/include", "*.svh"),
        ("regs", "*.rdl"),
        ("sim/include", "*.h"),
        ("sim/node", "*.hpp"),
        ("sim/model", "*.?pp"),
        ("sim/ib_model", "*.?pp"),
        ("sim/link_model", "*.?pp"),
        ("boards", "*.toml"),
        ("examples", "*.yaml"),
    ):
        for path in (ROOT / folder).rglob(pattern):
            assert f"{share}/{path.relative_to(ROOT).as_posix()}" in names
    for module in ("_engine", "_storage"):
        assert f"kumihimo/{module}{sysconfig.get_config_var('EXT_SUFFIX')}" in names
    for name in ("docs/cluster.schema.json", "LICENSE"):
        assert f"{share}/{name}" in names
    assert any(n.startswith("kumihimo/scaffold/kernel/") for n in names)
    assert not [n for n in names if "__pycache__" in n or "kumi-out" in n]


def test_the_project_is_found_in_the_wheel(installed: Path, tmp_path: Path) -> None:
    script = (
        "import json, kumihimo; from kumihimo.common.paths import project_root;"
        "print(json.dumps([kumihimo.__file__, str(project_root())]))"
    )
    module, root = json.loads(run(installed, ["python", "-c", script], tmp_path))
    site = installed.parent.resolve()
    assert Path(module).resolve().is_relative_to(site)
    assert Path(root).resolve().is_relative_to(site)
    assert run(installed, ["kumi", "--version"], tmp_path) == f"kumi {kumihimo.__version__}\n"


def test_a_kernel_of_ones_own(installed: Path, tmp_path: Path) -> None:
    """`kumi new kernel`, `kumi up`, `kumi export`: none reads a file of the clone."""
    run(installed, ["kumi", "new", "kernel", "shout"], tmp_path)
    for path in (tmp_path / "shout").iterdir():
        assert f"{ROOT}/" not in path.read_text()
    text = run(installed, ["kumi", "up", "shout/shout.yaml", "--until", "100us"], tmp_path)
    assert "shout" in text
    words = ["kumi", "shell", "shout/shout.yaml", "--", "ping", "-c", "1", "-W", "60", "shout"]
    assert "1 received" in run(installed, words, tmp_path)
    run(installed, ["kumi", "export", "axis_fifo", "fifo"], tmp_path)
    assert (tmp_path / "fifo" / "rtl" / "kumi_axis_fifo_wrapper.sv").is_file()


@pytest.mark.long
def test_the_demo(installed: Path, tmp_path: Path) -> None:
    """The whole of `kumi demo --quick` in the long run; else that its cluster file is found."""
    if long_run():
        text = run(installed, ["kumi", "demo", "--quick"], tmp_path, timeout=900)
        assert "UDP echo at" in text
    else:
        script = "from kumihimo.demo.steps import cluster_file; print(cluster_file())"
        file = run(installed, ["python", "-c", script], tmp_path).strip()
        run(installed, ["kumi", "schema", "--check", file], tmp_path)
