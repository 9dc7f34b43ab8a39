// SPDX-License-Identifier: Apache-2.0
//
// A link of one lane: training, clock compensation, scrambled blocks, as kumi_link_lanes with
// cc_manual.
#pragma once

#include "lane_rx.hpp"
#include "training.hpp"

namespace kumihimo::link_model {

class Lanes {
 public:
  // Bits of lanes_events_t, of which there are four for each kind that is a lane's.
  static constexpr unsigned kEvents = 25;

  struct Status {
    bool up = false, rx_up = false, used = false, locked = false;
    Training::State state = Training::State::kAlign;
  };

  // Registered outputs.
  const Status& status() const { return status_; }
  const Block& rx() const { return rx_; }
  bool take() const { return take_; }
  bool slip() const { return lane_.lock().slip; }
  std::uint64_t line_data() const { return line_data_; }
  std::uint8_t line_head() const { return line_head_; }
  std::uint32_t events() const;

  void step(std::uint64_t data, std::uint8_t head, const Block& tx, bool cc_start, bool retrain,
            bool allowed);

 private:
  void receive(const LaneRx::Seen& seen);
  void bond(bool cb);
  void compensate(bool cc_start);
  void transmit(const Block& tx, bool ready);

  LaneRx lane_;
  Training training_;
  Scrambler scrambler_;
  Status status_;
  Block rx_;
  std::uint64_t line_data_ = Scrambler().next(kIdleNr);
  std::uint8_t line_head_ = kHeadCtrl;
  bool there_ = false, bonded_ = false;
  unsigned wait_ = 0, bonds_ = 0;
  bool cc_any_ = false, cc_was_ = false, cc_seen_ = false;
  unsigned cc_since_ = 0;
  bool take_ = false, cc_sent_ = false, cb_now_ = false;
  unsigned cc_time_ = 0, cc_left_ = 0, cb_time_ = 0;
};

}  // namespace kumihimo::link_model
