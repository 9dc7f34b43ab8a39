// SPDX-License-Identifier: Apache-2.0
//
// The engine's end of an InfiniBand port: what its 1 or 4 lanes carry in a clock cycle is one
// block, both ways, for ever (kumi_block in kumi/abi.h).
//
// From the node (IbTx): each edge takes the block that the node shows; with `quiet` it is dark.
// Toward the node (IbRx): each edge shows the latest block that has arrived. Skew of the lanes, bit
// errors and the alignment of symbols are in the block already. Without a signal every symbol is a
// code violation.
// Traits: the accessors data(m), k(m), and quiet(m) from the node, err(m), signal(m) toward it;
// kLanes, kSymbols: of the port and of all its lanes together.
#pragma once

#include "kumi/node/stream.hpp"

namespace kumi::node {

template <class Model, unsigned Index, unsigned Clock, class T>
class IbTx {
 public:
  static constexpr unsigned kIndex = Index;
  static constexpr unsigned kClock = Clock;
  static constexpr bool kAxil = false;

  void close(Model&) {}
  void begin(kumi_port&) {}
  void drive(Model&, kumi_port&, uint64_t) {}
  bool sample(Model& m, kumi_port& p, uint64_t t) {
    const bool quiet = T::quiet(m) != 0;
    kumi_block& b = *kumi_blocks_push(&p.lane_tx);
    b = {};
    b.t_ps = t;
    if (quiet) {
      b.flags = KUMI_LANE_DARK;
    } else {
      b.data = T::data(m);
      b.head = T::k(m);
      if (quiet_) b.flags = KUMI_LANE_PLUGGED;
      ++p.stats.tx_beats;
    }
    quiet_ = quiet;
    return false;
  }

 private:
  bool quiet_ = true;
};

template <class Model, unsigned Index, unsigned Clock, class T>
class IbRx {
 public:
  static constexpr unsigned kIndex = Index;
  static constexpr unsigned kClock = Clock;
  static constexpr bool kAxil = false;

  void close(Model& m) { show(m, 0, 0, kAll, 0); }

  void begin(kumi_port& p) {
    if (p.cfg.seed != seed_) {
      seed_ = p.cfg.seed;
      rng_ = Rng(seed_ ^ 0x4942);
    }
  }

  void drive(Model& m, kumi_port& p, uint64_t t) {
    kumi_blocks& q = p.lane_rx;
    unsigned fresh = 0;
    while (q.head != q.tail) {
      const kumi_block& b = q.buf[q.head & (q.cap - 1)];
      if (b.t_ps > t) break;
      if (b.flags != 0) [[unlikely]]
        dark_ = (b.flags & KUMI_LANE_DARK) != 0;
      data_ = b.data;
      k_ = b.head;
      err_ = b.err;
      ++fresh;
      ++q.head;
    }
    if (dark_) [[unlikely]] {
      ++p.stats.lane_dark;
      show(m, p.cfg.lane_noise != 0 ? rng_.next() : 0, 0, kAll, 0);
      return;
    }
    p.stats.rx_beats += fresh;
    if (fresh == 0) ++p.stats.lane_repeats;
    if (fresh > 1) p.stats.lane_skips += fresh - 1;
    show(m, data_, k_, err_, (1u << T::kLanes) - 1);
  }

  bool sample(Model&, kumi_port&, uint64_t) { return false; }

 private:
  static constexpr unsigned kAll = (1u << T::kSymbols) - 1;

  static void show(Model& m, uint64_t data, unsigned k, unsigned err, unsigned signal) {
    if constexpr (T::kSymbols == 4) data &= 0xffffffffu;
    T::data(m) = data;
    T::k(m) = k;
    T::err(m) = err;
    T::signal(m) = signal;
  }

  uint64_t data_ = 0;
  uint8_t k_ = 0;
  uint8_t err_ = 0;
  bool dark_ = true;
  uint64_t seed_ = 0;
  Rng rng_;
};

}  // namespace kumi::node
