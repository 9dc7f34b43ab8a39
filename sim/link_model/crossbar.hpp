// SPDX-License-Identifier: Apache-2.0
//
// Slot tables, crossbar and counters of the switch, as kumi_stdm_core. The local ports are closed:
// no word comes from one, and those for one fill its output FIFO, then count as lost.
#pragma once

#include <vector>

#include "best_effort.hpp"
#include "frame_timer.hpp"
#include "slot_table.hpp"

namespace kumihimo::link_model {

class Crossbar {
 public:
  explicit Crossbar(unsigned channels)
      : channels_(channels), sinks_(std::size_t{kLocals} * channels) {}

  SlotTables tables;
  std::array<SlotCounters, kPorts> counters;

  // Outputs, from registers and the timer's.
  bool be_slot(unsigned l, const FrameTimer& t) const {
    return crosses(t) && t.slot_t() && t_.out[kLocals + l].kind == Take::kBestEffort;
  }
  bool be_in(unsigned l, const FrameTimer& t) const { return crosses(t) && t_.in[kLocals + l].on; }
  const Word& out(unsigned l) const { return x_[kLocals + l]; }
  bool lost(unsigned p) const { return p < kLocals && lost_[p]; }
  bool stray(unsigned p) const { return stray_[p]; }
  bool busy() const { return word_; }

  void step(const FrameTimer& timer, const std::array<Word, kLinks>& in,
            const std::array<BestEffort::LinkOut, kLinks>& be);

 private:
  // FIFO of a channel that nobody reads.
  struct Sink {
    unsigned depth = 0;
    bool shown = false;
  };
  static constexpr unsigned kSinkDepth = 16;

  bool crosses(const FrameTimer& t) const { return run_t_ && !t.elastic_t(); }
  void deliver(unsigned o);
  void cross(const FrameTimer& timer, const std::array<Word, kLinks>& in,
             const std::array<BestEffort::LinkOut, kLinks>& be);

  unsigned channels_;
  bool run_b_ = false, run_c_ = false, run_t_ = false, word_ = false;
  Slot b_, c_, t_, x_entry_;  // entries at the stages
  std::array<Word, kPorts> x_;
  std::array<bool, kPorts> circuit_x_{}, stray_{};
  std::array<bool, kLocals> lost_{};
  std::vector<Sink> sinks_;
};

}  // namespace kumihimo::link_model
