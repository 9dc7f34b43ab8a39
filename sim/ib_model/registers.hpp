// SPDX-License-Identifier: Apache-2.0
//
// Registers of the node: identity (regs/id.rdl) at 0x0000, switch (regs/ib_switch.rdl) at 0x1000.
#pragma once

#include "kumi/abi.h"
#include "model/identity.hpp"
#include "switch.hpp"

namespace kumihimo::ib_model {

class Registers {
 public:
  explicit Registers(const Params& p);

  // Completes an operation; `cycles` since reset.
  void complete(const Switch& of, std::uint64_t cycles, kumi_axil_op& op);

 private:
  bool state(const Switch& of, std::uint32_t at, std::uint32_t& value) const;

  Params params_;
  model::Identity identity_;
};

}  // namespace kumihimo::ib_model
