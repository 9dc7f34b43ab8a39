// SPDX-License-Identifier: Apache-2.0
#include "registers.hpp"

namespace kumihimo::ib_model {

namespace {
constexpr std::uint32_t kMagic = 0x494D554B, kVersion = 0x01000100;
constexpr std::uint32_t kKindId = 0x20204449, kKindSwitch = 0x57534249;
constexpr std::uint32_t kPage = 0x1000, kIdentityBytes = 0x100, kStateBytes = 0x120,
                        kDropsAt = 0x180;
constexpr unsigned kBuilt = 8;  // elements of an array of ports
constexpr std::uint8_t kOkay = 0, kSlvErr = 2, kDecErr = 3;
constexpr char kName[33] = "ib_switch";
}  // namespace

bool Registers::identity(std::uint32_t at, std::uint64_t cycles, std::uint32_t& value) {
  value = 0;
  if (at >= 0x80) {
    const unsigned entry = (at - 0x80) / 8;
    const bool place = (at & 4) != 0;
    if (entry < 2) value = place ? entry << 12 | 1 : entry == 0 ? kKindId : kKindSwitch;
    return at < kIdentityBytes;
  }
  if (at >= 0x20 && at < 0x40) {
    for (unsigned i = 0; i < 4; ++i) {
      value |= static_cast<std::uint32_t>(static_cast<std::uint8_t>(kName[at - 0x20 + i]))
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
      value = params_.data_w | 2u << 16;
      return true;
    case 0x0C:
      value = scratch_;
      return true;
    case 0x10:
      value = static_cast<std::uint32_t>(params_.build);
      return true;
    case 0x14:
      value = static_cast<std::uint32_t>(params_.build >> 32);
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

bool Registers::state(const Switch& of, std::uint32_t at, std::uint32_t& value) const {
  value = 0;
  if (at == 0) {
    value = params_.ports | params_.lanes << 8 | params_.data_vls << 12 | params_.data_w / 8 << 16 |
            (of.ready() ? 1u << 31 : 0);
    return true;
  }
  if (at == 4) {
    value = of.tables().lid;
    return true;
  }
  if (at >= kDropsAt && at < kDropsAt + 4 * Agent::kDrops) {
    value = of.agent().drops[(at - kDropsAt) / 4];
    return true;
  }
  if (at < 0x20 || at >= kStateBytes) return false;
  const unsigned index = at / 4 % kBuilt;
  if (index >= params_.ports) return true;
  const Port& port = of.port(index + 1);
  static constexpr Counter kShown[] = {
      kSymbolError,  kLinkDowned, kRcvErrors, kRcvSwitchRelayErrors,
      kXmitDiscards, kXmitPkts,   kRcvPkts};
  const unsigned row = at / (4 * kBuilt);
  if (row == 1) {
    const std::uint32_t lanes = port.present() ? (1u << params_.lanes) - 1 : 0;
    value = port.phys() | static_cast<std::uint32_t>(port.state()) << 4 | lanes << 8;
  } else {
    value = static_cast<std::uint32_t>(port.counters[kShown[row - 2]]);
  }
  return true;
}

void Registers::complete(const Switch& of, std::uint64_t cycles, kumi_axil_op& op) {
  const std::uint32_t page = op.addr / kPage, at = op.addr % kPage & ~3u;
  if (page > 1) {
    op.resp = kDecErr;
    return;
  }
  std::uint32_t value = 0;
  const bool there = page == 0 ? identity(at, cycles, value) : state(of, at, value);
  const bool writable = page == 0 && at == 0x0C;
  op.resp = there && (op.write == 0 || writable) ? kOkay : kSlvErr;
  if (op.write == 0) {
    op.data = value;
  } else if (writable) {
    for (unsigned i = 0; i < 4; ++i) {
      const std::uint32_t byte = 0xFFu << (8 * i);
      if ((op.strb >> i & 1) != 0) scratch_ = (scratch_ & ~byte) | (op.data & byte);
    }
  }
}

}  // namespace kumihimo::ib_model
