// SPDX-License-Identifier: Apache-2.0
#include "net/flow_control.hpp"

#include <algorithm>

namespace kumihimo {
namespace {

constexpr std::array<std::uint8_t, 6> kControlMac{0x01, 0x80, 0xc2, 0x00, 0x00, 0x01};

Bytes control_frame(std::uint64_t source_mac, std::uint16_t opcode) {
  Bytes f(kMinFrame, 0);
  std::copy(kControlMac.begin(), kControlMac.end(), f.begin());
  for (unsigned i = 0; i < 6; ++i) f[6 + i] = static_cast<std::uint8_t>(source_mac >> (40 - 8 * i));
  f[12] = 0x88;
  f[13] = 0x08;
  f[14] = static_cast<std::uint8_t>(opcode >> 8);
  f[15] = static_cast<std::uint8_t>(opcode);
  return f;
}

std::uint16_t be16(const Bytes& f, std::size_t at) {
  return static_cast<std::uint16_t>(f[at] << 8 | f[at + 1]);
}

void put16(Bytes& f, std::size_t at, std::uint16_t v) {
  f[at] = static_cast<std::uint8_t>(v >> 8);
  f[at + 1] = static_cast<std::uint8_t>(v);
}

}  // namespace

std::optional<FlowControl> parse_flow_control(const Bytes& f) {
  if (f.size() < 18 || be16(f, 12) != 0x8808) return std::nullopt;
  FlowControl fc;
  if (be16(f, 14) == 0x0001) {
    fc.classes = 0xff;
    fc.quanta.fill(be16(f, 16));
    return fc;
  }
  if (f.size() < 34 || be16(f, 14) != 0x0101) return std::nullopt;
  fc.pfc = true;
  fc.classes = f[17];
  for (unsigned i = 0; i < kClasses; ++i) fc.quanta[i] = be16(f, 18 + 2 * i);
  return fc;
}

Bytes make_pause(std::uint64_t source_mac, std::uint16_t quanta) {
  Bytes f = control_frame(source_mac, 0x0001);
  put16(f, 16, quanta);
  return f;
}

Bytes make_pfc(std::uint64_t source_mac, unsigned priority, std::uint16_t quanta) {
  Bytes f = control_frame(source_mac, 0x0101);
  f[17] = static_cast<std::uint8_t>(1u << priority);
  put16(f, 18 + 2 * priority, quanta);
  return f;
}

bool is_reserved(const Bytes& f) {
  return f.size() >= 6 && std::equal(kControlMac.begin(), kControlMac.end() - 1, f.begin()) &&
         f[5] <= 0x0f;
}

unsigned vlan_priority(const Bytes& f) {
  if (f.size() < 16) return 0;
  const std::uint16_t type = be16(f, 12);
  return type == 0x8100 || type == 0x88a8 ? f[14] >> 5 : 0;
}

}  // namespace kumihimo
