// SPDX-License-Identifier: Apache-2.0
#include "port.hpp"

#include <bit>

namespace kumihimo::ib_model {

Port::Port(const Params& p, unsigned number, PortPeer& peer)
    : credits(p.data_vls, p.blocks / 4),
      params_(p),
      number_(number),
      peer_(peer),
      receiver_(p),
      training_(p),
      tx_(p) {}

void Port::step(const Symbols& in, bool ready, Symbols& out) {
  moved_ = false;
  present_ = in.on;
  if (in.err != 0 && training_.link_up()) {
    counters.add(kSymbolError, static_cast<unsigned>(std::popcount(in.err)));
  }
  std::array<Word, 2> words;
  bool idle;
  const unsigned count = receiver_.step(in.data, in.k, in.err, words, idle);
  received_words(words, count, idle);
  training_.step({config.enable && ready, in.on, receiver_.aligned(), retrain_, down_, ts_sent_});
  if (training_.recovery_event()) counters.add(kLinkErrorRecovery);
  if (training_.downed_event()) counters.add(kLinkDowned);
  control();
  out = out_;
  send(out_);
}

void Port::received_words(const std::array<Word, 2>& words, unsigned count, bool idle) {
  if (idle) {
    training_.idle_words(count);
  } else {
    for (unsigned i = 0; i < count; ++i) training_.word(words[i]);
  }
  if (!training_.rx_run()) {
    rx_.reset();
    if (within_) {  // the line has cut it off
      within_ = false;
      if (passed_) peer_.end(number_, false);
    }
    return;
  }
  if (idle && rx_.in_gap()) return;
  for (unsigned i = 0; i < count; ++i) piece(rx_.word(words[i]));
}

void Port::piece(const RxPiece& p) {
  if (p.word) packet_word(p);
  if (p.bad_fc) {
    bad_ = true;
    counters.add(kRcvErrors);
  }
  if (p.fc) link_packet(p.fc_packet);
}

void Port::packet_word(const RxPiece& p) {
  if (p.first) {
    within_ = true;
    passed_ = false;
    first_ = p.data;
    count_ = 0;
    len_ = 0;
    vl_ = p.data >> 4 & 0xF;
    lver_ok_ = (p.data & 0xF) == 0;
    vl_ok_ = vl_ == kVlMgmt || (vl_ < vls_of(config.oper_vls) && vl_ < params_.data_vls);
    range_ok_ = false;
  }
  if (++count_ == 2) {
    len_ = (p.data & 7) << 8 | (p.data >> 8 & 0xFF);
    range_ok_ = len_ >= kMinLen && len_ <= max_pkt_len(mtu());
    state_ok_ = state_ != kDown && (vl_ == kVlMgmt || state_ != kInit);
    if (lver_ok_ && range_ok_ && vl_ok_ && state_ok_) {
      passed_ = true;
      peer_.header(number_, vl_ == kVlMgmt ? params_.data_vls : vl_, first_, p.data);
    }
  } else if (passed_) {
    peer_.word(number_, p.data);
  }
  if (p.last) packet_end(p);
}

void Port::packet_end(const RxPiece& p) {
  within_ = false;
  const bool length_ok = range_ok_ && len_ == count_;
  state_ok_ = state_ != kDown && (vl_ == kVlMgmt || state_ != kInit);
  const bool head = lver_ok_ && length_ok && vl_ok_ && state_ok_;
  if (p.remote && !p.bad) {
    counters.add(kRcvRemotePhysErrors);
  } else if (p.bad || !lver_ok_ || !length_ok || !vl_ok_) {
    counters.add(kRcvErrors);
    bad_ = bad_ || p.bad;
  }
  if (passed_) peer_.end(number_, head && !p.bad && !p.remote);
}

void Port::link_packet(const FcPacket& fc) {
  const bool right = fc.op <= 1 && fc.vl < vls_of(config.oper_vls) && fc.vl < params_.data_vls;
  good_ = true;
  if (!right) counters.add(kRcvErrors);
  if (!right || state_ == kDown) return;
  fc_ = true;
  fc_init_ = fc_init_ || fc.op == 1;
  credits.limit(fc.vl, fc.fccl);
  credits.correct(fc.vl, fc.fctbs);
  peer_.more_room(number_, fc.vl);
}

void Port::committed(unsigned ring, unsigned blocks) {
  if (ring == params_.data_vls) return;
  credits.received(ring, blocks);
  data_rcvd_ = true;
}

void Port::received(unsigned words) {
  counters.received(words);
  good_ = true;
  moved_ = true;
}

void Port::full(unsigned ring) {
  if (ring == params_.data_vls) {
    counters.add(kVl15Dropped);
  } else {
    counters.add(kRcvErrors);
    overrun_ = true;
  }
}

// kumi_ib_port_ctrl: one cycle of the port state machine.
void Port::control() {
  const bool link_up = training_.link_up();
  const bool was_down = down_;
  const PortState before = state_;
  bool init = false;
  down_ = false;
  switch (before) {
    case kInit:
      if (config.command == kArmed) state_ = kArmed;
      break;
    case kArmed:
      if (config.command == kActive || data_rcvd_) state_ = kActive;
      break;
    case kActive:
      if (config.command == kArmed) state_ = kArmed;
      if (fc_init_) state_ = kInit;
      break;
    default:
      init = link_up && tx_idle_ >= 7;
      if (init) state_ = kInit;
  }
  if (before != kDown && config.command == kDown) {
    state_ = kDown;
    down_ = true;
  }
  if (training_.downed_event() || was_down) {
    state_ = kDown;
    init = false;
  }
  if (init) credits.init();
  config.command = kNop;
  limits();
  const bool idle = !tx_.packet() && !peer_.sending(number_);
  tx_idle_ = idle ? tx_idle_ + (tx_idle_ < 7 ? 1 : 0) : 0;
  data_rcvd_ = good_ = bad_ = overrun_ = fc_ = fc_init_ = false;
}

// Local link integrity, buffer overrun, watchdog.
void Port::limits() {
  const bool link_up = training_.link_up();
  retrain_ = false;
  if (bad_ && errors_ >= config.phy_errors) {
    errors_ = 0;
    counters.add(kLinkIntegrityErrors);
    retrain_ = true;
  } else if (bad_) {
    ++errors_;
  } else if (good_ && errors_ != 0) {
    --errors_;
  }
  overrun_seen_ = overrun_seen_ || overrun_;
  if (period_-- == 0) {
    period_ = kOverrunPeriod - 1;
    periods_ = overrun_seen_ ? periods_ + 1 : 0;
    if (overrun_seen_ && periods_ > config.overrun_errors) {
      periods_ = 0;
      counters.add(kBufferOverrunErrors);
    }
    overrun_seen_ = false;
  }
  if (fc_ || !link_up) {
    watch_ = kWatchdog;
  } else if (watch_ != 0 && --watch_ == 0) {
    retrain_ = true;
  }
  if (!link_up) errors_ = 0;
}

void Port::send(Symbols& out) {
  FcPacket fc;
  const bool fc_due = state_ != kDown && credits.step(peer_.free_blocks(number_),
                                                      vls_of(config.oper_vls), state_ == kInit, fc);
  const LineTx::Result r =
      tx_.step(training_.mode(), fc_due ? &fc : nullptr,
               [this](PacketPtr& packet, unsigned& vl) { peer_.next(number_, packet, vl); });
  ts_sent_ = r.ts_sent;
  if (r.fc_taken) credits.taken(fc.vl, fc.fccl);
  if (r.sent) {
    if (r.sent_vl != kVlMgmt) credits.sent(r.sent_vl, r.sent->blocks());
    if (r.discarded) {
      counters.add(kXmitDiscards);
    } else {
      counters.sent(r.sent_words);
      moved_ = true;
    }
    peer_.left(r.sent);
  }
  out = {};
  out.on = !r.quiet;
  if (params_.lanes == 1) {
    out.data = r.words[0].data;
    out.k = r.words[0].k;
    return;
  }
  const unsigned symbols = params_.symbols();
  for (unsigned s = 0; s < symbols; ++s) {
    for (unsigned l = 0; l < 4; ++l) {
      const unsigned to = l * symbols + s;
      out.data |= static_cast<std::uint64_t>(r.words[s].at(l)) << (8 * to);
      out.k |= static_cast<std::uint8_t>((r.words[s].k >> l & 1) << to);
    }
  }
}

}  // namespace kumihimo::ib_model
