// SPDX-License-Identifier: Apache-2.0
//
// Best-effort packets in the free slots, as kumi_stdm_be: buffers of the links, routes, wormhole
// outputs. The local ports send nothing, and nobody reads what they receive.
#pragma once

#include <array>

#include "be_in.hpp"
#include "be_rx.hpp"

namespace kumihimo::link_model {

class BestEffort {
 public:
  struct LinkIn {
    bool valid = false, locked = false, slot = false, xoff_seen = false;
    Word word;
  };
  // A word that leaves in this cycle.
  struct LinkOut {
    bool take = false;
    Word word;
  };

  // Outputs, from registers.
  bool xoff(unsigned l) const { return in_[l].xoff; }
  bool open(unsigned l) const { return open_[l]; }
  bool busy() const;
  bool broken(unsigned p) const { return p < kLocals ? rx_[p].broken : in_[p - kLocals].broken; }
  bool full(unsigned p) const { return p < kLocals ? rx_[p].full : in_[p - kLocals].full; }
  bool unrouted(unsigned p) const { return stage_[p].no_route || dead_[p]; }

  LinkOut leaving(unsigned l, const LinkIn& in) const {
    const Slice& s = outputs_[kLocals + l].slice;
    return {in.slot && s.valid() && !in.xoff_seen && !down_[l], s.front()};
  }
  void step(unsigned board, const std::array<LinkIn, kLinks>& links);

  std::uint8_t route(unsigned port, unsigned dest) const { return routes_[port][dest]; }
  void set_route(unsigned port, unsigned dest, unsigned to) {
    routes_[port][dest] = static_cast<std::uint8_t>(to);
  }
  static constexpr std::uint8_t kNoRoute = 31;

 private:
  // The stage before the crossbar.
  struct Stage {
    bool valid = false, no_route = false;
    std::uint8_t target = kNoRoute;
    Word word;
  };
  struct Output {
    bool locked = false;
    std::uint8_t owner = 0, later = 0;  // later: inputs behind the last one served
    Slice slice;
  };

  std::uint8_t target(unsigned port, std::uint64_t head, unsigned board) const;
  void arbitrate(unsigned o);

  std::array<BeIn, kLinks> in_;
  // A DMA channel without descriptors takes two words more than nobody.
  std::array<BeRx, kLocals> rx_{BeRx(4), BeRx(2)};
  std::array<Stage, kPorts> stage_;
  std::array<Output, kPorts> outputs_;
  std::array<bool, kLinks> open_{}, down_{};
  std::array<bool, kPorts> dead_{};
  std::array<std::array<std::uint8_t, 256>, kPorts> routes_ = none();

  static std::array<std::array<std::uint8_t, 256>, kPorts> none() {
    std::array<std::array<std::uint8_t, 256>, kPorts> all;
    for (auto& of : all) of.fill(kNoRoute);
    return all;
  }
};

}  // namespace kumihimo::link_model
