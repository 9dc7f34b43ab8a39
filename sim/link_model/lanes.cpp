// SPDX-License-Identifier: Apache-2.0
#include "lanes.hpp"

namespace kumihimo::link_model {

namespace {
constexpr unsigned kTrain = 4096, kCcPeriod = 4992, kCcBlocks = 4, kCbPeriod = 128;
constexpr unsigned kQuietRows = 15;  // without clock compensation, before the next one counts
}  // namespace

std::uint32_t Lanes::events() const {
  const BlockLock& lock = lane_.lock();
  std::uint32_t ev = 0;
  const auto set = [&](unsigned at, bool on) { ev |= static_cast<std::uint32_t>(on) << at; };
  set(1, training_.ev_down);
  set(2, training_.ev_up);
  set(3, cc_seen_);
  set(4, cc_sent_);
  set(5, training_.ev_lane_up);
  set(9, training_.ev_lane_down);
  set(13, lock.slip);
  set(17, lock.lock_lost);
  set(21, lock.bad_header);
  return ev;
}

void Lanes::step(std::uint64_t data, std::uint8_t head, const Block& tx, bool cc_start,
                 bool retrain, bool allowed) {
  const LaneRx::Seen seen = lane_.seen();
  const bool ok = lane_.ok();
  status_ = {training_.tx_on, training_.rx_on, training_.used, lane_.lock().locked,
             training_.state};
  transmit(tx, training_.ready(ok, allowed));
  cb_now_ = cb_time_ == 0 && training_.state != Training::State::kUp && ok;
  cb_time_ = (cb_time_ + 1) % kCbPeriod;
  compensate(cc_start);
  receive(seen);
  const bool bonded = bonded_;
  bond(seen.cb);
  training_.step(ok, lane_.peer_ok(), bonded, retrain, allowed);
  lane_.step(seen, data, head);
}

void Lanes::receive(const LaneRx::Seen& seen) {
  rx_.data = seen.block.data;
  rx_.kind = there_ && training_.rx_on ? seen.block.kind : Kind::kIdle;
  there_ = training_.used;
  // Clock compensation that the other side sent.
  const bool begins = cc_any_ && !cc_was_ && cc_since_ == kQuietRows;
  cc_was_ = cc_any_;
  if (training_.state != Training::State::kUp) {
    cc_any_ = cc_seen_ = false;
    cc_since_ = 0;
    return;
  }
  cc_seen_ = begins;
  if (cc_any_) {
    cc_since_ = 0;
  } else if (cc_since_ != kQuietRows) {
    ++cc_since_;
  }
  cc_any_ = seen.cc && training_.used;
}

// Bonding idles show that the other side has lock; a partner that sends none gets kTrain cycles.
void Lanes::bond(bool cb) {
  if (!lane_.ok() || training_.state != Training::State::kAlign) {
    wait_ = bonds_ = 0;
    bonded_ = false;
    return;
  }
  bonded_ = bonds_ >= 4 || wait_ == kTrain;
  if (wait_ != kTrain) ++wait_;
  if (cb && bonds_ < 4) ++bonds_;
}

void Lanes::compensate(bool cc_start) {
  const bool go =
      training_.tx_on ? cc_start || cc_time_ >= 2 * kCcPeriod - 1 : cc_time_ >= kCcPeriod - 1;
  take_ = training_.tx_on && !go && cc_left_ <= 1;
  cc_sent_ = go;
  cc_time_ = go ? 0 : cc_time_ + 1;
  cc_left_ = go ? kCcBlocks : cc_left_ - (cc_left_ != 0 ? 1 : 0);
}

void Lanes::transmit(const Block& tx, bool ready) {
  const Kind kind = take_ ? tx.kind : Kind::kIdle;
  std::uint64_t data = tx.data;
  if (kind == Kind::kIdle || kind == Kind::kError) {
    data = cc_left_ != 0 ? kIdleCc : cb_now_ ? kIdleCb : ready ? kIdleSa : kIdleNr;
  }
  line_data_ = scrambler_.next(data);
  line_head_ = kind == Kind::kData ? kHeadData : kHeadCtrl;
}

}  // namespace kumihimo::link_model
