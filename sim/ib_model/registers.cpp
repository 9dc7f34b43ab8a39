// SPDX-License-Identifier: Apache-2.0
#include "registers.hpp"

namespace kumihimo::ib_model {

namespace {
constexpr std::uint32_t kKindSwitch = 0x57534249;
constexpr std::uint32_t kStateBytes = 0x120, kDropsAt = 0x180;
constexpr unsigned kBuilt = 8;  // elements of an array of ports
}  // namespace

Registers::Registers(const Params& p)
    : params_(p), identity_("ib_switch", p.data_w, p.build, {kKindSwitch}) {}

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
  const std::uint32_t page = op.addr / model::kPage, at = op.addr % model::kPage & ~3u;
  if (page > 1) {
    op.resp = model::kDecErr;
    return;
  }
  std::uint32_t value = 0;
  bool there;
  if (op.write != 0) {
    there = page == 0 && identity_.write(at, op.data, op.strb);
  } else {
    there = page == 0 ? identity_.read(at, cycles, value) : state(of, at, value);
    op.data = value;
  }
  op.resp = there ? model::kOkay : model::kSlvErr;
}

}  // namespace kumihimo::ib_model
