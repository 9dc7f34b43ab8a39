// SPDX-License-Identifier: Apache-2.0
//
// Registers of the node at the times of the RTL: identity (regs/id.rdl) at 0x0000, switch
// (regs/stdm.rdl), links (regs/lanes.rdl), circuits (regs/circuit.rdl). One access at a time: the
// block sees it kReach cycles after the bus, the bus has the answer two after the block's.
#pragma once

#include <deque>

#include "kumi/abi.h"
#include "model/identity.hpp"
#include "switch.hpp"

namespace kumihimo::link_model {

class Registers {
 public:
  explicit Registers(const Params& p);

  void push(const kumi_axil_op& op) { asked_.push_back(op); }
  bool pop(kumi_axil_op& op) {
    if (done_.empty()) return false;
    op = done_.front();
    done_.pop_front();
    return true;
  }
  std::uint64_t pending() const { return asked_.size(); }

  // A cycle: before() with what the registers show in it, after() when its clock edge has passed.
  // Something moved on the bus if before() says so.
  bool before(const Switch& of, std::uint64_t cycle, std::uint64_t t_ps) {
    return (active_ || (!asked_.empty() && asked_.front().t_ps <= t_ps)) && run(of, cycle, t_ps);
  }
  void after(Switch& of) {
    if (active_) finish(of);
  }
  void forget() { active_ = false; }

 private:
  static constexpr unsigned kReach = 3, kAnswer = 2, kLater = ~0u;
  enum Page : std::uint32_t { kIdentity, kSwitch, kLanes, kCircuits = kLanes + kLinks, kPages };

  bool run(const Switch& of, std::uint64_t cycle, std::uint64_t t_ps);
  void finish(Switch& of);
  void access(const Switch& of, std::uint64_t cycle);
  bool read_switch(const Switch& of);
  bool read_lanes(const Switch& of);
  bool read_circuits();
  void poll(const Switch& of, std::uint64_t cycle);
  void write_switch(Control& to, std::uint32_t data, std::uint32_t bits) const;

  unsigned circuits_;
  model::Identity identity_;
  std::deque<kumi_axil_op> asked_, done_;
  // The access that is under way.
  bool active_ = false, window_ = false;
  unsigned since_ = 0, end_ = kLater;  // cycles since it came, at which it ends
  std::uint32_t page_ = 0, at_ = 0, value_ = 0;
  std::uint8_t resp_ = 0;
};

}  // namespace kumihimo::link_model
