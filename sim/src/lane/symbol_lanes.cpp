// SPDX-License-Identifier: Apache-2.0
#include "lane/symbol_lanes.hpp"

#include <algorithm>
#include <cmath>

#include "base/rng.hpp"
#include "lane/code_8b10b.hpp"

namespace kumihimo {
namespace {

enum Purpose : std::uint64_t { kDistance, kBoundary };

constexpr unsigned kGroupBits = 10;
constexpr unsigned kMostSymbols = 8;  // of all lanes in a block

std::uint8_t byte_of(const kumi_block& b, unsigned i) {
  return static_cast<std::uint8_t>(b.data >> 8 * i);
}

void put(kumi_block& b, unsigned i, std::uint8_t data, bool k, bool err) {
  const auto bit = static_cast<std::uint8_t>(1u << i);
  b.data = (b.data & ~(std::uint64_t{0xff} << 8 * i)) | std::uint64_t{data} << 8 * i;
  b.head = static_cast<std::uint8_t>(k ? b.head | bit : b.head & ~bit);
  b.err = static_cast<std::uint8_t>(err ? b.err | bit : b.err & ~bit);
}

}  // namespace

SymbolLanes::SymbolLanes(const SymbolLanesConfig& config, std::uint64_t seed, double ber)
    : config_(config), seed_(seed), ber_(ber) {
  draw();
}

// Bits until the next error: geometric.
void SymbolLanes::draw() {
  bits_to_error_ = std::uint64_t{1} << 60;
  if (ber_ <= 0) return;
  const double u = unit_at(seed_, drawn_++, kDistance);
  const double skip = ber_ >= 1 ? 0 : std::floor(std::log1p(-u) / std::log1p(-ber_));
  if (skip < 0x1p60) bits_to_error_ = static_cast<std::uint64_t>(skip);
}

void SymbolLanes::add_errors(kumi_block& block, Ps sent) {
  const unsigned symbols = config_.lanes * config_.symbols;
  std::array<std::uint16_t, kMostSymbols> masks{};
  bool hit = false;
  while (!flips_.empty() && flips_.begin()->first <= sent) [[unlikely]] {
    const BitFlip f = flips_.begin()->second;
    flips_.erase(flips_.begin());
    masks[f.lane * config_.symbols + f.bit / kGroupBits] ^=
        static_cast<std::uint16_t>(1u << f.bit % kGroupBits);
    ++bit_errors_;
    hit = true;
  }
  std::uint64_t bits = std::uint64_t{symbols} * kGroupBits;
  while (bits_to_error_ < bits) {
    const std::uint64_t n = symbols * kGroupBits - bits + bits_to_error_;
    masks[n / kGroupBits] ^= static_cast<std::uint16_t>(1u << n % kGroupBits);
    bits -= bits_to_error_ + 1;
    ++bit_errors_;
    hit = true;
    draw();
  }
  bits_to_error_ -= bits;
  if (hit || differ_) [[unlikely]] {
    damage(block, masks);
    return;
  }
  const Code8b10b& code = Code8b10b::get();
  block.err = 0;
  for (unsigned i = 0; i < symbols; ++i) {
    if (!code.pass(byte_of(block, i), (block.head >> i & 1u) != 0, sent_rd_[i / config_.symbols])) {
      block.err |= static_cast<std::uint8_t>(1u << i);
    }
  }
  received_rd_ = sent_rd_;
}

void SymbolLanes::damage(kumi_block& block, std::span<const std::uint16_t> masks) {
  const Code8b10b& code = Code8b10b::get();
  for (unsigned i = 0; i < config_.lanes * config_.symbols; ++i) {
    const unsigned lane = i / config_.symbols;
    const std::uint16_t group =
        code.encode(byte_of(block, i), (block.head >> i & 1u) != 0, sent_rd_[lane]);
    const Symbol8b10b got =
        code.decode(static_cast<std::uint16_t>(group ^ masks[i]), received_rd_[lane]);
    put(block, i, got.data, got.k, got.error);
  }
  differ_ = sent_rd_ != received_rd_;
}

void SymbolLanes::start_signal() {
  ++signals_;
  delayed_ = false;
  for (unsigned l = 0; l < config_.lanes; ++l) {
    const std::uint64_t r = random_at(seed_, signals_ * kMostLanes + l, kBoundary);
    delay_[l] = config_.skew[l] + static_cast<unsigned>(r % config_.symbols);
    delayed_ = delayed_ || delay_[l] != 0;
    way_[l].fill({});
  }
}

void SymbolLanes::add_delays(kumi_block& block) {
  if ((block.flags & KUMI_LANE_DARK) != 0) return;
  if ((block.flags & KUMI_LANE_PLUGGED) != 0) start_signal();
  if (!delayed_) return;
  for (unsigned s = 0; s < config_.symbols; ++s) {
    for (unsigned l = 0; l < config_.lanes; ++l) {
      const unsigned i = l * config_.symbols + s;
      const auto bit = [i](unsigned flags) { return static_cast<std::uint8_t>(flags >> i & 1u); };
      way_[l][at_] = {byte_of(block, i), bit(block.head), bit(block.err)};
      const Delayed& out = way_[l][(at_ - delay_[l]) % kRing];
      put(block, i, out.data, out.k != 0, out.err != 0);
    }
    at_ = (at_ + 1) % kRing;
  }
}

}  // namespace kumihimo
