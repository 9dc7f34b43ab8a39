// SPDX-License-Identifier: Apache-2.0
//
// Link initialisation of a Serial ATA device: COMRESET, COMINIT, COMWAKE, ALIGN; OOB signals are
// levels. Without the host's COMWAKE, or when the host goes silent, COMINIT is repeated.
#pragma once

#include <cstdint>

#include "base/types.hpp"
#include "kumi/abi.h"

namespace kumihimo {

class SataPhy {
 public:
  // Pattern lengths of the standard: six bursts and their gaps.
  static constexpr Ps kComInitPs = 2'560'000;
  static constexpr Ps kComWakePs = 1'280'000;

  // Whether the cable is plugged in and power is on.
  void power(bool on, Ps now);

  // Produces the line's words until the link layer is up, which `up` reports.
  kumi_sata_word step(const kumi_sata_word& in, Ps now);
  bool up() const { return state_ == State::kUp; }
  bool settled() const { return state_ == State::kOff || state_ == State::kUp || lonely_; }

  // True once after each COMRESET, and after the link came up.
  bool take_reset() { return take(reset_); }
  bool take_up() { return take(came_up_); }
  std::uint64_t resets() const { return resets_; }

 private:
  static constexpr Ps kAnswerPs = 1'000'000;      // from the end of a signal to the answer
  static constexpr Ps kSilencePs = 1'000'000;     // host silent for this long: link lost
  static constexpr Ps kRetryPs = 10'000'000'000;  // 10 ms
  static constexpr Ps kAlignPs = 873'200'000;     // limit for ALIGNs without an answer

  enum class State {
    kOff,
    kReset,
    kBeforeInit,
    kInit,
    kAwaitWake,
    kBeforeWake,
    kWake,
    kAlign,
    kUp
  };

  static bool take(bool& flag) {
    const bool was = flag;
    flag = false;
    return was;
  }
  void enter(State s, Ps now) {
    state_ = s;
    since_ = now;
  }

  State state_ = State::kOff;
  Ps since_ = 0;
  Ps heard_ = 0;         // last activity of the host
  bool lonely_ = false;  // the last COMINIT was not answered
  bool woken_ = false;   // the host's COMWAKE has begun
  bool reset_ = false, came_up_ = false;
  std::uint64_t resets_ = 0;
};

}  // namespace kumihimo
