// SPDX-License-Identifier: Apache-2.0
//
// Block lock and bit error monitor of a lane, as kumi_64b66b_block_lock.
#pragma once

#include <cstdint>

namespace kumihimo::link_model {

class BlockLock {
 public:
  bool slip = false, locked = false, high_ber = false;  // registered outputs
  bool bad_header = false, lock_lost = false;           // pulses

  void step(std::uint8_t head) {
    const bool valid = head == 1 || head == 2, was_locked = locked;
    const bool do_slip = wait_ == 0 && !valid && (!locked || invalid_ == 15);
    ber(valid, was_locked);
    slip = do_slip;
    lock_lost = do_slip && was_locked;
    bad_header = !valid && was_locked;
    if (wait_ != 0) {
      --wait_;
    } else if (do_slip) {
      locked = false;
      count_ = invalid_ = 0;
      wait_ = kSlipWait;
    } else {
      const bool end = count_ == 63, clean = valid && invalid_ == 0;
      count_ = (count_ + 1) & 63;
      invalid_ += valid ? 0 : 1;
      if (end) {
        invalid_ = 0;
        if (clean) locked = true;
      }
    }
  }

 private:
  static constexpr unsigned kSlipWait = 32, kBerWindow = 19531;

  void ber(bool valid, bool was_locked) {
    if (!was_locked) {
      window_ = ber_ = 0;
      high_ber = false;
      return;
    }
    const bool high = ber_ == 16;
    if (window_ == kBerWindow - 1) {
      window_ = ber_ = 0;
      if (!high) high_ber = false;
    } else {
      ++window_;
      if (!valid && !high) ++ber_;
    }
    if (high) high_ber = true;
  }

  unsigned count_ = 0, invalid_ = 0, wait_ = 0, window_ = 0, ber_ = 0;
};

}  // namespace kumihimo::link_model
