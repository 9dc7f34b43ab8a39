// SPDX-License-Identifier: Apache-2.0
//
// Which devices the next stripe goes to, and which slots: D'Hondt's shares by rate, or by queue and
// measured time, while there is room; the fullest use of unequal devices when room gets short. The
// rules are in docs/storage-layout.md, "Placement".
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "layout.hpp"

namespace kumihimo::storage {

class Placer {
 public:
  // `depth`: chunks in a device's queue at most, with the dynamic policy.
  Placer(unsigned width, bool dynamic, unsigned depth, std::uint64_t physical, std::uint64_t chunk)
      : width_(width),
        dynamic_(dynamic),
        depth_(depth),
        physical_(physical),
        chunk_(static_cast<double>(chunk)) {}

  void set_device(unsigned index, std::uint32_t slots, std::uint64_t rate_kbs);
  void set_usable(unsigned index, bool usable);
  // New rates apply to stripes from now on; the shares restart.
  void set_rates(const std::vector<std::uint64_t>& rates_kbs);

  struct Pick {
    unsigned device;
    std::uint32_t slot;
    std::uint64_t incarnation = 0;  // of the array: which device has that number
  };
  enum class Outcome { kPicked, kQueuesFull, kNoSpace };
  // Devices and slots of a stripe, in the order of their positions; fewer than the width (but not
  // fewer than `least`) when fewer devices have room.
  Outcome pick_stripe(unsigned least, std::vector<Pick>& out);
  // One more chunk for a stripe that has chunks on `not_these`, where it is through first.
  // `busy`: operations under way on each device.
  std::optional<Pick> pick_one(const std::vector<unsigned>& not_these,
                               const std::vector<unsigned>& busy);

  bool claim(unsigned device, std::uint32_t slot);  // at the start; false if it is taken
  void release(unsigned device, std::uint32_t slot);
  bool taken(unsigned device, std::uint32_t slot) const;
  void stripe_claimed() { ++occupied_; }
  void stripe_released() { --occupied_; }

  void queued(unsigned device) { ++devices_[device].queue; }
  // A chunk is through; `seconds` from when the device could begin with it.
  void served(unsigned device, double seconds);

  const std::vector<unsigned>& recent() const { return recent_; }  // latest first
  std::uint32_t free_slots(unsigned device) const { return devices_[device].free; }
  std::uint32_t slots(unsigned device) const { return devices_[device].slots; }
  std::uint64_t given(unsigned device) const { return devices_[device].given; }
  std::uint64_t occupied() const { return occupied_; }
  std::int64_t slack() const;
  std::uint64_t fingerprint() const;

 private:
  struct Dev {
    bool usable = false;
    std::uint32_t slots = 0, free = 0, next = 0;
    std::uint64_t cost = 1;   // of a chunk by rate
    std::uint64_t given = 0;  // n_i
    unsigned queue = 0;
    double seconds = 0;               // measured time of a chunk
    double due = 0;                   // dynamic: sum of the times of its chunks
    std::uint64_t rate = 1;           // kB/s
    std::vector<std::uint64_t> used;  // bit a slot
  };
  double pace(const Dev& d) const;  // seconds a chunk
  bool before(unsigned a, unsigned b) const;
  std::uint64_t later(unsigned device) const;
  std::uint32_t take_slot(unsigned device);
  void give(unsigned device);
  double due(const Dev& d) const;

  unsigned width_;
  bool dynamic_;
  unsigned depth_;
  std::uint64_t physical_;
  double chunk_;
  std::uint64_t occupied_ = 0;
  double due_ = 0;           // the latest
  std::uint64_t count_ = 0;  // stripes placed, for the rotation of positions
  std::vector<Dev> devices_;
  std::vector<unsigned> recent_;
};

// Chunks that each device has got after so many stripes with the static policy and room enough.
std::vector<std::uint64_t> static_shares(const std::vector<std::uint64_t>& rates_kbs,
                                         unsigned width, std::uint64_t stripes);

}  // namespace kumihimo::storage
