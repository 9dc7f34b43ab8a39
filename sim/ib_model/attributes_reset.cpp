// SPDX-License-Identifier: Apache-2.0
//
// Reset value of each word of each attribute, and which of its bits SubnSet may change (clause
// 14.2.5).
#include "attributes.hpp"

namespace kumihimo::ib_model {

namespace {
constexpr std::uint32_t kTimeout = 18;  // 4.096 us times 2^18: 1.07 s
constexpr std::uint32_t kCapabilities = 0x848;
constexpr unsigned kSpeed = 1;
}  // namespace

Attributes::Word Attributes::port_info(bool end_port, unsigned word) const {
  const std::uint32_t all = end_port ? ~0u : 0;
  const std::uint32_t width = params_.lanes == 4 ? 2 : 1;
  const std::uint32_t vl_cap = vls_code(params_.data_vls);
  switch (word) {
    case 2:
      return {end_port ? 0xFE800000 : 0, all};
    case 0:
    case 1:
    case 3:
    case 4:
      return {0, all};
    case 5:
      return {end_port ? kCapabilities : 0, 0};
    case 6:
      return {0, end_port ? 0xFFFFu : 0};
    case 7:
      return {width << 16 | width << 8 | width, 0};
    case 8:
      return {1u << 28 | 2u << 16 | kSpeed << 4 | 1u, end_port ? 0x000FC700u : 0x000F0000u};
    case 9:
      return {params_.mtu_cap << 28 | vl_cap << 20 | kArbEntries,
              end_port ? 0xFF0FFF00u : 0xF00FFF00u};
    case 10:
      return {kArbEntries << 24 | params_.mtu_cap << 16 | 7u << 13 | kTimeout << 8 | vl_cap << 4,
              0xFFF0};
    case 11:
      return {0, end_port ? ~0u : 0xFFFFu};
    case 12:
      return {(end_port ? 8u << 8 : 0) | kTimeout, end_port ? 0xFFFF007Fu : 0xFFFF0000u};
    case 13:
      return {8u << 24 | 0x88u << 16, 0x00FF0000};
    default:
      return {0, 0};
  }
}

Attributes::Word Attributes::switch_info(unsigned word) const {
  switch (word) {
    case 0:
      return {params_.lft_cap << 16, 0};
    case 1:
      return {params_.mft_cap << 16, 0xFFFF};
    case 2:
      return {kTimeout << 3, 0xFFFFFFF8};
    case 4:
      return {0, 0xFFFF};
    default:
      return {0, 0};
  }
}

Attributes::Word Attributes::reset_word(unsigned kind, unsigned index, unsigned word) const {
  const bool end_port = index == 0;
  switch (kind) {
    case kPortInfo:
      return port_info(end_port, word);
    case kPKeys:
      return {word == 0 ? 0xFFFF0000 : 0, ~0u};
    case kArbLow:
    case kArbHigh: {
      if (word >= kArbEntries / 2) return {0, 0};
      std::uint32_t value = 0;
      for (unsigned i = 0; i < 2; ++i) {
        const unsigned vl = 2 * word + i + (kind == kArbHigh ? 8 : 0);
        if (vl < params_.data_vls) value |= (vl << 8 | 32) << (16 * (1 - i));
      }
      return {value, 0x0FFF0FFF};
    }
    case kGuids:
      if (!end_port) return {0, 0};
      if (word > 1) return {0, ~0u};
      return {static_cast<std::uint32_t>(word == 0 ? guid_ >> 32 : guid_), 0};
    case kNodeInfo:
      switch (word) {
        case 0:
          return {0x01010200 | params_.ports, 0};
        case 1:
        case 3:
          return {static_cast<std::uint32_t>(guid_ >> 32), 0};
        case 2:
        case 4:
          return {static_cast<std::uint32_t>(guid_), 0};
        case 7:
          return {32u << 16 | 1, 0};
        case 8:
          return {1, 0};
        default:
          return {0, 0};
      }
    case kNodeDesc:
      return {description_[word], 0};
    case kSwitchInfo:
      return switch_info(word);
    case kSlToVl: {
      std::uint32_t value = 0;
      for (unsigned i = 0; i < 8; ++i) {
        value |= (i + 8 * (word & 1)) % params_.data_vls << (4 * (7 - i));
      }
      return {value, ~0u};
    }
    case kLft:
      return {~0u, ~0u};
    default:
      return {0, kind == kMft ? ~0u : 0};
  }
}

}  // namespace kumihimo::ib_model
