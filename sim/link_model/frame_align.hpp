// SPDX-License-Identifier: Apache-2.0
//
// Finds the TDM frames of the other side and hands each word to the switch at the position at which
// it is due, as kumi_stdm_frame_align.
#pragma once

#include <array>

#include "blocks.hpp"
#include "frame_timer.hpp"

namespace kumihimo::link_model {

class FrameAlign {
 public:
  struct In {
    bool up = false, fixed = false, mark = false, bad = false;
    unsigned given = 0;
    Word word;
  };

  // Outputs, from registers.
  const Word& in() const { return in_; }  // the word that crosses in this cycle
  bool locked() const { return locked_; }
  unsigned offset() const { return offset_; }
  unsigned away() const { return away_; }
  bool counting() const { return begin_ || going_; }
  bool last(unsigned slots) const { return counting() && left(slots) == 1; }
  bool ev_lost = false, ev_moved = false, ev_bad = false;

  void step(const In& in, const Time& time, const Frame& frame);

 private:
  static constexpr unsigned kDepth = 32, kSilent = 1023;

  unsigned left(unsigned slots) const { return begin_ ? slots : left_; }
  void store(const In& in, const Time& time, bool clear);

  Word in_;
  std::array<Word, kDepth> words_{};
  std::uint32_t full_ = 0;
  unsigned read_ = 0, write_ = 0, start_ = 0, bad_at_ = 0, left_ = 0;
  unsigned offset_ = 0, away_ = 0, quiet_ = 0;
  bool locked_ = false, moved_ = false, begin_ = false, going_ = false, bad_ = false;
};

}  // namespace kumihimo::link_model
