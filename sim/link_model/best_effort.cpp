// SPDX-License-Identifier: Apache-2.0
#include "best_effort.hpp"

#include <bit>

namespace kumihimo::link_model {

bool BestEffort::busy() const {
  bool any = false;
  for (const BeIn& in : in_) any = any || in.valid();
  for (const Stage& s : stage_) any = any || s.valid;
  for (const Output& o : outputs_) any = any || o.slice.valid();
  return any;
}

std::uint8_t BestEffort::target(unsigned port, std::uint64_t head, unsigned board) const {
  const unsigned dest = head & 0xFF, local = head >> 28 & 15;
  unsigned to = kNoRoute;
  if (dest == board) {
    if (local < kLocals) to = local;
  } else if (routes_[port][dest] < kPorts) {
    to = routes_[port][dest];
  }
  // Never back to where it came from: that would close a cycle of waiting links.
  return static_cast<std::uint8_t>(to == port ? kNoRoute : to);
}

// Round-robin over the heads that wait for output o.
void BestEffort::arbitrate(unsigned o) {
  Output& out = outputs_[o];
  unsigned want = 0;
  for (unsigned i = kLocals; i < kPorts; ++i) {
    const Stage& s = stage_[i];
    if (s.valid && s.word.kind == WordKind::kHead && s.target == o) want |= 1u << i;
  }
  if (want == 0) return;
  const unsigned behind = want & out.later;
  const unsigned winner = static_cast<unsigned>(std::countr_zero(behind != 0 ? behind : want));
  out.later = static_cast<std::uint8_t>(~0u << (winner + 1));
  out.owner = static_cast<std::uint8_t>(winner);
  out.locked = true;
}

void BestEffort::step(unsigned board, const std::array<LinkIn, kLinks>& links) {
  // What each input gives in this cycle.
  std::array<bool, kPorts> take{};
  for (unsigned i = kLocals; i < kPorts; ++i) take[i] = stage_[i].target == kNoRoute;
  for (const Output& o : outputs_) {
    if (o.locked && o.slice.ready()) take[o.owner] = true;
  }

  for (unsigned o = 0; o < kPorts; ++o) {
    Output& out = outputs_[o];
    const bool valid = out.slice.valid();
    const Word front = out.slice.front();
    bool ready = true;
    if (o < kLocals) {
      rx_[o].step(valid, front);
    } else {
      const unsigned l = o - kLocals;
      const LinkOut leaves = leaving(l, links[l]);
      ready = down_[l] || (links[l].slot && !links[l].xoff_seen);
      dead_[o] = down_[l] && valid && front.kind == WordKind::kHead;
      if (leaves.take) open_[l] = front.kind != WordKind::kTail;
    }
    const Stage& from = stage_[out.owner];
    const bool push = out.locked && from.valid;
    const bool moves = push && out.slice.ready();
    if (!out.locked) {
      arbitrate(o);
    } else if (moves && from.word.kind == WordKind::kTail) {
      out.locked = false;
    }
    if (push || valid) out.slice.step(push, from.word, ready);
  }

  for (unsigned i = kLocals; i < kPorts; ++i) {
    Stage& s = stage_[i];
    BeIn& in = in_[i - kLocals];
    const LinkIn& link = links[i - kLocals];
    const bool ready = !s.valid || take[i];
    s.no_route = false;
    if (ready) {
      s.valid = in.valid();
      s.word = in.front();
      if (s.valid && s.word.kind == WordKind::kHead) {
        s.target = target(i, s.word.data, board);
        s.no_route = s.target == kNoRoute;
      }
    }
    in.step(link.locked, link.valid, link.word, ready);
  }
  for (unsigned l = 0; l < kLinks; ++l) down_[l] = !links[l].locked;
}

}  // namespace kumihimo::link_model
