// SPDX-License-Identifier: Apache-2.0
//
// The switch: routes, packet memory, queues per input, output and VL, matching, lifetimes, as
// kumi_ib_switch_route, _store, _queue, _voq, _mcast, _head, _output and _input. Port 0 is the
// agent's.
//
// A packet is entered in its queues kEnter64 or kEnter32 cycles after its header, so that SDP in to
// SDP out is within 4 cycles of the RTL; an output chooses at most every kChoice cycles.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <vector>

#include "agent.hpp"
#include "port.hpp"
#include "tables.hpp"

namespace kumihimo::ib_model {

class Switch final : public PortPeer {
 public:
  explicit Switch(const Params& p);

  // The reset values are in place: the agent answers from now on.
  void start(std::uint64_t guid, const std::array<std::uint32_t, 16>& description);
  bool starts() const { return !ready_ && cycle_ >= ready_at_; }  // start() is due
  // One cycle; in[p], out[p]: port p + 1.
  void step(const Symbols* in, Symbols* out);

  bool ready() const { return ready_; }
  bool moved() const { return moved_; }
  const Port& port(unsigned number) const { return *ports_[number - 1]; }
  const Tables& tables() const { return tables_; }
  const Agent& agent() const { return *agent_; }

  void header(unsigned port, unsigned ring, std::uint32_t first, std::uint32_t second) override;
  void word(unsigned port, std::uint32_t word) override;
  void end(unsigned port, bool good) override;
  const std::array<unsigned, kMaxVls + 1>& free_blocks(unsigned port) const override {
    return inputs_[port].free;
  }
  void next(unsigned port, PacketPtr& packet, unsigned& vl) override;
  void left(const PacketPtr& packet) override;
  void more_room(unsigned port, unsigned vl) override { outputs_[port].blocked &= ~(1u << vl); }
  bool sending(unsigned port) const override { return outputs_[port].chosen != nullptr; }

 private:
  static constexpr unsigned kSpare = 4, kChoice = 11, kAhead = 24, kScan = 64, kFifo = 5;
  static constexpr unsigned kMgmtMtu = 1;

  enum class Reason : std::uint8_t { kNone, kNoRoute, kNoVl, kLoop, kInactive, kTooLong };
  struct Entry {
    PacketPtr packet;
    std::uint64_t visible;  // cycle
    std::uint64_t since;    // tick at which it became the head
  };
  struct Input {
    std::array<unsigned, kMaxVls + 1> free{};
    PacketPtr coming;
    Reason reason = Reason::kNone;
    unsigned to = 0;
    bool lost = false, busy = false;
    unsigned len = 0, ring = 0, words = 0, queued = 0;
    std::vector<std::deque<Entry>> queues;  // by output and ring
  };
  struct Output {
    VlArbiter vl;
    std::vector<InputArbiter> input;  // by ring
    unsigned blocked = 0;             // rings without room
    PacketPtr chosen;                 // next for the line
    unsigned chosen_vl = 0, chosen_ring = 0, from = 0, queued = 0;
    std::uint64_t last_choice = 0;
    bool reading = false;  // input `from` is busy with the packet
  };

  struct Info {
    bool data_ok, mgmt_ok;
    unsigned mtu, oper_vls, hoq_life;
  };
  Info info(unsigned port) const;

  std::deque<Entry>& queue(unsigned in, unsigned out, unsigned ring) {
    return inputs_[in].queues[out * params_.rings() + ring];
  }
  void begin(Input& in, unsigned number, unsigned ring, unsigned len, std::uint32_t first,
             int direct);
  Reason unicast(unsigned in, unsigned port, bool mgmt, unsigned sl, unsigned len,
                 unsigned& ring) const;
  void copies(unsigned in, std::uint64_t mask, unsigned sl);
  void enter(unsigned in, unsigned out, unsigned ring);
  void remove(unsigned in, unsigned out, unsigned ring);
  void release(const PacketPtr& packet);
  void free(const Packet& packet);
  void refused(unsigned in, Reason reason, unsigned to);
  void discard(unsigned port);

  void choose(unsigned out);
  void take(unsigned in, unsigned out, unsigned ring);
  void read(unsigned out);
  void to_agent();
  void from_agent();
  void scan();
  bool overdue(const Entry& entry, const Info& to, bool mgmt) const;

  Params params_;
  Tables tables_;
  std::vector<std::unique_ptr<Port>> ports_;
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  std::unique_ptr<Agent> agent_;
  std::uint64_t cycle_ = 0, tick_ = 0, ready_at_ = 0;
  unsigned enter_, agent_at_ = 0, settle_ = 0;
  PacketPtr agent_packet_;  // on its way to the agent
  bool ready_ = false, moved_ = false;
};

}  // namespace kumihimo::ib_model
