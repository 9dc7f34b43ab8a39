// SPDX-License-Identifier: Apache-2.0
#include "switch.hpp"

#include <algorithm>
#include <bit>

namespace kumihimo::ib_model {

namespace {
constexpr unsigned kEnter64 = 18, kEnter32 = 21;  // cycles from the header to the queue
}  // namespace

Switch::Switch(const Params& p)
    : params_(p),
      tables_(p),
      inputs_(p.ports + 1),
      outputs_(p.ports + 1),
      enter_(p.words() == 2 ? kEnter64 : kEnter32) {
  for (unsigned i = 1; i <= p.ports; ++i) ports_.push_back(std::make_unique<Port>(p, i, *this));
  for (Input& in : inputs_) {
    in.free.fill(p.blocks);
    in.free[p.data_vls] = p.blocks - kSpare;
    in.queues.resize((p.ports + 1) * p.rings());
  }
  for (Output& out : outputs_) out.input.resize(p.rings());
  std::vector<Port*> ports;
  for (auto& port : ports_) ports.push_back(port.get());
  agent_ = std::make_unique<Agent>(p, tables_, std::move(ports));
  // Reset values of all attributes are written one after the other.
  const unsigned port_bits = static_cast<unsigned>(std::bit_width(p.ports));
  ready_at_ = std::max({p.lft_cap, p.mft_cap, p.rings() * p.blocks}) + 5 * (p.ports + 1) * 21 +
              3 * 21 + (1u << (2 * port_bits)) * 7 + p.lft_cap / 64 * 69 +
              p.mft_cap / 32 * ((p.ports + 16) / 16) * 69;
}

void Switch::start(std::uint64_t guid, const std::array<std::uint32_t, 16>& description) {
  agent_->start(guid, description);
  ready_ = true;
}

void Switch::step(const Symbols* in, Symbols* out) {
  ++cycle_;
  moved_ = false;
  if (cycle_ % params_.tick == 0) {
    ++tick_;
    agent_->tick();
  }
  for (unsigned p = 0; p < params_.ports; ++p) {
    ports_[p]->step(in[p], ready_, out[p]);
    moved_ = moved_ || ports_[p]->moved() || ports_[p]->trains();
  }
  to_agent();
  if (ready_) {
    agent_->step();
    from_agent();
    moved_ = moved_ || agent_->busy();
  }
  for (unsigned o = 0; o < outputs_.size(); ++o) {
    read(o);
    if (outputs_[o].queued != 0) choose(o);
  }
  if (cycle_ % kScan == 0) scan();
}

Switch::Info Switch::info(unsigned port) const {
  if (port == 0) return {true, true, kMgmtMtu, 1, 31};
  const Port& p = *ports_[port - 1];
  return {p.data_ok(), p.mgmt_ok(), p.mtu(), p.config.oper_vls, p.config.hoq_life};
}

// ---- Packets received --------------------------------------------------------------------------

void Switch::header(unsigned port, unsigned ring, std::uint32_t first, std::uint32_t second) {
  const unsigned len = (second & 7) << 8 | (second >> 8 & 0xFF);
  begin(inputs_[port], port, ring, len, first, -1);
  word(port, first);
  word(port, second);
}

void Switch::begin(Input& in, unsigned number, unsigned ring, unsigned len, std::uint32_t first,
                   int direct) {
  const std::uint32_t head = swap32(first);
  const unsigned sl = head >> 20 & 0xF;
  const auto dlid = static_cast<std::uint16_t>(head);
  const bool mgmt = head >> 28 == kVlMgmt;
  in.len = len;
  in.ring = ring;
  in.words = 0;
  in.lost = false;
  in.coming.reset();
  in.to = 0;

  const bool multicast = dlid >= kMcastLid && dlid != kPermissive &&
                         dlid - kMcastLid < static_cast<int>(params_.mft_cap) && !mgmt &&
                         direct < 0;
  std::uint64_t mask = 0;
  unsigned out_ring = 0;
  if (multicast) {
    mask = tables_.mft[dlid - kMcastLid] & ((std::uint64_t{2} << params_.ports) - 1) &
           ~(std::uint64_t{1} << number);
    in.reason = mask == 0 ? Reason::kNoRoute : Reason::kNone;
  } else {
    int port = direct;
    if (port < 0) {
      if ((dlid == tables_.lid && dlid != 0) || (dlid == kPermissive && mgmt)) {
        port = 0;
      } else if (dlid != 0 && dlid < params_.lft_cap && dlid < kMcastLid) {
        port = tables_.lft[dlid];
      }
    }
    in.to = port < 0 ? 255 : static_cast<unsigned>(port);
    in.reason = unicast(number, in.to, mgmt, sl, len, out_ring);
  }
  if (in.reason != Reason::kNone) return;
  if (blocks_of(len) > in.free[ring]) {
    in.lost = true;
    return;
  }
  in.coming = std::make_shared<Packet>();
  in.coming->words.reserve(len);
  in.coming->len = len;
  in.coming->in = number;
  in.coming->ring = ring;
  in.coming->arrived = tick_;
  if (multicast) {
    copies(number, mask, sl);
  } else {
    enter(number, in.to, out_ring);
  }
}

Switch::Reason Switch::unicast(unsigned in, unsigned port, bool mgmt, unsigned sl, unsigned len,
                               unsigned& ring) const {
  if (port > params_.ports) return Reason::kNoRoute;
  if (port == in) return Reason::kLoop;
  const Info to = info(port);
  if (mgmt ? !to.mgmt_ok : !to.data_ok) return Reason::kInactive;
  const unsigned vl = tables_.vl(in, port, sl);
  if (!mgmt && port != 0 && (vl >= vls_of(to.oper_vls) || vl >= params_.data_vls)) {
    return Reason::kNoVl;
  }
  ring = mgmt ? params_.data_vls : port == 0 ? 0 : vl;
  return len > max_pkt_len(to.mtu) ? Reason::kTooLong : Reason::kNone;
}

// A multicast packet is in the memory once, and each port of the mask has an entry in its queue.
void Switch::copies(unsigned in, std::uint64_t mask, unsigned sl) {
  Input& input = inputs_[in];
  for (; mask != 0; mask &= mask - 1) {
    const auto out = static_cast<unsigned>(std::countr_zero(mask));
    const Info to = info(out);
    const unsigned vl = out == 0 ? 0 : tables_.vl(in, out, sl);
    if (!to.data_ok || input.len > max_pkt_len(to.mtu)) {
      discard(out);
    } else if (out != 0 && (vl >= vls_of(to.oper_vls) || vl >= params_.data_vls)) {
      refused(in, Reason::kNoVl, out);
    } else {
      enter(in, out, vl);
    }
  }
}

void Switch::enter(unsigned in, unsigned out, unsigned ring) {
  std::deque<Entry>& q = queue(in, out, ring);
  q.push_back({inputs_[in].coming, cycle_ + enter_, tick_});
  ++inputs_[in].coming->copies;
  ++inputs_[in].queued;
  ++outputs_[out].queued;
}

void Switch::word(unsigned port, std::uint32_t word) {
  Input& in = inputs_[port];
  ++in.words;
  if (in.coming && in.coming->words.size() < in.len) in.coming->words.push_back(word);
}

void Switch::end(unsigned port, bool good) {
  Input& in = inputs_[port];
  if (PacketPtr packet = std::move(in.coming)) {
    packet->ended = true;
    packet->bad = !good;
    in.free[in.ring] -= packet->blocks();
    if (packet->copies == 0) free(*packet);
  }
  if (!good) return;
  refused(port, in.reason, in.to);
  if (port == 0) return;
  Port& from = *ports_[port - 1];
  if (in.lost) {
    from.full(in.ring);
    return;
  }
  from.received(in.words);
  if (in.reason == Reason::kNone) from.committed(in.ring, blocks_of(in.len));
}

void Switch::refused(unsigned in, Reason reason, unsigned to) {
  switch (reason) {
    case Reason::kNone:
      return;
    case Reason::kInactive:
    case Reason::kTooLong:
      discard(to);
      return;
    default:
      if (in == 0) {
        ++agent_->drops[Agent::kRelay];
      } else {
        ports_[in - 1]->counters.add(kRcvSwitchRelayErrors);
      }
  }
}

void Switch::discard(unsigned port) {
  if (port == 0) {
    ++agent_->drops[Agent::kDiscard];
  } else {
    ports_[port - 1]->counters.add(kXmitDiscards);
  }
}

// ---- Memory ------------------------------------------------------------------------------------

void Switch::free(const Packet& packet) { inputs_[packet.in].free[packet.ring] += packet.blocks(); }

void Switch::release(const PacketPtr& packet) {
  if (--packet->copies == 0 && packet->ended) free(*packet);
}

void Switch::remove(unsigned in, unsigned out, unsigned ring) {
  std::deque<Entry>& q = queue(in, out, ring);
  q.pop_front();
  if (!q.empty()) q.front().since = tick_;
  --inputs_[in].queued;
  --outputs_[out].queued;
}

// Heads of queues that have waited too long, are bad, or wait for a port that is not Active.
bool Switch::overdue(const Entry& entry, const Info& to, bool mgmt) const {
  const auto older = [this](std::uint64_t from, unsigned life) {
    return life < 20 && tick_ - from > (std::uint64_t{1} << life);
  };
  return (mgmt ? !to.mgmt_ok : !to.data_ok) || older(entry.packet->arrived, tables_.life_time) ||
         older(entry.since, to.hoq_life);
}

void Switch::scan() {
  for (unsigned i = 0; i < inputs_.size(); ++i) {
    if (inputs_[i].queued == 0) continue;
    for (unsigned o = 0; o < outputs_.size(); ++o) {
      for (unsigned r = 0; r < params_.rings(); ++r) {
        std::deque<Entry>& q = queue(i, o, r);
        if (q.empty() || !q.front().packet->ended) continue;
        const bool bad = q.front().packet->bad;
        if (!bad && !overdue(q.front(), info(o), r == params_.data_vls)) continue;
        if (!bad) discard(o);
        const PacketPtr packet = q.front().packet;
        remove(i, o, r);
        release(packet);
      }
    }
  }
}

}  // namespace kumihimo::ib_model
