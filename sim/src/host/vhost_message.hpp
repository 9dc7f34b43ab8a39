// SPDX-License-Identifier: Apache-2.0
//
// The messages of the vhost-user protocol (QEMU's docs/interop/vhost-user), as far as a network
// device needs them. Little-endian, as the machine is.
#pragma once

#include <cstdint>

namespace kumihimo::vhost {

enum class Request : std::uint32_t {
  kGetFeatures = 1,
  kSetFeatures = 2,
  kSetOwner = 3,
  kResetOwner = 4,
  kSetMemTable = 5,
  kSetLogBase = 6,
  kSetLogFd = 7,
  kSetVringNum = 8,
  kSetVringAddr = 9,
  kSetVringBase = 10,
  kGetVringBase = 11,
  kSetVringKick = 12,
  kSetVringCall = 13,
  kSetVringErr = 14,
  kGetProtocolFeatures = 15,
  kSetProtocolFeatures = 16,
  kGetQueueNum = 17,
  kSetVringEnable = 18,
  kSendRarp = 19,
  kNetSetMtu = 20,
  kSetBackendReqFd = 21,
  kGetConfig = 24,
  kSetConfig = 25,
  kResetDevice = 34,
  kVringKick = 35,
  kGetMaxMemSlots = 36,
  kAddMemReg = 37,
  kRemMemReg = 38,
  kSetStatus = 39,
  kGetStatus = 40
};

// Of the back end, on the descriptor of kSetBackendReqFd.
enum class BackendRequest : std::uint32_t { kConfigChange = 2, kVringCall = 4 };

inline constexpr std::uint32_t kVersion = 1, kVersionMask = 3, kReply = 4, kNeedReply = 8;
inline constexpr std::uint64_t kNoDescriptor = 0x100;  // in the messages that carry one

// Bits of the feature words that concern the protocol.
inline constexpr unsigned kFeatureProtocol = 30;
inline constexpr unsigned kFeaturePacked = 34;
inline constexpr unsigned kFeatureControl = 17, kFeatureControlRx = 18, kFeatureMultiqueue = 22;
enum ProtocolFeature : unsigned {
  kMultiqueue = 0,
  kReplyAck = 3,
  kBackendReq = 5,
  kConfig = 9,
  kResetDeviceFeature = 13,
  kInBand = 14,
  kMemSlots = 15,
  kStatus = 16
};

struct Header {
  std::uint32_t request, flags, size;
};
struct VringState {
  std::uint32_t index, value;
};
struct VringAddr {
  std::uint32_t index, flags;
  std::uint64_t descriptors, used, available, log;
};
struct Region {
  std::uint64_t guest, bytes, user, offset;
};
inline constexpr unsigned kTableRegions = 8;
struct MemTable {
  std::uint32_t count, padding;
  Region regions[kTableRegions];
};
struct OneRegion {
  std::uint64_t padding;
  Region region;
};
inline constexpr std::uint32_t kConfigBytes = 256;
struct ConfigSpace {
  std::uint32_t offset, size, flags;
  std::uint8_t data[kConfigBytes];
};

}  // namespace kumihimo::vhost
