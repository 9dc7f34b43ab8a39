// SPDX-License-Identifier: Apache-2.0
//
// Arbitration between virtual lanes, and between the inputs of a switch that have a packet on one,
// as kumi_ib_vl_arb, kumi_ib_wrr and kumi_ib_xbar_arb.
#pragma once

#include <array>

#include "symbols.hpp"

namespace kumihimo::ib_model {

inline constexpr unsigned kArbEntries = 8;
struct ArbEntry {
  unsigned vl = 0, weight = 0;
};
using ArbTable = std::array<ArbEntry, kArbEntries>;

class WeightedRoundRobin {
 public:
  // The lane to serve, -1: none of `lanes` has an entry.
  int choose(const ArbTable& table, unsigned lanes);
  static bool any(const ArbTable& table, unsigned lanes);
  void charge(unsigned blocks) { left_ -= left_ < blocks ? left_ : blocks; }

 private:
  unsigned at_ = 0, left_ = 0;
};

class VlArbiter {
 public:
  // `lanes`: data lanes with a packet that may go. -1: none.
  int choose(const ArbTable& high, const ArbTable& low, unsigned high_limit, unsigned lanes);
  void charge(unsigned blocks, unsigned high_limit);  // the packet of the last choice goes

 private:
  WeightedRoundRobin high_, low_;
  unsigned limit_ = 0;  // blocks that the high table may still send
  bool use_high_ = false;
};

class InputArbiter {
 public:
  // `req`: inputs with a packet, `open`: those that could begin. Returns a port, -1: wait.
  int choose(std::uint64_t req, std::uint64_t open);
  void served();

 private:
  static constexpr unsigned kPass = 3;
  std::uint64_t later_ = 0;
  unsigned passed_ = 0, asked_ = 0;
  bool in_turn_ = false;
};

}  // namespace kumihimo::ib_model
