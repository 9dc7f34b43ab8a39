// SPDX-License-Identifier: Apache-2.0
//
// The registers of a virtio device at a host port (docs/decisions/0006-nic.md): the layout of
// virtio over PCI (virtio 1.2, 4.1.4.3) and what a cluster adds. Accesses are of 32 bits with byte
// strobes; a field of 8 or 16 bits lies at its own address.
#pragma once

#include <array>
#include <cstdint>

#include "kumi/abi.h"

namespace kumihimo::virtio {

inline constexpr std::uint32_t kDeviceFeatureSelect = 0x00, kDeviceFeature = 0x04,
                               kDriverFeatureSelect = 0x08, kDriverFeature = 0x0c,
                               kConfigVector = 0x10, kNumQueues = 0x12, kStatus = 0x14,
                               kQueueSelect = 0x16, kQueueSize = 0x18, kQueueVector = 0x1a,
                               kQueueEnable = 0x1c, kQueueDescriptors = 0x20, kQueueDriver = 0x28,
                               kQueueDevice = 0x30, kQueueReset = 0x3a, kConfig = 0x200,
                               kQueueBase = 0x300, kRegions = 0x400, kNotify = 0x2000;
inline constexpr std::uint32_t kConfigBytes = 64;
// {base, bytes, flags}, 64, 64 and 32 bits; bit 0 of the flags: valid.
inline constexpr std::uint32_t kRegionStride = 0x20;

inline constexpr std::uint32_t kRegionCount = 16;

// Bits of the status.
inline constexpr std::uint32_t kAcknowledge = 1, kDriver = 2, kDriverOk = 4, kFeaturesOk = 8,
                               kNeedsReset = 64;
inline constexpr std::uint16_t kConfigInterrupt = 0xfffe;  // the vector of configuration changes

inline kumi_axil_op write32(std::uint32_t address, std::uint32_t data) {
  kumi_axil_op op{};
  op.addr = address;
  op.data = data;
  op.strb = 0xf;
  op.write = 1;
  return op;
}

inline kumi_axil_op write_narrow(std::uint32_t address, std::uint32_t data, unsigned bytes) {
  const unsigned lane = address % 4;
  kumi_axil_op op = write32(address - lane, data << 8 * lane);
  op.strb = static_cast<std::uint8_t>(((1u << bytes) - 1) << lane);
  return op;
}
inline kumi_axil_op write16(std::uint32_t address, std::uint32_t data) {
  return write_narrow(address, data, 2);
}
inline kumi_axil_op write8(std::uint32_t address, std::uint32_t data) {
  return write_narrow(address, data, 1);
}

inline kumi_axil_op read32(std::uint32_t address) {
  kumi_axil_op op{};
  op.addr = address - address % 4;
  return op;
}
inline std::uint16_t field16(std::uint32_t address, std::uint32_t word) {
  return static_cast<std::uint16_t>(word >> 8 * (address % 4));
}

inline std::array<kumi_axil_op, 5> write_region(std::uint32_t index, std::uint64_t base,
                                                std::uint64_t bytes, bool valid) {
  const std::uint32_t at = kRegions + index * kRegionStride;
  return {write32(at, static_cast<std::uint32_t>(base)),
          write32(at + 4, static_cast<std::uint32_t>(base >> 32)),
          write32(at + 8, static_cast<std::uint32_t>(bytes)),
          write32(at + 12, static_cast<std::uint32_t>(bytes >> 32)),
          write32(at + 16, valid ? 1 : 0)};
}

}  // namespace kumihimo::virtio
