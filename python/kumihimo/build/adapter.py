# SPDX-License-Identifier: Apache-2.0
"""Writes the C++ glue between one Verilated design and the adapter runtime (sim/node)."""

from __future__ import annotations

import json
import re

from kumihimo.build.design import DesignInfo, Direction, Port

_KIND = {"eth": 0, "axis": 1, "axil": 2, "hdr": 3, "axi": 4, "lane": 5, "sata": 6, "ib": 7}

_CPP_WORDS = frozenset(
    re.findall(
        r"\w+",
        "alignas alignof and and_eq asm auto bitand bitor bool break case catch char "
        "class compl concept const consteval constexpr constinit continue decltype "
        "default delete do double else enum explicit export extern false final float for "
        "friend goto if inline int long mutable namespace new noexcept not not_eq nullptr "
        "operator or or_eq override private protected public register requires return "
        "short signed sizeof static struct switch template this throw true try typedef "
        "typeid typename union unsigned using virtual void volatile wchar_t while xor "
        "xor_eq",
    )
)


def member(name: str) -> str:
    """The model's C++ member for a port."""
    name = name.replace("__", "___05F")
    return f"__SYM__{name}" if name in _CPP_WORDS else name


def _accessor(name: str, port: str) -> str:
    return f"  static auto& {name}(Model& m) {{ return m.{member(port)}; }}"


def _stream(struct: str, kind: str, way: Direction) -> list[str]:
    s = way.signals
    out = [
        f"struct {struct} {{",
        f"  static constexpr unsigned kBits = {way.bits};",
        f"  static constexpr bool kEth = {str(kind == 'eth').lower()};",
        f"  static constexpr bool kHasKeep = {str('tkeep' in s).lower()};",
        f"  static constexpr bool kHasLast = {str('tlast' in s).lower()};",
        f"  static constexpr unsigned kUserBits = {s.get('tuser', 0)};",
        f"  static constexpr unsigned kIdBits = {s.get('tid', 0)};",
        f"  static constexpr unsigned kDestBits = {s.get('tdest', 0)};",
    ]
    out += [_accessor(sig.removeprefix("t"), way.prefix + sig) for sig in s]
    return [*out, "};"]


def _hdr(struct: str, way: Direction) -> list[str]:
    out = [f"struct {struct} {{", f"  static constexpr unsigned kBits = {way.bits};"]
    out += [_accessor(sig, way.prefix + sig) for sig in way.signals]
    return [*out, "};"]


def _axil(struct: str, way: Direction) -> list[str]:
    out = [
        f"struct {struct} {{",
        f"  static constexpr unsigned kAddrBits = {min(way.signals['awaddr'], 64)};",
        f"  static constexpr bool kHasProt = {str('awprot' in way.signals).lower()};",
    ]
    out += [_accessor(sig, way.prefix + sig) for sig in way.signals]
    return [*out, "};"]


def _axi(struct: str, name: str, way: Direction) -> list[str]:
    out = [
        f"struct {struct} {{",
        f"  static constexpr const char* kName = {json.dumps(name)};",
        f"  static constexpr unsigned kBits = {way.bits};",
        f"  static constexpr unsigned kAddrBits = {way.signals['awaddr']};",
        f"  static constexpr unsigned kIdBits = {way.signals.get('awid', 0)};",
    ]
    out += [_accessor(sig, way.prefix + sig) for sig in way.signals]
    return [*out, "};"]


def _lane(struct: str, way: Direction) -> list[str]:
    out = [
        f"struct {struct} {{",
        f"  static constexpr bool kHasSlip = {str('slip' in way.signals).lower()};",
    ]
    out += [_accessor(sig, way.prefix + sig) for sig in way.signals]
    return [*out, "};"]


def _ib(struct: str, way: Direction, lanes: int) -> list[str]:
    out = [
        f"struct {struct} {{",
        f"  static constexpr unsigned kLanes = {lanes};",
        f"  static constexpr unsigned kSymbols = {way.bits // 8};",
    ]
    out += [_accessor(sig, way.prefix + sig) for sig in way.signals]
    return [*out, "};"]


def _sata(struct: str, rx: Direction, tx: Direction) -> list[str]:
    out = [f"struct {struct} {{"]
    for flag, signal in (
        ("Valid", "valid"),
        ("Error", "error"),
        ("Done", "oob_done"),
        ("Ready", "ready"),
    ):
        out.append(f"  static constexpr bool kHas{flag} = {str(signal in rx.signals).lower()};")
    out += [_accessor(f"s_{sig}", rx.prefix + sig) for sig in rx.signals]
    out += [_accessor(sig, tx.prefix + sig) for sig in tx.signals]
    return [*out, "};"]


def _port_type(i: int, port: Port, clock: int, tx_clock: int, out: list[str]) -> str:
    if port.kind == "axi":
        assert port.tx is not None
        out += _axi(f"P{i}", port.name, port.tx)
        return f"AxiPort<Model, {i}, {clock}, P{i}>"
    if port.kind == "lane":
        assert port.rx is not None and port.tx is not None
        out += _lane(f"P{i}Rx", port.rx) + _lane(f"P{i}Tx", port.tx)
        return f"LaneRx<Model, {i}, {clock}, P{i}Rx>, LaneTx<Model, {i}, {tx_clock}, P{i}Tx>"
    if port.kind == "ib":
        assert port.rx is not None and port.tx is not None
        out += _ib(f"P{i}Rx", port.rx, port.lanes) + _ib(f"P{i}Tx", port.tx, port.lanes)
        return f"IbRx<Model, {i}, {clock}, P{i}Rx>, IbTx<Model, {i}, {clock}, P{i}Tx>"
    if port.kind == "sata":
        assert port.rx is not None and port.tx is not None
        out += _sata(f"P{i}", port.rx, port.tx)
        return f"SataPort<Model, {i}, {clock}, P{i}>"
    if port.kind == "axil":
        assert port.rx is not None
        out += _axil(f"P{i}", port.rx)
        return f"AxilPort<Model, {i}, {clock}, P{i}>"
    names = []
    for tag, way in (("Rx", port.rx), ("Tx", port.tx)):
        if way is None:
            names.append("NoDirection")
            continue
        struct = f"P{i}{tag}"
        out += _hdr(struct, way) if port.kind == "hdr" else _stream(struct, port.kind, way)
        names.append(struct)
    cls = "HdrPort" if port.kind == "hdr" else "StreamPort"
    return f"{cls}<Model, {i}, {clock}, {names[0]}, {names[1]}>"


def _table(type_: str, name: str, rows: list[str]) -> str:
    body = ", ".join(rows) if rows else "{}"
    return f"const {type_} {name}[] = {{{body}}};"


def write_adapter(info: DesignInfo, traced: bool, loops: str = "") -> str:
    """The text of adapter.cpp. The content hash comes in at link time.

    `loops` names the combinational loops, for the message when one never settles.
    """
    clock_index = {c.name: i for i, c in enumerate(info.clocks)}
    out = [
        "// SPDX-License-Identifier: Apache-2.0",
        f"// Generated: the adapter of {info.top}.",
        '#include "Vtop.h"',
        '#include "kumi/node/node.hpp"',
        "",
        "KUMI_NODE_DEFINE_HOOKS",
        'extern "C" const char kumi_design_hash[];',
        "",
        "namespace {",
        "using namespace kumi::node;",
        "using Model = Vtop;",
    ]
    types = []
    for i, p in enumerate(info.ports):
        tx_clock = clock_index[p.tx_clock or p.clock]
        types.append(_port_type(i, p, clock_index[p.clock], tx_clock, out))

    words = [(p.bits + 31) // 32 for p in info.pins]
    offsets = [sum(words[:i]) for i in range(len(words) + 1)]
    ports = []
    for p in info.ports:
        rx = p.rx.bits if p.rx else 0
        tx = p.tx.bits if p.tx else 0
        if p.kind in ("axil", "axi"):  # one side starts, data goes both ways
            rx = tx = rx or tx
        dirs = (1 if rx else 0) | (2 if tx else 0)
        clocks = f"{clock_index[p.clock]}, {clock_index[p.tx_clock or p.clock]}"
        numbers = f"{_KIND[p.kind]}, {dirs}, {rx}, {tx}, {clocks}, {p.lanes}"
        ports.append(f"{{{json.dumps(p.name)}, {numbers}}}")
    pins = [f"{{{json.dumps(p.name)}, {int(p.output)}, {p.bits}}}" for p in info.pins]
    out += [
        _table("char* const", "kClockNames", [json.dumps(c.name) for c in info.clocks]),
        _table("kumi_port_info", "kPortInfo", ports),
        _table("kumi_pin_info", "kPinInfo", pins),
        "const kumi_design_info kInfo = {KUMI_ABI_VERSION, "
        f"{json.dumps(info.design)}, kumi_design_hash, {len(info.clocks)}, kClockNames, "
        f"{len(info.ports)}, kPortInfo, {len(info.pins)}, kPinInfo, {int(traced)}}};",
        "",
        "struct Design {",
        "  using Model = Vtop;",
        f"  using Ports = std::tuple<{', '.join(types)}>;",
        f"  static constexpr unsigned kClocks = {len(info.clocks)};",
        f"  static constexpr unsigned kPorts = {len(info.ports)};",
        f"  static constexpr unsigned kPins = {len(info.pins)};",
        f"  static constexpr unsigned kPinWords = {sum(words)};",
        f"  static constexpr unsigned kPinOffset[] = {{{', '.join(map(str, offsets))}}};",
        f"  static constexpr const char* kLoops = {json.dumps(loops)};",
        "  static constexpr bool kPinInput[] = {"
        + (", ".join(str(not p.output).lower() for p in info.pins) or "false")
        + "};",
        "  static const kumi_design_info* info() { return &kInfo; }",
        "  static void set_clock(Model& m, unsigned i, bool v) {",
    ]
    if len(info.clocks) == 1:
        out.append(f"    (void)i; m.{member(info.clocks[0].name)} = v;")
    else:
        out.append("    switch (i) {")
        for i, c in enumerate(info.clocks):
            out.append(f"      case {i}: m.{member(c.name)} = v; break;")
        out.append("      default: break;\n    }")
    out.append("  }")
    out.append("  static void set_resets([[maybe_unused]] Model& m, [[maybe_unused]] bool v) {")
    for reset in sorted({c.reset for c in info.clocks if c.reset}):
        out.append(f"    m.{member(reset)} = v;")
    out.append("  }")
    out.append(
        "  static void set_pin([[maybe_unused]] Model& m, uint32_t i, "
        "[[maybe_unused]] const uint32_t* w) {\n    switch (i) {"
    )
    for i, pin in enumerate(info.pins):
        if not pin.output:
            out.append(f"      case {i}: put_words<{pin.bits}>(m.{member(pin.name)}, w); break;")
    out.append("      default: break;\n    }\n  }")
    out.append(
        "  static void get_pin([[maybe_unused]] Model& m, uint32_t i, "
        "[[maybe_unused]] uint32_t* w) {\n    switch (i) {"
    )
    for i, pin in enumerate(info.pins):
        out.append(f"      case {i}: get_words<{pin.bits}>(m.{member(pin.name)}, w); break;")
    out.append("      default: break;\n    }\n  }")
    out.append("  static void snapshot([[maybe_unused]] Model& m, [[maybe_unused]] uint32_t* w) {")
    for i, pin in enumerate(info.pins):
        if pin.output:
            out.append(f"    get_words<{pin.bits}>(m.{member(pin.name)}, w + {offsets[i]});")
    busy = any(p.name == "busy" and p.output and p.bits == 1 for p in info.pins)
    restless = any(p.kind in ("lane", "sata", "ib") for p in info.ports)
    out += [
        "  }",
        f"  static constexpr bool kRestless = {str(restless and busy).lower()};",
        "  static bool busy([[maybe_unused]] Model& m) { return "
        f"{'m.busy != 0' if busy else 'false'}; }}",
        "};",
        "}  // namespace",
        "",
        'extern "C" __attribute__((visibility("default"))) const kumi_node_api* '
        "kumi_node_api_v1(void) {",
        "  return make_api<Design>();",
        "}",
        "",
    ]
    return "\n".join(out)
