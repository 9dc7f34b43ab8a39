# SPDX-License-Identifier: Apache-2.0
"""Random OpenCL kernels: loops, arrays, channels, memory, conditions, all operators and widths.

Every kernel ends and has defined behaviour: loops are bounded, indices masked, divisors odd and
small, shifts masked by OpenCL itself, signed overflow wraps (-fwrapv). A kernel K reads the channel
IN_K, writes OUT_K, and works on two buffers of WORDS elements.
"""

from __future__ import annotations

import random

TYPES = ("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong")
BITS = {
    "char": 8,
    "uchar": 8,
    "short": 16,
    "ushort": 16,
    "int": 32,
    "uint": 32,
    "long": 64,
    "ulong": 64,
}
BINARY = ("+", "-", "*", "&", "|", "^", "<<", ">>", "/", "%")
COMPARE = ("<", "<=", ">", ">=", "==", "!=")
WORDS = 64
INPUTS = 3000
MOST_TURNS = 160  # of all loops of a kernel, nested ones multiplied


class Kernel:
    """One random kernel."""

    def __init__(self, name: str, seed: int) -> None:
        self.name = name
        self.rng = random.Random(seed)
        self.vars: dict[str, str] = {}
        self.arrays: dict[str, tuple[str, int]] = {}
        self.counters = 0
        self.turns = 1
        self.in_type = self.rng.choice(TYPES)
        self.out_type = self.rng.choice(TYPES)
        self.a_type, self.b_type = self.rng.choice(TYPES[4:]), self.rng.choice(TYPES)

    def text(self) -> str:
        """Channels and kernel."""
        rng, n = self.rng, self.name
        lines = [
            f"channel {self.in_type} IN_{n} __attribute__((depth({rng.choice([0, 1, 4])})));",
            f"channel {self.out_type} OUT_{n};",
            f"__kernel void {n}(__global {self.a_type} *restrict a, __global {self.b_type} *b, "
            "int n, ulong m) {",
        ]
        body = []
        for i in range(rng.randint(3, 6)):
            kind = rng.choice(TYPES)
            self.vars[f"v{i}"] = kind
            start = rng.choice(["n", "m", str(rng.getrandbits(31))])
            body.append(f"{kind} v{i} = ({kind}){start};")
        for i in range(rng.randint(0, 2)):
            kind, size = rng.choice(TYPES), rng.choice([4, 16, 64])
            body.append(f"{kind} t{i}[{size}];")
            body.append(f"for (int i = 0; i < {size}; i++) t{i}[i] = ({kind})(n * i);")
            self.arrays[f"t{i}"] = (kind, size)
        lines = [*self.head(), *lines]
        body += self.declarations()
        body += self.block(3, rng.randint(4, 8), False)
        body += [self.write(v) for v in self.vars] + self.results()
        return "\n".join([*lines, *("  " + x for x in body), "}"]) + "\n"

    def head(self) -> list[str]:
        """Lines before the kernel, of a larger family."""
        return []

    def declarations(self) -> list[str]:
        """More variables, of a larger family."""
        return []

    def results(self) -> list[str]:
        """Statements that write their values."""
        return []

    # ---- statements -----------------------------------------------------------------------------

    def block(self, depth: int, count: int, in_loop: bool) -> list[str]:
        out: list[str] = []
        for _ in range(count):
            out += self.statement(depth, in_loop)
        return out

    def write(self, value: str) -> str:
        return f"write_channel_intel(OUT_{self.name}, ({self.out_type})({value}));"

    def statement(self, depth: int, in_loop: bool) -> list[str]:
        rng = self.rng
        pick = rng.random()
        if depth > 0 and pick < 0.16:
            return self.loop(depth)
        if depth > 0 and pick < 0.28:
            lines = [f"if ({self.condition()}) {{", *self.block(depth - 1, 2, in_loop)]
            if rng.random() < 0.5:
                lines += ["} else {", *self.block(depth - 1, 2, in_loop)]
            return [*lines, "}"]
        if in_loop and pick < 0.31:
            return [f"if ({self.condition()}) {rng.choice(['break', 'continue'])};"]
        if pick < 0.42:
            return [self.write(self.expr(2))]
        name = rng.choice(list(self.vars))
        if pick < 0.52:
            return [f"{name} {rng.choice(['=', '+=', '^='])} read_channel_intel(IN_{self.name});"]
        if pick < 0.62 and self.arrays:
            array, (_, size) = rng.choice(list(self.arrays.items()))
            op = rng.choice(["=", "+=", "^=", "-="])
            return [f"{array}[({self.expr(1)}) & {size - 1}] {op} {self.expr(2)};"]
        if pick < 0.72:
            where = f"{rng.choice('ab')}[({self.expr(1)}) & {WORDS - 1}]"
            return [f"{where} {rng.choice(['=', '=', '+='])} {self.expr(2)};"]
        return [f"{name} {rng.choice(['=', '+=', '-=', '^=', '|='])} {self.expr(3)};"]

    def loop(self, depth: int) -> list[str]:
        rng = self.rng
        most = max(MOST_TURNS // self.turns, 1)
        turns = rng.randint(1, min(most, 20))
        self.counters += 1
        i = f"i{self.counters}"
        before = self.turns
        self.turns *= turns
        self.vars[i] = "int"
        inner = self.block(depth - 1, rng.randint(1, 4), True)
        inner = [x for x in inner if not x.startswith(f"{i} ")]
        del self.vars[i]
        self.turns = before
        style = rng.random()
        if style < 0.6:
            head = [f"for (int {i} = 0; {i} < {turns}; {i}++) {{"]
            return [*head, *inner, "}"]
        if style < 0.8:
            step = rng.randint(1, 3)
            return [f"for (int {i} = {turns * step}; {i} > 0; {i} -= {step}) {{", *inner, "}"]
        head = [f"int {i} = n & {turns};", f"while ({i} > 0) {{", f"{i} = {i} - 1;"]
        return ["{", *head, *inner, "}", "}"]

    # ---- expressions ----------------------------------------------------------------------------

    def condition(self) -> str:
        a, b = self.expr(1), self.expr(1)
        return f"({a}) {self.rng.choice(COMPARE)} ({b})"

    def leaf(self) -> str:
        rng = self.rng
        pick = rng.random()
        if pick < 0.2:
            value = rng.choice([0, 1, 3, 127, 200, 65535, rng.getrandbits(31)])
            return f"({rng.choice(TYPES)}){value}"
        if pick < 0.3 and self.arrays:
            array, (_, size) = rng.choice(list(self.arrays.items()))
            return f"{array}[({rng.choice(list(self.vars))}) & {size - 1}]"
        if pick < 0.36:
            return f"{rng.choice('ab')}[({rng.choice(list(self.vars))}) & {WORDS - 1}]"
        return rng.choice(list(self.vars))

    def expr(self, depth: int) -> str:
        rng = self.rng
        if depth == 0 or rng.random() < 0.2:
            return self.leaf()
        a, b = self.expr(depth - 1), self.expr(depth - 1)
        pick = rng.random()
        if pick < 0.08:
            return f"({self.condition()} ? ({a}) : ({b}))"
        if pick < 0.16:
            return f"({rng.choice(TYPES)})({a})"
        if pick < 0.2:
            return f"{rng.choice(['-', '~', '!'])}({a})"
        op = rng.choice(BINARY)
        if op in "/%":
            if rng.random() < 0.7:
                op = "+"
            else:
                kind = rng.choice(["uchar", "short", "uint"])
                return f"(({kind})({a}) {op} ({kind})((({b}) & 127) | 1))"
        return f"(({a}) {op} ({b}))"


def program(count: int, seed: int) -> str:
    """A file of that many kernels."""
    return "\n".join(Kernel(f"k{i}", seed * 1000 + i).text() for i in range(count))
