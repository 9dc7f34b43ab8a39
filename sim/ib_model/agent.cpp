// SPDX-License-Identifier: Apache-2.0
#include "agent.hpp"

namespace kumihimo::ib_model {

namespace {

// Words of the packet; LRH 2, BTH 3, DETH 2, then the datagram.
constexpr unsigned kMadAt = 7, kMKeyAt = 13, kDataAt = 23, kInitPathAt = 39, kRetPathAt = 55;
constexpr unsigned kClassSubn = 0x01, kClassDirected = 0x81, kClassPerf = 0x04;
constexpr unsigned kGet = 0x01, kSet = 0x02, kTrap = 0x05, kTrapRepress = 0x07, kGetResp = 0x81;
constexpr std::uint32_t kQp1Key = 0x80010000;

// Cycles from the last beat in to the last one out at 64 bits, 5 less at 32.
constexpr unsigned kGetCycles = 121, kForwardCycles = 90, kSetCycles = 173, kTableCycles = 218,
                   kCounterCycles = 145;

}  // namespace

std::uint32_t icrc(std::span<const std::uint32_t> words) {
  std::uint32_t crc = ~0u;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::uint32_t w = words[i];
    if (i == 0) w |= 0xF0;  // LRH.VL
    if (i == 3) w |= 0xFF;  // BTH.Resv8a
    crc = crc_step(kIcrcTable, crc, w);
  }
  return ~crc;
}

Agent::Agent(const Params& p, Tables& tables, std::vector<Port*> ports)
    : params_(p),
      tables_(tables),
      ports_(std::move(ports)),
      attributes_(p, tables, ports_),
      seen_(p.ports + 1, kDown) {}

void Agent::start(std::uint64_t guid, const Attributes::Block& description) {
  attributes_.start(guid, description);
}

bool Agent::well_formed(const Datagram& d) {
  const auto& w = d.w;
  if (w.size() != kPktWords || (w[0] & 0x0F030000) != 0x00020000) return false;
  if ((w[1] >> 16 & 0x7FF) != kPktWords || w[2] >> 24 != 0x64 || (w[2] & 0x3F0000) != 0) {
    return false;
  }
  const bool mgmt = w[0] >> 28 == kVlMgmt, qp1 = (w[3] & 1) != 0;
  if ((w[3] & 0xFFFFFE) != 0 || qp1 == mgmt) return false;
  return (!qp1 || w[5] == kQp1Key) && (qp1 || (w[6] & 0xFFFFFF) == 0) && w[kMadAt] >> 24 == 1;
}

void Agent::receive(const std::vector<std::uint32_t>& words, unsigned port) {
  const std::span<const std::uint32_t> body(words.data(), words.size() - 1);
  if (icrc(body) != words.back()) {
    ++drops[kBadIcrc];
    return;
  }
  Datagram d;
  d.port = port;
  for (const std::uint32_t w : words) d.w.push_back(swap32(w));
  if (well_formed(d)) {
    waiting_.push_back(std::move(d));
  } else {
    ++drops[kBadPacket];
  }
}

// ---- Where a datagram goes ---------------------------------------------------------------------

bool Agent::own(std::uint16_t dlid) const {
  const unsigned lmc = attributes_.own(8) >> 8 & 7;
  const unsigned range = 0xFFFFu << lmc & 0xFFFF;
  return dlid == kPermissive || (own_lid() != 0 && ((dlid ^ own_lid()) & range) == 0);
}

Agent::Way Agent::way(const Datagram& d) const {
  Way r;
  const bool qp1 = (d.w[3] & 1) != 0;
  const unsigned mgmt_class = d.byte(kMadAt, 1), method = d.byte(kMadAt, 3);
  r.hop_ptr = d.byte(kMadAt + 1, 2);
  r.record_at = r.hop_ptr & 63;
  const bool is_directed = !qp1 && mgmt_class == kClassDirected;
  if (!is_directed) {
    r.lid_routed = true;
    r.dlid = static_cast<std::uint16_t>(d.w[0]);
    r.slid = static_cast<std::uint16_t>(d.w[1]);
    if (own(r.dlid) && (mgmt_class == kClassSubn || qp1)) r.route = Route::kLocal;
  } else {
    directed(d, r);
  }
  // Responses, traps and other classes are a manager's, and there is none at a switch.
  const bool for_manager =
      (method & 0x80) != 0 || (qp1 ? mgmt_class != kClassPerf : method == kTrap);
  const bool back = (d.w[kMadAt + 1] >> 31) != 0;
  if (r.route == Route::kLocal && (for_manager || (is_directed && back))) {
    r.route = Route::kDrop;
    r.no_manager = for_manager;
  }
  return r;
}

// Hop pointer rules, C14-9 and C14-13.
void Agent::directed(const Datagram& d, Way& r) const {
  const bool back = (d.w[kMadAt + 1] >> 31) != 0;
  const unsigned ptr = d.byte(kMadAt + 1, 2), count = d.byte(kMadAt + 1, 3);
  const auto dr_slid = static_cast<std::uint16_t>(d.w[kMadAt + 8] >> 16);
  const auto dr_dlid = static_cast<std::uint16_t>(d.w[kMadAt + 8]);
  if (count >= 64) return;
  const unsigned at = (back ? ptr - 1 : ptr + 1) & 63;
  const unsigned path = d.byte((back ? kRetPathAt : kInitPathAt) + at / 4, at % 4);
  r.port = path;
  const auto by_lid = [&](std::uint16_t dlid) {
    r.route = Route::kForward;
    r.port = kByTable;
    r.dlid = dlid;
    r.slid = own_lid();
  };
  if (!back) {
    if (ptr == 0 && count != 0) {
      r.hop_ptr = 1;
      if (path_ok(path) && dr_slid != kPermissive) r.route = Route::kForward;
    } else if (ptr == count) {
      r.hop_ptr = ptr + 1;
      r.record = ptr != 0;
      if (dr_dlid == kPermissive) {
        r.route = Route::kLocal;
      } else {
        by_lid(dr_dlid);
      }
    } else if (ptr < count) {
      r.hop_ptr = ptr + 1;
      r.record = true;
      if (path_ok(path)) r.route = Route::kForward;
    } else if (ptr == count + 1) {
      r.lid_routed = true;
      r.dlid = static_cast<std::uint16_t>(d.w[0]);
      r.slid = static_cast<std::uint16_t>(d.w[1]);
      if (own(r.dlid)) r.route = Route::kLocal;
    }
  } else if (ptr == 0) {
    r.route = Route::kLocal;
  } else if (ptr == 1) {
    r.hop_ptr = 0;
    if (dr_slid == kPermissive) {
      r.route = Route::kLocal;
    } else {
      by_lid(dr_slid);
    }
  } else if (ptr <= count + 1) {
    r.hop_ptr = ptr - 1;
    if (path_ok(path)) r.route = Route::kForward;
  }
}

// ---- Answers -----------------------------------------------------------------------------------

void Agent::send(Datagram& d, unsigned port, unsigned cycles) {
  answer_.words.clear();
  for (unsigned i = 0; i + 1 < kPktWords; ++i) answer_.words.push_back(swap32(d.w[i]));
  answer_.words.push_back(icrc(answer_.words));
  answer_.port = port;
  have_answer_ = true;
  wait_ = params_.words() == 2 ? cycles : cycles - 5;
}

void Agent::handle(Datagram d) {
  const Way r = way(d);
  if (r.route == Route::kDrop) {
    ++drops[r.no_manager ? kNoManager : kBadRoute];
    return;
  }
  if (r.route == Route::kLocal) {
    local(d, r);
    return;
  }
  const bool qp1 = (d.w[3] & 1) != 0;
  d.w[0] = (qp1 ? 0 : 0xF0000000) | (d.w[0] & 0x00F00000) | 0x00020000 | r.dlid;
  d.w[1] = kPktWords << 16 | r.slid;
  d.w[kMadAt + 1] = (d.w[kMadAt + 1] & 0xFFFF00FF) | r.hop_ptr << 8;
  if (r.record) {
    std::uint32_t& word = d.w[kRetPathAt + r.record_at / 4];
    const unsigned shift = 8 * (3 - r.record_at % 4);
    word = (word & ~(0xFFu << shift)) | d.port << shift;
  }
  send(d, r.port, kForwardCycles);
}

bool Agent::key_allows(const Datagram& d, bool& hide) {
  if ((d.w[3] & 1) != 0) return true;
  const std::uint32_t high = attributes_.own(0), low = attributes_.own(1);
  const bool zero = high == 0 && low == 0;
  const bool match = d.w[kMKeyAt] == high && d.w[kMKeyAt + 1] == low;
  hide = !zero && !match && protect_ != 0;
  const bool bad = !zero && !match && (d.byte(kMadAt, 3) != kGet || (protect_ & 2) != 0);
  if (match && !zero) lease_left_ = 0;
  if (bad) {
    if (violations_ != 0xFFFF) ++violations_;
    if (lease_left_ == 0) lease_left_ = attributes_.own(6) & 0xFFFF;
  }
  return !bad;
}

void Agent::local(Datagram& d, const Way& r) {
  const bool qp1 = (d.w[3] & 1) != 0;
  const unsigned method = d.byte(kMadAt, 3), version = d.byte(kMadAt, 2);
  Request request{qp1,         method == kSet, d.port, d.w[kMadAt + 4] >> 16, d.w[kMadAt + 5],
                  d.w[kDataAt]};
  Status status = attributes_.decode(request);
  const bool repress = method == kTrapRepress && !qp1;
  if (method != kGet && method != kSet && !repress) status = kBadMethod;
  if (version != 1) status = kBadVersion;
  bool hide = false;
  if (!key_allows(d, hide)) {
    ++drops[kBadMKey];
    return;
  }
  if (repress) {
    if (d.w[kMadAt + 3] == trap_tid_) trap_pending_ = false;
    return;
  }
  Live live{state_change_, hide, protect_, violations_};
  std::uint32_t* data = &d.w[kDataAt];
  unsigned cycles = qp1 ? kCounterCycles : kGetCycles;
  if (status == kOk && method == kSet) {
    cycles = attributes_.is_forwarding() ? kTableCycles : kSetCycles;
    if (!attributes_.check(data)) {
      status = kBadField;
    } else {
      attributes_.write(data);
      for (unsigned p = 1; p <= params_.ports; ++p) {
        if (seen_[p] != kDown) commanded_ |= attributes_.commanded_down & std::uint64_t{1} << p;
      }
      if (attributes_.clear_change) state_change_ = live.state_change = false;
      if (attributes_.port_info_of_own()) {
        protect_ = live.protect = attributes_.own(8) >> 14 & 3;
        violations_ = live.violations = attributes_.own(11) >> 16;
      }
    }
    attributes_.read(data, live);
  } else if (status == kOk) {
    attributes_.read(data, live);
  }
  finish(d, status, r);
  send(d, answer_.port, cycles);
}

// The headers of a response, and the port to leave by.
void Agent::finish(Datagram& d, unsigned status, const Way& r) {
  const bool qp1 = (d.w[3] & 1) != 0;
  const bool is_directed = !qp1 && d.byte(kMadAt, 1) == kClassDirected;
  const auto slid = static_cast<std::uint16_t>(d.w[1]), dlid = static_cast<std::uint16_t>(d.w[0]);
  const auto dr_slid = static_cast<std::uint16_t>(d.w[kMadAt + 8] >> 16);
  const unsigned count = d.byte(kMadAt + 1, 3);
  std::uint16_t to = kPermissive, from = kPermissive;
  unsigned hop_ptr = r.hop_ptr;
  answer_.port = d.port;
  if (r.lid_routed) {
    answer_.port = slid != kPermissive ? kByTable : d.port;
    to = slid;
    from = dlid == kPermissive ? own_lid() : dlid;
  } else {
    hop_ptr = count;
    if (count == 0 && dr_slid != kPermissive) {
      answer_.port = kByTable;
      to = dr_slid;
      from = own_lid();
    }
  }
  if (r.record) {
    std::uint32_t& word = d.w[kRetPathAt + r.record_at / 4];
    const unsigned shift = 8 * (3 - r.record_at % 4);
    word = (word & ~(0xFFu << shift)) | d.port << shift;
  }
  d.w[0] = (qp1 ? 0 : 0xF0000000) | (d.w[0] & 0x00F00000) | 0x00020000 | to;
  d.w[1] = kPktWords << 16 | from;
  d.w[3] = d.w[6] & 0xFFFFFF;
  d.w[6] = qp1 ? 1 : 0;
  d.w[kMadAt] = (d.w[kMadAt] & 0x00FF0000) | 0x01000000 | 1u << 8 | kGetResp;
  d.w[kMadAt + 1] = (is_directed ? 1u << 31 : 0) | status << 16 | hop_ptr << 8 | count;
}

// ---- Time --------------------------------------------------------------------------------------

void Agent::tick() {
  if (trap_wait_ != 0) --trap_wait_;
  if (++seconds_ < kSecondTicks) return;
  seconds_ = 0;
  if (lease_left_ != 0 && --lease_left_ == 0) protect_ = 0;
}

// A change is a transition to Down or Init that the manager did not command.
void Agent::watch_states() {
  for (unsigned p = 1; p <= params_.ports; ++p) {
    const PortState now = ports_[p - 1]->state();
    if (now == seen_[p]) continue;
    const bool commanded = (commanded_ >> p & 1) != 0;
    commanded_ &= ~(std::uint64_t{1} << p);
    seen_[p] = now;
    if (commanded || (now != kDown && now != kInit)) continue;
    state_change_ = true;
    trap_pending_ = own_lid() != 0 && (attributes_.own(4) & 0xFFFF) != 0;
    ++trap_tid_;
    trap_sent_ = 0;
  }
}

void Agent::trap() {
  Datagram d;
  d.w.assign(kPktWords, 0);
  const std::uint32_t lid = own_lid();
  const std::uint32_t sm_sl = attributes_.own(9) >> 24 & 0xF;
  d.w[0] = 0xF0020000 | sm_sl << 20 | (attributes_.own(4) & 0xFFFF);
  d.w[1] = kPktWords << 16 | lid;
  d.w[2] = 0x6400FFFF;
  d.w[kMadAt] = 0x01000100 | kClassSubn << 16 | kTrap;
  d.w[kMadAt + 3] = trap_tid_;
  d.w[kMadAt + 4] = 2u << 16;
  d.w[kDataAt] = 0x81000002;
  d.w[kDataAt + 1] = 128u << 16 | lid;
  d.w[kDataAt + 2] = lid;
  send(d, kByTable, kForwardCycles);
  trap_wait_ = std::uint64_t{1} << (attributes_.own(12) & 0x1F);
  if (++trap_sent_ == kTrapRepeats) trap_pending_ = false;
}

void Agent::step() {
  watch_states();
  if (wait_ != 0) {
    --wait_;
    return;
  }
  if (have_answer_) return;
  if (!waiting_.empty()) {
    Datagram d = std::move(waiting_.front());
    waiting_.pop_front();
    handle(std::move(d));
  } else if (trap_pending_ && trap_wait_ == 0) {
    trap();
  }
}

Agent::Answer Agent::take() {
  have_answer_ = false;
  return std::move(answer_);
}

}  // namespace kumihimo::ib_model
