// SPDX-License-Identifier: Apache-2.0
//
// A register access under way: whoever waits for it keeps this.
#pragma once

#include "kumi/abi.h"

namespace kumihimo {

struct RegisterWait {
  bool done = false;
  kumi_axil_op op{};
};

}  // namespace kumihimo
