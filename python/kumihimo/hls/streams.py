# SPDX-License-Identifier: Apache-2.0
"""C++ with `hls::stream<T>`: functions with C linkage become kernels, their streams channels.

A stream that is an argument of the kernel K with the name S becomes the channel K_S; a stream at
file scope is a channel between kernels. The rest of the compiler sees a call of each function with
these channels, behind the file's own text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .errors import HlsError, Place

PREFIX = "kumi_kernel_"
_STREAM = re.compile(r"(?:hls\s*::\s*)?stream\s*<(.*)>\s*&\s*(\w+)$", re.S)
_HEAD = re.compile(r"\bvoid\s+(\w+)\s*\(([^;{}]*)\)\s*\{")
_GLOBAL = re.compile(r"^(?:static\s+)?(hls\s*::\s*stream\s*<[^;]*>\s*\w+)(\s*\([^;]*\))?\s*;", re.M)
_CHANNEL = '__attribute__((annotate("kumi.channel"))) '


@dataclass(frozen=True)
class Function:
    """A kernel: its streams and its other arguments, each a type and a name, in their order."""

    name: str
    args: tuple[tuple[str, str, bool], ...]  # type, name, whether it is a stream


def functions(text: str, path: str) -> list[Function]:
    """The kernels of a file."""
    bare = re.sub(r"//[^\n]*|/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.S)
    out = []
    for found in _HEAD.finditer(bare):
        if _linked(bare, found.start()):
            line = bare.count("\n", 0, found.start()) + 1
            args = tuple(_arg(part, path, line) for part in _parts(found.group(2)))
            out.append(Function(found.group(1), args))
    return out


def _linked(text: str, at: int) -> bool:
    """Whether a function stands behind `extern "C"`, or in a block of it."""
    if re.search(r'extern\s+"C"\s*$', text[:at]):
        return True
    for block in re.finditer(r'extern\s+"C"\s*\{', text):
        depth, end = 1, block.end()
        while depth and end < len(text):
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        if block.end() <= at < end:
            return True
    return False


def _parts(args: str) -> list[str]:
    """Arguments of a function, divided at commas outside of templates."""
    out, depth, last = [], 0, 0
    for i, c in enumerate(args):
        depth += {"<": 1, "(": 1, ">": -1, ")": -1}.get(c, 0)
        if c == "," and depth == 0:
            out.append(args[last:i])
            last = i + 1
    return [part.strip() for part in [*out, args[last:]] if part.strip() not in ("", "void")]


def _arg(part: str, path: str, line: int) -> tuple[str, str, bool]:
    stream = _STREAM.match(part.removeprefix("const ").strip())
    if stream:
        return stream.group(1), stream.group(2), True
    plain = re.match(r"(.*?)(\w+)\s*(\[[^\]]*\])?$", part, re.S)
    if plain is None or "&" in part:
        text = f"the argument `{' '.join(part.split())}` is not understood."
        raise HlsError(Place(path, line), text, "Use hls::stream<T> &s, a pointer, or a number.")
    kind = plain.group(1).strip() + (" *" if plain.group(3) else "")
    return kind, plain.group(2), False


def with_kernels(text: str, path: str) -> str:
    """The file's text, and behind it its channels and kernels."""
    made = functions(text, path)
    if not made:
        raise HlsError(Place(path), "There is no kernel.", 'extern "C" void name(...) {...}')
    lines = [_GLOBAL.sub(_CHANNEL + r"\1;", text), '#line 1 "kernels"']
    for function in made:
        calls, args = [], []
        for kind, name, stream in function.args:
            if stream:
                lines.append(f"{_CHANNEL}hls::stream<{kind}> {function.name}_{name};")
            else:
                args.append(f"{kind} {name}")
            calls.append(f"{function.name}_{name}" if stream else name)
        lines.append(
            f'extern "C" __attribute__((annotate("kumi.kernel"))) void {PREFIX}{function.name}'
            f"({', '.join(args)}) {{ {function.name}({', '.join(calls)}); }}"
        )
    return "\n".join(lines) + "\n"


def calls(text: str, path: str) -> str:
    """Functions that call each kernel with arguments from an array of addresses, for emulation."""
    out = []
    for function in functions(text, path):
        own = [(kind, name) for kind, name, stream in function.args if not stream]
        parts = [f"({k})a[{i}]" if k.endswith("*") or "*" in k else f"*({k} *)a[{i}]"
                 for i, (k, _) in enumerate(own)]  # fmt: skip
        head = f'extern "C" void kumi_call_{function.name}(unsigned long *a)'
        out.append(f"{head} {{ {PREFIX}{function.name}({', '.join(parts)}); }}")
    return "\n".join(out)
