// SPDX-License-Identifier: Apache-2.0
#include "frame_align.hpp"

namespace kumihimo::link_model {

void FrameAlign::step(const In& in, const Time& time, const Frame& frame) {
  const unsigned early = frame.margin + 2, cycles = frame.cycles;
  const bool was_locked = locked_;
  const bool in_window = away_ >= 2 && away_ <= early + frame.margin;
  const bool silent = quiet_ == kSilent;
  const bool drop = !in.up || !time.run || time.restart;
  const bool lock = in.mark && !was_locked && (!in.fixed || in_window);
  const bool accept = lock || (in.mark && was_locked && in_window);
  const bool count = counting();
  const unsigned at = begin_ ? start_ : write_, rest = left(frame.slots);
  const unsigned old_offset = offset_;

  store(in, time, drop || !was_locked);

  // ---- Words in
  ev_bad = count ? in.bad : in.word.kind != WordKind::kEmpty && !in.bad && !in.mark;
  bad_ = count && in.bad;
  bad_at_ = at;
  begin_ = accept && !drop;
  start_ = (read_ + (was_locked || in.fixed ? away_ : early)) % kDepth;
  write_ = (at + 1) % kDepth;
  left_ = (rest - 1) & 511;
  going_ = count && rest != 1 && !in.mark && !drop;

  // ---- Alignment
  unsigned diff = (offset_ + cycles - time.pos - time.next) & 2047;
  if (diff >= 2 * cycles) {
    diff -= 2 * cycles;
  } else if (diff >= cycles) {
    diff -= cycles;
  }
  read_ = (read_ + time.next) % kDepth;
  away_ = diff & 511;
  quiet_ = in.mark ? 0 : silent ? quiet_ : quiet_ + 1;
  if (!was_locked) {
    const unsigned ahead = time.pos + early;
    if (in.fixed) {
      offset_ = in.given;
    } else if (in.mark) {
      offset_ = (ahead >= cycles ? ahead - cycles : ahead) & 511;
    }
  }
  const bool was_moved = moved_;
  ev_lost = ev_moved = false;
  if (lock) {
    locked_ = true;
    moved_ = false;
  } else if (in.mark) {
    ev_moved = moved_ = !in_window;
  }
  if (drop || silent || (in.mark && was_locked && !in_window && was_moved && !in.fixed) ||
      (in.fixed && old_offset != in.given)) {
    locked_ = false;
    ev_lost = was_locked;
    if (drop) moved_ = false;
  }
}

// A word is stored while it is still being checked; a bad one is taken out a cycle later.
void FrameAlign::store(const In& in, const Time& time, bool clear) {
  const bool full = (full_ >> read_ & 1) != 0 && !(bad_ && bad_at_ == read_);
  in_ = words_[read_];
  if (!full) {
    in_.kind = WordKind::kEmpty;
    in_.data |= bit(kEmptyOpen);
  }
  full_ &= ~(1u << read_);
  if (time.next == 2) full_ &= ~(1u << (read_ + 1) % kDepth);
  if (bad_) full_ &= ~(1u << bad_at_);
  if (counting()) {
    const unsigned at = begin_ ? start_ : write_;
    full_ |= 1u << at;
    words_[at] = in.word;
  }
  if (clear) full_ = 0;
}

}  // namespace kumihimo::link_model
