// SPDX-License-Identifier: Apache-2.0
//
// What is built: the parameters of kumi_node_ib_switch_core.
#pragma once

#include <cstdint>

namespace kumihimo::ib_model {

struct Params {
  unsigned ports, lanes, data_w, data_vls, blocks, mtu_cap, lft_cap, mft_cap, tick;
  std::uint64_t build;

  unsigned words() const { return data_w / 32; }           // of 4 symbols per cycle
  unsigned symbols() const { return data_w / 8 / lanes; }  // per lane and cycle
  unsigned rings() const { return data_vls + 1; }
};

}  // namespace kumihimo::ib_model
