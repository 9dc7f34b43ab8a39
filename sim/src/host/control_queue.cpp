// SPDX-License-Identifier: Apache-2.0
#include "host/control_queue.hpp"

#include <algorithm>
#include <cstring>

namespace kumihimo {
namespace {

constexpr std::uint64_t kAvailable = ControlQueue::kDriverArea - ControlQueue::kBase;
constexpr std::uint64_t kUsed = ControlQueue::kDeviceArea - ControlQueue::kBase;
constexpr std::uint64_t kCommand = 1024, kAnswer = 2048;
constexpr std::size_t kMostData = kAnswer - kCommand - 2;

// Of descriptors (2.7.5, 2.8.1).
constexpr std::uint16_t kNext = 1, kWrite = 2, kAvailableBit = 1 << 7, kUsedBit = 1 << 15;

}  // namespace

void ControlQueue::reset(bool packed) {
  std::memset(page_, 0, sizeof page_);
  packed_ = packed;
  commands_ = 0;
}

// Little-endian, as the machine is.
void ControlQueue::word(std::uint64_t offset, std::uint64_t value, unsigned bytes) {
  std::memcpy(page_ + offset, &value, bytes);
}

std::uint16_t ControlQueue::half(std::uint64_t offset) const {
  std::uint16_t value = 0;
  std::memcpy(&value, page_ + offset, sizeof value);
  return value;
}

void ControlQueue::put(std::uint8_t kind, std::uint8_t number, const Bytes& data) {
  const std::size_t bytes = std::min(data.size(), kMostData);
  page_[kCommand] = kind;
  page_[kCommand + 1] = number;
  std::copy_n(data.begin(), bytes, page_ + kCommand + 2);
  page_[kAnswer] = 0xff;
  // Each command takes the whole ring, so a packed one begins the next lap.
  const bool lap = commands_ % 2 == 0;
  const std::uint16_t shown = !packed_ ? 0 : lap ? kAvailableBit : kUsedBit;
  const std::uint64_t where[] = {kBase + kCommand, kBase + kAnswer};
  const std::uint64_t length[] = {2 + bytes, 1};
  const unsigned flags[] = {unsigned{kNext} | shown, unsigned{kWrite} | shown};
  for (unsigned i = 0; i < kSize; ++i) {
    word(16 * i, where[i], 8);
    word(16 * i + 8, length[i], 4);
    // Split: flags, and the next one. Packed: the id, and flags.
    word(16 * i + 12, packed_ ? flags[i] << 16 : flags[i] | 1u << 16, 4);
  }
  word(kAvailable + 4 + 2 * (commands_ % kSize), 0, 2);
  ++commands_;
  if (!packed_) word(kAvailable + 2, commands_, 2);
}

std::optional<std::uint8_t> ControlQueue::answer() const {
  if (packed_) {
    const bool lap = commands_ % 2 == 1;
    const std::uint16_t flags = half(14);
    if (((flags & kAvailableBit) != 0) != lap || ((flags & kUsedBit) != 0) != lap) return {};
  } else if (half(kUsed + 2) != commands_) {
    return {};
  }
  return page_[kAnswer];
}

void ControlQueue::read(std::uint64_t address, void* to, std::uint64_t bytes) const {
  std::memcpy(to, page_ + (address - kBase), bytes);
}

void ControlQueue::write(std::uint64_t address, const void* from, std::uint64_t bytes) {
  std::memcpy(page_ + (address - kBase), from, bytes);
}

}  // namespace kumihimo
