// SPDX-License-Identifier: Apache-2.0
//
// Best-effort input of one link: received words as well-formed packets, as kumi_stdm_be_in.
#pragma once

#include "fifo.hpp"

namespace kumihimo::link_model {

class BeIn {
 public:
  static constexpr unsigned kDepth = 512;

  // Outputs, from registers.
  bool valid() const { return fifo_.valid(); }
  const Word& front() const { return fifo_.front(); }
  bool xoff = false, broken = false, full = false;

  void step(bool up, bool valid, const Word& in, bool ready) {
    const Word& w = word_;
    const bool empty = w.kind == WordKind::kEmpty, head = w.kind == WordKind::kHead;
    const bool data = w.kind == WordKind::kData, tail = w.kind == WordKind::kTail;
    const bool lost_tail =
        open_ && (!up_ || (valid_ && (head || (empty && (w.data & bit(kEmptyOpen)) == 0))));
    const bool fail_full = valid_ && !room_ && ((open_ && data) || (!open_ && head));
    const bool abort = lost_tail || (fail_full && open_);
    const bool write = abort || (valid_ && up_ && !fail_full && (open_ ? data || tail : head));
    const Word out = abort ? Word{WordKind::kTail, bit(kTailAbort)} : w;
    const unsigned depth = fifo_.depth();
    if (write || !fifo_.resting()) fifo_.step(write, out, ready);
    if (write) open_ = out.kind != WordKind::kTail;
    broken = lost_tail;
    full = fail_full && !lost_tail;
    room_ = depth < kDepth - 4;
    xoff = depth >= kDepth * 3 / 8;
    valid_ = valid;
    word_ = in;
    up_ = up;
  }

 private:
  Fifo<kDepth> fifo_;
  Word word_;
  bool valid_ = false, up_ = false, open_ = false, room_ = true;
};

}  // namespace kumihimo::link_model
