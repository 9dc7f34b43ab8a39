// SPDX-License-Identifier: Apache-2.0
#include "control.hpp"

#include "switch.hpp"

namespace kumihimo::link_model {

namespace {
constexpr unsigned kMaxSlots = 256, kMinGuard = 6, kMaxGuard = 16, kInputs = 32;
constexpr std::uint32_t kFixed = 1u << 15;
}  // namespace

std::uint32_t Control::status(const Switch& of) const {
  const FrameTimer& t = of.timer;
  return static_cast<std::uint32_t>(t.run()) | static_cast<std::uint32_t>(t.bank()) << 1 |
         static_cast<std::uint32_t>(t.pending() || swap_) << 2 |
         static_cast<std::uint32_t>(ready()) << 3;
}

Control::Why Control::entry_refused(bool pending) const {
  const unsigned port = table_ % kInputs, kind = data_ & 3, channel = data_ >> 16 & 63;
  const bool local = port < kLocals;
  if (!ready()) return Why::kClear;
  if (pending) return Why::kPending;
  if (port >= kPorts) return Why::kTable;
  if (entry_ >= kMaxSlots + kMaxGuard) return Why::kEntry;
  if (table_ >= kInputs) {
    if (kind > 1) return Why::kKind;
    return kind == 1 && local && channel >= channels_ ? Why::kOwner : Why::kNone;
  }
  if (kind == 3) return Why::kKind;
  if (kind == 2) return local ? Why::kBe : Why::kNone;
  if (kind == 1 && (data_ >> 8 & 31) >= kPorts) return Why::kInput;
  return kind == 1 && local && channel >= channels_ ? Why::kOwner : Why::kNone;
}

Control::Why Control::swap_refused(bool pending) const {
  if (!ready()) return Why::kClear;
  if (pending) return Why::kPending;
  if (slots == 0 || slots > kMaxSlots) return Why::kLength;
  if (guard < kMinGuard || guard > kMaxGuard) return Why::kGuard;
  return why_ != Why::kNone ? Why::kBroken : Why::kNone;
}

void Control::refuse(Why why, unsigned table, unsigned entry) {
  if (why_ != Why::kNone) return;
  why_ = why;
  why_table_ = table;
  why_entry_ = entry;
}

void Control::step(Switch& of) {
  const bool pending = of.timer.pending();
  const Why swap_why = swap_command ? swap_refused(pending) : Why::kNone;
  swap_ = swap_command && swap_why == Why::kNone;
  if (phase_ != 0) access(of);
  if (swap_why != Why::kNone) refuse(swap_why, 0, 0);
  if (clear_command) why_ = Why::kNone;
  swap_command = clear_command = false;
  if (clearing_ != 0) --clearing_;
}

// Phases of an access: 1 written or checked, 2 tables and counters, 3 routes, 4 the answer.
void Control::observe(const Switch& of) {
  if (phase_ == 2) {
    seen_ = 0;
    if (index_ == Window::kData) seen_ = entry(of);
    if (port_ >= kPorts) return;
    const SlotCounters& counted = of.crossbar.counters[port_];
    if (index_ == Window::kWords) seen_ = counted.words(owner_);
    if (index_ == Window::kEmpties) seen_ = counted.empties(owner_);
  } else if (phase_ == 3 && index_ == Window::kRoute) {
    seen_ = port_ < kPorts ? of.best.route(port_, dest_) : BestEffort::kNoRoute;
  } else if (phase_ == 4) {
    answer_ = read(of);
  }
}

void Control::access(Switch& of) {
  switch (phase_++) {
    case 1:
      accepted_ = false;
      if (write_ && index_ == Window::kData) {
        const Why why = entry_refused(of.timer.pending());
        accepted_ = why == Why::kNone;
        if (!accepted_) refuse(why, table_, entry_);
      } else if (write_) {
        write();
      }
      break;
    case 2:
      if (accepted_) write_entry(of);
      if (write_ && index_ == Window::kRoute && port_ < kPorts) {
        of.best.set_route(port_, dest_, data_ & 31);
      }
      break;
    case 4:
      if (index_ == Window::kData) entry_ = (entry_ + 1) % SlotTables::kPositions;
      if (index_ == Window::kRoute) dest_ = (dest_ + 1) % 256;
      phase_ = 0;
      break;
    default:
      break;
  }
}

std::uint32_t Control::entry(const Switch& of) const {
  const unsigned port = table_ % kInputs;
  if (port >= kPorts) return 0;
  const Slot& slot = of.crossbar.tables.at(of.timer.bank() != (write_ || !active_), entry_);
  const OutEntry& out = slot.out[port];
  const InEntry& in = slot.in[port];
  if (table_ >= kInputs) return std::uint32_t{in.on} | std::uint32_t{in.channel} << 16;
  return static_cast<std::uint32_t>(out.kind) | std::uint32_t{out.src} << 8 |
         std::uint32_t{out.owner} << 16;
}

void Control::write_entry(Switch& of) const {
  const unsigned port = table_ % kInputs;
  const auto owner = static_cast<std::uint8_t>(data_ >> 16 & 63);
  Slot& slot = of.crossbar.tables.at(!of.timer.bank(), entry_);
  if (table_ >= kInputs) {
    slot.in[port] = {(data_ & 1) != 0, owner};
  } else {
    slot.out[port] = {static_cast<Take>(data_ & 3), static_cast<std::uint8_t>(data_ >> 8 & 31),
                      owner};
  }
}

void Control::write() {
  switch (index_) {
    case Window::kAt:
      table_ = data_ & 63;
      active_ = (data_ >> 8 & 1) != 0;
      entry_ = data_ >> 16 & 511;
      break;
    case Window::kCountAt:
      owner_ = data_ & 63;
      port_ = data_ >> 8 & 31;
      break;
    case Window::kRouteAt:
      dest_ = data_ & 255;
      break;
    case Window::kLink:
      if (port_ >= kLocals && port_ < kPorts) {
        links[port_ - kLocals] = {(data_ & kFixed) != 0, data_ & 511};
      }
      break;
    default:
      break;
  }
}

std::uint32_t Control::read(const Switch& of) const {
  switch (index_) {
    case Window::kAt:
      return entry_ << 16 | static_cast<std::uint32_t>(active_) << 8 | table_;
    case Window::kCountAt:
      return port_ << 8 | owner_;
    case Window::kRouteAt:
      return dest_;
    case Window::kLink: {
      if (port_ < kLocals || port_ >= kPorts) return 0;
      const unsigned l = port_ - kLocals;
      const LinkPort& link = of.ports[l];
      return static_cast<std::uint32_t>(link.number()) << 24 |
             static_cast<std::uint32_t>(link.align().locked()) << 17 |
             static_cast<std::uint32_t>(of.lanes[l].status().up) << 16 |
             (links[l].fixed ? kFixed : 0) | link.align().offset();
    }
    default:
      return seen_;
  }
}

}  // namespace kumihimo::link_model
