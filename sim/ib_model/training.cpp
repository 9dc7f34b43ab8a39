// SPDX-License-Identifier: Apache-2.0
#include "training.hpp"

#include <algorithm>

namespace kumihimo::ib_model {

Training::Training(const Params& p)
    : lanes_(p.lanes),
      set_words_(p.lanes == 4 ? 16 : 4),
      idle_words_(2 * set_words_),
      idle_cycles_(3 * set_words_ / p.words()) {}

void Training::idle_words(unsigned n) {
  idle_ = std::min(idle_ + n, idle_words_);
  pos_ = 0;
  run_ = 0;
}

void Training::word(const Word& w) {
  const bool fill_ts2 = w.at(3) == kTs2;
  bool head, fill;
  if (lanes_ == 4) {
    head = w.k == 0xF && w.data == repeat(kCom);
    fill = pos_ == 1 ? w.data == pack(0, 1, 2, 3)
                     : (w.data == repeat(kTs2) || w.data == repeat(kTs1)) &&
                           (pos_ == 2 || fill_ts2 == ts2_);
  } else {
    head = w.k == 1 && (w.data == pack(kCom, 0, kTs2, kTs2) || w.data == pack(kCom, 0, kTs1, kTs1));
    fill = w.data == repeat(ts2_ ? kTs2 : kTs1);
  }
  fill = fill && w.k == 0;
  if (head || w.err != 0) {
    idle_ = 0;
  } else if (idle_ != idle_words_) {
    ++idle_;
  }
  if (head && w.err == 0) {
    pos_ = 1;
    ts2_ = fill_ts2;
  } else if (pos_ != 0 && fill && w.err == 0) {
    ts2_ = fill_ts2;
    if (++pos_ == set_words_) {
      run_ = last_ts2_ != ts2_ ? 1 : std::min(run_ + 1, kRun);
      last_ts2_ = ts2_;
      pos_ = 0;
    }
  } else {
    pos_ = 0;
    run_ = 0;
  }
}

void Training::step(const Inputs& in) {
  const bool run_any = run_ == kRun;
  const bool run_ts1 = run_any && !last_ts2_;
  const State before = state_;
  const bool recovered = recovery_;
  ev_recovery_ = false;
  ev_downed_ = false;
  const bool timed_out = time_ == 0;
  if (time_ != 0) --time_;
  switch (before) {
    case State::kOff:
      recovery_ = false;
      if (in.enable) state_ = State::kTs1;
      break;
    case State::kTs1:
      sent_ = 0;
      first_ts2_ = false;
      all_ts2_ = false;
      if (run_any && in.aligned) {
        state_ = State::kTs2;
        if (!recovered) time_ = kTimeout;
      }
      break;
    case State::kTs2:
      hold_ = idle_cycles_;
      if (all_ts2_ && sent_ == kMinSent) state_ = State::kIdle;
      if (timed_out) state_ = State::kTs1;
      if (in.ts_sent && first_ts2_ && sent_ != kMinSent) ++sent_;
      if (last_ts2_ && run_ != 0) first_ts2_ = true;
      if (run_any && last_ts2_) all_ts2_ = true;
      break;
    case State::kIdle:
      if (hold_ == 0 && idle_ == idle_words_) {
        state_ = State::kUp;
        recovery_ = false;
      }
      if (hold_ != 0) --hold_;
      if (timed_out || run_ts1 || !in.aligned) state_ = State::kTs1;
      break;
    case State::kUp:
      time_ = kTimeout;
      if (in.retrain || run_ts1 || !in.aligned) {
        state_ = State::kTs1;
        recovery_ = true;
        ev_recovery_ = true;
      }
      break;
  }
  const bool was_up = before == State::kUp || recovered;
  if (was_up && (!in.signal || in.down || (before != State::kUp && timed_out))) {
    state_ = State::kTs1;
    recovery_ = false;
    ev_downed_ = true;
    ev_recovery_ = false;
  }
  if (!in.enable) {
    state_ = State::kOff;
    ev_downed_ = was_up;
  }
}

Mode Training::mode() const {
  switch (state_) {
    case State::kOff:
      return Mode::kQuiet;
    case State::kTs1:
      return Mode::kTs1;
    case State::kTs2:
      return Mode::kTs2;
    default:
      return Mode::kData;
  }
}

Phys Training::phys() const {
  switch (state_) {
    case State::kOff:
      return kDisabled;
    case State::kTs1:
      return recovery_ ? kRecovery : kPolling;
    case State::kUp:
      return kLinkUp;
    default:
      return recovery_ ? kRecovery : kTraining;
  }
}

}  // namespace kumihimo::ib_model
