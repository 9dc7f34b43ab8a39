// SPDX-License-Identifier: Apache-2.0
//
// A learning Ethernet switch: a small discrete-event simulation inside one actor.
//
// Beats of all ports are processed in order of (time, port), interleaved with the switch's own
// events in order of (time, kind, port, number). A frame is looked up `latency` after its last byte
// (store-and-forward) or after its first 64 bytes (cut-through). Cut-through needs an idle egress
// that is not faster than the ingress; otherwise the frame is queued until it is complete.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

#include "net/actor.hpp"
#include "net/flow_control.hpp"
#include "net/mac_table.hpp"

namespace kumihimo {

struct SwitchOptions {
  std::uint32_t ports = 8;
  bool cut_through = false;
  Ps latency_ps = 322'000;
  std::uint64_t queue_bytes = 131072;  // per port
  bool pause = false;                  // obey and send PAUSE
  bool pfc = false;                    // obey and send priority flow control
  std::uint64_t high_bytes = 0;        // pauses an ingress that holds more; 0: half of its share
  std::uint64_t low_bytes = 0;         // releases it below; 0: half of high_bytes
  Ps ageing_ps = 300'000'000'000'000;  // 300 s
  std::vector<double> rate_bps;        // per port; empty: the cable's rate
  // For cables that form loops: the port of known addresses, and the ports (a tree) that the rest
  // is flooded to and learned from. Empty: no addresses; all ports.
  std::vector<std::pair<std::uint64_t, std::uint32_t>> routes;
  std::vector<std::uint32_t> flood;
  std::uint32_t max_frame = 16384;
};

class Switch : public Actor {
 public:
  Switch(std::string name, SwitchOptions options, std::uint64_t mac);
  ~Switch() override;

  std::uint32_t port_index(const std::string& name) const override;
  void attached(std::uint32_t port, double rate_bps) override;
  bool quiet(Ps now) const override;
  void stats(Stats& out) const override;
  std::string describe() const override;
  Ps latency_ps() const { return options_.latency_ps; }
  // Up to when it has run, and the time after the last beat or event of it.
  Ps reached_ps() const { return reached_ps_; }
  Ps worked_ps() const { return worked_ps_; }
  // When the only frame in the switch will be looked up; kForever: there are others, or none.
  Ps lone_decision() const {
    const bool lone = live_ == 1 && !events_.empty() && events_.top().kind == kDecide;
    return lone ? events_.top().t : kForever;
  }
  double port_rate(std::uint32_t port) const {
    return options_.rate_bps.empty() ? 0 : options_.rate_bps[port];
  }

 protected:
  void run(Ps from, Ps to) override;

 private:
  struct Piece {
    std::size_t end;
    Ps t_ps;
  };
  struct Frame {
    Bytes data;
    std::vector<Piece> pieces;
    std::uint32_t ingress = 0;
    std::uint32_t refs = 0;  // pending egress ports, and its reception
    unsigned priority = 0;
    std::uint64_t held = 0;  // bytes accounted to its ingress
    bool complete = false, bad = false, decided = false, cut = false;
    // Egress ports: sending now; waiting for the whole frame.
    std::vector<std::uint32_t> streaming, late;
  };
  struct Ingress {
    Frame* frame = nullptr;
    double ppb = 0;
    std::array<std::uint64_t, kClasses> held{};
    std::array<bool, kClasses> paused{};
    std::array<Ps, kClasses> refresh_at{};
    std::uint64_t rx_frames = 0, rx_bytes = 0, fcs = 0, runts = 0, oversize = 0, reserved = 0;
    std::uint64_t same_port = 0, control = 0, fcs_forwarded = 0;
  };
  struct Egress {
    double ppb = 0;
    Ps free_at = 0;
    Frame* current = nullptr;  // incomplete, cut-through
    Ps start = 0;
    std::size_t piece = 0;
    std::deque<Bytes> control;
    std::array<std::deque<Frame*>, kClasses> queue;
    std::array<Ps, kClasses> paused_until{};
    Ps wake_at = 0;  // scheduled end of a pause
    std::uint64_t bytes = 0, peak = 0;
    std::uint64_t tx_frames = 0, tx_bytes = 0, full = 0, pause_sent = 0, cut = 0;
  };
  enum Kind : std::uint32_t { kDecide, kEnqueue, kReady, kRefresh };
  struct Event {
    Ps t;
    Kind kind;
    std::uint32_t port;  // kRefresh: port * kClasses + class
    std::uint64_t number;
    Frame* frame;
    bool operator>(const Event& o) const {
      if (t != o.t) return t > o.t;
      if (kind != o.kind) return kind > o.kind;
      if (port != o.port) return port > o.port;
      return number > o.number;
    }
  };

  void at(Ps t, Kind kind, std::uint32_t port, Frame* frame = nullptr) {
    events_.push({t, kind, port, ++number_, frame});
  }
  // Ingress (switch.cpp).
  void receive(std::uint32_t port, const kumi_beat& b);
  void received(std::uint32_t port, Frame* f, Ps t);
  bool flow_control(std::uint32_t port, const Frame& f, Ps t);
  void decide(Frame* f, Ps t);
  int lookup(std::uint64_t to, Ps t);
  void event(const Event& e);
  Frame* make_frame(std::uint32_t port);
  void release(Frame* f, Ps t);
  // Egress (switch_egress.cpp).
  void offer(std::uint32_t port, Frame* f, Ps t);
  void enqueue(std::uint32_t port, Frame* f, Ps t);
  void try_start(std::uint32_t port, Ps t);
  void start(std::uint32_t port, Frame* f, Ps t);
  void send_pieces(std::uint32_t port, Frame* f, Ps t);
  void send_control(std::uint32_t port, Bytes frame, Ps t);
  void hold(Frame* f, Ps t);
  void unhold(Frame* f, Ps t);
  void send_pause(std::uint32_t port, unsigned priority, bool on, Ps t);
  bool idle(const Egress& e, Ps t) const;
  unsigned class_of(const Frame& f) const { return options_.pfc ? f.priority : 0; }

  SwitchOptions options_;
  std::uint64_t mac_;
  MacTable table_;
  std::unordered_map<std::uint64_t, std::uint32_t> routes_;
  std::vector<bool> floods_;  // by port
  std::vector<Ingress> in_;
  std::vector<Egress> out_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t number_ = 0;
  std::vector<std::unique_ptr<Frame>> all_;
  std::vector<Frame*> spare_;
  std::uint64_t live_ = 0;
  Ps reached_ps_ = 0, worked_ps_ = 0;
  std::uint64_t forwarded_ = 0, flooded_ = 0, not_learned_ = 0;
};

}  // namespace kumihimo
