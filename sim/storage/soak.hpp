// SPDX-License-Identifier: Apache-2.0
//
// A long run in virtual time on disks that break: many requests at once, a rebuild beside them, and
// every byte compared. Nothing may be lost, and nothing may stall: if no event is left while a
// request is open, the run ends with an error.
#pragma once

#include <cstdint>

namespace kumihimo::storage {

struct SoakRun {
  unsigned ports = 16, k = 6, p = 2;
  unsigned rounds = 3;       // of three kinds in turn, see soak.cpp
  unsigned workers = 32;     // requests at once
  unsigned operations = 40;  // of a worker in a round
  double timeout_s = 0.5;    // after which a hanging disk is failed
  std::uint64_t seed = 1;
};

struct SoakResult {
  double virtual_s = 0;
  double longest_s = 0;       // of a request, while disks hang
  double longest_calm_s = 0;  // in rounds in which none hangs
  std::uint64_t writes = 0, reads = 0, bytes_compared = 0;
  std::uint64_t deaths = 0, hangs = 0, slowed = 0, read_errors = 0, bad_chunks = 0;
  std::uint64_t repaired = 0, replaced = 0;
};

// Throws StorageError when a byte is wrong or lost, or when the run stalls.
SoakResult soak(const SoakRun& run);

}  // namespace kumihimo::storage
