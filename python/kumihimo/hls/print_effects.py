# SPDX-License-Identifier: Apache-2.0
"""SystemVerilog of a segment's effects: handshakes of channels, memory and arrays.

A write offers its word until it is taken, then not again; a read takes its word when the register
behind it is free. What an effect waits for holds up the tokens of its stage.
"""

from __future__ import annotations

from .ops import ONE, Op
from .print_nets import SegmentNets


class EffectPrinter(SegmentNets):
    """Prints operations that may wait or change something."""

    def _active(self, op: Op, remembers: bool) -> str:
        """Net that is high while an effect has still to happen."""
        terms = [self.valid(op.at)]
        if op.pred != ONE:
            terms.append(self.ref(op.pred, op.at).text)
        if remembers:
            terms.append(f"!{op.name}_done_q")
        self.declare(f"{op.name}_go", 1)
        self.comb.append(f"  assign {op.name}_go = {' && '.join(terms)};")
        return f"{op.name}_go"

    def _offer(self, op: Op, prefix: str) -> str:
        """As `_active` for a write: a register, loaded with the stage's token, until it is taken.

        What holds up the stages then begins at a register rather than behind three conditions.
        """
        terms = [self.step(op.at - 1)]
        if op.pred != ONE:
            terms.append(self.ref(op.pred, op.at - 1).text)
        name = f"{op.name}_go"
        self.declare(name, 1)
        self.declare(f"{name}_q", 1)
        self.comb.append(f"  assign {name} = {name}_q;")
        following = f"{self.adv(op.at)} ? {' && '.join(terms)} : {name} && !{prefix}_ready"
        self.reset.append(f"    {name}_q <= {following};")
        self.cleared.append(f"{name}_q")
        return name

    def _known_before(self, op: Op) -> bool:
        """Whether the stage before an effect's knows that its token brings it about."""
        if op.at == 0 or op.at - 1 in self.s.gaps:
            return False
        pred = op.pred
        return not isinstance(pred, Op) or pred.segment is not self.s or pred.avail < op.at

    def _alone(self, op: Op) -> bool:
        return len(self.in_stage[op.at]) == 1

    def _done(self, op: Op, fire: str) -> None:
        self.declare(f"{op.name}_done_q", 1)
        name = f"{op.name}_done_q"
        self.reset.append(f"    {name} <= ({name} || {fire}) && !{self.adv(op.at)};")
        self.cleared.append(name)

    def _wait(self, op: Op, condition: str) -> None:
        self.waits.setdefault(op.at, []).append(condition)
        self.waiting.append((op, condition))

    def _writes(self, op: Op, prefix: str) -> None:
        """An effect that offers a word: valid until it is accepted, then not again."""
        ends = op.at == self.s.section_end(op.at) and op.at not in self.s.gaps
        remembers = not (self._alone(op) and ends)
        if (remembers or op.pred != ONE) and self._known_before(op):
            self._wait(op, f"({self._offer(op, prefix)} && !{prefix}_ready)")
            return
        go = self._active(op, remembers)
        if remembers:
            self._done(op, f"({go} && {prefix}_ready)")
        self._wait(op, f"({go} && !{prefix}_ready)")

    def _reads(self, op: Op, prefix: str, data: str) -> None:
        """An effect that takes a word, into a register that keeps it.

        The register follows the data until the word is there: nothing needs what it held, and its
        enable, the longest path of a wide word, is one condition shorter without `valid`.
        """
        remembers = not self._alone(op)
        go = self._active(op, remembers)
        self.declare(f"{op.name}_take", 1)
        free = self.free(op.at)
        self.comb.append(f"  assign {op.name}_take = {go}{' && ' + free if free else ''};")
        fire = f"{op.name}_take && {prefix}_valid"
        if remembers:
            self._done(op, f"({fire})")
        self._wait(op, f"({go} && !{prefix}_valid)")
        self.declare(op.name, op.bits)
        self.ff.append(f"    if ({op.name}_take) {op.name} <= {data};")

    def _chan_write(self, op: Op) -> None:
        assert op.channel is not None
        self._writes(op, op.channel.name)

    def _chan_read(self, op: Op) -> None:
        assert op.channel is not None
        self._reads(op, op.channel.name, f"{op.channel.name}_data")

    def _load_issue(self, op: Op) -> None:
        assert op.unit is not None
        self._writes(op, f"{op.unit.name}_req")

    def _load_result(self, op: Op) -> None:
        assert op.unit is not None
        self._reads(op, f"{op.unit.name}_rsp", f"{op.unit.name}_rsp_data")

    def _fsum_add(self, op: Op) -> None:
        """The number leaves with its token: the unit always takes it."""
        self.declare(f"{op.word}_add", 1)
        pred = "" if op.pred == ONE else f" && {self.ref(op.pred, op.at).text}"
        self.comb.append(f"  assign {op.word}_add = {self.step(op.at)}{pred};")
        self.declare(f"{op.word}_value", 32)
        self.comb.append(f"  assign {op.word}_value = {self.ref(op.args[0], op.at).text};")

    def _fsum_take(self, op: Op) -> None:
        n = op.word
        self.declare(f"{n}_sum", 32)
        self.declare(f"{n}_sum_valid", 1)
        self._reads(op, f"{n}_sum", f"{n}_sum")
        self.instances.append(
            f"  kumi_hls_fsum u_{n} (\n      .clk,\n      .rst,\n      .add({n}_add),\n"
            f"      .value({n}_value),\n      .take({n}_go),\n"
            f"      .first({self.ref(op.args[0], op.at).text}),\n      .sum({n}_sum),\n"
            f"      .sum_valid({n}_sum_valid),\n      .sum_ready({n}_take)\n  );"
        )

    def _store(self, op: Op) -> None:
        assert op.unit is not None
        self._writes(op, f"{op.unit.name}_req")

    def _chan_read_nb(self, op: Op) -> None:
        assert op.channel is not None
        self._try(op)
        self.declare(op.name, op.bits)
        self.ff.append(f"    if ({op.name}_take) {op.name} <= {op.channel.name}_data;")
        self.ff.append(f"    if ({op.name}_take) {op.name}_ok_q <= {op.channel.name}_valid;")

    def _chan_write_nb(self, op: Op) -> None:
        assert op.channel is not None
        self._try(op)
        self.ff.append(f"    if ({op.name}_take) {op.name}_ok_q <= {op.channel.name}_ready;")

    def _try(self, op: Op) -> None:
        remembers = not self._alone(op)
        go = self._active(op, remembers)
        free = self.free(op.at)
        self.declare(f"{op.name}_take", 1)
        self.declare(f"{op.name}_ok_q", 1)
        self.comb.append(f"  assign {op.name}_take = {go}{' && ' + free if free else ''};")
        if remembers:
            self._done(op, f"{op.name}_take")

    def _nb_flag(self, op: Op) -> None:
        access = op.args[0]
        assert isinstance(access, Op)
        self.declare(op.name, 1)
        self.comb.append(f"  assign {op.name} = {access.name}_ok_q;")

    def _fence(self, op: Op) -> None:
        if op.flags & 2:
            self._wait(op, f"({self._active(op, False)} && !stores_idle)")

    def _drain(self, op: Op) -> None:
        assert op.unit is not None
        self._wait(op, f"({self._active(op, False)} && !{op.unit.name}_idle)")

    def _settle(self, op: Op) -> None:
        """Wait until a loop has no token left; what those wait for is named there."""
        waits = f"({self._active(op, False)} && |{op.word}_valid_q)"
        self.waits.setdefault(op.at, []).append(waits)

    def _array_load(self, op: Op) -> None:
        assert op.array is not None
        self.declare(op.name, op.bits)
        self.comb.append(f"  assign {op.name} = {op.array.name}_word{op.copy};")

    def _array_store(self, op: Op) -> None:
        """Its write enable and data are part of the array."""

    def _phi(self, op: Op) -> None:
        """Its register is in `_phis`."""
