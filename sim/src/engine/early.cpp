// SPDX-License-Identifier: Apache-2.0
//
// Frames reach Linux before their time, so that a ping need not wait for nodes that have no part in
// it.
//
// What a node has sent by now reaches a switch later by the latency of its cable. Up to then the
// switch knows all its input, so it may run on at once, and a TAP or peer may take what is on the
// way to it. That saves the nodes the latency of the last cables and switches.
//
// No result depends on it: every actor takes the same beats at the same virtual times, and a frame
// that answers an early one enters no sooner than that one arrived (Engine::poll). What reads or
// changes the cluster between windows lets it catch up first (settle).
#include <algorithm>

#include "engine/engine.hpp"

namespace kumihimo {
namespace {

// More than this is a burst, which the threads of the next window carry at less cost.
constexpr std::uint64_t kFewBeats = 64;

}  // namespace

// The switches with their inputs, and the endpoints that may take a frame early.
void Engine::find_early() {
  for (const auto& a : actors_) {
    auto* relay = dynamic_cast<Switch*>(a.get());
    if (!relay) continue;
    Relay r{relay, {}};
    for (const auto& c : cables_) {
      for (int from = 0; from < 2; ++from) {
        if (actors_[c->actor[1 - from]] != a) continue;
        const Actor* sender = actors_[c->actor[from]].get();
        r.inputs.push_back({c->link[from].get(), dynamic_cast<const Switch*>(sender)});
      }
    }
    if (!r.inputs.empty()) relays_.push_back(std::move(r));
  }
  // A PAUSE delays what its receiver sends from then on, so it must not come sooner.
  for (External* e : externals_) {
    if (!e->obeys_pause()) early_ends_.push_back(e);
  }
}

// Up to when a switch knows its input: nodes and endpoints have sent what they send before `now`.
Ps Engine::Relay::known_until(Ps now) const {
  Ps until = kForever;
  for (const Input& i : inputs) {
    const Ps sent = i.from ? std::max(now, i.from->reached_ps()) : now;
    until = std::min(until, sent + i.link->config().latency_ps);
  }
  return until;
}

std::uint64_t Engine::Relay::coming() const {
  std::uint64_t beats = 0;
  for (const Input& i : inputs) beats += i.link->in_flight();
  return beats;
}

// After a window of serve.
void Engine::deliver_early(Ps limit) {
  if (early_ends_.empty()) return;
  const Ps now = now_ps();
  const Ps most = std::min(now + kMaxLead, limit);
  const auto parity = static_cast<unsigned>(pool_->windows() & 1);
  // In each turn a frame may pass one switch more.
  bool moved = true;
  for (std::size_t turn = 0; turn < relays_.size() && moved; ++turn) {
    moved = false;
    for (const Relay& r : relays_) {
      const Ps until = std::min(r.known_until(now), most);
      if (until <= std::max(now, r.relay->reached_ps()) || r.coming() > kFewBeats) continue;
      r.relay->run_on(now, until, parity);
      ahead_ = std::max(ahead_, r.relay->worked_ps());
      moved = true;
    }
  }
  for (External* e : early_ends_) {
    const Ps last = e->receive_early(most, parity);
    if (last < now) continue;
    ahead_ = std::max(ahead_, last + 1);
    if (e->arrived().empty()) continue;
    frames_early_ += e->arrived().size();
    delivered_ = std::max(delivered_, last);
    e->deliver(now);
  }
}

// Where the next window should end, so that a lone frame does not wait for it in a switch.
Ps Engine::early_stop(Ps limit) const {
  if (early_ends_.empty()) return limit;
  for (const Relay& r : relays_) {
    const Ps due = r.relay->lone_decision();
    if (due == kForever) continue;
    // The switch has to know its input up to then, which takes this much of the nodes' time.
    Ps latency = kForever;
    for (const Input& i : r.inputs) latency = std::min(latency, i.link->config().latency_ps);
    if (due + 1 > now_ps() + latency) limit = std::min(limit, due + 1 - latency);
  }
  return limit;
}

}  // namespace kumihimo
