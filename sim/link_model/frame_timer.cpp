// SPDX-License-Identifier: Apache-2.0
#include "frame_timer.hpp"

namespace kumihimo::link_model {

Time FrameTimer::time() const {
  const Stage &c = stage_[2], &x = stage_[4];
  Time t;
  t.run = c.run;
  t.pos = c.pos;
  t.next = step_b_;
  t.restart = restart_;
  t.slot_x = x.run && x.pos < x.slots;
  t.last_x = x.run && x.pos == ((x.slots - 1u) & kMask);
  t.mark_x = x.run && x.pos == x.last;
  return t;
}

void FrameTimer::step(bool swap, unsigned swap_slots, unsigned swap_guard, unsigned margin,
                      const Sync& sync) {
  Stage& a = stage_[0];
  const unsigned pos = a.pos, last = a.last;
  const bool run = a.run, wrap = pos == last, elastic_a = elastic(0), found = found_;
  const bool far = sync.away < 2 || sync.away > 2 + 2 * margin;
  const bool jump = run && sync.on && sync.mark && (!found || (far && far_));

  unsigned step = 1, to = wrap ? 0 : pos + 1;
  if (elastic_a && longer_ && !twice_) {
    to = pos;
    step = 0;
  } else if (pos == ((last - 2u) & kMask) && shorter_) {
    to = last;
    step = 2;
  }
  if (jump) to = margin <= 2 ? 2 - margin : total_ + 2 - margin;
  if (!run) to = 0;
  const bool was_twice = twice_;
  twice_ = elastic_a && longer_ && !was_twice;

  for (unsigned s = 4; s > 0; --s) stage_[s] = stage_[s - 1];
  step_b_ = step_a_;
  step_a_ = step;
  a.pos = static_cast<std::uint16_t>(to);

  const bool swaps = pending_ && (wrap || !run);
  restart_ = jump || (swaps && next_total_ != total_);
  if (run && wrap) ++frames_;
  if (swaps && !jump) {
    pending_ = swap;
    bank_ = !bank_;
    total_ = next_total_;
    a.run = true;
    a.slots = static_cast<std::uint16_t>(next_slots_);
    a.last = static_cast<std::uint16_t>(next_total_ - 1);
  } else if (swap) {
    pending_ = true;
  }
  if (swap) {
    next_slots_ = swap_slots;
    next_total_ = (swap_slots + swap_guard) & kMask;
  }

  correct(sync, margin, step, found);
  if (sync.mark) far_ = far && found && !jump;
  if (jump) found_ = true;
  if (sync.lost || !sync.on) found_ = false;
}

// One cycle of correction, decided when a marker comes; the marker after its use is not looked at.
void FrameTimer::correct(const Sync& sync, unsigned margin, unsigned step, bool found) {
  const bool shorter = shorter_, longer = longer_;
  if (sync.mark && found && sync.on) {
    if (!hold_ && !shorter && !longer) {
      shorter_ = sync.away > margin + 2;
      longer_ = sync.away < margin + 2;
    }
    hold_ = false;
  }
  if (step != 1 || !found) {
    shorter_ = longer_ = false;
    hold_ = found;
  }
}

}  // namespace kumihimo::link_model
