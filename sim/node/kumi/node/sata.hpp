// SPDX-License-Identifier: Apache-2.0
//
// The end of a Serial ATA line at the node, a host: one word a clock cycle each way, and signals
// beside it. What the line is like and what is at its other end belongs to the engine
// (kumi_sata_fn); without anything there it is dark. `oob_done` says that the node's pattern was
// long enough. Traits: accessors data(m), k(m), cominit(m), comwake(m), idle(m) from the node,
// s_data(m) and so on toward it; kHasValid, kHasError, kHasDone, kHasReady for those that may be
// missing.
#pragma once

#include "kumi/abi.h"

namespace kumi::node {

template <class Model, unsigned Index, unsigned Clock, class T>
class SataPort {
 public:
  static constexpr unsigned kIndex = Index;
  static constexpr unsigned kClock = Clock;
  static constexpr bool kAxil = false;

  void close(Model& m) {
    word_ = dark();
    show(m, false);
  }
  void begin(kumi_port&) {}

  void drive(Model& m, kumi_port&, uint64_t) { show(m, done_); }

  bool sample(Model& m, kumi_port& p, uint64_t t) {
    kumi_sata_word out{};
    out.data = T::data(m);
    out.k = T::k(m);
    out.flags = static_cast<uint8_t>((T::cominit(m) ? KUMI_SATA_COMINIT : 0) |
                                     (T::comwake(m) ? KUMI_SATA_COMWAKE : 0) |
                                     (T::idle(m) ? KUMI_SATA_IDLE : 0));
    pattern(out.flags, t);
    if (p.sata != nullptr) {
      p.sata(p.sata_ctx, t, &out, &word_);
    } else {
      word_ = dark();
    }
    p.stats.tx_beats += (out.flags & KUMI_SATA_IDLE) == 0;
    p.stats.rx_beats += (word_.flags & KUMI_SATA_IDLE) == 0;
    return false;
  }

 private:
  // Six bursts and their gaps.
  static constexpr uint64_t kComInitPs = 2560000;
  static constexpr uint64_t kComWakePs = 1280000;

  static kumi_sata_word dark() {
    kumi_sata_word w{};
    w.flags = KUMI_SATA_IDLE;
    return w;
  }

  // A pulse when the pattern has lasted; the edge after it still shows the old request.
  void pattern(uint8_t flags, uint64_t t) {
    const bool asked = (flags & (KUMI_SATA_COMINIT | KUMI_SATA_COMWAKE)) != 0;
    if (done_ || !asked) {
      done_ = false;
      asked_ = false;
      return;
    }
    if (!asked_) since_ = t;
    asked_ = true;
    done_ = t - since_ >= ((flags & KUMI_SATA_COMINIT) != 0 ? kComInitPs : kComWakePs);
  }

  void show(Model& m, bool done) {
    T::s_data(m) = word_.data;
    T::s_k(m) = word_.k;
    T::s_cominit(m) = (word_.flags & KUMI_SATA_COMINIT) != 0;
    T::s_comwake(m) = (word_.flags & KUMI_SATA_COMWAKE) != 0;
    T::s_idle(m) = (word_.flags & KUMI_SATA_IDLE) != 0;
    if constexpr (T::kHasValid) T::s_valid(m) = (word_.flags & KUMI_SATA_IDLE) == 0;
    if constexpr (T::kHasError) T::s_error(m) = (word_.flags & KUMI_SATA_ERROR) != 0;
    if constexpr (T::kHasDone) T::s_oob_done(m) = done;
    if constexpr (T::kHasReady) T::s_ready(m) = 1;
  }

  kumi_sata_word word_ = dark();
  bool asked_ = false, done_ = false;
  uint64_t since_ = 0;
};

}  // namespace kumi::node
