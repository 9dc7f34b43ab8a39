// SPDX-License-Identifier: Apache-2.0
//
// Receive side of one lane: block lock, descrambler, block decoder, and what the other side says of
// its reception, as kumi_link_lane_rx.
#pragma once

#include "block_lock.hpp"
#include "blocks.hpp"
#include "scrambler.hpp"

namespace kumihimo::link_model {

class LaneRx {
 public:
  const BlockLock& lock() const { return lock_; }
  bool ok() const { return ok_; }
  bool peer_ok() const { return peer_ok_; }

  // The block received one cycle before.
  struct Seen {
    Block block;
    bool cc = false, cb = false, nr = false, idle = false;
  };
  Seen seen() const {
    Seen s;
    s.block.data = data_;
    s.idle = head_ == kHeadCtrl && type_of(data_) == kTypeIdle;
    s.cc = s.idle && (data_ & kFlagCc) != 0;
    s.cb = s.idle && (data_ & kFlagCb) != 0 && !s.cc;
    s.nr = s.idle && (data_ & kFlagNr) != 0 && !s.cc;
    s.block.kind = head_ == kHeadData   ? Kind::kData
                   : head_ != kHeadCtrl ? Kind::kError
                   : s.idle             ? Kind::kIdle
                                        : Kind::kCtrl;
    return s;
  }

  void step(const Seen& s, std::uint64_t data, std::uint8_t head) {
    const bool off = !lock_.locked || lock_.high_ber;
    if (!quiet_) hear();
    ok_ = idle_seen_ && steady_ == kSteady;
    if (s.idle) idle_seen_ = true;
    if (steady_ != kSteady) ++steady_;
    quiet_ = s.cc || s.cb || s.block.kind == Kind::kError;
    nr_ = s.nr;
    if (off) {
      steady_ = run_ = 0;
      peer_ok_ = idle_seen_ = ok_ = false;
    }
    lock_.step(head);
    data_ = descrambler_.next(data);
    head_ = head;
  }

 private:
  static constexpr unsigned kSteady = 1024, kRun = 8;

  // kRun blocks in a row that contradict peer_ok_ change it.
  void hear() {
    if (nr_ != peer_ok_) {
      run_ = 0;
    } else if (run_ == kRun - 1) {
      run_ = 0;
      peer_ok_ = !nr_;
    } else {
      ++run_;
    }
  }

  BlockLock lock_;
  Descrambler descrambler_;
  std::uint64_t data_ = 0;
  std::uint8_t head_ = 0;
  bool quiet_ = false, nr_ = false, idle_seen_ = false, ok_ = false, peer_ok_ = false;
  unsigned steady_ = 0, run_ = 0;
};

}  // namespace kumihimo::link_model
