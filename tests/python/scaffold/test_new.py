# SPDX-License-Identifier: Apache-2.0
"""`kumi new`: folders that can be shared, register blocks of one's own, and what is refused."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from kumihimo import KumiError
from kumihimo.build.filelist import for_module
from kumihimo.build.lint import lint
from kumihimo.clusterfile import plan
from kumihimo.common.paths import project_root
from kumihimo.regs import BLOCKS
from kumihimo.regs.own import from_json, generate_block, register_folder, to_json
from kumihimo.scaffold import new_card, new_experiment, new_kernel, new_node


@pytest.fixture
def cipher(tmp_path: Path) -> Path:
    new_kernel("cipher", tmp_path / "cipher", "regs")
    return tmp_path / "cipher"


def test_a_folder_holds_no_absolute_path(tmp_path: Path, cipher: Path) -> None:
    new_kernel("shout", tmp_path / "shout")
    new_experiment("loss", tmp_path / "loss")
    new_kernel("talk", tmp_path / "talk", "tcp")
    new_kernel("wholly", tmp_path / "wholly", "buffered")
    new_node("mirror", tmp_path / "mirror")
    new_card("guard", tmp_path / "guard")
    made = ("shout", "loss", "talk", "wholly", "mirror", "guard")
    for folder in (cipher, *(tmp_path / name for name in made)):
        schema = "# yaml-language-server: $schema=cluster.schema.json\n"
        assert (folder / f"{folder.name}.yaml").read_text().startswith(schema)
        assert json.loads((folder / "cluster.schema.json").read_text())["title"]
        plan(folder / f"{folder.name}.yaml")
        for file in folder.iterdir():
            text = file.read_text()
            assert str(tmp_path) not in text and f"{project_root()}/" not in text, file
            assert "$name" not in text and "${" not in text.replace("${{", ""), file


def test_a_kernel_with_registers_is_clean(cipher: Path) -> None:
    node = cipher / "kumi_node_cipher.sv"
    assert lint(node.stem, for_module(node, project_root())) == []


@pytest.mark.parametrize("kind", ["tcp", "buffered", "node", "card"])
def test_other_kinds_are_clean(tmp_path: Path, kind: str) -> None:
    folder = tmp_path / "made"
    if kind in ("node", "card"):
        (new_node if kind == "node" else new_card)("made", folder)
    else:
        new_kernel("made", folder, kind)
    node = folder / "kumi_node_made.sv"
    assert lint(node.stem, for_module(node, project_root())) == []


def test_its_map_is_found_beside_it(cipher: Path) -> None:
    (info,) = register_folder(cipher)
    assert info.name == "cipher" and info.kind == "CIPH"
    assert [reg.name for reg in info.regs] == ["ctrl", "key", "datagrams", "empty"]
    assert info.reg("key").reset == 0x20


def test_generating_again_after_an_edit(cipher: Path) -> None:
    file = cipher / "cipher.rdl"
    file.write_text(file.read_text().replace("value[7:0] = 0x20", "value[7:0] = 0x41"))
    made = generate_block(file)
    names = ["cipher_regs.json", "cipher_regs.sv", "cipher_regs_pkg.sv"]
    assert [path.name for path in made] == names
    assert register_folder(cipher)[0].reg("key").reset == 0x41
    assert "BLOCK = '{kind: 32'h48504943, version: 12'd1}" in made[2].read_text()


@pytest.mark.parametrize("name", ["echo", "tcp", "storage"])
def test_maps_survive_json(name: str) -> None:
    assert from_json(to_json(BLOCKS[name])) == BLOCKS[name]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("addrmap cipher_regs", "addrmap other", "one addrmap called cipher_regs"),
        ("sw = rw", "sw = often", "has errors"),
        ('"CIPH"', '"CIPHER"', "kumi_type must be four ASCII characters"),
    ],
)
def test_a_wrong_description(cipher: Path, old: str, new: str, says: str) -> None:
    file = cipher / "cipher.rdl"
    file.write_text(file.read_text().replace(old, new, 1))
    with pytest.raises(KumiError) as problem:
        generate_block(file)
    assert says in f"{problem.value} {problem.value.hint}"


def test_a_damaged_map(cipher: Path) -> None:
    (cipher / "cipher_regs.json").write_text("{}")
    with pytest.raises(KumiError, match="not a map of registers"):
        register_folder(cipher)


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["kernel", "dma", "--regs"], "already has registers dma"),
        (["kernel", "x", "--tcp", "--regs"], "--regs and --tcp cannot be combined"),
        (["node", "module"], "`module` is a word of SystemVerilog"),
        (["experiment", "1st"], "cannot be an experiment's name"),
        (["regs", "nowhere.rdl"], "no register description nowhere.rdl"),
    ],
)
def test_what_is_refused(tmp_path: Path, args: list[str], says: str) -> None:
    words = [sys.executable, "-m", "kumihimo.cli", "new", *args]
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 2 and says in done.stderr and "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())
