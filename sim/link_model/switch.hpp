// SPDX-License-Identifier: Apache-2.0
//
// The board's circuit switch with its links, cycle by cycle, as kumi_stdm_board of two links of one
// lane and two local ports. What it is exact in and what it leaves out: library.cpp.
#pragma once

#include <memory>

#include "control.hpp"
#include "crossbar.hpp"
#include "event_counters.hpp"
#include "lanes.hpp"
#include "link_port.hpp"
#include "params.hpp"

namespace kumihimo::link_model {

class Switch {
 public:
  explicit Switch(const Params& p) : crossbar(p.circuits + 1), control(p.circuits + 1) {}

  struct Line {
    std::uint64_t data = 0;
    std::uint8_t head = 0;
  };

  FrameTimer timer;
  Crossbar crossbar;
  BestEffort best;
  std::array<LinkPort, kLinks> ports;
  std::array<Lanes, kLinks> lanes;
  std::array<LanesControl, kLinks> lanes_control;
  Control control;
  std::array<EventCounters<8>, kPorts> counters;
  std::array<EventCounters<Lanes::kEvents>, kLinks> lane_counters;

  bool busy() const { return crossbar.busy() || best.busy() || timer.pending(); }
  // One cycle; in[l]: what link l shows.
  void step(const std::array<Line, kLinks>& in);

 private:
  std::uint32_t events(unsigned p) const;
  FrameTimer::Sync sync(std::array<LinkConfig, kLinks>& config) const;
};

}  // namespace kumihimo::link_model
