// SPDX-License-Identifier: Apache-2.0
//
// A model checker of array states: every sequence of what users and faults can do, up to a length.
// After each operation a flushed byte reads as it was flushed, as something written since, or as an
// error; and with all disks plugged in that the array has not put out, it starts and has
// everything.
//
// Operations: write and flush; fail, unplug, plug in and replace a disk; start and start degraded
// (a running array is ended cleanly before); scrub; a power cut in the middle of a write and flush;
// a write and flush while the files of the disks have no space. Equal states are explored once.
#pragma once

#include <cstdint>

namespace kumihimo::storage {

struct StatesRun {
  unsigned disks = 3, k = 1, p = 1;
  unsigned length = 3;
  unsigned most_new = 2;        // disks that replace others, in a sequence
  std::uint64_t variation = 0;  // of where power is cut, and which files are full
  // Of the first operations only every so many, from that one on: for several processes.
  unsigned parts = 1, part = 0;
  unsigned walks = 0;  // instead of every sequence: so many of exactly `length`, at random
};

struct StatesResult {
  std::uint64_t states = 0;             // different ones, all checked
  std::uint64_t transitions = 0;        // operations done
  std::uint64_t right = 0, errors = 0;  // chunks read: as flushed (or written since), and errors
  std::uint64_t refused = 0;            // starts that were refused
};

// Throws StorageError with the sequence that breaks the rule.
StatesResult explore_states(const StatesRun& run);

}  // namespace kumihimo::storage
