// SPDX-License-Identifier: Apache-2.0
//
// How fast a disk is. Rates in bytes a second, times in picoseconds.
//
// SSD: each command waits latency (and up to jitter) beside the others, then its data passes at the
// rate of its direction. HDD: one arm. Seek time grows with the root of the distance; a sector has
// an angle and passes under the head once a turn; the rate falls from the first zone to the last.
#pragma once

#include <cstdint>

#include "base/types.hpp"

namespace kumihimo {

struct DiskProfile {
  bool rotating = false;
  double read_rate = 540e6;  // of the outermost zone
  double write_rate = 500e6;
  Ps latency_ps = 60'000'000;        // before the first data of a read that nobody expected
  Ps write_latency_ps = 20'000'000;  // before a run that somebody waits for is on the medium
  Ps jitter_ps = 20'000'000;
  std::uint64_t read_ahead = 256;  // sectors that are read on behind a read
  std::uint64_t cache = 8192;      // sectors that wait to be written

  unsigned rpm = 7200;
  Ps seek_min_ps = 1'000'000'000;   // to the next track
  Ps seek_max_ps = 18'000'000'000;  // from edge to edge
  unsigned zones = 16;
  double inner_rate = 0.5;  // rate of the innermost zone, of the outermost's
};

}  // namespace kumihimo
