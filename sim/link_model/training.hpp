// SPDX-License-Identifier: Apache-2.0
//
// Training of a link of one lane, as kumi_link_training with all_lanes: there is no lane to do
// without and none that could rejoin.
#pragma once

#include <cstdint>

namespace kumihimo::link_model {

class Training {
 public:
  enum class State : std::uint8_t { kAlign, kSettle, kUp };
  State state = State::kAlign;
  bool used = false, rx_on = false, tx_on = false;
  bool ev_up = false, ev_down = false, ev_lane_up = false, ev_lane_down = false;  // pulses

  bool ready(bool lane_ok, bool allowed) const {
    return state == State::kSettle ? mine_ : state == State::kUp && lane_ok && allowed;
  }

  void step(bool lane_ok, bool peer_ok, bool bonded, bool retrain, bool allowed) {
    const bool want = lane_ok && allowed, both = mine_ && peer_ok, failed = failed_;
    failed_ = (used && (!want || !peer_ok)) || retrain;
    ev_up = ev_down = ev_lane_up = ev_lane_down = false;
    if (time_ != kLongest) ++time_;
    switch (state) {
      case State::kAlign:
        align(want, bonded && lane_ok == allowed, lane_ok);
        break;
      case State::kSettle:
        settle(both, allowed);
        if ((mine_ && !want) || (was_used_ && !both) || was_time_ >= 4 * kTrain || retrain) {
          down();
          ev_up = false;
        }
        break;
      case State::kUp:
        if (failed) {
          down();
          ev_down = true;
        }
        break;
    }
    was_time_ = time_;
    was_used_ = used;
  }

 private:
  static constexpr unsigned kTrain = 4096, kRows = 128, kLongest = 8 * kTrain - 1;

  void down() {
    state = State::kAlign;
    time_ = 0;
    rx_on = tx_on = false;
  }
  void align(bool want, bool complete, bool found) {
    used = rx_on = tx_on = false;
    rows_ = 0;
    if (!want) {
      time_ = 0;
    } else if (complete) {
      state = State::kSettle;
      mine_ = found;
      time_ = 0;
    }
  }
  void settle(bool both, bool allowed) {
    if (both != used || !both || both != allowed) {
      rows_ = 0;
      rx_on = false;
    } else {
      if (rows_ == kRows / 2 - 1) rx_on = true;
      if (rows_ == kRows - 1) {
        state = State::kUp;
        tx_on = ev_up = true;
        ev_lane_up = used && !before_;
        ev_lane_down = before_ && !used;
        before_ = used;
      }
      rows_ = (rows_ + 1) % kRows;
    }
    used = both;
  }

  bool mine_ = false, before_ = false, failed_ = false, was_used_ = false;
  unsigned time_ = 0, was_time_ = 0, rows_ = 0;
};

}  // namespace kumihimo::link_model
