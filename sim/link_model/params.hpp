// SPDX-License-Identifier: Apache-2.0
//
// What is built: the parameters of kumi_node_link_core that the model knows.
#pragma once

#include <cstdint>

namespace kumihimo::link_model {

struct Params {
  unsigned circuits;  // of the host, each way; the register FIFO has one more channel
  std::uint64_t build;
};

}  // namespace kumihimo::link_model
