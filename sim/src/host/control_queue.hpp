// SPDX-License-Identifier: Apache-2.0
//
// The ring of a control queue that a host port drives itself (virtio 1.2, 5.1.6.5), one command at
// a time, in a page of memory that only the device sees.
//
// QEMU and DPDK keep the control queue of their guests and tell a back end only which queues are
// enabled. A card has to be told by a command how many pairs are in use, and that it shall receive
// whatever comes, as every other vhost-user back end does.
//
// The device reads and writes in windows, the port between them. What the device reads is recorded
// like the guest's memory, so a replay needs none of this.
#pragma once

#include <cstdint>
#include <optional>

#include "base/types.hpp"
#include "host/vhost_message.hpp"

namespace kumihimo {

class ControlQueue {
 public:
  // Beyond what any processor addresses, so no guest has memory there.
  static constexpr std::uint64_t kBase = std::uint64_t{1} << 62, kBytes = 4096;
  static constexpr std::uint32_t kSize = 2;  // descriptors: what is asked, and the answer
  static constexpr std::uint64_t kDriverArea = kBase + 256, kDeviceArea = kBase + 512;
  // What a front end that keeps the control queue does not negotiate.
  static constexpr std::uint64_t kFeatures =
      std::uint64_t{1} << vhost::kFeatureControl | std::uint64_t{1} << vhost::kFeatureControlRx;

  // As the device begins after a reset.
  void reset(bool packed);
  // Makes a command available; the one before has been answered.
  void put(std::uint8_t kind, std::uint8_t number, const Bytes& data);
  // 0 if the device has carried it out; empty while it has not answered.
  std::optional<std::uint8_t> answer() const;

  static bool inside(std::uint64_t address, std::uint64_t bytes) {
    return address >= kBase && bytes <= kBytes && address - kBase <= kBytes - bytes;
  }
  void read(std::uint64_t address, void* to, std::uint64_t bytes) const;
  void write(std::uint64_t address, const void* from, std::uint64_t bytes);

 private:
  void word(std::uint64_t offset, std::uint64_t value, unsigned bytes);
  std::uint16_t half(std::uint64_t offset) const;

  std::uint8_t page_[kBytes] = {};
  bool packed_ = false;
  std::uint16_t commands_ = 0;  // since the reset
};

}  // namespace kumihimo
