// SPDX-License-Identifier: Apache-2.0
//
// Credits of a port as sender and as receiver (IBTA volume 1, clause 7.9.4), as kumi_ib_credit_tx
// and kumi_ib_credit_rx. Counts are modulo 4096.
#pragma once

#include <array>

#include "line_rx.hpp"

namespace kumihimo::ib_model {

class Credits {
 public:
  Credits(unsigned vls, unsigned step) : vls_(vls), step_(step) {}

  void init() {
    vl_ = {};
    for (Vl& v : vl_) v.due = true;
  }
  // As sender: the limit that came, blocks charged at the choice, and sent when on the line.
  void limit(unsigned vl, unsigned fccl) { vl_[vl].limit = fccl; }
  void charge(unsigned vl, unsigned blocks) { vl_[vl].charged = wrap(vl_[vl].charged + blocks); }
  void sent(unsigned vl, unsigned blocks) { vl_[vl].fctbs = wrap(vl_[vl].fctbs + blocks); }
  unsigned room(unsigned vl) const {
    const unsigned all = wrap(vl_[vl].limit - vl_[vl].charged);
    return all > kMod / 2 ? 0 : all > 127 ? 127 : all;
  }

  // As receiver: blocks received (ABR), what the sender has sent, free blocks.
  void received(unsigned vl, unsigned blocks) { vl_[vl].abr = wrap(vl_[vl].abr + blocks); }
  void correct(unsigned vl, unsigned fctbs) { vl_[vl].abr = fctbs; }

  // Once a cycle; `free[vl]`: blocks. Returns whether a link packet is due; it is then in `fc`.
  template <class Free>
  bool step(const Free& free, unsigned oper_vls, bool init_state, FcPacket& fc) {
    const bool all = time_-- == 0, soon = soon_-- == 0;
    if (all) time_ = kPeriod - 1;
    if (soon) soon_ = kSoon - 1;
    for (unsigned v = 0; v < vls_; ++v) {
      Vl& own = vl_[v];
      const unsigned growth = wrap(own.abr + free[v] - own.told);
      if (all || growth >= step_) own.due = true;
      if (soon) own.aged = true;
      own.changed = growth != 0;
    }
    for (unsigned i = 0; i < vls_; ++i) {
      const unsigned v = (look_ + i) % vls_;
      Vl& own = vl_[v];
      if (!own.due && !(own.changed && own.aged)) continue;
      look_ = v;
      if (v >= oper_vls) {
        taken(v, wrap(own.abr + free[v]));
        continue;
      }
      fc = {init_state ? 1u : 0u, own.fctbs, v, wrap(own.abr + free[v])};
      return true;
    }
    return false;
  }
  void taken(unsigned v, unsigned fccl) {
    vl_[v].told = fccl;
    vl_[v].due = false;
    vl_[v].aged = false;
    look_ = (v + 1) % vls_;
  }

 private:
  static constexpr unsigned kMod = 4096, kSoon = 64, kPeriod = 4096;
  static unsigned wrap(unsigned v) { return v % kMod; }

  struct Vl {
    unsigned limit = 0, charged = 0, fctbs = 0;
    unsigned abr = 0, told = 0;
    bool due = false, changed = false, aged = false;
  };
  unsigned vls_, step_;
  std::array<Vl, kMaxVls> vl_{};
  unsigned time_ = kPeriod - 1, soon_ = kSoon - 1, look_ = 0;
};

}  // namespace kumihimo::ib_model
