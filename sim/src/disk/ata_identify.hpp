// SPDX-License-Identifier: Apache-2.0
//
// The 512 bytes of IDENTIFY DEVICE, and of the logs of a disk.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "sata/fis.hpp"

namespace kumihimo {

struct AtaIdentity {
  std::string serial, model, firmware;
  std::uint64_t sectors = 0;
  std::uint64_t wwn = 0;
  unsigned queue_depth = 32;
  bool trim = true;
  bool write_cache = true;  // current setting
  bool auto_activate = false;
  bool look_ahead = true;
  unsigned rpm = 0;  // 0: an SSD
};

inline constexpr unsigned kTrimBlocks = 8;   // most blocks of ranges in a command
inline constexpr unsigned kTrimRanges = 64;  // in a block

using AtaBlock = std::array<std::uint32_t, sata::kSectorWords>;

AtaBlock identify_block(const AtaIdentity& d);

// Log 10h: the failed queued command. not_queued: an unqueued command among queued ones.
AtaBlock error_log(bool not_queued, unsigned tag, const fis::Registers& r);
// Log 00h: directory of logs.
AtaBlock log_directory();

}  // namespace kumihimo
