// SPDX-License-Identifier: Apache-2.0
//
// Blocks of a lane or an InfiniBand cable in a message between ranks. A line carries a block in
// every cycle, so their times are a first one and a step; an idle line often repeats a block.
//
// u32 runs, and for each: u64 time of the first block, u32 ps from block to block, u32 blocks,
//   u8 1: all are equal, 0: each is given, u8 flags, u8 shift, u8 err, which all share;
//   u64 data and u8 head of the one, or of each.
#pragma once

#include <vector>

#include "rank/wire.hpp"

namespace kumihimo {

void append_blocks(Bytes& to, const std::vector<kumi_block>& blocks);

// Calls `take` for each block.
template <class Take>
void fetch_blocks(Fetch& from, Take take) {
  for (auto runs = from.value<std::uint32_t>(); runs; --runs) {
    kumi_block b{};
    b.t_ps = from.value<std::uint64_t>();
    const auto step = from.value<std::uint32_t>();
    const auto count = from.value<std::uint32_t>();
    const bool equal = from.value<std::uint8_t>() != 0;
    b.flags = from.value<std::uint8_t>();
    b.shift = from.value<std::uint8_t>();
    b.err = from.value<std::uint8_t>();
    for (std::uint32_t i = 0; i < count; ++i, b.t_ps += step) {
      if (i == 0 || !equal) {
        b.data = from.value<std::uint64_t>();
        b.head = from.value<std::uint8_t>();
      }
      take(b);
    }
  }
}

}  // namespace kumihimo
