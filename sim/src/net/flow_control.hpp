// SPDX-License-Identifier: Apache-2.0
//
// MAC control frames: PAUSE (IEEE 802.3 Annex 31B) and priority flow control (Annex 31D).
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/types.hpp"

namespace kumihimo {

inline constexpr unsigned kClasses = 8;
inline constexpr std::uint16_t kPauseQuanta = 0xffff;
inline constexpr unsigned kQuantumBytes = 64;  // 512 bit times

struct FlowControl {
  bool pfc = false;
  std::uint8_t classes = 0;  // PFC: enable vector
  std::array<std::uint16_t, kClasses> quanta{};
};

// Duration of a pause; a line without a rate counts as 100 Gb/s.
inline Ps pause_time(std::uint16_t quanta, double ppb) {
  return byte_time(ppb > 0 ? ppb : 80.0, static_cast<std::uint64_t>(quanta) * kQuantumBytes);
}

std::optional<FlowControl> parse_flow_control(const Bytes& frame);
Bytes make_pause(std::uint64_t source_mac, std::uint16_t quanta);
Bytes make_pfc(std::uint64_t source_mac, unsigned priority, std::uint16_t quanta);

// 01-80-C2-00-00-0x: never forwarded by a bridge (IEEE 802.1Q 8.6.3).
bool is_reserved(const Bytes& frame);
// Priority of the outer VLAN tag, 0 without one.
unsigned vlan_priority(const Bytes& frame);

}  // namespace kumihimo
