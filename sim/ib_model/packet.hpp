// SPDX-License-Identifier: Apache-2.0
//
// A packet in a switch, from its header on until its last copy has left.
#pragma once

#include <memory>
#include <vector>

#include "symbols.hpp"

namespace kumihimo::ib_model {

struct Packet {
  std::vector<std::uint32_t> words;  // LRH to ICRC, so far
  unsigned len = 0;                  // PktLen
  unsigned in = 0;                   // port that received it, 0: the agent
  unsigned ring = 0;                 // whose memory it takes
  unsigned copies = 0;               // in queues or leaving
  bool ended = false, bad = false;
  std::uint64_t arrived = 0;  // in units of 4.096 us

  unsigned blocks() const { return blocks_of(len); }
};
using PacketPtr = std::shared_ptr<Packet>;

}  // namespace kumihimo::ib_model
