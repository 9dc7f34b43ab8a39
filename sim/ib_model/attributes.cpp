// SPDX-License-Identifier: Apache-2.0
#include "attributes.hpp"

#include <bit>
#include <tuple>

namespace kumihimo::ib_model {

Attributes::Attributes(const Params& p, Tables& tables, std::vector<Port*> ports)
    : params_(p),
      tables_(tables),
      ports_(std::move(ports)),
      port_bits_(static_cast<unsigned>(std::bit_width(p.ports))),
      positions_((p.ports + 16) / 16) {
  for (const Kind k : {kPortInfo, kPKeys, kArbLow, kArbHigh, kGuids}) {
    memory_[k].resize(p.ports + 1);
  }
  for (const Kind k : {kNodeInfo, kNodeDesc, kSwitchInfo}) memory_[k].resize(1);
  memory_[kSlToVl].resize(std::size_t{1} << (2 * port_bits_));
  memory_[kLft].resize(p.lft_cap / 64);
  memory_[kMft].resize(p.mft_cap / 32 * positions_);
}

void Attributes::start(std::uint64_t guid, const Block& description) {
  guid_ = guid;
  description_ = description;
  for (block_ = 0; block_ < kStored; ++block_) {
    for (index_ = 0; index_ < memory_[block_].size(); ++index_) {
      for (unsigned w = 0; w < 16; ++w) {
        const std::uint32_t value = reset_word(block_, index_, w).value;
        memory_[block_][index_][w] = value;
        apply(w, value, value, true);
      }
    }
  }
}

// ---- Which attribute ---------------------------------------------------------------------------

Status Attributes::decode(const Request& r) {
  const Status s = select(r);
  arrival_ = r.arrival;
  return s;
}

Status Attributes::select(const Request& r) {
  const std::uint32_t mod = r.modifier;
  const unsigned ports = params_.ports;
  const unsigned low = mod & 0xFF, middle = mod >> 8 & 0xFF, high = mod >> 16;
  index_ = 0;
  port_ = r.arrival;
  bool settable = true, field = true;
  if (r.qp1) {
    port_ = r.first >> 16 & 0x7F;
    const unsigned number = r.first >> 16 & 0xFF;
    field = number != 0 && number <= ports;
    switch (r.attribute) {
      case 0x01:
        block_ = kClassInfo;
        settable = false;
        field = true;
        break;
      case 0x12:
        block_ = kCountersBlock;
        break;
      case 0x1D:
        block_ = kCountersExt;
        break;
      default:
        return kBadAttribute;
    }
  } else {
    switch (r.attribute) {
      case 0x10:
        block_ = kNodeDesc;
        settable = false;
        break;
      case 0x11:
        block_ = kNodeInfo;
        settable = false;
        break;
      case 0x12:
        block_ = kSwitchInfo;
        break;
      case 0x14:
        block_ = kGuids;
        port_ = 0;
        field = mod == 0;
        break;
      case 0x15:
        block_ = kPortInfo;
        port_ = index_ = low & 0x7F;
        field = low <= ports && middle == 0 && (high & 0x7FFF) == 0;
        break;
      case 0x16:
        block_ = kPKeys;
        port_ = index_ = high & 0x7F;
        field = low == 0 && middle == 0 && high <= ports;
        break;
      case 0x17:
        block_ = kSlToVl;
        port_ = low & 0x7F;
        index_ =
            (middle & ((1u << port_bits_) - 1)) << port_bits_ | (low & ((1u << port_bits_) - 1));
        field = middle <= ports && low <= ports;
        break;
      case 0x18:
        block_ = (mod >> 17 & 1) != 0 ? kArbHigh : kArbLow;
        port_ = index_ = low & 0x7F;
        field = (high == 1 || high == 3) && middle == 0 && low <= ports;
        break;
      case 0x19:
        block_ = kLft;
        index_ = mod & 0xFFFF;
        field = mod < params_.lft_cap / 64;
        break;
      case 0x1B:
        block_ = kMft;
        index_ = (mod & 0x1FF) + (mod >> 28) * (params_.mft_cap / 32);
        field = (mod >> 9 & 0x7FFFF) == 0 && (mod & 0x1FF) < params_.mft_cap / 32 &&
                mod >> 28 < positions_;
        break;
      default:
        return kBadAttribute;
    }
  }
  if (r.set && !settable) return kBadAttribute;
  return field ? kOk : kBadField;
}

// ---- Set ---------------------------------------------------------------------------------------

bool Attributes::may_be(unsigned word, std::uint32_t value) const {
  if (block_ == kSwitchInfo) return word != 1 || (value & 0xFFFF) < params_.lft_cap;
  if (block_ != kPortInfo) return true;
  switch (word) {
    case 4:
      return index_ != 0 || value >> 16 < kMcastLid;
    case 8: {
      const unsigned state = value >> 24 & 0xF, phys = value >> 20 & 0xF;
      const unsigned down = value >> 16 & 0xF;
      bool ok = state <= 1 || index_ == 0;
      if (index_ != 0 && state == 3) ok = ports_[index_ - 1]->state() >= kInit;
      if (index_ != 0 && state == 4) ok = ports_[index_ - 1]->state() >= kArmed;
      return ok && (phys == 0 || phys == kPolling || phys == kDisabled) && (down == 0 || down == 2);
    }
    case 9:
      return value >> 28 <= params_.mtu_cap;
    case 10:
      return (value >> 4 & 0xF) <= vls_code(params_.data_vls);
    default:
      return true;
  }
}

bool Attributes::check(const std::uint32_t* data) const {
  for (unsigned w = 0; w < 16; ++w) {
    if (!may_be(w, data[w])) return false;
  }
  return true;
}

void Attributes::write(const std::uint32_t* data) {
  commanded_down = 0;
  clear_change = false;
  if (block_ >= kStored) {
    clear_counters(data);
    return;
  }
  const unsigned words = block_ == kSlToVl ? 2 : 16;
  for (unsigned w = 0; w < words; ++w) {
    std::uint32_t mask = reset_word(block_, index_, w).mask;
    if (block_ == kPortInfo) {  // fields in which 0 means no change
      if (w == 8 && (data[w] >> 16 & 0xF) == 0) mask &= ~0x000F0000u;
      if (w == 9 && data[w] >> 28 == 0) mask &= ~0xF0000000u;
      if (w == 10 && (data[w] >> 4 & 0xF) == 0) mask &= ~0xF0u;
    }
    std::uint32_t& word = memory_[block_][index_][w];
    word = (word & ~mask) | (data[w] & mask);
    apply(w, word, data[w], false);
  }
}

void Attributes::apply(unsigned word, std::uint32_t value, std::uint32_t raw, bool init) {
  switch (block_) {
    case kPortInfo:
      if (index_ == 0) {
        if (word == 4) tables_.lid = static_cast<std::uint16_t>(value >> 16);
      } else {
        apply_port(word, value, raw, init);
      }
      break;
    case kArbLow:
    case kArbHigh: {
      if (index_ == 0 || word >= kArbEntries / 2) break;
      PortConfig& c = ports_[index_ - 1]->config;
      ArbTable& table = block_ == kArbLow ? c.low : c.high;
      for (unsigned i = 0; i < 2; ++i) {
        const std::uint32_t entry = value >> (16 * (1 - i));
        table[2 * word + i] = {entry >> 8 & 0xF, entry & 0xFF};
      }
      break;
    }
    case kSwitchInfo:
      apply_switch(word, value, raw, init);
      break;
    case kSlToVl:
    case kLft:
    case kMft:
      if (!init || block_ == kSlToVl) apply_tables(word, value);
      break;
    default:
      break;
  }
}

void Attributes::apply_port(unsigned word, std::uint32_t value, std::uint32_t raw, bool init) {
  PortConfig& c = ports_[index_ - 1]->config;
  const std::uint64_t bit = std::uint64_t{1} << index_;
  switch (word) {
    case 8:
      if (!init) {
        c.command = static_cast<PortState>(raw >> 24 & 7);
        if (c.command == kDown) commanded_down |= bit;
        if ((raw >> 20 & 0xF) == kDisabled) {
          c.enable = false;
          commanded_down |= bit;
        }
      }
      if (init || (raw >> 20 & 0xF) == kPolling) c.enable = true;
      break;
    case 9:
      c.mtu = value >> 28 & 7;
      c.high_limit = value >> 8 & 0xFF;
      break;
    case 10:
      c.vl_stall = value >> 13 & 7;
      c.hoq_life = value >> 8 & 0x1F;
      c.oper_vls = value >> 4 & 7;
      break;
    case 13:
      c.phy_errors = value >> 20 & 0xF;
      c.overrun_errors = value >> 16 & 0xF;
      break;
    default:
      break;
  }
}

void Attributes::apply_switch(unsigned word, std::uint32_t value, std::uint32_t raw, bool init) {
  if (word != 2) return;
  tables_.life_time = value >> 3 & 0x1F;
  clear_change = (raw & 4) != 0 && !init;
}

void Attributes::apply_tables(unsigned word, std::uint32_t value) {
  if (block_ == kLft) {
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned lid = 64 * index_ + 4 * word + i;
      tables_.lft[lid] = static_cast<std::uint8_t>(value >> (8 * (3 - i)));
    }
  } else if (block_ == kMft) {
    const unsigned blocks = params_.mft_cap / 32, position = index_ / blocks;
    for (unsigned i = 0; i < 2; ++i) {
      std::uint64_t& mask = tables_.mft[32 * (index_ % blocks) + 2 * word + i];
      const std::uint64_t part = value >> (16 * (1 - i)) & 0xFFFF;
      mask = (mask & ~(std::uint64_t{0xFFFF} << (16 * position))) | part << (16 * position);
    }
  } else if (word == 1) {
    const unsigned in = index_ >> port_bits_, out = index_ & ((1u << port_bits_) - 1);
    if (in > params_.ports || out > params_.ports) return;
    const std::uint64_t first = memory_[kSlToVl][index_][0];
    tables_.sl_to_vl[in * (params_.ports + 1) + out] = first << 32 | value;
  }
}

// CounterSelect, and CounterSelect2 of XmitWait: these counters become zero.
void Attributes::clear_counters(const std::uint32_t* data) {
  PortCounters& c = ports_[port_ - 1]->counters;
  const unsigned select = data[0] & 0xFFFF;
  if (block_ == kCountersExt) {
    for (unsigned i = 0; i < 4; ++i) {
      if ((select >> i & 1) != 0) c.clear(static_cast<Counter>(kExtXmitData + i));
    }
    return;
  }
  for (unsigned i = 0; i < 16; ++i) {
    if ((select >> i & 1) != 0) c.clear(static_cast<Counter>(i));
  }
  if ((data[4] >> 8 & 1) != 0) c.clear(kXmitWait);
}

// ---- Get ---------------------------------------------------------------------------------------

std::uint32_t Attributes::counter_word(unsigned word) const {
  const PortCounters& c = ports_[port_ - 1]->counters;
  const auto at = [&c](Counter n) { return static_cast<std::uint32_t>(c[n]); };
  if (block_ == kCountersExt) {
    static constexpr std::array<Counter, 4> kPairs = {kExtXmitData, kExtRcvData, kExtXmitPkts,
                                                      kExtRcvPkts};
    if (word < 2 || word > 9) return 0;
    const std::uint64_t value = c[kPairs[(word - 2) / 2]];
    return static_cast<std::uint32_t>(word % 2 == 0 ? value >> 32 : value);
  }
  switch (word) {
    case 1:
      return at(kSymbolError) << 16 | at(kLinkErrorRecovery) << 8 | at(kLinkDowned);
    case 2:
      return at(kRcvErrors) << 16 | at(kRcvRemotePhysErrors);
    case 3:
      return at(kRcvSwitchRelayErrors) << 16 | at(kXmitDiscards);
    case 4:
      return at(kLinkIntegrityErrors) << 4 | at(kBufferOverrunErrors);
    case 5:
      return at(kVl15Dropped);
    case 6:
      return at(kXmitData);
    case 7:
      return at(kRcvData);
    case 8:
      return at(kXmitPkts);
    case 9:
      return at(kRcvPkts);
    case 10:
      return at(kXmitWait);
    default:
      return 0;
  }
}

std::uint32_t Attributes::seen(unsigned word, const Live& live, const std::uint32_t* data) const {
  if (block_ == kClassInfo) return word == 0 ? 0x01011400 : word == 1 ? 18 : 0;
  if (block_ >= kStored) return word == 0 ? data[0] & 0xFFFFFF : counter_word(word);
  std::uint32_t value = memory_[block_][index_][word];
  if (block_ == kPortInfo) {
    const bool end_port = index_ == 0;
    if (word < 2 && live.hide_m_key) value = 0;
    if (word == 7) value = (value & 0xFFFFFF) | arrival_ << 24;
    if (word == 8) {
      const unsigned state = end_port ? kActive : ports_[index_ - 1]->state();
      const unsigned phys = end_port ? kLinkUp : ports_[index_ - 1]->phys();
      value = (value & 0xF00FFFFF) | state << 24 | phys << 20;
      if (end_port) value = (value & ~0xC000u) | live.protect << 14;
    }
    if (word == 11 && end_port) value = (value & 0xFFFF) | live.violations << 16;
  } else if (block_ == kNodeInfo) {
    if (word == 5) value = static_cast<std::uint32_t>(guid_ >> 32);
    if (word == 6) value = static_cast<std::uint32_t>(guid_);
    if (word == 9) value = arrival_ << 24 | static_cast<std::uint32_t>(guid_ >> 40);
  } else if (block_ == kSwitchInfo) {
    if (word == 2) value = (value & ~4u) | (live.state_change ? 4u : 0);
  } else if (block_ == kSlToVl && word > 1) {
    value = 0;
  }
  return value;
}

void Attributes::read(std::uint32_t* data, const Live& live) const {
  Block block;
  for (unsigned w = 0; w < 16; ++w) block[w] = seen(w, live, data);
  for (unsigned w = 0; w < 16; ++w) data[w] = block[w];
  if (block_ >= kStored) {
    for (unsigned w = 16; w < 48; ++w) data[w] = 0;
  }
}

}  // namespace kumihimo::ib_model
