// SPDX-License-Identifier: Apache-2.0
//
// A disk in memory with a volatile write cache and faults on demand, for tests of what power cuts
// and bad disks do. Operations complete before submit() returns, so every run is repeatable.
//
// A power cut leaves each sector that was written since the last flush old or new, each by itself:
// torn writes and any order of writing back are among the outcomes.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "device.hpp"

namespace kumihimo::storage {

// Disks that lose power together, after a number of sectors written by any of them. Operations on
// its disks are one at a time, from whatever threads they come.
struct PowerDomain {
  std::mutex m;
  std::uint64_t sectors_left = UINT64_MAX;
  std::uint64_t written = 0;  // sectors, since it was made
  bool off = false;
  std::vector<Slice> owed;  // buffers of reads that come after their time-out, with the next write
};

class MemDevice : public Device {
 public:
  MemDevice(std::string name, std::uint64_t size, std::shared_ptr<PowerDomain> power);

  void submit(Io io) override;
  std::uint64_t size() const override { return now_.size(); }
  std::string name() const override { return name_; }
  double now() const override { return 0; }

  // Power comes back: un-flushed sectors are old or new by chance.
  void power_cycle(std::uint64_t seed);
  void corrupt(std::uint64_t offset, std::uint8_t mask);  // silently, on the medium
  void add_bad(std::uint64_t offset);                     // reads fail until it is written again
  // The next reads of the sector fail, or give other bytes, and later ones do not.
  void upset(std::uint64_t offset, unsigned times, bool wrong);
  void fail_after(std::uint64_t operations);
  // From now on writes fail with ENOSPC at the first sector that holds zeros, as if it had none
  // yet.
  void set_full(bool full);
  // Reads end with a time-out; the disk answers into their buffers when another is written.
  void answer_too_late();
  void resize(std::uint64_t size);
  std::vector<std::uint8_t>& image() { return now_; }
  void set_image(std::vector<std::uint8_t> image);
  std::uint64_t operations() const { return operations_; }
  std::uint64_t flushes() const { return flushes_; }

 private:
  int execute(Io& io);
  int write(const Io& io);

  std::string name_;
  std::shared_ptr<PowerDomain> power_;
  std::vector<std::uint8_t> now_, safe_;
  std::set<std::uint64_t> dirty_;  // sectors
  std::set<std::uint64_t> bad_;
  struct Upset {
    unsigned times;
    bool wrong;
  };
  std::map<std::uint64_t, Upset> upset_;  // by sector
  bool too_late_ = false, full_ = false;
  std::uint64_t left_ = UINT64_MAX;
  std::uint64_t operations_ = 0, flushes_ = 0;
};

}  // namespace kumihimo::storage
