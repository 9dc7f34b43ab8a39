// SPDX-License-Identifier: Apache-2.0
//
// Common types of the engine: time, errors, messages.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "kumi/abi.h"

namespace kumihimo {

using Ps = std::uint64_t;  // virtual time, picoseconds
inline constexpr Ps kForever = UINT64_MAX;

// Line overhead of a frame without FCS, in bytes.
inline constexpr unsigned kPreambleBytes = 8;
inline constexpr unsigned kTrailerBytes = 16;  // FCS and inter-packet gap
inline constexpr unsigned kOverheadBytes = kPreambleBytes + kTrailerBytes;
inline constexpr std::size_t kMinFrame = 60;
inline constexpr std::size_t kMaxFrame = 65535;
inline constexpr std::size_t kMaxMessage = 1 << 30;  // through a channel

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class Level : int { kInfo = 0, kWarning = 1, kError = 2 };

struct Message {
  Level level;
  Ps t_ps;
  std::string source;
  std::string text;
};

using Bytes = std::vector<std::uint8_t>;

// A whole frame with the times of its first and last byte on the wire.
struct TimedFrame {
  Ps t_first = 0;
  Ps t_last = 0;
  bool bad = false;
  std::uint64_t user = 0;  // side-band of the last beat
  std::uint16_t id = 0;
  Bytes data;
};

inline double ps_per_byte(double rate_bps) { return rate_bps > 0 ? 8e12 / rate_bps : 0.0; }

inline Ps byte_time(double ppb, std::uint64_t bytes) {
  return static_cast<Ps>(ppb * static_cast<double>(bytes) + 0.5);
}

}  // namespace kumihimo
