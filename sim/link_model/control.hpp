// SPDX-License-Identifier: Apache-2.0
//
// Settings of the switch and of its links, and the window to its tables, as kumi_stdm_ctl and
// kumi_lanes_ctl.
#pragma once

#include <array>
#include <cstdint>

#include "link_port.hpp"
#include "slot_table.hpp"

namespace kumihimo::link_model {

class Switch;

struct LanesControl {
  std::uint8_t lanes = 15;
  bool all_lanes = true;  // a switch sends whole words, so that this is what the links do anyway
  bool retrain = false;   // for a cycle
};

class Control {
 public:
  explicit Control(unsigned channels) : channels_(channels) {}

  // Registers; what is written takes effect in the next cycle.
  unsigned board = 0, slots = 0, guard = 6, margin = 1, follow_port = 0;
  bool follow = false, swap_command = false, clear_command = false;
  std::array<LinkConfig, kLinks> links{};

  struct Swap {
    bool now;
    unsigned slots, guard;
  };
  Swap swap() const { return {swap_, slots, guard}; }
  bool ready() const { return clearing_ == 0; }
  std::uint32_t status(const Switch& of) const;
  std::uint32_t refused() const {
    return static_cast<std::uint32_t>(why_) | why_table_ << 8 | why_entry_ << 16;
  }
  unsigned port() const { return port_; }  // of the counters

  // An access to the window; acknowledged kWindowCycles later, with answer() for a read.
  static constexpr unsigned kWindowCycles = 5;
  void request(unsigned index, bool write, std::uint32_t data) {
    phase_ = 1;
    index_ = static_cast<Window>(index);
    write_ = write;
    data_ = data;
  }
  std::uint32_t answer() const { return answer_; }

  // A cycle: what an access sees in it; what it changes at its end.
  void observe(const Switch& of);
  void step(Switch& of);

 private:
  enum class Window : std::uint8_t {
    kAt,
    kData,
    kCountAt,
    kWords,
    kEmpties,
    kRoute,
    kRouteAt,
    kLink
  };  // clang-format skip
  // Reasons of a refusal (stdm_refusal_e).
  enum class Why : std::uint8_t {
    kNone,
    kTable,
    kEntry,
    kKind,
    kInput,
    kOwner,
    kBe,
    kPending,
    kLength,
    kGuard,
    kBroken,
    kClear
  };

  Why entry_refused(bool pending) const;
  Why swap_refused(bool pending) const;
  void refuse(Why why, unsigned table, unsigned entry);
  void write();
  void access(Switch& of);
  std::uint32_t read(const Switch& of) const;
  std::uint32_t entry(const Switch& of) const;
  void write_entry(Switch& of) const;

  unsigned channels_;
  Why why_ = Why::kNone;
  unsigned why_table_ = 0, why_entry_ = 0;
  unsigned clearing_ = 2 * SlotTables::kPositions;  // cycles until all tables are clear
  bool swap_ = false;
  unsigned phase_ = 0;
  Window index_ = Window::kAt;
  bool write_ = false, accepted_ = false, active_ = false;
  std::uint32_t data_ = 0, seen_ = 0, answer_ = 0;
  unsigned table_ = 0, entry_ = 0, owner_ = 0, port_ = 0, dest_ = 0;
};

}  // namespace kumihimo::link_model
