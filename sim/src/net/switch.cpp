// SPDX-License-Identifier: Apache-2.0
//
// The receiving half of the switch: beats to frames, lookup, and the order of events.
#include "net/switch.hpp"

#include <algorithm>

namespace kumihimo {
namespace {

constexpr std::size_t kHeaderBytes = 64;
constexpr std::size_t kEthHeader = 14;

}  // namespace

Switch::Switch(std::string name, SwitchOptions options, std::uint64_t mac)
    : Actor("switch", std::move(name)),
      options_(std::move(options)),
      mac_(mac),
      table_(options_.ageing_ps) {
  const std::uint32_t n = options_.ports;
  if (n < 1 || n > 256) throw Error("switch '" + this->name() + "': 1 to 256 ports");
  if (!options_.rate_bps.empty() && options_.rate_bps.size() != n) {
    throw Error("switch '" + this->name() + "': " + std::to_string(n) + " ports, but " +
                std::to_string(options_.rate_bps.size()) + " port rates");
  }
  if (options_.max_frame < 1518 || options_.max_frame > kMaxFrame) {
    throw Error("switch '" + this->name() + "': max_frame is 1518 to 65535 bytes");
  }
  if (!options_.high_bytes)
    options_.high_bytes = std::max<std::uint64_t>(options_.queue_bytes / n / 2, 2048);
  if (!options_.low_bytes) options_.low_bytes = options_.high_bytes / 2;
  if (options_.low_bytes > options_.high_bytes) {
    throw Error("switch '" + this->name() + "': the low watermark is above the high one");
  }
  for (const auto& [address, port] : options_.routes) {
    if (port >= n) throw Error("switch '" + this->name() + "': a route to a port it has not");
    routes_.emplace(address, port);
  }
  floods_.assign(n, options_.flood.empty());
  for (const std::uint32_t port : options_.flood) {
    if (port >= n) throw Error("switch '" + this->name() + "': floods to a port it has not");
    floods_[port] = true;
  }
  in_.resize(n);
  out_.resize(n);
  for (std::uint32_t i = 0; i < n; ++i) ports_.push_back({std::to_string(i), nullptr, nullptr});
}

Switch::~Switch() = default;

std::uint32_t Switch::port_index(const std::string& port) const {
  for (std::uint32_t i = 0; i < ports_.size(); ++i) {
    if (port.empty() ? !ports_[i].out : ports_[i].name == port) return i;
  }
  throw Error("switch '" + name() + "' has " +
              (port.empty() ? "no free port" : "no port '" + port + "'") + "; its ports are 0 to " +
              std::to_string(ports_.size() - 1));
}

void Switch::attached(std::uint32_t port, double rate_bps) {
  in_[port].ppb = out_[port].ppb = ps_per_byte(rate_bps);
}

std::string Switch::describe() const {
  const SwitchOptions& o = options_;
  std::string s = "switch " + name() + " ports " + std::to_string(o.ports) +
                  (o.cut_through ? " cut-through" : " store-and-forward") + " latency " +
                  std::to_string(o.latency_ps) + " queue " + std::to_string(o.queue_bytes) +
                  " pause " + std::to_string(o.pause) + " pfc " + std::to_string(o.pfc) +
                  " watermarks " + std::to_string(o.high_bytes) + " " +
                  std::to_string(o.low_bytes) + " ageing " + std::to_string(o.ageing_ps) +
                  " max_frame " + std::to_string(o.max_frame);
  for (const auto& [address, port] : o.routes)
    s += " to " + std::to_string(address) + " by " + std::to_string(port);
  for (const std::uint32_t port : o.flood) s += " flood " + std::to_string(port);
  return s;
}

bool Switch::quiet(Ps) const { return live_ == 0; }

void Switch::run(Ps /*from*/, Ps to) {
  reached_ps_ = std::max(reached_ps_, to);
  for (;;) {
    // The earliest beat, and the earliest time on any other port.
    int port = -1;
    Ps first = kForever, second = kForever;
    for (std::uint32_t i = 0; i < ports_.size(); ++i) {
      const kumi_beat* b = ports_[i].in ? ports_[i].in->front(to) : nullptr;
      if (!b) continue;
      if (b->t_ps < first) {
        second = first;
        first = b->t_ps;
        port = static_cast<int>(i);
      } else {
        second = std::min(second, b->t_ps);
      }
    }
    if (!events_.empty() && events_.top().t < to && events_.top().t < first) {
      const Event e = events_.top();
      events_.pop();
      worked_ps_ = e.t + 1;
      event(e);
      continue;
    }
    if (port < 0) return;
    // Beats of one port run on until another port or an event is due.
    Link* in = ports_[static_cast<std::size_t>(port)].in;
    const kumi_beat* b = in->front(to);
    do {
      worked_ps_ = b->t_ps + 1;
      receive(static_cast<std::uint32_t>(port), *b);
      in->pop();
      b = in->front(to);
    } while (b && b->t_ps < second && (events_.empty() || b->t_ps <= events_.top().t));
  }
}

void Switch::event(const Event& e) {
  switch (e.kind) {
    case kDecide:
      decide(e.frame, e.t);
      break;
    case kEnqueue:
      enqueue(e.port, e.frame, e.t);
      release(e.frame, e.t);
      break;
    case kReady:
      try_start(e.port, e.t);
      break;
    case kRefresh:
      if (in_[e.port / kClasses].paused[e.port % kClasses] &&
          in_[e.port / kClasses].refresh_at[e.port % kClasses] == e.t) {
        send_pause(e.port / kClasses, e.port % kClasses, true, e.t);
      }
      break;
  }
}

Switch::Frame* Switch::make_frame(std::uint32_t port) {
  if (spare_.empty()) {
    all_.push_back(std::make_unique<Frame>());
    spare_.push_back(all_.back().get());
  }
  Frame* f = spare_.back();
  spare_.pop_back();
  f->data.clear();
  f->pieces.clear();
  f->streaming.clear();
  f->late.clear();
  f->ingress = port;
  f->refs = 1;
  f->priority = 0;
  f->held = 0;
  f->complete = f->bad = f->decided = f->cut = false;
  ++live_;
  return f;
}

void Switch::release(Frame* f, Ps t) {
  if (--f->refs) return;
  unhold(f, t);
  spare_.push_back(f);
  --live_;
}

void Switch::receive(std::uint32_t port, const kumi_beat& b) {
  Ingress& in = in_[port];
  if (!in.frame) in.frame = make_frame(port);
  Frame* f = in.frame;
  const bool last = b.flags & KUMI_LAST;
  const std::size_t before = f->data.size();
  if (f->data.size() + b.len <= options_.max_frame) {
    f->data.insert(f->data.end(), b.data, b.data + b.len);
  } else if (!f->bad) {
    f->bad = true;
    ++in.oversize;
  }
  if (last || f->data.size() > before) f->pieces.push_back({f->data.size(), b.t_ps});
  if (last) {
    f->complete = true;
    if (b.flags & KUMI_BAD) {
      if (!f->bad) ++in.fcs;
      f->bad = true;
      in.fcs_forwarded += !f->streaming.empty();
    }
  }
  for (const std::uint32_t e : f->streaming) send_pieces(e, f, b.t_ps);
  if (options_.cut_through && !f->cut && !last && f->data.size() >= kHeaderBytes && !f->bad &&
      !is_reserved(f->data)) {
    f->cut = true;
    ++f->refs;
    at(b.t_ps + options_.latency_ps, kDecide, port, f);
  }
  if (last) {
    in.frame = nullptr;
    received(port, f, b.t_ps);
    release(f, b.t_ps);
  }
}

// The frame is complete.
void Switch::received(std::uint32_t port, Frame* f, Ps t) {
  Ingress& in = in_[port];
  ++in.rx_frames;
  in.rx_bytes += f->data.size();
  if (f->cut) {
    for (const std::uint32_t e : f->late) {
      if (f->bad) continue;
      ++f->refs;
      at(t + options_.latency_ps, kEnqueue, e, f);
    }
    return;
  }
  if (f->bad) return;
  if (f->data.size() < kEthHeader) {
    ++in.runts;
    return;
  }
  if (is_reserved(f->data)) {
    ++(flow_control(port, *f, t) ? in.control : in.reserved);
    return;
  }
  ++f->refs;
  at(t + options_.latency_ps, kDecide, port, f);
}

bool Switch::flow_control(std::uint32_t port, const Frame& f, Ps t) {
  const auto fc = parse_flow_control(f.data);
  if (!fc || !(fc->pfc ? options_.pfc : options_.pause)) return false;
  Egress& e = out_[port];
  for (unsigned c = 0; c < kClasses; ++c) {
    if (fc->classes >> c & 1) e.paused_until[c] = t + pause_time(fc->quanta[c], e.ppb);
  }
  at(t, kReady, port);
  return true;
}

// Port of an address, or -1.
int Switch::lookup(std::uint64_t to, Ps t) {
  if (MacTable::is_group(to)) return -1;
  const auto it = routes_.find(to);
  return it == routes_.end() ? table_.find(to, t) : static_cast<int>(it->second);
}

// Looks up the destination; the header is complete, the end may still be missing.
void Switch::decide(Frame* f, Ps t) {
  f->decided = true;
  // A frame that has turned out bad is dropped.
  if (f->bad) {
    release(f, t);
    return;
  }
  f->priority = vlan_priority(f->data);
  const std::uint64_t to = MacTable::read(f->data.data());
  const std::uint64_t from = MacTable::read(f->data.data() + 6);
  const bool learns = !MacTable::is_group(from) && floods_[f->ingress] && !routes_.contains(from);
  if (learns && !table_.learn(from, f->ingress, t)) ++not_learned_;
  const int known = lookup(to, t);
  if (known >= 0) {
    if (static_cast<std::uint32_t>(known) == f->ingress) {
      ++in_[f->ingress].same_port;
    } else {
      ++forwarded_;
      offer(static_cast<std::uint32_t>(known), f, t);
    }
  } else {
    ++flooded_;
    for (std::uint32_t i = 0; i < ports_.size(); ++i) {
      if (i != f->ingress && floods_[i] && ports_[i].out) offer(i, f, t);
    }
  }
  release(f, t);
}

}  // namespace kumihimo
