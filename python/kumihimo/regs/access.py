# SPDX-License-Identifier: Apache-2.0
"""Access to one register block: registers and fields as attributes, with every mistake refused."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any, Protocol

from ..common.errors import did_you_mean
from .model import BlockInfo, FieldInfo, RegInfo

_ACCESS = {"r": "read-only", "w": "write-only", "rw": "read/write", "": "reserved"}


class RegisterError(AttributeError):
    """There is no such block, register or field, or it does not take what was asked of it.

    An AttributeError, so that `hasattr` and `getattr` with a default work on registers.
    """


def _check_integer(where: str, value: object) -> None:
    if isinstance(value, float) or not hasattr(value, "__index__"):
        raise TypeError(f"{where} takes an integer, not {value!r}.")


class Mmio(Protocol):
    """What the access objects need: 32-bit words by byte address."""

    def read(self, addr: int, /) -> int:
        """Word at addr."""

    def write(self, addr: int, data: int, /) -> None:
        """Store a word at addr."""


class Reg:
    """One register at its address; its fields are attributes.

    `reg.read()` and `int(reg)` give the word, `reg.enable` a field; `reg.enable = 1` changes a
    field and leaves the others. An array is indexed by element (`reg[3]`, `reg[3] = 7`), a single
    register by bits (`reg[0]`, `reg[15:8]`). A field that is called like a method here is reached
    by `get` and `set`.
    """

    info: RegInfo
    addr: int
    _mmio: Mmio
    _name: str

    def __init__(self, mmio: Mmio, info: RegInfo, base: int, block: str = "") -> None:
        """Access to the register described by info in the window at base."""
        own = self.__dict__
        own["_mmio"] = mmio
        own["info"] = info
        own["addr"] = base + info.offset
        own["_name"] = f"{block}.{info.name}" if block else info.name
        own["__doc__"] = _reg_text(info)

    def __len__(self) -> int:
        """Elements; 1 unless the register is an array."""
        return self.info.count

    def _at(self, index: int) -> int:
        if not 0 <= index < self.info.count:
            many = f"{self.info.count} elements" if self.info.count > 1 else "one element"
            raise IndexError(f"{self._name}[{index}]: it has {many}")
        return self.addr + index * self.info.stride

    def read(self, index: int = 0) -> int:
        """The whole word."""
        return self._mmio.read(self._at(index))

    def write(self, value: int, index: int = 0) -> None:
        """Store the whole word. ValueError if it does not fit the register's fields."""
        if "w" not in self.info.access:
            raise RegisterError(f"{self._name} is read-only.")
        self._check(value)
        self._mmio.write(self._at(index), int(value))

    def _check(self, value: int) -> None:
        _check_integer(self._name, value)
        bits = max(field.lsb + field.width for field in self.info.fields)
        if not 0 <= int(value) < (1 << bits):
            raise ValueError(f"{self._name} has {bits} bits; {value:#x} does not fit.")

    def read_all(self) -> list[int]:
        """Every element of an array."""
        return [self.read(i) for i in range(self.info.count)]

    def fields(self, index: int = 0) -> dict[str, int]:
        """Every field by name, from one read."""
        word = self.read(index)
        return {field.name: field.extract(word) for field in self.info.fields}

    def get(self, field: str, index: int = 0) -> int:
        """One field."""
        return self._field(field).extract(self.read(index))

    def set(self, index: int = 0, /, **fields: int) -> None:
        """Change fields and leave the others: `ports.set(local=7)`.

        Fields that cannot be read back are written as zero when not given.
        """
        for name in fields:
            if "w" not in self._field(name).access:
                raise RegisterError(f"{self._name}.{name} is read-only.")
        word = 0
        kept = [f for f in self.info.fields if "r" in f.access and f.name not in fields]
        if kept:
            old = self.read(index)
            for info in kept:
                word = info.insert(word, info.extract(old))
        for name, value in fields.items():
            _check_integer(f"{self._name}.{name}", value)
            try:
                word = self._field(name).insert(word, value)
            except ValueError as problem:
                raise ValueError(f"{self._name}: {problem}") from None
        self.write(word, index)

    def _field(self, name: str) -> FieldInfo:
        for info in self.info.fields:
            if info.name == name:
                return info
        names = [info.name for info in self.info.fields]
        raise RegisterError(
            f"register {self._name} has no field {name}.{did_you_mean(name, names)} "
            f"Fields: {', '.join(names)}."
        )

    def __getattr__(self, name: str) -> Any:
        """Value of a field."""
        if name.startswith("_"):
            raise AttributeError(name)
        return self.get(name)

    def __setattr__(self, name: str, value: int) -> None:
        """Change a field."""
        self.set(**{name: value})

    def __int__(self) -> int:
        """The whole word."""
        return self.read()

    def __index__(self) -> int:
        """The whole word."""
        return self.read()

    def _bits(self, key: int | slice) -> tuple[int, int]:
        if isinstance(key, int):
            high = low = key
        elif key.step is None and key.start is not None and key.stop is not None:
            high, low = max(key.start, key.stop), min(key.start, key.stop)
        else:
            raise IndexError(f"{self._name}: bits are [high:low]")
        if not 0 <= low <= high < 32:
            shown = f"{high}:{low}" if isinstance(key, slice) else str(key)
            raise IndexError(f"{self._name}[{shown}]: a register has bits 31 to 0")
        return low, high - low + 1

    def __getitem__(self, key: int | slice) -> int:
        """An element of an array; bits of a single register."""
        if self.info.count > 1:
            if isinstance(key, slice):
                raise IndexError(f"{self._name} is an array: index one element, or read_all()")
            return self.read(key)
        low, width = self._bits(key)
        return self.read() >> low & (1 << width) - 1

    def __setitem__(self, key: int | slice, value: int) -> None:
        """Store an element of an array; change bits of a single register."""
        if self.info.count > 1:
            if isinstance(key, slice):
                raise IndexError(f"{self._name} is an array: store one element at a time")
            self.write(value, key)
            return
        low, width = self._bits(key)
        _check_integer(self._name, value)
        if not 0 <= value < (1 << width):
            bits = f"{width} bit{'s' * (width > 1)}"
            raise ValueError(f"{self._name}: {value:#x} does not fit {bits}.")
        mask = (1 << width) - 1 << low
        self.write(self.read() & ~mask | value << low)

    def __dir__(self) -> list[str]:
        """Fields too."""
        return [*super().__dir__(), *(field.name for field in self.info.fields)]

    def __repr__(self) -> str:
        """Name, address and access; the hardware is not read."""
        many = f"[{self.info.count}]" if self.info.count > 1 else ""
        return f"<Reg {self._name}{many} at {self.addr:#x}, {_ACCESS[self.info.access]}>"


class Block:
    """One register block of a node; its registers are attributes.

    `block.port` is the register, `block.port = 7` writes it.
    """

    spec: BlockInfo
    base: int
    _regs: dict[str, Reg]

    def __init__(self, mmio: Mmio, info: BlockInfo, base: int) -> None:
        """Access to the block described by info in the window at base."""
        own = self.__dict__
        own["spec"] = info
        own["base"] = base
        own["_regs"] = {reg.name: Reg(mmio, reg, base, info.name) for reg in info.regs}
        own["__doc__"] = _block_text(info)

    def __getattr__(self, name: str) -> Reg:
        """Register by name."""
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name]

    def __setattr__(self, name: str, value: int) -> None:
        """Write a register."""
        self[name].write(value)

    def __getitem__(self, name: str) -> Reg:
        """Register by name."""
        try:
            found = self._regs[name]
        except KeyError:
            raise RegisterError(
                f"block {self.spec.name} has no register {name}."
                f"{did_you_mean(name, self._regs)} Registers: {', '.join(self._regs)}."
            ) from None
        return found

    def __setitem__(self, name: str, value: int) -> None:
        """Write a register."""
        self[name].write(value)

    def __contains__(self, name: str) -> bool:
        """Whether the block has the register."""
        return name in self._regs

    def __iter__(self) -> Iterator[Reg]:
        """Registers in address order."""
        return iter(self._regs.values())

    def __dir__(self) -> list[str]:
        """Registers too."""
        return [*super().__dir__(), *self._regs]

    def read64(self, name: str) -> int:
        """Value of the pair `name`_lo, `name`_hi, low word first."""
        low = self[f"{name}_lo"].read()
        return low | self[f"{name}_hi"].read() << 32

    def counters(self, group: str = "counters") -> dict[str, int]:
        """Every event counter by name."""
        return {reg.info.name: reg.read() for reg in self if reg.info.group == group}

    def __repr__(self) -> str:
        """Name and window."""
        return f"<Block {self.spec.name} at {self.base:#x}: {len(self._regs)} registers>"

    def _repr_html_(self) -> str:
        """A table for notebooks: every readable register with its present value."""
        rows = []
        for reg in self:
            values = reg.read_all() if "r" in reg.info.access else []
            shown = ", ".join(f"{value:#x}" for value in values[:8])
            shown += ", ..." if len(values) > 8 else ""
            cells = (reg.info.name, f"{reg.addr:#06x}", _ACCESS[reg.info.access], shown)
            texts = [*cells, reg.info.description]
            rows.append("<tr>" + "".join(f"<td>{escape(str(c))}</td>" for c in texts) + "</tr>")
        heads = "".join(f"<th>{h}</th>" for h in ("register", "address", "access", "value", ""))
        title = escape(f"{self.spec.name}: {self.spec.title}")
        return f"<table><caption>{title}</caption><tr>{heads}</tr>{''.join(rows)}</table>"


def _reg_text(info: RegInfo) -> str:
    lines = [info.description or info.name, ""]
    for field in info.fields:
        bits = (
            f"[{field.lsb + field.width - 1}:{field.lsb}]" if field.width > 1 else f"[{field.lsb}]"
        )
        reset = "" if field.reset is None else f", reset {field.reset:#x}"
        lines.append(f"{field.name} {bits} {_ACCESS[field.access]}{reset}: {field.description}")
    return "\n".join(lines)


def _block_text(info: BlockInfo) -> str:
    lines = [f"{info.title}. {info.description}".strip(), ""]
    lines += [f"{reg.offset:#06x} {reg.name}: {reg.description}" for reg in info.regs]
    return "\n".join(lines)
