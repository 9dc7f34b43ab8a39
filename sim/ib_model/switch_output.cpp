// SPDX-License-Identifier: Apache-2.0
//
// Outputs of the switch: which packet goes next; and the way from and to the agent.
#include <algorithm>

#include "switch.hpp"

namespace kumihimo::ib_model {

namespace {
constexpr unsigned kSettle = 16;  // cycles between two packets of the agent
}

// ---- Outputs -----------------------------------------------------------------------------------

void Switch::choose(unsigned o) {
  Output& out = outputs_[o];
  if (out.chosen || out.reading || cycle_ < out.last_choice + kChoice) return;
  if (o == 0 && (agent_packet_ || agent_->queued() >= kFifo)) return;
  const Info to = info(o);
  unsigned some = 0, able = 0;
  std::array<std::uint64_t, kMaxVls + 1> req{};
  std::uint64_t open = 0;
  for (unsigned i = 0; i < inputs_.size(); ++i) {
    if (inputs_[i].queued == 0) continue;
    if (!inputs_[i].busy) open |= std::uint64_t{1} << i;
    for (unsigned r = 0; r < params_.rings(); ++r) {
      const std::deque<Entry>& q = queue(i, o, r);
      if (q.empty() || q.front().visible > cycle_) continue;
      req[r] |= std::uint64_t{1} << i;
      some |= 1u << r;
      if (!inputs_[i].busy) able |= 1u << r;
    }
  }
  if (!to.data_ok) out.blocked = 0;
  const unsigned mgmt = 1u << params_.data_vls;
  unsigned ring;
  if ((able & mgmt) != 0 && to.mgmt_ok) {
    ring = params_.data_vls;
  } else {
    const unsigned lanes = to.data_ok ? able & ~out.blocked & ~mgmt : 0;
    if (to.data_ok && lanes == 0 && (some & out.blocked) != 0) {
      ports_[o - 1]->counters.add(kXmitWait);
    }
    if (lanes == 0) return;
    if (o == 0) {
      ring = 0;
    } else {
      const PortConfig& c = ports_[o - 1]->config;
      const int vl = out.vl.choose(c.high, c.low, c.high_limit, lanes);
      if (vl < 0) return;
      ring = static_cast<unsigned>(vl);
    }
  }
  const int in = out.input[ring].choose(req[ring], open);
  if (in >= 0) take(static_cast<unsigned>(in), o, ring);
}

void Switch::take(unsigned in, unsigned o, unsigned ring) {
  Output& out = outputs_[o];
  const PacketPtr packet = queue(in, o, ring).front().packet;
  if (packet->ended && packet->bad) {
    remove(in, o, ring);
    release(packet);
    return;
  }
  const bool data = ring != params_.data_vls;
  if (o != 0 && data) {
    Port& port = *ports_[o - 1];
    if (packet->blocks() > port.credits.room(ring)) {
      out.blocked |= 1u << ring;
      return;
    }
    port.credits.charge(ring, packet->blocks());
    out.vl.charge(packet->blocks(), port.config.high_limit);
  }
  out.input[ring].served();
  out.last_choice = cycle_;
  out.from = in;
  out.reading = true;
  inputs_[in].busy = true;
  out.chosen = packet;
  out.chosen_vl = data ? ring : kVlMgmt;
  remove(in, o, ring);
}

void Switch::next(unsigned port, PacketPtr& packet, unsigned& vl) {
  Output& out = outputs_[port];
  if (!out.chosen) return;
  packet = std::move(out.chosen);
  out.chosen.reset();
  vl = out.chosen_vl;
}

void Switch::left(const PacketPtr& packet) { release(packet); }

// An input may serve another output, and the output choose, while the last beats of a packet go.
void Switch::read(unsigned o) {
  Output& out = outputs_[o];
  if (!out.reading || out.chosen) return;
  const PacketPtr& packet = o == 0 ? agent_packet_ : ports_[o - 1]->line().packet();
  const unsigned left = !packet  ? 0
                        : o == 0 ? packet->len - agent_at_
                                 : ports_[o - 1]->line().left();
  if (packet && (!packet->ended || left > kAhead)) return;
  out.reading = false;
  inputs_[out.from].busy = false;
}

// ---- Agent -------------------------------------------------------------------------------------

void Switch::to_agent() {
  if (!agent_packet_) {
    unsigned vl;
    next(0, agent_packet_, vl);
    agent_at_ = 0;
  }
  if (!agent_packet_) return;
  const Packet& p = *agent_packet_;
  agent_at_ = std::min(agent_at_ + params_.words(), static_cast<unsigned>(p.words.size()));
  if (!p.ended || agent_at_ < p.words.size()) return;
  if (p.bad) {
    ++agent_->drops[Agent::kBad];
  } else {
    agent_->receive(p.words, p.in);
  }
  release(agent_packet_);
  agent_packet_.reset();
}

void Switch::from_agent() {
  if (settle_ != 0) {
    --settle_;
    return;
  }
  if (!agent_->answer_ready() || inputs_[0].coming) return;
  if (inputs_[0].free[0] < 8 || inputs_[0].free[params_.data_vls] < 8) return;
  const Agent::Answer answer = agent_->take();
  const std::uint32_t first = answer.words[0];
  const bool mgmt = (first >> 4 & 0xF) == kVlMgmt;
  const auto len = static_cast<unsigned>(answer.words.size());
  begin(inputs_[0], 0, mgmt ? params_.data_vls : 0, len, first,
        answer.port == Agent::kByTable ? -1 : static_cast<int>(answer.port));
  for (const std::uint32_t w : answer.words) word(0, w);
  end(0, true);
  settle_ = kSettle;
}

}  // namespace kumihimo::ib_model
