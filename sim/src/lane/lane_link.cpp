// SPDX-License-Identifier: Apache-2.0
#include "lane/lane_link.hpp"

#include <cmath>
#include <utility>

#include "base/rng.hpp"

namespace kumihimo {
namespace {

enum Purpose : std::uint64_t { kShift, kError };

}  // namespace

LaneLink::LaneLink(LaneConfig config)
    : config_(std::move(config)), delay_(config_.latency_ps + config_.skew_ps) {
  ++stats_.plugs;
  if (config_.symbols.lanes != 0) {
    symbols_.emplace(config_.symbols, config_.seed, config_.ber);
  } else {
    draw_error();
  }
}

void LaneLink::tap(std::unique_ptr<FrameTap> tap, bool arriving) {
  (arriving ? arriving_taps_ : sent_taps_).push_back({std::move(tap), IbPackets(config_.symbols)});
}

LaneStats LaneLink::stats() const {
  LaneStats s = stats_;
  if (symbols_) s.bit_errors = symbols_->bit_errors();
  return s;
}

void LaneLink::begin_window(unsigned parity) {
  writing_ = &batch_[parity & 1];
  writing_->clear();
}

void LaneLink::receive(kumi_blocks& to, unsigned parity) {
  for (const kumi_block& b : batch_[(parity & 1) ^ 1]) *kumi_blocks_push(&to) = b;
  for (const kumi_block& b : arrived_) *kumi_blocks_push(&to) = b;
  arrived_.clear();
}

void LaneLink::send(const kumi_blocks& blocks, Ps until) {
  std::uint64_t from = blocks.head;
  while (!config_.plug.empty() && config_.plug.begin()->first < until) [[unlikely]] {
    const auto [at, in] = *config_.plug.begin();
    std::uint64_t to = from;
    while (to != blocks.tail && blocks.buf[to & (blocks.cap - 1)].t_ps < at) ++to;
    copy(blocks, from, to);
    from = to;
    apply_plug(at, in);
    config_.plug.erase(config_.plug.begin());
  }
  copy(blocks, from, blocks.tail);
}

void LaneLink::apply_plug(Ps at, bool in) {
  if (in == plugged_) return;
  plugged_ = in;
  changed_ = true;
  last_change_ = at;
  if (in) {
    fresh_ = true;
    ++stats_.plugs;
    return;
  }
  kumi_block dark{};
  dark.t_ps = at + delay_;
  dark.flags = KUMI_LANE_DARK;
  writing_->push_back(dark);
  for (auto* taps : {&sent_taps_, &arriving_taps_}) {
    for (Tap& t : *taps) t.packets.block(dark, at, *t.frames);
  }
}

void LaneLink::copy(const kumi_blocks& blocks, std::uint64_t from, std::uint64_t to) {
  if (from == to) return;
  if (!plugged_) {
    stats_.lost += to - from;
    return;
  }
  if (symbols_) {
    copy_symbols(blocks, from, to);
    return;
  }
  const std::size_t first = writing_->size();
  writing_->resize(first + (to - from));
  kumi_block* out = writing_->data() + first;
  const std::uint64_t mask = blocks.cap - 1;
  for (std::uint64_t i = from; i != to; ++i, ++out) {
    *out = blocks.buf[i & mask];
    out->t_ps += delay_;
  }
  if (fresh_) {
    kumi_block& b = (*writing_)[first];
    b.flags = KUMI_LANE_PLUGGED;
    b.shift = static_cast<std::uint8_t>(1 + random_at(config_.seed, stats_.plugs, kShift) %
                                                KUMI_BLOCK_BITS);
    fresh_ = false;
  }
  stats_.blocks += to - from;
  if (config_.ber > 0) damage(first);
}

void LaneLink::copy_symbols(const kumi_blocks& blocks, std::uint64_t from, std::uint64_t to) {
  for (std::uint64_t i = from; i != to; ++i) {
    kumi_block b = blocks.buf[i & (blocks.cap - 1)];
    const Ps sent = b.t_ps;
    const bool dark = (b.flags & KUMI_LANE_DARK) != 0;
    if (fresh_ && !dark) {
      b.flags = KUMI_LANE_PLUGGED;
      fresh_ = false;
    }
    b.t_ps += delay_;
    for (Tap& t : sent_taps_) t.packets.block(b, sent, *t.frames);
    if (!dark) symbols_->add_errors(b, sent);
    for (Tap& t : arriving_taps_) t.packets.block(b, b.t_ps, *t.frames);
    symbols_->add_delays(b);
    writing_->push_back(b);
  }
  stats_.blocks += to - from;
}

// Flips bits of the blocks just written, from `first` on. Bit 0 of a block is first on the line.
void LaneLink::damage(std::size_t first) {
  const std::uint64_t bits = (writing_->size() - first) * KUMI_BLOCK_BITS;
  std::uint64_t at = bits_to_error_;
  while (at < bits) {
    kumi_block& b = (*writing_)[first + at / KUMI_BLOCK_BITS];
    const std::uint64_t bit = KUMI_BLOCK_BITS - 1 - at % KUMI_BLOCK_BITS;
    if (bit >= 64) {
      b.head ^= static_cast<std::uint8_t>(1u << (bit - 64));
    } else {
      b.data ^= std::uint64_t{1} << bit;
    }
    ++stats_.bit_errors;
    draw_error();
    at += 1 + bits_to_error_;
  }
  bits_to_error_ = at - bits;
}

// Bits until the next error: geometric.
void LaneLink::draw_error() {
  if (config_.ber <= 0) return;
  const double u = unit_at(config_.seed, errors_drawn_++, kError);
  const double skip = config_.ber >= 1 ? 0 : std::floor(std::log1p(-u) / std::log1p(-config_.ber));
  bits_to_error_ = skip < 0x1p60 ? static_cast<std::uint64_t>(skip) : std::uint64_t{1} << 60;
}

}  // namespace kumihimo
