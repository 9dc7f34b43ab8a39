// SPDX-License-Identifier: Apache-2.0
//
// A node's lanes and InfiniBand ports: blocks in batches.
#include <algorithm>

#include "node/node_actor.hpp"

namespace kumihimo {
namespace {

constexpr Ps kDarkPs = 1'000'000;  // lanes of a node that starts over

}  // namespace

void NodeActor::lane_attached(std::uint32_t port, Ps delay_ps, bool noise) {
  raw_[port]->cfg.lane_noise = noise;
  lanes_ = true;
  lane_delay_ = std::max(lane_delay_, delay_ps);
}

// Dark from now on for a while, at the sender's end: that may be here when the node is not.
void NodeActor::cut_lanes(Ps now) {
  for (const ActorPort& port : ports_) {
    for (LaneLink* lane : {port.lane_in, port.lane_out}) {
      if (!lane) continue;
      lane->plug(now, false);
      lane->plug(now + kDarkPs, true);
    }
  }
}

void NodeActor::receive_lane(std::size_t i) {
  kumi_blocks& q = raw_[i]->lane_rx;
  const std::uint64_t first = q.tail;
  ports_[i].lane_in->receive(q, parity_);
  if (base_ == 0) return;
  for (std::uint64_t k = first; k != q.tail; ++k) {
    kumi_block& b = q.buf[k & (q.cap - 1)];
    b.t_ps -= std::min(base_, b.t_ps);
  }
}

// Blocks on the way at a restart arrive, however early their sender's window brought them here. By
// port, in the time of an instance that begins now.
std::vector<std::vector<kumi_block>> NodeActor::lane_blocks_from(Ps now) const {
  std::vector<std::vector<kumi_block>> coming(ports_.size());
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    if (!ports_[i].lane_in) continue;
    const kumi_blocks& q = raw_[i]->lane_rx;
    for (std::uint64_t k = q.head; k != q.tail; ++k) {
      kumi_block b = q.buf[k & (q.cap - 1)];
      if (b.t_ps + base_ < now) continue;
      b.t_ps = b.t_ps + base_ - now;
      coming[i].push_back(b);
    }
  }
  return coming;
}

void NodeActor::take_lane(std::size_t i, Ps to) {
  kumi_blocks& q = raw_[i]->lane_tx;
  if (base_ != 0) {
    for (std::uint64_t k = q.head; k != q.tail; ++k) q.buf[k & (q.cap - 1)].t_ps += base_;
  }
  ChainHash h = hash_[i];
  for (std::uint64_t k = q.head; k != q.tail; ++k) h.block(q.buf[k & (q.cap - 1)]);
  hash_[i] = h;
  if (ports_[i].lane_out) ports_[i].lane_out->send(q, to);
  q.head = q.tail;
}

}  // namespace kumihimo
