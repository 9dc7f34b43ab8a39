# SPDX-License-Identifier: Apache-2.0
"""The notebooks run from top to bottom, and hold no outputs."""

from __future__ import annotations

import shutil
from pathlib import Path

import nbformat
import pytest
from kumihimo.common.paths import project_root
from kumihimo.scaffold import new_experiment
from nbclient import NotebookClient

FOLDER = project_root() / "examples" / "notebooks"
NAMES = ["first_cluster", "own_kernel", "loss"]


def execute(file: Path) -> str:
    """Run a notebook in its folder; returns what its cells printed and showed."""
    book = nbformat.read(file, as_version=4)
    nbformat.validate(book)
    path = {"metadata": {"path": str(file.parent)}}
    NotebookClient(book, timeout=240, kernel_name="python3", resources=path).execute()
    shown = []
    for cell in book.cells:
        for output in cell.get("outputs", ()):
            shown.append(str(output.get("text", "")) + str(output.get("data", "")))
    return "\n".join(shown)


@pytest.mark.parametrize(
    ("name", "shows"),
    [
        (
            "first_cluster",
            ["3 received", "<table>", "echo.port has 16 bits", "ICMP echo", "rx_icmp"],
        ),
        ("own_kernel", ["HELLO, FPGA", "image/png"]),
        ("loss", ["image/png", " 0 %: 200 sent, 200 received, 200 answered, 200 returned"]),
    ],
)
def test_a_notebook_runs(tmp_path: Path, name: str, shows: list[str]) -> None:
    folder = tmp_path / "notebooks"
    shutil.copytree(FOLDER, folder)
    text = execute(folder / f"{name}.ipynb")
    for words in shows:
        assert words in text, text


def test_the_notebook_of_a_new_experiment_runs(tmp_path: Path) -> None:
    new_experiment("trial", tmp_path / "trial")
    assert "image/png" in execute(tmp_path / "trial/trial.ipynb")


def test_notebooks_hold_no_outputs_and_are_listed() -> None:
    assert sorted(file.stem for file in FOLDER.glob("*.ipynb")) == sorted(NAMES)
    pages = [(project_root() / "docs" / page).read_text() for page in ("guide.md", "README.md")]
    for name in NAMES:
        book = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
        code = [cell for cell in book.cells if cell.cell_type == "code"]
        assert all(not cell.outputs and cell.execution_count is None for cell in code)
        assert all(f"examples/notebooks/{name}.ipynb" in page for page in pages)
