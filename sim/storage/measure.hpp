// SPDX-License-Identifier: Apache-2.0
//
// The speed test of a device, and runs of whole arrays in virtual time for the benches.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "array.hpp"
#include "sim_device.hpp"

namespace kumihimo::storage {

struct Speed {
  double read_mbs = 0, write_mbs = 0;
};

// Moves `bytes` in commands of `command` bytes, `depth` at a time, in order from the start of the
// device on: destroys what is there. All devices are tested at the same time.
std::vector<Speed> speed_test(const std::vector<DevicePtr>& devices, std::uint64_t bytes,
                              std::uint32_t command, unsigned depth,
                              const std::function<void()>& pump = {});

struct SimRun {
  std::vector<SimRates> devices;
  unsigned chunk_log2 = 16, k = 1, p = 0, depth = 2, window = 256;
  bool dynamic = false;
  bool equal = false;  // as if all were equally fast
  std::uint64_t stripes = 1600;
  int slow_index = -1;  // device that changes its rate
  double slow_after_s = 0, slow_factor = 0.5;
  int fail_index = -1;  // device that is lost after the write; then a rebuild
};

struct SimResult {
  double write_s = 0, read_s = 0, rebuild_s = 0;
  std::uint64_t user_bytes = 0, lost_bytes = 0;
  std::vector<std::uint64_t> chunks;  // of data and checks, a device, after the write
  std::uint64_t degraded_after = 0;
};

SimResult simulate(const SimRun& run);

}  // namespace kumihimo::storage
