// SPDX-License-Identifier: Apache-2.0
//
// The memory of a guest, shared by file descriptors: what a host port's DMA reads and writes.
//
// Regions are added and removed between windows; within a window the thread of the node accesses
// them. An address is the guest's physical one. An access that is not within one region touches
// nothing. A front end may cut its file short: what was beyond the end is zeros then.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace kumihimo {

struct GuestRegion {
  std::uint64_t guest;  // physical address
  std::uint64_t bytes;
  std::uint64_t user;    // address in the process that shares it: rings are given so
  std::uint64_t offset;  // in the file
};

class GuestMemory {
 public:
  static constexpr std::size_t kMostRegions = 15;  // the device's last one is ControlQueue's

  GuestMemory() = default;
  ~GuestMemory() { clear(); }
  GuestMemory(const GuestMemory&) = delete;
  GuestMemory& operator=(const GuestMemory&) = delete;

  // Maps a region and closes nothing; throws Error that says what is wrong with it.
  void add(const GuestRegion& region, int fd);
  bool remove(std::uint64_t guest, std::uint64_t bytes);
  void clear();
  std::size_t size() const { return regions_.size(); }
  std::vector<GuestRegion> regions() const;

  // The guest's physical address of an address of the process that shares the memory.
  std::optional<std::uint64_t> physical(std::uint64_t user) const;

  // False, and nothing happens, if a byte is outside all regions. Words of 2, 4 or 8 bytes at
  // their own alignment are read and written as one.
  bool covers(std::uint64_t guest, std::uint64_t bytes) const;
  bool read(std::uint64_t guest, void* to, std::uint64_t bytes) const;
  bool write(std::uint64_t guest, const void* from, std::uint64_t bytes) const;

 private:
  struct Mapped {
    GuestRegion region;
    std::uint8_t* base;  // of the mapping: its byte `offset` is the region's first
    std::uint64_t mapped;
  };
  std::uint8_t* find(std::uint64_t guest, std::uint64_t bytes) const;

  std::vector<Mapped> regions_;
};

}  // namespace kumihimo
