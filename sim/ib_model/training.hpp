// SPDX-License-Identifier: Apache-2.0
//
// Link training and recovery: the port's physical state, as kumi_ib_training has it.
#pragma once

#include "symbols.hpp"

namespace kumihimo::ib_model {

class Training {
 public:
  explicit Training(const Params& p);

  struct Inputs {
    bool enable, signal, aligned, retrain, down, ts_sent;
  };
  void word(const Word& w);
  void idle_words(unsigned n);  // idle data, so many words
  void step(const Inputs& in);

  Mode mode() const;
  Phys phys() const;
  bool link_up() const { return state_ == State::kUp; }
  bool rx_run() const { return state_ == State::kUp || state_ == State::kIdle; }
  bool recovery_event() const { return ev_recovery_; }  // of the last step
  bool downed_event() const { return ev_downed_; }

 private:
  enum class State : std::uint8_t { kOff, kTs1, kTs2, kIdle, kUp };
  static constexpr unsigned kRun = 8, kMinSent = 16, kTimeout = 65536;

  unsigned lanes_, set_words_, idle_words_, idle_cycles_;
  // Training sets.
  unsigned pos_ = 0, run_ = 0, idle_ = 0;
  bool ts2_ = false, last_ts2_ = false;
  // States.
  State state_ = State::kOff;
  bool recovery_ = false, first_ts2_ = false, all_ts2_ = false;
  bool ev_recovery_ = false, ev_downed_ = false;
  unsigned time_ = 0, sent_ = 0, hold_ = 0;
};

}  // namespace kumihimo::ib_model
