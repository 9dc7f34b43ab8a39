// SPDX-License-Identifier: Apache-2.0
#include "identity.hpp"

#include <utility>

namespace kumihimo::model {

namespace {
constexpr std::uint32_t kMagic = 0x494D554B, kVersion = 0x01000100, kKindId = 0x20204449;
constexpr std::uint32_t kScratchAt = 0x0C, kNameAt = 0x20, kNameBytes = 32, kTableAt = 0x80,
                        kEnd = 0x100;
}  // namespace

Identity::Identity(std::string_view name, unsigned data_w, std::uint64_t build,
                   std::vector<std::uint32_t> kinds)
    : name_(name), data_w_(data_w), build_(build), kinds_(std::move(kinds)) {
  kinds_.insert(kinds_.begin(), kKindId);
}

bool Identity::read(std::uint32_t at, std::uint64_t cycles, std::uint32_t& value) {
  value = 0;
  if (at >= kEnd) return false;
  if (at >= kTableAt) {
    const std::uint32_t entry = (at - kTableAt) / 8;
    const bool place = (at & 4) != 0;
    if (entry < kinds_.size()) {
      value = place ? entry << 12 | 1 : kinds_[entry];
    } else if (place) {
      value = entry << 12;
    }
    return true;
  }
  if (at >= kNameAt && at < kNameAt + kNameBytes) {
    for (unsigned i = 0; i < 4 && at - kNameAt + i < name_.size(); ++i) {
      value |= static_cast<std::uint32_t>(static_cast<std::uint8_t>(name_[at - kNameAt + i]))
               << (8 * i);
    }
    return true;
  }
  switch (at) {
    case 0x00:
      value = kMagic;
      return true;
    case 0x04:
      value = kVersion;
      return true;
    case 0x08:
      value = data_w_ | static_cast<std::uint32_t>(kinds_.size()) << 16;
      return true;
    case kScratchAt:
      value = scratch_;
      return true;
    case 0x10:
      value = static_cast<std::uint32_t>(build_);
      return true;
    case 0x14:
      value = static_cast<std::uint32_t>(build_ >> 32);
      return true;
    case 0x18:
      cycles_high_ = static_cast<std::uint32_t>(cycles >> 32);
      value = static_cast<std::uint32_t>(cycles);
      return true;
    case 0x1C:
      value = cycles_high_;
      return true;
    default:
      return false;
  }
}

bool Identity::write(std::uint32_t at, std::uint32_t data, std::uint8_t strb) {
  if (at != kScratchAt) return false;
  const std::uint32_t bits = strobed(strb);
  scratch_ = (scratch_ & ~bits) | (data & bits);
  return true;
}

}  // namespace kumihimo::model
