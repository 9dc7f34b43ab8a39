// SPDX-License-Identifier: Apache-2.0
//
// The engine's end of a serial lane: one 66-bit block a clock cycle, both ways, for ever.
//
// From the node (LaneTx): each edge takes the block that the node shows.
// Toward the node (LaneRx): each edge shows the latest block that has arrived. With equal clocks
// that
//   is one a cycle; a receiver with a faster clock sees a block twice now and then, one with a
//   slower clock misses one. The window of 66 bits need not lie on a block: with shift s < 66 it
//   holds the last 66 - s bits of the block before and the first s of the latest one. A pulse of
//   slip moves it by one bit, in time for the next edge; after 66 pulses it is where it was. A dark
//   line shows zeros, or noise.
// Traits: the accessors data(m), head(m) and, toward the node, slip(m) if kHasSlip; without it the
// window always lies on a block.
#pragma once

#include "kumi/node/stream.hpp"

namespace kumi::node {

template <class Model, unsigned Index, unsigned Clock, class T>
class LaneTx {
 public:
  static constexpr unsigned kIndex = Index;
  static constexpr unsigned kClock = Clock;
  static constexpr bool kAxil = false;

  void close(Model&) {}
  void begin(kumi_port&) {}
  void drive(Model&, kumi_port&, uint64_t) {}
  bool sample(Model& m, kumi_port& p, uint64_t t) {
    kumi_block& b = *kumi_blocks_push(&p.lane_tx);
    b.t_ps = t;
    b.data = T::data(m);
    b.head = T::head(m);
    b.flags = 0;
    b.shift = 0;
    ++p.stats.tx_beats;
    return false;
  }
};

template <class Model, unsigned Index, unsigned Clock, class T>
class LaneRx {
 public:
  static constexpr unsigned kIndex = Index;
  static constexpr unsigned kClock = Clock;
  static constexpr bool kAxil = false;

  void close(Model& m) {
    T::data(m) = 0;
    T::head(m) = 0;
  }

  void begin(kumi_port& p) {
    if (p.cfg.seed != seed_) {
      seed_ = p.cfg.seed;
      rng_ = Rng(seed_ ^ 0x4c6e);
    }
  }

  void drive(Model& m, kumi_port& p, uint64_t t) {
    kumi_blocks& q = p.lane_rx;
    unsigned fresh = 0;
    while (q.head != q.tail) {
      const kumi_block& b = q.buf[q.head & (q.cap - 1)];
      if (b.t_ps > t) break;
      if (b.flags != 0) [[unlikely]]
        event(b);
      before_data_ = data_;
      before_head_ = head_;
      data_ = b.data;
      head_ = b.head;
      ++fresh;
      ++q.head;
    }
    if (dark_) [[unlikely]] {
      ++p.stats.lane_dark;
      T::data(m) = p.cfg.lane_noise != 0 ? rng_.next() : 0;
      T::head(m) = p.cfg.lane_noise != 0 ? rng_.next() & 3 : 0;
      return;
    }
    p.stats.rx_beats += fresh;
    if (fresh != 1) [[unlikely]] {
      if (fresh == 0) ++p.stats.lane_repeats;
      if (fresh > 1) p.stats.lane_skips += fresh - 1;
    }
    if (shift_ == KUMI_BLOCK_BITS) [[likely]] {
      T::data(m) = data_;
      T::head(m) = head_;
    } else {
      show_shifted(m);
    }
  }

  bool sample(Model& m, kumi_port& p, uint64_t) {
    if constexpr (T::kHasSlip) {
      if (T::slip(m)) {
        ++p.stats.lane_slips;
        shift_ = shift_ == KUMI_BLOCK_BITS ? 1 : shift_ + 1;
      }
    }
    return false;
  }

 private:
  void event(const kumi_block& b) {
    dark_ = (b.flags & KUMI_LANE_DARK) != 0;
    if (T::kHasSlip && (b.flags & KUMI_LANE_PLUGGED) != 0) shift_ = b.shift;
  }

  // Blocks as 66-bit numbers {head, data}, first bit on top: the low 66 - s bits of the one before,
  // then the top s of the latest.
  void show_shifted(Model& m) {
    const unsigned s = shift_;
    const unsigned __int128 before =
        static_cast<unsigned __int128>(before_head_) << 64 | before_data_;
    const unsigned __int128 latest = static_cast<unsigned __int128>(head_) << 64 | data_;
    const unsigned __int128 window = before << s | latest >> (KUMI_BLOCK_BITS - s);
    T::data(m) = static_cast<uint64_t>(window);
    T::head(m) = static_cast<uint8_t>(window >> 64) & 3;
  }

  uint64_t data_ = 0;
  uint64_t before_data_ = 0;
  uint8_t head_ = 0;
  uint8_t before_head_ = 0;
  bool dark_ = true;
  unsigned shift_ = KUMI_BLOCK_BITS;
  uint64_t seed_ = 0;
  Rng rng_;
};

}  // namespace kumi::node
