// SPDX-License-Identifier: Apache-2.0
//
// A port of the switch: line, packet checks, credits and port state, as kumi_ib_switch_port,
// kumi_ib_rx_check and kumi_ib_port_ctrl.
#pragma once

#include "counters.hpp"
#include "credits.hpp"
#include "line_tx.hpp"
#include "receiver.hpp"
#include "training.hpp"
#include "vl_arbiter.hpp"

namespace kumihimo::ib_model {

// What subnet management sets.
struct PortConfig {
  bool enable = false;
  PortState command = kNop;  // for one cycle
  unsigned mtu = 0, oper_vls = 0, phy_errors = 0, overrun_errors = 0, high_limit = 0;
  unsigned hoq_life = 0, vl_stall = 0;
  ArbTable high{}, low{};
};

// What the lanes of a port carry in a cycle, as in kumi_block.
struct Symbols {
  std::uint64_t data = 0;
  std::uint8_t k = 0, err = 0;
  bool on = false;  // a signal is there; to send: transmitters are on
};

// What a port needs of the switch.
class PortPeer {
 public:
  virtual ~PortPeer() = default;
  // A packet's header is right (`ring`: whose memory), it goes on, it ends.
  virtual void header(unsigned port, unsigned ring, std::uint32_t first, std::uint32_t second) = 0;
  virtual void word(unsigned port, std::uint32_t word) = 0;
  virtual void end(unsigned port, bool good) = 0;
  virtual const std::array<unsigned, kMaxVls + 1>& free_blocks(unsigned port) const = 0;
  // The next packet to send, if it may begin; and one that has left.
  virtual void next(unsigned port, PacketPtr& packet, unsigned& vl) = 0;
  virtual void left(const PacketPtr& packet) = 0;
  virtual void more_room(unsigned port, unsigned vl) = 0;
  virtual bool sending(unsigned port) const = 0;
};

class Port {
 public:
  Port(const Params& p, unsigned number, PortPeer& peer);

  void step(const Symbols& in, bool ready, Symbols& out);

  // Of a packet that the switch has looked at, by its end.
  void committed(unsigned ring, unsigned blocks);
  void received(unsigned words);
  void full(unsigned ring);

  PortConfig config;
  PortCounters counters;
  Credits credits;

  PortState state() const { return state_; }
  Phys phys() const { return training_.phys(); }
  bool data_ok() const { return training_.link_up() && state_ == kActive; }
  bool mgmt_ok() const { return training_.link_up() && state_ != kDown; }
  bool moved() const { return moved_; }
  bool trains() const { return config.enable && present_ && training_.phys() != kLinkUp; }
  bool present() const { return present_; }
  unsigned mtu() const {
    return config.mtu == 0 || config.mtu > params_.mtu_cap ? params_.mtu_cap : config.mtu;
  }
  unsigned number() const { return number_; }
  const LineTx& line() const { return tx_; }

 private:
  static constexpr unsigned kOverrunPeriod = 4096, kWatchdog = 200000, kMinLen = 6;

  void received_words(const std::array<Word, 2>& words, unsigned count, bool idle);
  void piece(const RxPiece& p);
  void packet_word(const RxPiece& p);
  void packet_end(const RxPiece& p);
  void link_packet(const FcPacket& fc);
  void control();
  void limits();
  void send(Symbols& out);

  Params params_;
  unsigned number_;
  PortPeer& peer_;
  Receiver receiver_;
  Training training_;
  LineRx rx_;
  LineTx tx_;
  Symbols out_;  // register behind the line
  bool present_ = false, moved_ = false, ts_sent_ = false;

  // The packet that comes in.
  std::uint32_t first_ = 0;
  unsigned count_ = 0, len_ = 0, vl_ = 0;
  bool within_ = false, lver_ok_ = false, vl_ok_ = false, range_ok_ = false, state_ok_ = false;
  bool passed_ = false;  // the switch has it

  // Port state; what happened in this cycle.
  PortState state_ = kDown;
  bool retrain_ = false, down_ = false;
  bool data_rcvd_ = false, good_ = false, bad_ = false, overrun_ = false, fc_ = false,
       fc_init_ = false;
  bool overrun_seen_ = false;
  unsigned errors_ = 0, periods_ = 0, period_ = kOverrunPeriod - 1, watch_ = kWatchdog;
  unsigned tx_idle_ = 0;
};

}  // namespace kumihimo::ib_model
