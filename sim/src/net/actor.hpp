// SPDX-License-Identifier: Apache-2.0
//
// An actor has ports and runs in virtual time. In a window one thread runs it, and it accesses only
// itself and its ends of its links.
#pragma once

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "base/stats.hpp"
#include "base/types.hpp"
#include "lane/lane_link.hpp"
#include "net/link.hpp"

namespace kumihimo {

struct ActorPort {
  std::string name;
  Link* in = nullptr;   // toward the actor
  Link* out = nullptr;  // from it
  LaneLink* lane_in = nullptr;
  LaneLink* lane_out = nullptr;
};

class Actor {
 public:
  Actor(std::string kind, std::string name) : kind_(std::move(kind)), name_(std::move(name)) {}
  virtual ~Actor() = default;
  Actor(const Actor&) = delete;
  Actor& operator=(const Actor&) = delete;

  const std::string& kind() const { return kind_; }
  const std::string& name() const { return name_; }
  std::vector<ActorPort>& ports() { return ports_; }
  const std::vector<ActorPort>& ports() const { return ports_; }

  // Index of a port by name; throws Error that lists the ports. An empty name means the next free
  // port of a switch or the only port of an endpoint.
  virtual std::uint32_t port_index(const std::string& name) const = 0;
  // A cable was connected to the port.
  virtual void attached(std::uint32_t /*port*/, double /*rate_bps*/) {}
  // Whether this receiver drops frames with a bad FCS as a whole.
  virtual bool holds_bad_frames() const { return false; }

  // The rank that runs it. In the others it is away: a name, ports and a description.
  void place(std::uint32_t rank, std::uint32_t here) {
    rank_ = rank;
    away_ = rank != here;
  }
  std::uint32_t rank() const { return rank_; }
  bool away() const { return away_; }

  // One window.
  void step(Ps from, Ps to, unsigned parity) {
    for (ActorPort& p : ports_) {
      if (p.in) p.in->open(parity);
      if (p.lane_out) p.lane_out->begin_window(parity);
    }
    parity_ = parity;
    run(from, to);
    for (ActorPort& p : ports_) {
      if (p.out) p.out->end_window(to, parity);
    }
  }

  // Between windows: on to `to` with all that the others sent in the last window, of `parity`.
  void run_on(Ps from, Ps to, unsigned parity) {
    for (ActorPort& p : ports_) {
      if (p.in) p.in->open(parity ^ 1);
    }
    run(from, to);
    for (ActorPort& p : ports_) {
      if (p.out) p.out->end_window(to, parity);
    }
  }

  // Between windows, from the thread pool: see Engine::run_ahead.
  virtual void run_ahead(Ps /*now*/, Ps /*limit*/) {}

  // True if the actor has no pending work.
  virtual bool quiet(Ps now) const = 0;
  // Non-empty once the actor has failed.
  virtual std::string failure() const { return {}; }
  virtual void stats(Stats& out) const = 0;
  // Description of the actor for a recording's header.
  virtual std::string describe() const { return kind_ + " " + name_; }

  void log(Level level, Ps t_ps, std::string text) {
    if (log_.size() < 1000) log_.push_back({level, t_ps, name_, std::move(text)});
  }
  std::vector<Message>& pending_log() { return log_; }

  // For the thread pool: smoothed cost of a window, and the last window claimed.
  double cost_ns = 0;
  std::atomic<std::uint64_t> claimed{0};

 protected:
  virtual void run(Ps from, Ps to) = 0;

  std::uint32_t rank_ = 0;
  bool away_ = false;
  std::vector<ActorPort> ports_;
  unsigned parity_ = 0;  // of the window that runs

 private:
  std::string kind_;
  std::string name_;
  std::vector<Message> log_;
};

}  // namespace kumihimo
