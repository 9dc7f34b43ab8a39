// SPDX-License-Identifier: Apache-2.0
//
// Words of a TDM frame to blocks of a link and back, as kumi_stdm_link_port of one lane.
#pragma once

#include "crc.hpp"
#include "frame_align.hpp"

namespace kumihimo::link_model {

struct LinkConfig {
  bool fixed = false;
  unsigned offset = 0;
};

class LinkPort {
 public:
  // Outputs, from registers.
  const FrameAlign& align() const { return align_; }
  const Word& in() const { return align_.in(); }
  bool xoff_seen() const { return xoff_; }
  bool mark() const { return mark_; }
  unsigned mark_away() const { return mark_away_; }
  std::uint8_t number() const { return rx_number_; }
  bool bad_crc() const { return bad_crc_; }
  bool slipped() const { return align_.ev_lost || skipped_ || align_.ev_moved; }
  bool unsent() const { return unsent_; }

  // The row of this cycle.
  Block send(const Time& time, const Word& out, bool be_open, bool xoff) const;
  void step(const Time& time, const Frame& frame, const LinkConfig& config, const Word& out,
            const Block& sent, bool take, const Block& rx, bool up);

 private:
  void receive(const Block& rx, const Time& time, const Frame& frame, const LinkConfig& config,
               bool up);

  FrameAlign align_;
  // Transmit.
  CrcPipe tx_crc_;
  std::uint64_t tx_row_ = 0;
  std::uint8_t number_ = 0;
  bool tx_slot_ = false, tx_last_ = false, unsent_ = false;
  // Receive.
  CrcPipe rx_crc_;
  std::uint64_t rx_row_ = 0;
  std::uint32_t want_ = 0;
  std::uint8_t rx_number_ = 0;
  unsigned mark_away_ = 0;
  bool rx_slot_ = false, rx_last_ = false, mark_ = false, was_ = false, started_ = false;
  bool xoff_ = false, skipped_ = false, bad_crc_ = false, have_ = false;
};

}  // namespace kumihimo::link_model
