// SPDX-License-Identifier: Apache-2.0
//
// Idle nodes run ahead of the cluster, so that a frame from Linux need not wait for them.
//
// Nothing reaches a node sooner than the cables and switches allow on the way from the nearest
// actor that can send by itself. A node may therefore be that far ahead while nothing is in flight.
// No result depends on it: what reads or changes a node between windows lets the cluster catch up
// first (settle).
#include <algorithm>

#include "engine/engine.hpp"

namespace kumihimo {

// Sets how far each node may be ahead. A switch forwards a frame no sooner than its latency.
void Engine::measure_leads() {
  constexpr Ps kUnknown = kForever / 4;
  std::vector<Ps> sends(actors_.size());  // earliest output after now, for input at now or none
  for (std::size_t i = 0; i < actors_.size(); ++i) {
    sends[i] = dynamic_cast<const Switch*>(actors_[i].get()) ? kUnknown : 0;
  }
  const auto reach = [&](const Cable& c, int from) {
    return sends[c.actor[from]] + c.link[from]->config().latency_ps;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& c : cables_) {
      for (int from = 0; from < 2; ++from) {
        const auto* s = dynamic_cast<const Switch*>(actors_[c->actor[1 - from]].get());
        if (!s || reach(*c, from) + s->latency_ps() >= sends[c->actor[1 - from]]) continue;
        sends[c->actor[1 - from]] = reach(*c, from) + s->latency_ps();
        changed = true;
      }
    }
  }
  for (NodeActor* n : nodes_) n->set_lead(kMaxLead);
  for (const auto& c : cables_) {
    for (int from = 0; from < 2; ++from) {
      auto* n = dynamic_cast<NodeActor*>(actors_[c->actor[1 - from]].get());
      if (n) n->set_lead(std::min(n->lead_ps(), reach(*c, from)));
    }
  }
  for (const auto& c : lane_cables_) {
    for (const std::uint32_t a : c->actor) node(a).set_lead(0);
  }
  for (const JoinedDisk& d : disks_) node(d.node).set_lead(0);
  for (const auto& h : hosts_) node(h->node()).set_lead(0);
}

void Engine::run_ahead(Ps limit) {
  if (!traces_.empty() || !resets_.empty()) return;
  pool_->ahead(now_ps(), limit);
  ++runs_ahead_;
}

void Engine::settle() {
  Ps ahead = ahead_;
  for (const NodeActor* n : nodes_) ahead = std::max(ahead, n->reached_ps());
  while (now_ps() < ahead && failure_.empty()) step(ahead);
}

}  // namespace kumihimo
