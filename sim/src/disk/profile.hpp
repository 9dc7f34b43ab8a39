// SPDX-License-Identifier: Apache-2.0
//
// Performance of a disk. Rates in bytes per second, times in picoseconds.
//
// SSD: commands wait latency (plus up to jitter) in parallel, then data passes at the rate of its
// direction. HDD: one arm. Seek time grows with the square root of the distance; a sector has an
// angle and passes the head once per revolution; the rate falls from the outermost to the innermost
// zone.
#pragma once

#include <cstdint>

#include "base/types.hpp"

namespace kumihimo {

struct DiskProfile {
  bool rotating = false;
  double read_rate = 540e6;  // of the outermost zone
  double write_rate = 500e6;
  Ps latency_ps = 60'000'000;        // before the first data of a read not read ahead
  Ps write_latency_ps = 20'000'000;  // before an awaited run is on the medium
  Ps jitter_ps = 20'000'000;
  std::uint64_t read_ahead = 256;  // sectors read ahead
  std::uint64_t cache = 8192;      // capacity in sectors

  unsigned rpm = 7200;
  Ps seek_min_ps = 1'000'000'000;   // to the next track
  Ps seek_max_ps = 18'000'000'000;  // from edge to edge
  unsigned zones = 16;
  double inner_rate = 0.5;  // rate of the innermost zone, of the outermost's
};

}  // namespace kumihimo
