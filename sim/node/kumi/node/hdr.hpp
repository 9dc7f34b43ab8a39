// SPDX-License-Identifier: Apache-2.0
//
// The engine's end of a header stream: one record a handshake, carried as a one-beat frame whose
// bytes are the record, little-endian. Records of up to 512 bits.
// Traits: kBits and the accessors data(m), valid(m), ready(m).
#pragma once

#include "kumi/node/stream.hpp"

namespace kumi::node {

template <class T, class Model>
class HdrRx {
 public:
  static constexpr unsigned kBytes = (T::kBits + 7) / 8;

  void close(Model& m) {
    T::valid(m) = 0;
    shown_ = false;
  }
  void begin(kumi_port& p) {
    if (p.cfg.seed != seed_) {
      seed_ = p.cfg.seed;
      rng_ = Rng(seed_ ^ 0x4872);
    }
  }
  void drive(Model& m, kumi_port& p, uint64_t t) {
    if (valid_) return;
    if (kumi_queue_size(&p.rx) != 0 && kumi_queue_front(&p.rx)->t_ps <= t &&
        (p.cfg.rx_stall == 0 || !rng_.chance(p.cfg.rx_stall))) {
      kumi_beat& b = *kumi_queue_front(&p.rx);
      if (b.len < kBytes) std::memset(b.data + b.len, 0, kBytes - b.len);
      put_bytes<T::kBits>(T::data(m), b.data);
      T::valid(m) = 1;
      valid_ = shown_ = true;
    } else if (shown_) {
      T::valid(m) = 0;
      shown_ = false;
    }
  }
  bool sample(Model& m, kumi_port& p) {
    if (!valid_) return false;
    if (!T::ready(m)) {
      ++p.stats.rx_wait;
      return false;
    }
    ++p.stats.rx_frames;
    ++p.stats.rx_beats;
    p.stats.rx_bytes += kBytes;
    kumi_queue_pop(&p.rx);
    valid_ = false;
    return true;
  }

 private:
  bool valid_ = false;
  bool shown_ = false;
  uint64_t seed_ = 0;
  Rng rng_;
};

template <class T, class Model>
class HdrTx {
 public:
  static constexpr unsigned kBytes = (T::kBits + 7) / 8;

  void close(Model& m) {
    T::ready(m) = 0;
    ready_ = false;
    held_ = false;
  }
  void begin(kumi_port& p) {
    if (p.cfg.seed != seed_) {
      seed_ = p.cfg.seed;
      rng_ = Rng(seed_ ^ 0x4854);
    }
  }
  void drive(Model& m, kumi_port& p, uint64_t) {
    ready_ = p.cfg.tx_stall == 0 || !rng_.chance(p.cfg.tx_stall);
    T::ready(m) = ready_;
  }
  bool sample(Model& m, kumi_port& p, uint64_t t) {
    const bool valid = T::valid(m);
    if (held_) {
      uint8_t now[KUMI_BEAT_BYTES];
      get_bytes<T::kBits>(T::data(m), now);
      if (!valid || std::memcmp(now, held_data_, kBytes) != 0) {
        ++p.stats.protocol_errors;
        held_ = false;
      }
    }
    if (!valid) return false;
    if (!ready_) {
      if (!held_) get_bytes<T::kBits>(T::data(m), held_data_);
      held_ = true;
      return false;
    }
    held_ = false;
    kumi_beat& b = *kumi_queue_push(&p.tx);
    get_bytes<T::kBits>(T::data(m), b.data);
    b.t_ps = t;
    b.user = 0;
    b.id = 0;
    b.dest = 0;
    b.len = kBytes;
    b.flags = KUMI_FIRST | KUMI_LAST;
    ++p.stats.tx_frames;
    ++p.stats.tx_beats;
    p.stats.tx_bytes += kBytes;
    return true;
  }

 private:
  bool ready_ = false;
  bool held_ = false;
  uint64_t seed_ = 0;
  Rng rng_;
  uint8_t held_data_[KUMI_BEAT_BYTES] = {};
};

template <class Model, unsigned Index, unsigned Clock, class RxT, class TxT>
class HdrPort {
  static constexpr bool kHasRx = !std::is_same_v<RxT, NoDirection>;
  static constexpr bool kHasTx = !std::is_same_v<TxT, NoDirection>;
  struct Empty {};

 public:
  static constexpr unsigned kIndex = Index;
  static constexpr unsigned kClock = Clock;
  static constexpr bool kAxil = false;

  void close(Model& m) {
    if constexpr (kHasRx) rx_.close(m);
    if constexpr (kHasTx) tx_.close(m);
  }
  void begin(kumi_port& p) {
    if constexpr (kHasRx) rx_.begin(p);
    if constexpr (kHasTx) tx_.begin(p);
  }
  void drive(Model& m, kumi_port& p, uint64_t t) {
    if constexpr (kHasRx) rx_.drive(m, p, t);
    if constexpr (kHasTx) tx_.drive(m, p, t);
  }
  bool sample(Model& m, kumi_port& p, uint64_t t) {
    bool moved = false;
    if constexpr (kHasRx) moved = rx_.sample(m, p);
    if constexpr (kHasTx) moved |= tx_.sample(m, p, t);
    return moved;
  }

 private:
  std::conditional_t<kHasRx, HdrRx<RxT, Model>, Empty> rx_;
  std::conditional_t<kHasTx, HdrTx<TxT, Model>, Empty> tx_;
};

}  // namespace kumi::node
