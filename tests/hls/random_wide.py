# SPDX-License-Identifier: Apache-2.0
"""Random OpenCL kernels beyond scalars: vectors, structs, pointers, tables, switch, float.

They have what those of random_kernels have, and their behaviour is as defined: indices are masked,
pointers stay within their arrays, a float is only compared by its bits when it is a number.
"""

from __future__ import annotations

from random_kernels import COMPARE, TYPES, Kernel

LANES = (2, 3, 4, 8, 16)
DIGITS = "0123456789abcdef"


class WideKernel(Kernel):
    """One random kernel of this family."""

    def __init__(self, name: str, seed: int) -> None:
        super().__init__(name, seed)
        self.vecs: dict[str, tuple[str, int]] = {}
        self.fields: dict[str, str] = {}  # of the struct type: name to type
        self.floats: list[str] = []
        self.rows: dict[str, str] = {}  # two-dimensional arrays, 4 x 8: type of an element
        self.pairs: list[tuple[str, str, str]] = []  # pointers that are swapped, and their type
        self.helpers: dict[str, tuple[str, str]] = {}  # name to type of array and result

    # ---- what stands before and around the statements --------------------------------------------

    def head(self) -> list[str]:
        rng, n = self.rng, self.name
        self.fields = {f: rng.choice(TYPES) for f in ("a", "b", "c")[: rng.randint(2, 3)]}
        packed = rng.choice(["", "__attribute__((packed)) "])
        inside = " ".join(f"{kind} {f};" for f, kind in self.fields.items())
        out = [f"typedef struct {packed}{{ {inside} uchar d[4]; }} S_{n};"]
        values = ", ".join(str(rng.getrandbits(31)) for _ in range(8))
        out.append(f"__constant uint C_{n}[8] = {{{values}}};")
        for i in range(2):
            kind, result = rng.choice(TYPES), rng.choice(TYPES)
            name = f"h{i}_{n}"
            self.helpers[name] = (kind, result)
            out.append(
                f"{result} {name}({kind} *p, int i, {result} x, {result} *more) {{ "
                f"p[i & 3] {rng.choice(['=', '+=', '^='])} ({kind})x; "
                f"*more += ({result})p[(i + 1) & 3]; "
                f"return ({result})(x {rng.choice('+-*^|')} p[(i + {rng.randint(0, 3)}) & 3]); }}"
            )
        return out

    def declarations(self) -> list[str]:
        rng, out = self.rng, []
        for i in range(rng.randint(1, 3)):
            kind, lanes = rng.choice(TYPES), rng.choice(LANES)
            self.vecs[f"x{i}"] = (kind, lanes)
            values = ", ".join(str(rng.getrandbits(7)) for _ in range(lanes))
            vector = f"{kind}{lanes}"
            out.append(f"{vector} x{i} = ({vector})({values}) + ({vector})(({kind})n);")
        first = ", ".join(f"({kind}){rng.choice('nm')}" for kind in self.fields.values())
        out += [f"S_{self.name} s0 = {{{first}, {{1, 2, 3, 4}}}};", f"S_{self.name} q0[4];"]
        out.append("for (int i = 0; i < 4; i++) { q0[i] = s0; q0[i].a += i; }")
        kind = rng.choice(TYPES)
        self.rows["g0"] = kind
        out.append(f"{kind} g0[4][8];")
        out.append(
            "for (int i = 0; i < 4; i++) for (int j = 0; j < 8; j++) "
            f"g0[i][j] = ({kind})(n * i + j);"
        )
        kind = rng.choice(TYPES)
        for name in ("ta", "tb"):
            self.arrays[name] = (kind, 16)
            out.append(f"{kind} {name}[16];")
            out.append(f"for (int i = 0; i < 16; i++) {name}[i] = ({kind})(m + i);")
        if rng.random() < 0.5:
            out.append(f"{kind} *pa = ta, *pb = tb;")
            self.pairs.append(("pa", "pb", kind))
        if rng.random() < 0.6:
            out.append("float f0 = (float)(short)n, f1 = 0.75f;")
            self.floats = ["f0", "f1"]
        return out

    def results(self) -> list[str]:
        out = []
        for name, (_, lanes) in self.vecs.items():
            out += [self.write(f"{name}.s{DIGITS[i]}") for i in range(lanes)]
        out += [self.write(f"s0.{f}") for f in self.fields]
        walk = f"q0[i].a ^ q0[i].d[i] ^ g0[i][2 * i] ^ {self.array_sum('i')}"
        out.append(f"for (int i = 0; i < 4; i++) {self.write(walk)}")
        out += [self.write(self.bits_of(f)) for f in self.floats]
        return out

    def array_sum(self, index: str) -> str:
        """A value of all arrays at an index below 4."""
        return " ^ ".join(f"{a}[{index}]" for a in self.arrays)

    @staticmethod
    def bits_of(name: str) -> str:
        return f"({name} == {name} ? as_uint({name}) : 7u)"

    # ---- statements ------------------------------------------------------------------------------

    def statement(self, depth: int, in_loop: bool) -> list[str]:
        rng = self.rng
        if rng.random() < 0.45:
            return super().statement(depth, in_loop)
        makers = [self.of_vector, self.of_lane, self.of_struct, self.of_helper, self.of_row]
        if self.pairs:
            makers += [self.of_pointer]
        if self.floats:
            makers += [self.of_float]
        if depth > 0 and rng.random() < 0.3:
            return rng.choice([self.of_switch, self.unrolled, self.triangle])(depth, in_loop)
        return rng.choice(makers)()

    def assign(self, place: str, kind: str) -> str:
        op = self.rng.choice(["=", "+=", "^=", "-=", "|="])
        return f"{place} {op} ({kind})({self.expr(2)});"

    def of_vector(self) -> list[str]:
        name = self.rng.choice(list(self.vecs))
        kind, lanes = self.vecs[name]
        op = self.rng.choice(["=", "+=", "-=", "^=", "|=", "&=", "*="])
        return [f"{name} {op} {self.vector(kind, lanes, 2)};"]

    def of_lane(self) -> list[str]:
        rng = self.rng
        name = rng.choice(list(self.vecs))
        kind, lanes = self.vecs[name]
        if rng.random() < 0.3:
            i, j = rng.sample(range(lanes), 2)
            pair = f"({kind}2)(({kind})({self.expr(1)}), ({kind})({self.expr(1)}))"
            return [f"{name}.s{DIGITS[i]}{DIGITS[j]} = {pair};"]
        return [self.assign(self.lane(name), kind)]

    def lane(self, name: str) -> str:
        """A lane of a vector, by a constant or a value."""
        rng = self.rng
        _, lanes = self.vecs[name]
        if lanes == 3 or rng.random() < 0.6:
            return f"{name}.s{DIGITS[rng.randrange(lanes)]}"
        return f"{name}[({rng.choice(list(self.vars))}) & {lanes - 1}]"

    def of_struct(self) -> list[str]:
        rng = self.rng
        element = f"q0[({self.expr(1)}) & 3]"
        pick = rng.random()
        if pick < 0.15:
            return [f"{element} = s0;"]
        if pick < 0.3:
            return [f"s0 = {element};"]
        if pick < 0.45:
            return [self.assign(f"{element}.d[({self.expr(1)}) & 3]", "uchar")]
        field = rng.choice(list(self.fields))
        return [self.assign(f"{rng.choice(['s0', element])}.{field}", self.fields[field])]

    def of_helper(self) -> list[str]:
        rng = self.rng
        name = rng.choice(list(self.helpers))
        kind, result = self.helpers[name]
        wanted = [a for a, (t, size) in self.arrays.items() if t == kind and size >= 4]
        if self.rows["g0"] == kind:
            wanted.append(f"g0[({self.expr(1)}) & 3]")
        if not wanted:
            return self.of_row()
        array = rng.choice(wanted)
        size = 8 if array not in self.arrays else self.arrays[array][1]
        base = f"{array} + (({self.expr(1)}) & {size - 4})"
        target = rng.choice(list(self.vars))
        more = f"({result})({self.expr(1)})"
        call = f"{name}({base}, (int)({self.expr(1)}), ({result})({self.expr(1)}), &more)"
        if not target.startswith("v"):  # a loop's variable
            target = "v0"
        lines = (f"{{ {result} more = {more};", f"{target} ^= {call};", f"{target} += more; }}")
        return ["\n  ".join(lines)]

    def of_row(self) -> list[str]:
        place = f"g0[({self.expr(1)}) & 3][({self.expr(1)}) & 7]"
        return [self.assign(place, self.rows["g0"])]

    def of_pointer(self) -> list[str]:
        rng = self.rng
        p, q, kind = rng.choice(self.pairs)
        if rng.random() < 0.3:
            swap = f"{{ {kind} *r = {p}; {p} = {q}; {q} = r; }}"
            return [f"if ({self.condition()}) {swap}"]
        if rng.random() < 0.3:
            choice = f"(({self.condition()}) ? ta : tb)"
            return [self.assign(f"{choice}[({self.expr(1)}) & 15]", kind)]
        return [self.assign(f"{rng.choice([p, q])}[({self.expr(1)}) & 15]", kind)]

    def of_float(self) -> list[str]:
        rng = self.rng
        a, b = rng.choice(self.floats), rng.choice(self.floats)
        pick = rng.random()
        if pick < 0.5:
            return [f"{a} {rng.choice(['+=', '-=', '*='])} (float)(short)({self.expr(1)});"]
        if pick < 0.7:
            return [f"{a} = {b} {rng.choice('+-*')} {a} * 0.125f;"]
        if pick < 0.8:
            return [f"if ({a} {rng.choice(COMPARE)} {b}) {a} = (float)({self.expr(1)});"]
        return [f"{rng.choice(list(self.vars))} ^= {self.bits_of(a)};"]

    def of_switch(self, depth: int, in_loop: bool) -> list[str]:
        out = [f"switch (({self.expr(2)}) & 7) {{"]
        for value in self.rng.sample(range(8), 3):
            out += [f"case {value}: {{", *self.block(depth - 1, 1, False), "}"]
            if self.rng.random() < 0.7:
                out.append("break;")
        return [*out, "default: {", *self.block(depth - 1, 1, False), "}", "}"]

    def unrolled(self, depth: int, in_loop: bool) -> list[str]:
        del in_loop
        turns = self.rng.randint(2, 4)
        self.counters += 1
        i = f"u{self.counters}"
        self.vars[i] = "int"
        inner = [x for x in self.block(min(depth - 1, 1), 2, False) if not x.startswith(f"{i} ")]
        del self.vars[i]
        head = f"for (int {i} = 0; {i} < {turns}; {i}++) {{"
        return ["#pragma unroll", head, *self.without(inner, i), "}"]

    def triangle(self, depth: int, in_loop: bool) -> list[str]:
        """Nested loops, the inner one as long as the outer one's variable says."""
        del in_loop
        if self.turns * 15 > 160:
            return self.of_row()
        before = self.turns
        self.turns *= 15
        self.counters += 1
        i, j = f"o{self.counters}", f"j{self.counters}"
        self.vars |= {i: "int", j: "int"}
        inner = self.without(self.block(min(depth - 1, 1), 2, True), i, j)
        del self.vars[i], self.vars[j]
        self.turns = before
        return [
            f"for (int {i} = 0; {i} < 5; {i}++) {{",
            f"int {j} = 0;",
            "do {",
            f"if (++{j} > 6) break;",  # `continue` goes to the condition
            *inner,
            f"}} while ({j} <= {i});",
            "}",
        ]

    @staticmethod
    def without(lines: list[str], *names: str) -> list[str]:
        """Statements that do not change these variables."""
        return [x for x in lines if not any(n in x.split(" ")[:2] for n in names)]

    # ---- expressions -----------------------------------------------------------------------------

    def vector(self, kind: str, lanes: int, depth: int) -> str:
        """An expression of a vector type."""
        rng = self.rng
        vector = f"{kind}{lanes}"
        if depth == 0 or rng.random() < 0.2:
            same = [v for v, (_, n) in self.vecs.items() if n == lanes]
            pick = rng.random()
            if same and pick < 0.7:
                name = rng.choice(same)
                if self.vecs[name][0] != kind:
                    sat = rng.choice(["", "_sat"])
                    return f"convert_{vector}{sat}({name})"
                if rng.random() < 0.3:
                    order = "".join(rng.choice(DIGITS[:lanes]) for _ in range(lanes))
                    return f"{name}.s{order}"
                return name
            return f"({vector})(({kind})({self.leaf()}))"
        a, b = (self.vector(kind, lanes, depth - 1) for _ in range(2))
        pick = rng.random()
        if pick < 0.45:
            return f"(({a}) {rng.choice(['+', '-', '*', '&', '|', '^', '<<', '>>'])} ({b}))"
        if pick < 0.6:
            test = f"({a}) {rng.choice(COMPARE)} ({b})"
            return rng.choice([f"select({b}, {a}, {test})", f"(({test}) ? ({a}) : ({b}))"])
        if pick < 0.7:
            return f"{rng.choice(['~', '-', 'popcount', 'clz'])}({a})"
        function = rng.choice(["min", "max", "rotate", "add_sat", "sub_sat", "hadd", "mul_hi"])
        return f"{function}({a}, {b})"

    def leaf(self) -> str:
        rng = self.rng
        if rng.random() < 0.6 or not self.vecs:
            return super().leaf()
        some = rng.choice(list(self.vars))
        vec = rng.choice(list(self.vecs))
        kind, lanes = self.vecs[vec]
        choices = [
            lambda: self.lane(vec),
            lambda: f"{rng.choice(['any', 'all'])}({self.test_of(vec)})",
            lambda: f"s0.{rng.choice(list(self.fields))}",
            lambda: f"q0[({some}) & 3].{rng.choice([*self.fields, 'd[1]'])}",
            lambda: f"g0[({some}) & 3][({rng.choice(list(self.vars))}) & 7]",
            lambda: f"C_{self.name}[({some}) & 7]",
        ]
        del kind, lanes
        return rng.choice(choices)()

    def test_of(self, vec: str) -> str:
        """A comparison of a vector, as any and all take it."""
        kind, lanes = self.vecs[vec]
        other = f"({kind}{lanes})(({kind})({self.rng.choice(list(self.vars))}))"
        return f"{vec} {self.rng.choice(COMPARE)} {other}"

    def expr(self, depth: int) -> str:
        rng = self.rng
        if depth == 0 or rng.random() < 0.85:
            return super().expr(depth)
        kind = rng.choice(TYPES)
        a, b = (f"({kind})({self.expr(depth - 1)})" for _ in range(2))
        one = rng.choice(["abs", "clz", "popcount", "ctz"])
        two = rng.choice(
            ["min", "max", "abs_diff", "add_sat", "sub_sat", "hadd", "rhadd", "mul_hi", "rotate"]
        )
        pick = rng.random()
        if pick < 0.25:
            return f"{one}({a})"
        if pick < 0.8:
            return f"{two}({a}, {b})"
        if pick < 0.9:
            return f"convert_{kind}_sat({self.expr(depth - 1)})"
        return f"select({a}, {b}, ({kind})({self.expr(depth - 1)}))"
