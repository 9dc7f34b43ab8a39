// SPDX-License-Identifier: Apache-2.0
//
// Finds the data packets in the symbols of an InfiniBand line (IBTA volume 1, clause 7.7; volume 2,
// clause 5.6), for captures: LRH to VCRC. Link packets and ordered sets are passed over.
//
// A packet is bad if it has a code violation or a control symbol in it, or ends with EBP.
#pragma once

#include "base/types.hpp"
#include "lane/symbol_lanes.hpp"
#include "record/frame_tap.hpp"

namespace kumihimo {

class IbPackets {
 public:
  explicit IbPackets(const SymbolLanesConfig& config) : config_(config) {}

  // A block without delays between the lanes; `t_ps`: time of a packet that ends in it.
  void block(const kumi_block& b, Ps t_ps, FrameTap& tap);

 private:
  void symbol(std::uint8_t data, bool k, bool err, Ps t_ps, FrameTap& tap);

  SymbolLanesConfig config_;
  bool open_ = false, bad_ = false;
  Bytes data_;
};

}  // namespace kumihimo
