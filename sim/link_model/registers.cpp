// SPDX-License-Identifier: Apache-2.0
#include "registers.hpp"

namespace kumihimo::link_model {

namespace {
constexpr std::uint32_t kKindSwitch = 0x4D445453, kKindLanes = 0x454E414C,
                        kKindCircuit = 0x43524943;
constexpr std::uint32_t kWindowAt = 0x40, kWindowBytes = 0x20, kPlainBytes = 0x20;
constexpr std::uint32_t kSwitchCounters = 0x100, kLaneCounters = 0x80, kCircuitCounters = 0x100;
constexpr unsigned kPortEvents = 8, kCircuitEvents = 56;
}  // namespace

Registers::Registers(const Params& p)
    : circuits_(p.circuits + 2),  // with those of the register FIFO and the kernel
      identity_("link", 64, p.build, {kKindSwitch, kKindLanes, kKindLanes, kKindCircuit}) {}

bool Registers::run(const Switch& of, std::uint64_t cycle, std::uint64_t t_ps) {
  kumi_axil_op& op = asked_.front();
  if (!active_) {
    active_ = true;
    since_ = 0;
    page_ = op.addr / model::kPage;
    at_ = op.addr % model::kPage & ~3u;
    resp_ = model::kDecErr;
    value_ = 0;
    window_ = false;
    end_ = page_ < kPages ? kLater : 1;
    return true;
  }
  if (since_ == kReach) {
    access(of, cycle);
  } else if (end_ == kLater && since_ > kReach) {
    poll(of, cycle);
  }
  if (since_ != end_) return false;
  op.resp = resp_;
  op.t_ps = t_ps;
  if (op.write == 0) op.data = window_ ? of.control.answer() : value_;
  done_.push_back(op);
  asked_.pop_front();
  active_ = false;
  return true;
}

void Registers::access(const Switch& of, std::uint64_t cycle) {
  bool there = false;
  end_ = kReach + kAnswer;
  switch (page_) {
    case kIdentity:
      there = identity_.read(at_, cycle, value_);
      break;
    case kSwitch:
      there = read_switch(of);
      break;
    case kCircuits:
      there = read_circuits();
      break;
    default:
      there = read_lanes(of);
      break;
  }
  resp_ = there ? model::kOkay : model::kSlvErr;
}

bool Registers::read_switch(const Switch& of) {
  const Control& c = of.control;
  if (at_ >= kWindowAt && at_ < kWindowAt + kWindowBytes) {
    window_ = true;
    end_ = kReach + Control::kWindowCycles + kAnswer;
    return true;
  }
  if (at_ >= kSwitchCounters && at_ < kSwitchCounters + 4 * kPortEvents) {
    end_ = asked_.front().write != 0 || c.port() >= kPorts ? kReach + 1 + kAnswer : kLater;
    return true;
  }
  switch (at_) {
    case 0x00:
      value_ = kPorts | kLocals << 8 | (circuits_ - 1) << 16 | 1u << 24 | 1u << 31;
      break;
    case 0x04:
      value_ = c.board;
      break;
    case 0x08:
      value_ = c.slots | c.guard << 16;
      break;
    case 0x0C:
      value_ = c.margin | static_cast<std::uint32_t>(c.follow) << 8 | c.follow_port << 16;
      break;
    case 0x14:
      value_ = c.status(of);
      break;
    case 0x18:
      value_ = c.refused();
      break;
    case 0x1C:
      value_ = of.timer.frames();
      break;
    default:
      break;
  }
  return at_ < kPlainBytes;
}

bool Registers::read_lanes(const Switch& of) {
  const unsigned l = page_ - kLanes;
  const Lanes::Status& s = of.lanes[l].status();
  const LanesControl& set = of.lanes_control[l];
  if (at_ >= kLaneCounters && at_ < kLaneCounters + 4 * Lanes::kEvents) {
    end_ = asked_.front().write != 0 ? kReach + 1 + kAnswer : kLater;
    return true;
  }
  if (at_ == 0x00) value_ = set.lanes | static_cast<std::uint32_t>(set.all_lanes) << 4;
  if (at_ == 0x08) {
    const auto b = [](bool on) { return static_cast<std::uint32_t>(on); };
    value_ = b(s.up) | static_cast<std::uint32_t>(s.state) << 1 | b(s.used) << 4 | b(s.used) << 8 |
             b(s.locked) << 12 | 1u << 16 | b(s.rx_up) << 20;
  }
  return at_ <= 0x08;
}

// No packet begins or ends here.
bool Registers::read_circuits() {
  if (at_ >= kCircuitCounters && at_ < kCircuitCounters + 4 * kCircuitEvents) {
    end_ = asked_.front().write != 0 ? kReach + 1 + kAnswer : kLater;
    return true;
  }
  if (at_ == 0) value_ = circuits_;
  return at_ == 0;
}

// A counter is answered when its turn comes.
void Registers::poll(const Switch& of, std::uint64_t cycle) {
  const auto answer = [&](const auto& counters, unsigned index) {
    if (!counters.due(index, cycle)) return;
    value_ = counters.read(index);
    end_ = since_ + 1 + kAnswer;
  };
  if (page_ == kSwitch) {
    answer(of.counters[of.control.port()], (at_ - kSwitchCounters) / 4);
  } else if (page_ == kCircuits) {
    answer(EventCounters<kCircuitEvents>(), (at_ - kCircuitCounters) / 4);
  } else {
    answer(of.lane_counters[page_ - kLanes], (at_ - kLaneCounters) / 4);
  }
}

void Registers::finish(Switch& of) {
  if (since_++ != kReach) return;
  const kumi_axil_op& op = asked_.front();
  const bool write = op.write != 0;
  const std::uint32_t bits = model::strobed(op.strb), data = op.data & bits;
  if (window_) of.control.request((at_ - kWindowAt) / 4, write, op.data);
  if (!write) return;
  if (page_ == kIdentity) identity_.write(at_, op.data, op.strb);
  if (page_ == kSwitch) write_switch(of.control, op.data, bits);
  if (page_ >= kLanes && page_ < kCircuits) {
    LanesControl& set = of.lanes_control[page_ - kLanes];
    if (at_ == 0 && (bits & 1) != 0) {
      set.lanes = data & 15;
      set.all_lanes = (data >> 4 & 1) != 0;
    }
    if (at_ == 4) set.retrain = (data & 1) != 0;
  }
}

void Registers::write_switch(Control& to, std::uint32_t data, std::uint32_t bits) const {
  const auto field = [&](unsigned& value, unsigned at, std::uint32_t mask) {
    const std::uint32_t written = bits >> at & mask;
    value = (value & ~written) | (data >> at & written);
  };
  switch (at_) {
    case 0x04:
      field(to.board, 0, 0xFF);
      break;
    case 0x08:
      field(to.slots, 0, 0x3FF);
      field(to.guard, 16, 0x1F);
      break;
    case 0x0C: {
      unsigned follow = to.follow ? 1 : 0;
      field(to.margin, 0, 7);
      field(follow, 8, 1);
      field(to.follow_port, 16, 31);
      to.follow = follow != 0;
      break;
    }
    case 0x10:
      to.swap_command = (data & bits & 1) != 0;
      to.clear_command = (data & bits & 2) != 0;
      break;
    default:
      break;
  }
}

}  // namespace kumihimo::link_model
