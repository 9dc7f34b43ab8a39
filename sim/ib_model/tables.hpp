// SPDX-License-Identifier: Apache-2.0
//
// What the management agent sets of a switch as a whole: its LID and lifetime limit, the forwarding
// tables and the SL-to-VL tables (IBTA volume 1, chapter 18).
#pragma once

#include <vector>

#include "symbols.hpp"

namespace kumihimo::ib_model {

struct Tables {
  explicit Tables(const Params& p)
      : lft(p.lft_cap, 255),
        mft(p.mft_cap, 0),
        sl_to_vl((p.ports + 1) * (p.ports + 1)),
        ports(p.ports) {}

  std::vector<std::uint8_t> lft;
  std::vector<std::uint64_t> mft;       // a bit per port
  std::vector<std::uint64_t> sl_to_vl;  // by input and output port, SL 0 in the highest 4 bits
  unsigned ports;
  std::uint16_t lid = 0;
  unsigned life_time = 31;

  unsigned vl(unsigned in, unsigned out, unsigned sl) const {
    return sl_to_vl[in * (ports + 1) + out] >> (4 * (15 - sl)) & 0xF;
  }
};

}  // namespace kumihimo::ib_model
