// SPDX-License-Identifier: Apache-2.0
//
// Slot tables of all ports, two banks, and the words and empty slots of each circuit, as
// kumi_stdm_slot_table and kumi_stdm_slot_counters.
#pragma once

#include <array>

#include "blocks.hpp"

namespace kumihimo::link_model {

enum class Take : std::uint8_t { kNone, kCircuit, kBestEffort };
struct OutEntry {
  Take kind = Take::kNone;
  std::uint8_t src = 0, owner = 0;
};
struct InEntry {
  bool on = false;
  std::uint8_t channel = 0;
};

// What all ports do at a position.
struct Slot {
  std::array<OutEntry, kPorts> out;
  std::array<InEntry, kPorts> in;
};

class SlotTables {
 public:
  static constexpr unsigned kPositions = 512;
  Slot& at(bool bank, unsigned pos) { return slots_[bank ? kPositions + pos : pos]; }
  const Slot& at(bool bank, unsigned pos) const { return slots_[bank ? kPositions + pos : pos]; }

 private:
  std::array<Slot, 2 * kPositions> slots_{};
};

class SlotCounters {
 public:
  static constexpr unsigned kOwners = 64;
  std::uint32_t words(unsigned owner) const { return full_[owner]; }
  std::uint32_t empties(unsigned owner) const { return empty_[owner]; }

  void step(bool count, bool full, unsigned owner) {
    if (count_) ++(last_full_ ? full_ : empty_)[owner_];
    count_ = count;
    last_full_ = full;
    owner_ = owner;
  }

 private:
  std::array<std::uint32_t, kOwners> full_{}, empty_{};
  bool count_ = false, last_full_ = false;
  unsigned owner_ = 0;
};

}  // namespace kumihimo::link_model
