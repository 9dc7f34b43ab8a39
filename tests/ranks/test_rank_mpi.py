# SPDX-License-Identifier: Apache-2.0
"""MPI carries the cables between ranks: the same results, and the end of a rank is noticed.

With every MPI that is here; one is among the packages of the tests.
"""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from kumihimo import _engine
from kumihimo.cli.ranks import where_by
from kumihimo.common.errors import KumiError
from kumihimo.ranks import mpi
from rankkit import Libraries, Scene

HERE = Path(__file__).parent
SEED, RANKS, LIMIT_S = 9, 3, 5.0
RUN = """
import json, os, pickle, sys
from pathlib import Path
import conftest
from kumihimo.ranks import mpi
from kumihimo.ranks.engine import RankedEngine
from kumihimo.ranks.meeting import gather, place_by_mpi
from kumihimo.ranks.worker import attend_run
from rankkit import Libraries, Scene

*paths, seed, out = sys.argv[1:]
where = place_by_mpi(mpi.start("auto"))
Path(out, f"{where.rank}.pid").write_text(str(os.getpid()))
if where.rank:
    attend_run(where)
scene, libraries = Scene(int(seed)), Libraries(*paths)
eng = RankedEngine(where.ranks, scene.owners(where.ranks, 1), seed=scene.seed, by=gather(where))
try:
    if "play" in os.environ:
        found = scene.play(eng, libraries, Path(out, "b.pcapng"))
        Path(out, "found").write_bytes(pickle.dumps(found))
    else:
        scene.build(eng, libraries)
        eng.start()
        eng.run(1_000_000)
        Path(out, "ready").touch()
        eng.run(2**60)
except Exception as problem:
    # What a launcher passes on while it ends is not sure.
    Path(out, "saying").write_text(str(problem))
    Path(out, "saying").rename(Path(out, "said"))
    raise
finally:
    eng.close()
where.mpi.finish()
"""


def launched(
    which: mpi.Mpi, libraries: Libraries, out: Path, **environment: str
) -> subprocess.Popen[str]:
    argv = [str(which.compiler.parent / "mpirun"), "-n", str(RANKS)]
    # Open MPI leaves it to us to have more ranks than cores, and to be root.
    argv[1:1] = ["--oversubscribe"] if which.name == "Open MPI" else []
    argv += [sys.executable, "-c", RUN, *libraries, str(SEED), str(out)]
    allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return subprocess.Popen(
        argv,
        cwd=HERE,
        env=os.environ | allowed | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def test_there_is_one() -> None:
    assert mpi.found(), f"an MPI is needed: {mpi.INSTALL}"


@pytest.mark.parametrize("which", mpi.found(), ids=lambda which: which.name.replace(" ", ""))
def test_same_results(which: mpi.Mpi, libraries: Libraries, tmp_path: Path) -> None:
    scene = Scene(SEED)
    wanted = scene.play(_engine.Engine(1, SEED), libraries, tmp_path / "a.pcapng")
    run = launched(which, libraries, tmp_path, play="1", KUMI_RANK_DELAY="300:4")
    said, _ = run.communicate(timeout=120)
    assert run.returncode == 0, said
    found = pickle.loads((tmp_path / "found").read_bytes())
    assert {key for key in wanted if wanted[key] != found[key]} == set()


@pytest.mark.parametrize("which", mpi.found(), ids=lambda which: which.name.replace(" ", ""))
def test_a_rank_is_killed(which: mpi.Mpi, libraries: Libraries, tmp_path: Path) -> None:
    run = launched(which, libraries, tmp_path)
    end = time.monotonic() + 60
    while not (tmp_path / "ready").exists():
        assert time.monotonic() < end and run.poll() is None, run.communicate()
        time.sleep(0.05)
    os.kill(int((tmp_path / "1.pid").read_text()), signal.SIGKILL)
    began = time.monotonic()
    said, _ = run.communicate(timeout=30)
    assert time.monotonic() - began < LIMIT_S
    assert run.returncode != 0, said
    if which.name == "MPICH":  # its launcher kills the rest at once, whatever rank 0 has to say
        assert "Killed (signal 9)" in said
        return
    # The launcher may end before rank 0 has.
    while not (tmp_path / "said").exists():
        assert time.monotonic() - began < 2 * LIMIT_S, said
        time.sleep(0.05)
    assert (tmp_path / "said").read_text().startswith("Rank 1 ("), said


def test_what_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for names in mpi._LAUNCHED:
        monkeypatch.delenv(names[0], raising=False)
    for transport, at, sentence in (
        ("mpi", None, "not started by MPI"),
        ("mpi", "a:1", "no --at"),
        ("auto", None, "Where does rank 0 listen"),
        ("pigeon", None, "auto, mpi, tcp"),
    ):
        with pytest.raises(KumiError, match=sentence):
            where_by(transport, at, None, None)


def test_the_launcher_decides_which(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """One whose `mpi.h` says nothing known is none; the name must fit."""
    assert mpi.launcher({"PMI_SIZE": "2"}) == "MPICH"
    assert mpi.launcher({"OMPI_COMM_WORLD_SIZE": "2", "PMI_SIZE": "2"}) == "Open MPI"
    assert mpi.launcher({"SLURM_PROCID": "2"}) is None
    one = mpi.Mpi("MPICH", "1", tmp_path / "mpicc")
    monkeypatch.setattr(mpi, "found", lambda: (one,))
    assert mpi.fitting({"PMI_SIZE": "2"}) == one and mpi.fitting({"PMIX_RANK": "0"}) == one
    assert mpi.fitting({"OMPI_COMM_WORLD_SIZE": "2"}) is None
    with pytest.raises(KumiError, match="no mpicc of Open MPI"):
        mpi.start("mpi", {"OMPI_COMM_WORLD_SIZE": "2"})
    assert mpi.start("auto", {"OMPI_COMM_WORLD_SIZE": "2"}) is None
    one.compiler.write_text("#!/bin/sh\necho no mpi.h >&2; exit 1\n")
    one.compiler.chmod(0o755)
    monkeypatch.setenv("KUMI_CACHE", str(tmp_path))
    with pytest.raises(KumiError, match=r"cannot be used: no mpi\.h"):
        mpi.shim(one)
    assert json.dumps(mpi.invitation())
