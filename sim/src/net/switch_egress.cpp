// SPDX-License-Identifier: Apache-2.0
//
// The sending half of the switch: queues, transmission, flow control, figures.
#include <algorithm>

#include "net/framing.hpp"
#include "net/switch.hpp"

namespace kumihimo {

bool Switch::idle(const Egress& e, Ps t) const {
  return !e.current && e.free_at <= t && !e.bytes && e.control.empty();
}

// Queues a looked-up frame at an egress port.
void Switch::offer(std::uint32_t port, Frame* f, Ps t) {
  Egress& e = out_[port];
  if (f->complete) {
    enqueue(port, f, t);
    return;
  }
  const bool slow_enough = e.ppb > 0 && in_[f->ingress].ppb <= e.ppb;
  if (slow_enough && idle(e, t) && e.paused_until[class_of(*f)] <= t) {
    ++e.cut;
    start(port, f, t);
  } else {
    f->late.push_back(port);
  }
}

void Switch::enqueue(std::uint32_t port, Frame* f, Ps t) {
  Egress& e = out_[port];
  if (!ports_[port].out) return;
  if (e.bytes + f->data.size() > options_.queue_bytes) {
    ++e.full;
    return;
  }
  e.bytes += f->data.size();
  e.peak = std::max(e.peak, e.bytes);
  ++f->refs;
  hold(f, t);
  e.queue[class_of(*f)].push_back(f);
  try_start(port, t);
}

// Starts the next frame if the line is free: control frames first, then by priority.
void Switch::try_start(std::uint32_t port, Ps t) {
  Egress& e = out_[port];
  if (e.current || e.free_at > t) return;
  if (!e.control.empty()) {
    const Bytes data = std::move(e.control.front());
    e.control.pop_front();
    --live_;
    LineTx line;
    line.set_rate(e.ppb);
    line.send(ports_[port].out, data, t);
    e.free_at = t + byte_time(e.ppb, data.size() + kOverheadBytes);
    at(std::max(e.free_at, t + 1), kReady, port);
    return;
  }
  Ps wake = kForever;
  for (unsigned c = kClasses; c-- > 0;) {
    if (e.queue[c].empty()) continue;
    if (e.paused_until[c] > t) {
      wake = std::min(wake, e.paused_until[c]);
      continue;
    }
    Frame* f = e.queue[c].front();
    e.queue[c].pop_front();
    e.bytes -= f->data.size();
    start(port, f, t);
    release(f, t);
    return;
  }
  if (wake != kForever && wake != e.wake_at) {
    e.wake_at = wake;
    at(wake, kReady, port);
  }
}

void Switch::start(std::uint32_t port, Frame* f, Ps t) {
  Egress& e = out_[port];
  e.start = std::max(t, e.free_at);
  e.piece = 0;
  e.current = f;
  if (!f->complete) f->streaming.push_back(port);
  ++f->refs;
  send_pieces(port, f, t);
}

// Sends the available part of the port's current frame, never ahead of its reception.
void Switch::send_pieces(std::uint32_t port, Frame* f, Ps t) {
  Egress& e = out_[port];
  if (e.current != f) return;
  Ps sent = t;
  for (; e.piece < f->pieces.size(); ++e.piece) {
    const Piece& p = f->pieces[e.piece];
    const std::size_t from = e.piece ? f->pieces[e.piece - 1].end : 0;
    const bool last = f->complete && e.piece + 1 == f->pieces.size();
    kumi_beat b;
    fill_beat(b, f->data, from, p.end);
    b.flags = static_cast<std::uint8_t>((b.flags & KUMI_FIRST) | (last ? KUMI_LAST : 0));
    if (e.piece) b.flags &= static_cast<std::uint8_t>(~KUMI_FIRST);
    if (last && f->bad) {
      b.flags |= KUMI_BAD;
      b.user = 1;
    }
    sent =
        std::max(e.start + byte_time(e.ppb, kPreambleBytes + p.end), p.t_ps + options_.latency_ps);
    b.t_ps = sent;
    ports_[port].out->put(b);
  }
  if (!f->complete) return;
  ++e.tx_frames;
  e.tx_bytes += f->data.size();
  e.free_at = sent + byte_time(e.ppb, kTrailerBytes);
  e.current = nullptr;
  at(std::max(e.free_at, t), kReady, port);
  release(f, t);
}

// ---- flow control toward the senders --------------------------------------------------------

// Accounts the frame to its ingress, once for all its egress ports.
void Switch::hold(Frame* f, Ps t) {
  if (f->held || !(options_.pause || options_.pfc)) return;
  Ingress& in = in_[f->ingress];
  const unsigned c = class_of(*f);
  f->held = f->data.size();
  in.held[c] += f->held;
  if (in.held[c] > options_.high_bytes && !in.paused[c]) {
    in.paused[c] = true;
    send_pause(f->ingress, c, true, t);
  }
}

void Switch::unhold(Frame* f, Ps t) {
  if (!f->held) return;
  Ingress& in = in_[f->ingress];
  const unsigned c = class_of(*f);
  in.held[c] -= f->held;
  if (in.paused[c] && in.held[c] <= options_.low_bytes) {
    in.paused[c] = false;
    send_pause(f->ingress, c, false, t);
  }
}

void Switch::send_pause(std::uint32_t port, unsigned priority, bool on, Ps t) {
  if (!ports_[port].out) return;
  const std::uint16_t quanta = on ? kPauseQuanta : 0;
  ++out_[port].pause_sent;
  send_control(
      port,
      options_.pfc ? make_pfc(mac_ + port, priority, quanta) : make_pause(mac_ + port, quanta), t);
  // Refresh before it expires.
  if (!on) return;
  const Ps again = t + pause_time(quanta / 2, out_[port].ppb);
  in_[port].refresh_at[priority] = again;
  at(again, kRefresh, port * kClasses + priority);
}

void Switch::send_control(std::uint32_t port, Bytes frame, Ps t) {
  out_[port].control.push_back(std::move(frame));
  ++live_;
  at(t, kReady, port);
}

void Switch::stats(Stats& out) const {
  out.set("mode", std::string(options_.cut_through ? "cut-through" : "store-and-forward"));
  out.set("forwarded", forwarded_);
  out.set("flooded", flooded_);
  out.set("addresses", static_cast<std::uint64_t>(table_.size()));
  out.set("addresses_aged", table_.aged());
  out.set("addresses_moved", table_.moved());
  out.set("addresses_not_learned", not_learned_);
  Stats& ports = out.group("ports");
  for (std::uint32_t i = 0; i < ports_.size(); ++i) {
    if (!ports_[i].in) continue;
    const Ingress& in = in_[i];
    const Egress& e = out_[i];
    Stats& p = ports.group(ports_[i].name);
    p.set("rx_frames", in.rx_frames);
    p.set("rx_bytes", in.rx_bytes);
    p.set("rx_fcs_errors", in.fcs + ports_[i].in->stats().fcs_dropped);
    p.set("rx_fcs_forwarded", in.fcs_forwarded);
    p.set("rx_runts", in.runts);
    p.set("rx_oversize", in.oversize);
    p.set("rx_reserved", in.reserved);
    p.set("rx_pause", in.control);
    p.set("rx_same_port", in.same_port);
    p.set("tx_frames", e.tx_frames);
    p.set("tx_bytes", e.tx_bytes);
    p.set("tx_cut_through", e.cut);
    p.set("tx_queue_full", e.full);
    p.set("tx_queue_bytes", e.bytes);
    p.set("tx_queue_peak", e.peak);
    p.set("tx_pause", e.pause_sent);
  }
}

}  // namespace kumihimo
