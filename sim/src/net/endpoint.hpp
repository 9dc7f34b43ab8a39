// SPDX-License-Identifier: Apache-2.0
//
// An Ethernet port whose frames come from and go to something outside virtual time (a script, a
// TAP, a peer). It acts as a MAC: sends at line rate, drops frames with a bad FCS, and optionally
// obeys PAUSE. As the end of a channel (a non-Ethernet stream port of a node) it accepts messages
// of any length and keeps those that end with the error flag.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "net/actor.hpp"
#include "net/flow_control.hpp"
#include "net/framing.hpp"

namespace kumihimo {

class Endpoint : public Actor {
 public:
  Endpoint(std::string kind, std::string name, bool obey_pause, bool channel = false);

  std::uint32_t port_index(const std::string& name) const override;
  void attached(std::uint32_t port, double rate_bps) override;
  bool quiet(Ps now) const override;
  void stats(Stats& out) const override;

  // Between windows: a frame to send, not before `at`.
  void inject(Bytes data, Ps at);
  std::size_t backlog_bytes() const { return backlog_bytes_; }
  std::size_t max_frame() const { return channel_ ? kMaxMessage : kMaxFrame; }
  bool is_channel() const { return channel_; }

  // Between windows: frames that arrived in the last window.
  std::vector<TimedFrame>& arrived() { return arrived_; }

  // Between windows: takes what arrives before `until`, as sent in the last window, of `parity`.
  // Returns when the last beat of it arrived; 0: none.
  Ps receive_early(Ps until, unsigned parity);
  bool obeys_pause() const { return obey_pause_; }

 protected:
  void run(Ps from, Ps to) override;

 private:
  bool receive_beat(Ps until);

  struct Waiting {
    Ps at;
    Bytes data;
  };

  bool obey_pause_;
  bool channel_;
  double ppb_ = 0;
  LineTx tx_;
  FrameRx rx_;
  std::deque<Waiting> waiting_;
  std::size_t backlog_bytes_ = 0;
  Ps paused_until_ = 0;
  std::vector<TimedFrame> arrived_;

  std::uint64_t tx_frames_ = 0, tx_bytes_ = 0, tx_unconnected_ = 0;
  std::uint64_t rx_frames_ = 0, rx_bytes_ = 0, rx_fcs_ = 0, rx_pause_ = 0;
};

}  // namespace kumihimo
