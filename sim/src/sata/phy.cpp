// SPDX-License-Identifier: Apache-2.0
#include "sata/phy.hpp"

#include "sata/words.hpp"

namespace kumihimo {
namespace {

kumi_sata_word signal(std::uint8_t flags) {
  kumi_sata_word w{};
  w.flags = flags;
  return w;
}

}  // namespace

void SataPhy::power(bool on, Ps now) {
  lonely_ = woken_ = false;
  enter(on ? State::kBeforeInit : State::kOff, now);
}

kumi_sata_word SataPhy::step(const kumi_sata_word& in, Ps now) {
  if (state_ == State::kOff) return signal(KUMI_SATA_IDLE);
  const Ps waited = now - since_;
  if ((in.flags & KUMI_SATA_COMINIT) != 0 && state_ != State::kReset) {
    enter(State::kReset, now);
    lonely_ = woken_ = false;
    reset_ = true;
    ++resets_;
  }
  switch (state_) {
    case State::kOff:
      break;
    case State::kReset:
      if ((in.flags & KUMI_SATA_COMINIT) == 0) enter(State::kBeforeInit, now);
      break;
    case State::kBeforeInit:
      if (waited >= kAnswerPs) enter(State::kInit, now);
      break;
    case State::kInit:
      if (waited >= kComInitPs) {
        enter(State::kAwaitWake, now);
      } else {
        return signal(KUMI_SATA_IDLE | KUMI_SATA_COMINIT);
      }
      break;
    case State::kAwaitWake:
      if ((in.flags & KUMI_SATA_COMWAKE) != 0) {
        woken_ = true;
      } else if (woken_) {
        woken_ = false;
        enter(State::kBeforeWake, now);
      } else if (waited >= kRetryPs) {
        lonely_ = true;
        enter(State::kInit, now);
      }
      break;
    case State::kBeforeWake:
      if (waited >= kAnswerPs) enter(State::kWake, now);
      break;
    case State::kWake:
      if (waited < kComWakePs) return signal(KUMI_SATA_IDLE | KUMI_SATA_COMWAKE);
      enter(State::kAlign, now);
      break;
    case State::kAlign:
      if ((in.flags & KUMI_SATA_IDLE) == 0 && in.data == sata::kAlign && in.k == 1) {
        came_up_ = true;
        lonely_ = false;
        heard_ = now;
        enter(State::kUp, now);
      } else if (waited >= kAlignPs) {
        enter(State::kInit, now);
      }
      break;
    case State::kUp:
      if ((in.flags & KUMI_SATA_IDLE) == 0) {
        heard_ = now;
      } else if (now - heard_ >= kSilencePs) {
        enter(State::kAwaitWake, now);
        return signal(KUMI_SATA_IDLE);
      }
      break;
  }
  if (state_ == State::kAlign || state_ == State::kUp) {
    kumi_sata_word w{};
    w.data = sata::kAlign;
    w.k = 1;
    return w;
  }
  return signal(KUMI_SATA_IDLE);
}

}  // namespace kumihimo
