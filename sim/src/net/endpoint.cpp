// SPDX-License-Identifier: Apache-2.0
#include "net/endpoint.hpp"

#include <algorithm>

namespace kumihimo {

Endpoint::Endpoint(std::string kind, std::string name, bool obey_pause, bool channel)
    : Actor(std::move(kind), std::move(name)),
      obey_pause_(obey_pause),
      channel_(channel),
      rx_(channel ? kMaxMessage : kMaxFrame) {
  ports_.push_back({"0", nullptr, nullptr});
}

std::uint32_t Endpoint::port_index(const std::string& port) const {
  if (port.empty() || port == "0" || port == "eth0") return 0;
  throw Error(kind() + " '" + name() + "' has the one port '0', not '" + port + "'");
}

void Endpoint::attached(std::uint32_t, double rate_bps) {
  ppb_ = ps_per_byte(rate_bps);
  tx_.set_rate(ppb_);
}

void Endpoint::inject(Bytes data, Ps at) {
  backlog_bytes_ += data.size();
  // Sorted by time; frames for the same time in order of arrival.
  auto place = waiting_.end();
  while (place != waiting_.begin() && std::prev(place)->at > at) --place;
  waiting_.insert(place, {at, std::move(data)});
}

bool Endpoint::quiet(Ps now) const { return waiting_.empty() && tx_.free_at() <= now; }

// Takes one beat that arrives before `until`; false: none.
bool Endpoint::receive_beat(Ps until) {
  Link* in = ports_[0].in;
  const kumi_beat* b = in ? in->front(until) : nullptr;
  if (!b) return false;
  const bool done = rx_.beat(*b);
  in->pop();
  if (!done) return true;
  TimedFrame f = rx_.take();
  if (f.bad && !channel_) {
    ++rx_fcs_;
    return true;
  }
  if (obey_pause_) {
    if (const auto fc = parse_flow_control(f.data); fc && !fc->pfc) {
      ++rx_pause_;
      paused_until_ = f.t_last + pause_time(fc->quanta[0], ppb_);
      return true;
    }
  }
  ++rx_frames_;
  rx_bytes_ += f.data.size();
  arrived_.push_back(std::move(f));
  return true;
}

void Endpoint::run(Ps /*from*/, Ps to) {
  while (!waiting_.empty()) {
    const Ps ready = std::max(waiting_.front().at, tx_.free_at());
    if (obey_pause_) {
      // Beat by beat: a PAUSE that arrives by then delays the frame, a later one may release it.
      while (receive_beat(std::min(std::max(ready, paused_until_), to - 1) + 1)) {
      }
    }
    const Ps start = std::max(ready, obey_pause_ ? paused_until_ : 0);
    if (start >= to) break;
    const Bytes data = std::move(waiting_.front().data);
    waiting_.pop_front();
    backlog_bytes_ -= data.size();
    tx_.send(ports_[0].out, data, start);
    ++tx_frames_;
    tx_bytes_ += data.size();
    if (!ports_[0].out) ++tx_unconnected_;
  }
  while (receive_beat(to)) {
  }
}

Ps Endpoint::receive_early(Ps until, unsigned parity) {
  Link* in = ports_[0].in;
  if (!in) return 0;
  in->open(parity ^ 1);
  Ps last = 0;
  while (const kumi_beat* b = in->front(until)) {
    last = b->t_ps;
    receive_beat(until);
  }
  return last;
}

void Endpoint::stats(Stats& out) const {
  out.set("tx_frames", tx_frames_);
  out.set("tx_bytes", tx_bytes_);
  out.set("rx_frames", rx_frames_);
  out.set("rx_bytes", rx_bytes_);
  out.set("rx_fcs_errors", rx_fcs_ + (ports_[0].in ? ports_[0].in->stats().fcs_dropped : 0));
  out.set("rx_pause", rx_pause_);
  out.set("tx_unconnected", tx_unconnected_);
  out.set("tx_waiting", static_cast<std::uint64_t>(waiting_.size()));
}

}  // namespace kumihimo
