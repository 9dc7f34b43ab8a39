# SPDX-License-Identifier: Apache-2.0
"""Reading tops, file lists, the cache, and what is said when something is wrong."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from kumihimo.build import (
    BuildError,
    build,
    cache,
    make_shell,
    read_list,
    resolve_design,
    scan,
    toolchain,
)

HW = Path(__file__).parent / "hw"
TOP = """
module kumi_node_tiny #(parameter int W = 8, parameter TEXT = "a") (
    input logic clk, input logic rst,
    input logic [W-1:0] a, output logic [W-1:0] b, output logic [63:0] text
);
  always_ff @(posedge clk) b <= rst ? '0 : a + W'(STEP);
  assign text = 64'(TEXT);
endmodule
"""


def write_design(folder: Path) -> Path:
    (folder / "step.svh").write_text("localparam int STEP = 3;\n")
    (folder / "kumi_node_tiny.sv").write_text('`include "step.svh"\n' + TOP)
    return folder / "kumi_node_tiny.sv"


@pytest.fixture(scope="session")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that holds the objects of the small design, so that the tests compile little."""
    folder = tmp_path_factory.mktemp("warm")
    shared = cache.cache_root() / "pch"
    shared.mkdir(parents=True, exist_ok=True)
    (folder / "cache").mkdir()
    (folder / "cache/pch").symlink_to(shared)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KUMI_CACHE", str(folder / "cache"))
        build(write_design(folder), profile="test")
    return folder / "cache"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, warm: Path) -> Path:
    """A folder with a small design, and a cache with objects but no library."""
    shutil.copytree(warm / "obj", tmp_path / "cache/obj")
    (tmp_path / "cache/pch").symlink_to((warm / "pch").resolve())
    monkeypatch.setenv("KUMI_CACHE", str(tmp_path / "cache"))
    write_design(tmp_path)
    return tmp_path


def answer(path: Path, a: int = 5) -> int:
    from kumihimo._engine import Node

    node = Node(str(path))
    node.reset(4, 1)
    node.set_pin("a", a)
    node.run(2)
    return int(node.get_pin("b"))


def objects(root: Path) -> set[str]:
    return {p.name for p in (root / "cache/obj").glob("*/*.o")}


def test_same_content_is_built_once(here: Path) -> None:
    first = build(here / "kumi_node_tiny.sv", profile="test")
    assert not first.cached and answer(first.path) == 8
    again = build(here / "kumi_node_tiny.sv", profile="test")
    assert again.cached and again.path == first.path and again.info == first.info
    assert again.seconds < 0.2
    shutil.copytree(here, here / "copy", ignore=shutil.ignore_patterns("cache", "copy"))
    moved = build(here / "copy/kumi_node_tiny.sv", profile="test")
    assert moved.cached and moved.hash == first.hash


def test_every_input_counts(here: Path) -> None:
    top = here / "kumi_node_tiny.sv"
    hashes = [build(top, profile="test").hash]
    (here / "step.svh").write_text("localparam int STEP = 4;\n")
    changed = build(top, profile="test")
    assert answer(changed.path) == 9
    hashes.append(changed.hash)
    wide = build(top, {"W": 40, "TEXT": "hello"}, profile="test")
    assert answer(wide.path, 1 << 39) == (1 << 39) + 4
    hashes.append(wide.hash)
    assert len(set(hashes)) == 3
    (here / "step.svh").write_text("localparam int STEP = 3;\n")
    assert build(top, profile="test").hash == hashes[0]


def test_only_changed_objects_are_compiled(here: Path) -> None:
    top = here / "kumi_node_tiny.sv"
    build(top, profile="test")
    before = objects(here)
    top.write_text(top.read_text() + "// a remark\n")  # the hash changes, the logic does not
    assert not build(top, profile="test").cached
    assert objects(here) == before  # the one that holds the hash is not worth keeping


def test_a_failed_build_leaves_nothing(here: Path) -> None:
    top = here / "kumi_node_tiny.sv"
    good = top.read_text()
    top.write_text(good.replace("a + W'(STEP)", "a + nothing"))
    with pytest.raises(BuildError) as caught:
        build(top, profile="test")
    assert "kumi_node_tiny.sv:7:" in str(caught.value) and "nothing" in str(caught.value)
    assert not list((here / "cache").glob("lib/*")) and not list((here / "cache").glob("tmp/*"))
    top.write_text(good)
    assert answer(build(top, profile="test").path) == 8


def test_what_verilator_says_is_shown(here: Path) -> None:
    top = here / "kumi_node_tiny.sv"
    bad = "  wire logic z; assign z = a[0]; initial begin $fatal_not_known(1); end\nendmodule"
    top.write_text(top.read_text().replace("endmodule", bad))
    with pytest.raises(BuildError, match=r"kumi_node_tiny\.sv:\d+"):
        build(top, profile="test")


def test_the_compiler_is_missing(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(Exception, match="no C\\+\\+ compiler was found"):
        build(here / "kumi_node_tiny.sv", profile="test")


def test_two_processes_build_the_same(here: Path) -> None:
    script = (
        "import sys; from kumihimo.build import build; "
        "r = build(sys.argv[1], profile='test'); print(r.hash, r.path.is_file())"
    )
    command = [sys.executable, "-c", script, str(here / "kumi_node_tiny.sv")]
    running = [
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=dict(os.environ))
        for _ in range(3)
    ]
    said = {p.communicate(timeout=120)[0] for p in running}
    assert len(said) == 1 and said.pop().endswith("True\n")
    assert len(list((here / "cache/lib").iterdir())) == 1


def test_progress_is_told(here: Path) -> None:
    steps: list[str] = []
    build(here / "kumi_node_tiny.sv", profile="test", progress=steps.append)
    assert steps[0] == "read" and "verilate" in steps and steps[-1] == "link"


def test_prune_keeps_the_newest(here: Path) -> None:
    old = build(here / "kumi_node_tiny.sv", profile="test")
    new = build(here / "kumi_node_tiny.sv", {"W": 16}, profile="test")
    os.utime(old.path, (1, 1))
    for path in old.path.parent.iterdir():
        os.utime(path, (1, 1))
    size = sum(p.stat().st_size for p in (here / "cache").rglob("*") if p.is_file())
    objects_size = sum(p.stat().st_size for p in (here / "cache/obj").rglob("*.o"))
    library_size = sum(p.stat().st_size for p in new.path.parent.iterdir())
    assert size > 0
    assert cache.prune(objects_size + library_size) > 0
    assert not old.path.exists() and new.path.exists()


# ---- reading tops -----------------------------------------------------------------------------


def top_with(tmp_path: Path, ports: str, body: str = "") -> Path:
    path = tmp_path / "kumi_node_bad.sv"
    path.write_text(
        f"module kumi_node_bad (\n  input logic clk, input logic rst,\n{ports}\n);\n{body}\n"
        "endmodule\n"
    )
    return path


@pytest.mark.parametrize(
    "ports,message",
    [
        ("  inout wire x", r"kumi_node_bad\.sv:3: port x .* is not in or out"),
        ("  input logic x [4]", r"kumi_node_bad\.sv:3: port x .* only packed types"),
        ("  input logic eval", r"cannot be called eval"),
        ("  input logic [7:0] s_axis_a_tdata", r"lacks s_axis_a_tvalid, s_axis_a_tready"),
        ("  output logic [7:0] s_axis_a_tdata", r"s_axis_a_tdata has the wrong direction"),
        (
            "  input logic [8:0] s_axis_tdata, input logic s_axis_tvalid, "
            "output logic s_axis_tready",
            "whole bytes, not 9 bits",
        ),
        (
            "  input logic [1023:0] s_axis_tdata, input logic s_axis_tvalid, "
            "output logic s_axis_tready",
            "1024 data bits, at most 512",
        ),
        (
            "  input logic [63:0] s_axis_tdata, input logic [3:0] s_axis_tkeep, "
            "input logic s_axis_tvalid, output logic s_axis_tready",
            "tkeep has 4 bits, 8 are needed",
        ),
        (
            '  (* X_INTERFACE_PARAMETER = "ASSOCIATED_BUSIF s_axis_b" *) input logic a_clk',
            "clock a_clk names the bus s_axis_b, which does not exist",
        ),
    ],
)
def test_wrong_tops_are_explained(tmp_path: Path, ports: str, message: str) -> None:
    with pytest.raises(BuildError, match=message):
        scan(top_with(tmp_path, ports))


def test_elaboration_errors_have_a_place(tmp_path: Path) -> None:
    path = top_with(tmp_path, "  input logic x", '  if (1) $fatal(0, "width 3 is odd (%m)");')
    with pytest.raises(
        BuildError, match=r"cannot be built: width 3 is odd\.\n.*kumi_node_bad\.sv:5:"
    ):
        scan(path)


def test_scan_of_the_loop() -> None:
    info = scan(HW / "kumi_node_loop.sv", {"DATA_W": 512, "HDR_W": 9})
    assert [(c.name, c.reset) for c in info.clocks] == [("clk", "rst"), ("side_clk", "side_rst")]
    assert {(p.name, p.kind, p.clock) for p in info.ports} == {
        ("eth0", "eth", "clk"),
        ("side", "axis", "side_clk"),
        ("rec", "hdr", "clk"),
        ("", "axil", "clk"),
    }
    eth = info.port("eth0")
    assert eth.rx is not None and eth.rx.bits == 512 and eth.rx.signals["tkeep"] == 64
    assert info.all_params["DATA_W"] == "512"
    assert type(info).from_json(info.to_json()) == info


def test_names_and_parameters_that_do_not_exist(here: Path) -> None:
    with pytest.raises(BuildError, match="there is no node design tyni"):
        resolve_design("tyni")
    with pytest.raises(BuildError, match=r'has no parameter w\. Did you mean "W"'):
        scan(here / "kumi_node_tiny.sv", {"w": 3})
    with pytest.raises(BuildError, match="no build profile quick"):
        build(here / "kumi_node_tiny.sv", profile="quick")
    with pytest.raises(BuildError, match="no such file"):
        scan("missing.sv")


# ---- file lists -------------------------------------------------------------------------------


def test_file_lists_nest_and_keep_order(tmp_path: Path) -> None:
    for name in ("a.sv", "b.sv", "sub/c.sv", "sub/d.sv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "sub/s.f").write_text("// inner\nc.sv\n+incdir+inc\n-F ../top.f\nd.sv\n")
    (tmp_path / "top.f").write_text(
        "a.sv // first\n-F sub/s.f\nsub/c.sv\n+define+X=1+Y\n# end\nb.sv\n"
    )
    got = read_list(tmp_path / "top.f")
    assert [p.name for p in got.files] == ["a.sv", "c.sv", "d.sv", "b.sv"]
    assert got.incdirs == [(tmp_path / "sub/inc").resolve()]
    assert got.defines == {"X": "1", "Y": ""}


@pytest.mark.parametrize(
    "text,message",
    [
        ("a.sv\nnone.sv\n", r"top\.f:2: no such file"),
        ("-y lib\n", r"top\.f:1: unknown option -y"),
        ("-F other.f\n", r"other\.f: cannot read"),
        ("${NO_SUCH_VARIABLE}/a.sv\n", r"NO_SUCH_VARIABLE is not set"),
    ],
)
def test_wrong_file_lists_are_explained(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "a.sv").write_text("")
    (tmp_path / "top.f").write_text(text)
    with pytest.raises(BuildError, match=message):
        read_list(tmp_path / "top.f")


# ---- shells -----------------------------------------------------------------------------------


def test_shell_of_a_module_with_everything(tmp_path: Path) -> None:
    shell = make_shell(
        HW / "kumi_shelled.sv",
        {"N": 3},
        {"*": {"DATA_W": 32}, "mon": {"USER_W": 4}, "s_rec_hdr": {"W": 40}, "m_rec_hdr": {"W": 40}},
    )
    assert shell.aliases["s_axis[2]"] == "s_axis_2" and shell.aliases["mon"] == "s_axis_mon"
    assert shell.aliases["s_rec_hdr"] == "s_hdr_rec" and shell.aliases["name"] == "name_pin"
    assert [row[0] for row in shell.fields["cfg"]] == ["a", "e"]
    info = scan(shell.top, top=shell.top, text=shell.text, sources=shell.sources)
    assert [c.name for c in info.clocks] == ["s_clk", "m_clk"]
    clocks = {(p.name, p.rx is not None): p.clock for p in info.ports}
    assert clocks["2", True] == "s_clk" and clocks["2", False] == "m_clk"


def test_shell_runs() -> None:
    from kumihimo.testing import Dut

    dut = Dut.of_module(HW / "kumi_shelled.sv", {"N": 2}, pins={"cfg": {"a": 7}, "kind": 2})
    for i in range(2):
        dut.send(f"s_axis[{i}]", [bytes([i]) * 20])
        assert dut.recv_data(f"m_axis[{i}]", 1) == [bytes([i]) * 20]
    dut.send("s_rec_hdr", 0xABCD)
    assert dut.recv("m_rec_hdr", 1)[0].value == 0xABCD
    dut.send("mon", b"passing by")
    assert dut.recv_data("m_axis_mon", 1) == [b"passing by"]
    dut.run(3)
    assert [dut.get(f"count[{i}]") for i in range(3)] == [2, 3, 4]
    assert dut.get_struct("out") == {"a": 7, "e": 2}
    assert dut.struct("pair_t").pack(a=1, e=3) == 0b111


@pytest.mark.parametrize(
    "how,message",
    [
        ({"params": {"M": 1}}, "no parameter M"),
        ({"interfaces": {"s_axi": {}}}, 'no interface port s_axi. Did you mean "s_axis'),
        ({"interfaces": {"mon": {"DATAW": 8}}}, 'no parameter DATAW. Did you mean "DATA_W"'),
        ({"clocks": {"mon": "x_clk"}}, "there is no clock x_clk"),
    ],
)
def test_wrong_shells_are_explained(how: dict[str, dict[str, object]], message: str) -> None:
    with pytest.raises(BuildError, match=message):
        make_shell(HW / "kumi_shelled.sv", **how)  # type: ignore[arg-type]


# ---- the runtime itself -----------------------------------------------------------------------


def test_the_runtime_is_clean_under_sanitizers() -> None:
    """Address and undefined-behaviour checks over a run that uses every kind of port."""
    libs = [
        subprocess.run(
            [toolchain.compiler(), f"-print-file-name={name}"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for name in ("libasan.so", "libubsan.so")
    ]
    if not all(os.path.isabs(lib) for lib in libs):
        pytest.fail(
            "the compiler has no sanitizer libraries (Debian: libasan and libubsan, with g++)"
        )
    for design in ("loop", "axi_wires", "lane_wires"):
        built = build(HW / f"kumi_node_{design}.sv", profile="sanitize")  # without checks preloaded
        assert built.path.is_file()
    script = textwrap.dedent(
        f"""
        import random, sys
        from kumihimo.testing import Dut, Frame
        d = Dut({str(HW / "kumi_node_loop.sv")!r}, profile="sanitize", check=False,
                periods_ps={{"side_clk": 2500}})
        rng = random.Random(1)
        for limit in (0, 300, 0):
            d.stall_all(0.3, 0.6, seed=limit + 1)
            d.line("eth0", 10e9, rx_limit_bytes=limit)
            for piece in (0, 1, 5, 64):
                d.send("eth0", [rng.randbytes(rng.randint(1, 200)) for _ in range(20)],
                       piece_bytes=piece)
            d.send("side", Frame(bytes(50), users=[0x3ff] * 50, id=15, dest=31))
            d.send("rec", [0, (1 << 70) - 1])
            d.axil_write(4, 0x12345678)
            assert d.axil_read(4) == 0x12345678
            d.set("wide_in", (1 << 100) - 1)
            d.run(4000)
            assert d.get("wide_out") == 0
            d.recv("eth0"), d.recv("side"), d.recv("rec")
        d.axil_response(False, 0x300)
        d.set("say", 2)
        try:
            d.run(5)
        except AssertionError as error:
            print("caught", error)
        d.restart()

        sys.path.insert(0, {str(HW.parent)!r})
        from axi_ops import Burst, random_burst
        d = Dut({str(HW / "kumi_node_axi_wires.sv")!r}, profile="sanitize", check=False)
        mem = d.memory("mem")
        for round_ in range(4):
            d.stall_all(0.3, 0.3, seed=round_ + 1)
            mem.configure(size=1 << 15, jitter_ps=99_000, bandwidth_bps=8e9 * (round_ % 2),
                          reorder=round_ > 1, interleave=round_ > 2, shared=round_ > 2)
            mem.fault(5000 * round_, 300)
            for i in range(100):
                b = random_burst(rng, rng.random() < 0.5, 8, 0, 1 << 16, rng.randrange(16))
                if rng.random() < 0.1:
                    b.kind, b.size, b.beats = 3, 7, rng.randint(1, 256)  # nonsense is no harm
                if b.write:
                    d.send("s_hdr_aw", b.address_record())
                    words = b"".join(w.to_bytes(8, "little") for w in b.words)
                    d.send("s_axis_w", Frame(words, users=b.strobes))
                else:
                    d.send("s_hdr_ar", b.address_record())
            d.run(20_000)
            d.recv("m_axis_r"), d.recv("m_hdr_b")
            mem.write((1 << 40) - 100, mem.read(4000, 10_000))
        assert mem.stats["errors"] > 0 and mem.stats["protocol_errors"] > 0
        d.restart()

        d = Dut({str(HW / "kumi_node_lane_wires.sv")!r}, profile="sanitize")
        d.lane_send("l0_0", [(i, i % 4) for i in range(300)], 5)
        d.lane_keep("l0_1")
        d.set("slip", 1)
        d.run(100)
        d.lane_cable("l0_0", "l0_1", ber=1e-3, noise=True)
        for i in range(20):
            d.lane_plug("l0_0", i % 2 == 1)
            d.run(50)
        assert len(d.lane_sent("l0_1")) == 1100
        d.restart()
        print("done")
        """
    )
    env = dict(os.environ, LD_PRELOAD=" ".join(libs), ASAN_OPTIONS="detect_leaks=0")
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=env, timeout=300
    )
    assert done.returncode == 0 and "done" in done.stdout, done.stderr[-3000:]
    assert "it went wrong" in done.stdout
