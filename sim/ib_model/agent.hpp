// SPDX-License-Identifier: Apache-2.0
//
// The management agent of the switch: directed and LID-routed datagrams, M_Key, traps, as
// kumi_ib_agent and its parts (IBTA volume 1, chapters 13, 14, 16). One datagram at a time; each
// takes the cycles that the RTL takes (docs/blocks/ib-mgmt.md).
#pragma once

#include <deque>
#include <vector>

#include "attributes.hpp"

namespace kumihimo::ib_model {

class Agent {
 public:
  static constexpr unsigned kByTable = 255;
  struct Answer {
    std::vector<std::uint32_t> words;  // LRH to ICRC
    unsigned port;                     // to leave by, kByTable: by the forwarding table
  };

  Agent(const Params& p, Tables& tables, std::vector<Port*> ports);
  void start(std::uint64_t guid, const Attributes::Block& description);

  // Management that is dropped, in the order of the registers `drops` (regs/ib_switch.rdl).
  enum Drop : unsigned {
    kBad,
    kRefused,
    kRelay,
    kDiscard,
    kBadIcrc,
    kBadPacket,
    kBadRoute,
    kBadMKey,
    kNoManager,
    kDrops
  };
  std::array<std::uint32_t, kDrops> drops{};

  // A whole packet, and the port that it came by.
  void receive(const std::vector<std::uint32_t>& words, unsigned port);
  std::size_t queued() const { return waiting_.size(); }
  void tick();  // every 4.096 us
  void step();  // one cycle
  bool busy() const { return wait_ != 0 || have_answer_ || !waiting_.empty(); }
  bool answer_ready() const { return have_answer_ && wait_ == 0; }
  Answer take();

 private:
  static constexpr unsigned kPktWords = 72, kSecondTicks = 244141, kTrapRepeats = 8;

  struct Datagram {
    std::vector<std::uint32_t> w;  // words of the packet, first byte most significant
    unsigned port = 0;
    unsigned byte(unsigned word, unsigned at) const { return w[word] >> (8 * (3 - at)) & 0xFF; }
  };
  enum class Route : std::uint8_t { kDrop, kLocal, kForward };
  struct Way {  // kumi_ib_smi
    Route route = Route::kDrop;
    unsigned hop_ptr = 0, record_at = 0, port = 0;
    bool record = false, lid_routed = false, no_manager = false;
    std::uint16_t dlid = kPermissive, slid = kPermissive;
  };

  static bool well_formed(const Datagram& d);
  Way way(const Datagram& d) const;
  void directed(const Datagram& d, Way& r) const;
  void handle(Datagram d);
  void local(Datagram& d, const Way& way);
  void finish(Datagram& d, unsigned status, const Way& way);
  bool key_allows(const Datagram& d, bool& hide);
  void send(Datagram& d, unsigned port, unsigned cycles);
  void trap();
  void watch_states();
  std::uint16_t own_lid() const { return tables_.lid; }
  bool own(std::uint16_t dlid) const;
  bool path_ok(unsigned port) const { return port != 0 && port <= params_.ports; }

  Params params_;
  Tables& tables_;
  std::vector<Port*> ports_;
  Attributes attributes_;
  std::deque<Datagram> waiting_;
  Answer answer_;
  bool have_answer_ = false;
  unsigned wait_ = 0;  // cycles until the datagram in work has left

  // M_Key: protection, violations, lease (kumi_ib_m_key).
  unsigned protect_ = 0, violations_ = 0, lease_left_ = 0, seconds_ = 0;
  // Traps (kumi_ib_trap).
  std::vector<PortState> seen_;
  std::uint64_t commanded_ = 0;
  bool state_change_ = false, trap_pending_ = false;
  std::uint64_t trap_wait_ = 0;
  unsigned trap_sent_ = 0;
  std::uint32_t trap_tid_ = 0;
};

}  // namespace kumihimo::ib_model
