// SPDX-License-Identifier: Apache-2.0
//
// N event counters that are read in rotation, as kumi_event_counters.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace kumihimo::link_model {

template <unsigned N>
class EventCounters {
 public:
  // The answer to a read is there, in the cycle before it is acknowledged; `cycle` since reset.
  bool due(unsigned index, std::uint64_t cycle) const {
    return index >= N || (cycle != 0 && (cycle - 1) % N == index);
  }
  // In that cycle: without the events of the one before.
  std::uint32_t read(unsigned index) const {
    return index >= N ? 0 : totals_[index] - (last_ >> index & 1);
  }

  void step(std::uint32_t events) {
    last_ = events;
    for (; events != 0; events &= events - 1) ++totals_[std::countr_zero(events)];
  }

 private:
  std::array<std::uint32_t, N> totals_{};
  std::uint32_t last_ = 0;
};

}  // namespace kumihimo::link_model
