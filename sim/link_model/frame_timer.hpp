// SPDX-License-Identifier: Apache-2.0
//
// Position in the TDM frame, active bank, and alignment to another board's frames, as
// kumi_stdm_frame_timer.
#pragma once

#include <cstdint>

namespace kumihimo::link_model {

// stdm_time_t and stdm_frame_t.
struct Time {
  bool run = false, restart = false, slot_x = false, last_x = false, mark_x = false;
  unsigned pos = 0, next = 1;
};
struct Frame {
  unsigned slots = 0, cycles = 0, margin = 0;
};

class FrameTimer {
 public:
  struct Sync {
    bool on = false, lost = false, mark = false;
    unsigned away = 0;
  };

  // Outputs, from registers.
  bool pending() const { return pending_; }
  bool bank() const { return bank_; }
  bool run() const { return stage_[0].run; }
  unsigned pos() const { return stage_[0].pos; }
  bool slot_t() const { return stage_[3].run && stage_[3].pos < stage_[3].slots; }
  bool elastic_c() const { return elastic(2); }
  bool elastic_t() const { return elastic(3); }
  std::uint32_t frames() const { return frames_; }
  Frame frame(unsigned margin) const { return {stage_[0].slots, total_, margin}; }
  Time time() const;

  void step(bool swap, unsigned swap_slots, unsigned swap_guard, unsigned margin, const Sync& sync);

 private:
  static constexpr unsigned kMask = 511, kMinGuard = 6;

  // Stages A, B, C, T, X; a swap reaches one after the other.
  struct Stage {
    bool run = false;
    std::uint16_t pos = 0, slots = 0, last = kMinGuard - 1;
  };
  bool elastic(unsigned s) const { return stage_[s].pos == ((stage_[s].last - 1u) & kMask); }
  void correct(const Sync& sync, unsigned margin, unsigned step, bool found);

  Stage stage_[5];
  unsigned step_a_ = 1, step_b_ = 1;
  unsigned total_ = kMinGuard, next_slots_ = 0, next_total_ = 0;
  bool bank_ = false, pending_ = false, found_ = false, twice_ = false, far_ = false;
  bool shorter_ = false, longer_ = false, hold_ = false, restart_ = false;
  std::uint32_t frames_ = 0;
};

}  // namespace kumihimo::link_model
