# SPDX-License-Identifier: Apache-2.0
"""SystemVerilog expressions of pure operations. Operands are names of nets, or literals."""

from __future__ import annotations

from dataclasses import dataclass

from .ops import Op

_INFIX = {"add": "+", "sub": "-", "mul": "*", "and": "&", "or": "|", "xor": "^", "lshr": ">>",
          "shl": "<<"}  # fmt: skip
_COMPARE = {"eq": "==", "ne": "!=", "gt": ">", "ge": ">=", "lt": "<", "le": "<="}


@dataclass(frozen=True)
class Text:
    """An operand as text: a net, or a number."""

    text: str
    bits: int
    number: int | None = None
    net: str = ""  # that it is a part of
    low: int = 0  # its lowest bit there

    def part(self, low: int, bits: int) -> str:
        """Some of its bits."""
        if self.number is not None:
            return literal(self.number >> low & ((1 << bits) - 1), bits)
        if low == 0 and bits == self.bits:
            return self.text
        net, low = self.net or self.text, self.low + low
        return f"{net}[{low}]" if bits == 1 else f"{net}[{low + bits - 1}:{low}]"

    def signed(self) -> str:
        """As a signed number."""
        return f"$signed({self.text})"

    @property
    def sign(self) -> str:
        """The highest bit."""
        return self.part(self.bits - 1, 1)


def literal(value: int, bits: int) -> str:
    """A number with its width."""
    if value == 0 and bits > 1:
        return "'0"
    if bits == 1:
        return f"1'b{value}"
    if value == (1 << bits) - 1:
        return "'1"
    return f"{bits}'d{value}" if value < 10 else f"{bits}'h{value:x}"


def number(value: int, bits: int) -> Text:
    """A literal operand: always with its width, so that it can stand in any expression."""
    text = f"{bits}'h{value:x}" if value >= 10 else f"{bits}'d{value}"
    return Text(text, bits, value)


def expression(op: Op, args: list[Text]) -> str:
    """The right-hand side for an operation."""
    if op.lanes == 1 or op.kind in ("lane_get", "lane_set"):
        return _scalar(op, args, op.bits)
    lanes = []
    for i in range(op.lanes):
        parts = []
        for arg in args:
            width = arg.bits // op.lanes
            value = None if arg.number is None else arg.number >> (i * width) & ((1 << width) - 1)
            text = arg.part(i * width, width)
            lane = Text(text, width, net=arg.text, low=i * width)
            parts.append(number(value, width) if value is not None else lane)
        lanes.append(_scalar(op, parts, op.bits // op.lanes))
    return "{" + ", ".join(f"({lane})" if " " in lane else lane for lane in lanes[::-1]) + "}"


def _scalar(op: Op, args: list[Text], bits: int) -> str:
    kind = op.kind
    if kind in _INFIX:
        if kind in ("shl", "lshr") and args[1].number is not None:
            return _shift(kind, args[0], args[1].number, bits)
        return f"{args[0].text} {_INFIX[kind]} {args[1].text}"
    if kind == "ashr":
        return f"$signed({args[0].text}) >>> {args[1].text}"
    if kind == "not":
        return f"!{args[0].text}"
    if kind == "select":
        return f"{args[0].text} ? {args[1].text} : {args[2].text}"
    if kind == "icmp":
        return _compare(op.word, args[0], args[1])
    if kind == "fcmp":
        return _float_compare(op.word, args[0], args[1])
    if kind == "trunc":
        return args[0].part(0, bits)
    if kind == "zext":
        return f"{{{_zeros(bits - args[0].bits)}, {args[0].text}}}"
    if kind == "sext":
        return f"{{{{{bits - args[0].bits}{{{args[0].sign}}}}}, {args[0].text}}}"
    if kind == "pick":
        parts = [args[which].part(low, width) for which, low, width in op.picks]
        sized = [number_part(args[w], low, n) for (w, low, n) in op.picks]
        return parts[0] if len(parts) == 1 else "{" + ", ".join(sized[::-1]) + "}"
    if kind in ("lane_get", "lane_set"):
        return _lane(op, args)
    return _function(op, args, bits)


def number_part(arg: Text, low: int, bits: int) -> str:
    """Bits of an operand for a concatenation, where a literal needs a width."""
    if arg.number is not None:
        return number(arg.number >> low & ((1 << bits) - 1), bits).text
    return arg.part(low, bits)


def _zeros(count: int) -> str:
    return f"{count}'d0"


def _shift(kind: str, value: Text, amount: int, bits: int) -> str:
    if amount >= bits:
        return _zeros(bits)
    if amount == 0:
        return value.text
    if kind == "shl":
        return f"{{{number_part(value, 0, bits - amount)}, {_zeros(amount)}}}"
    return f"{{{_zeros(amount)}, {number_part(value, amount, bits - amount)}}}"


def _compare(word: str, a: Text, b: Text) -> str:
    if word in ("eq", "ne"):
        return f"{a.text} {_COMPARE[word]} {b.text}"
    if word[0] == "s":
        return f"{a.signed()} {_COMPARE[word[1:]]} {b.signed()}"
    return f"{a.text} {_COMPARE[word[1:]]} {b.text}"


def _float_compare(word: str, a: Text, b: Text) -> str:
    """An ordered predicate, or an unordered one: that or a NaN on either side."""
    package = "kumi_hls_float_pkg"
    nan = f"{package}::unordered({number_part(a, 0, 31)}, {number_part(b, 0, 31)})"
    equal = f"{package}::equal({a.text}, {b.text})"
    below = f"{package}::less({a.text}, {b.text})"
    above = f"{package}::less({b.text}, {a.text})"
    if word in ("true", "false"):
        return f"1'b{int(word == 'true')}"
    if word in ("uno", "ord"):
        return nan if word == "uno" else f"!{nan}"
    ordered = {
        "eq": equal,
        "ne": f"{below} || {above}",
        "lt": below,
        "gt": above,
        "le": f"{below} || {equal}",
        "ge": f"{above} || {equal}",
    }[word[1:]]
    return ordered if word[0] == "o" else f"{nan} || {ordered}"


def _lane(op: Op, args: list[Text]) -> str:
    index = args[-1]
    width = args[0].bits // op.lanes
    lanes = [args[0].part(i * width, width) for i in range(op.lanes)]
    at = [f"{index.text} == {index.bits}'d{i}" for i in range(op.lanes)]
    if op.kind == "lane_get":
        text = lanes[-1]
        for i in range(op.lanes - 2, -1, -1):
            text = f"{at[i]} ? {lanes[i]} : {text}"
        return text
    made = [f"({at[i]}) ? {args[1].text} : {lanes[i]}" for i in range(op.lanes)]
    return "{" + ", ".join(f"({m})" for m in made[::-1]) + "}"


def _function(op: Op, args: list[Text], bits: int) -> str:
    a = args[0]
    b = args[1] if len(args) > 1 else a
    if op.kind in ("smin", "smax", "umin", "umax"):
        less = "<" if op.kind.endswith("min") else ">"
        signed = op.kind[0] == "s"
        left, right = (a.signed(), b.signed()) if signed else (a.text, b.text)
        return f"{left} {less} {right} ? {a.text} : {b.text}"
    if op.kind == "abs":
        return f"{a.sign} ? -{a.text} : {a.text}"
    if op.kind == "bswap":
        return "{" + ", ".join(number_part(a, i, 8) for i in range(0, bits, 8)) + "}"
    if op.kind == "bitreverse":
        return "{" + ", ".join(number_part(a, i, 1) for i in range(bits)) + "}"
    if op.kind == "ctpop":
        return " + ".join(f"{bits}'({a.part(i, 1)})" for i in range(bits))
    if op.kind in ("ctlz", "cttz"):
        text = number(bits, bits).text if bits > bits.bit_length() else f"{bits}'({bits})"
        order = range(bits) if op.kind == "ctlz" else range(bits - 1, -1, -1)
        for i in order:
            found = bits - 1 - i if op.kind == "ctlz" else i
            text = f"{a.part(i, 1)} ? {bits}'d{found} : {text}"
        return text
    if op.kind in ("fshl", "fshr"):
        amount = args[2]
        by = f"({amount.text} % {amount.bits}'d{bits})"
        if op.kind == "fshl":
            return f"{bits}'(({{{a.text}, {b.text}}} << {by}) >> {bits})"
        return f"{bits}'({{{a.text}, {b.text}}} >> {by})"
    return _saturating(op.kind, a, b, bits)


def _saturating(kind: str, a: Text, b: Text, bits: int) -> str:
    most, least = number((1 << (bits - 1)) - 1, bits), number(1 << (bits - 1), bits)
    if kind == "uadd_sat":
        return f"{a.text} + {b.text} < {a.text} ? {{{bits}{{1'b1}}}} : {a.text} + {b.text}"
    if kind == "usub_sat":
        return f"{a.text} < {b.text} ? {_zeros(bits)} : {a.text} - {b.text}"
    sign, back = ("+", "-") if kind == "sadd_sat" else ("-", "+")
    grows, shrinks = (f"!{b.sign}", b.sign) if kind == "sadd_sat" else (b.sign, f"!{b.sign}")
    high = f"{grows} && {a.signed()} > $signed({most.text} {back} {b.text})"
    low = f"{shrinks} && {a.signed()} < $signed({least.text} {back} {b.text})"
    return f"{high} ? {most.text} : {low} ? {least.text} : {a.text} {sign} {b.text}"
