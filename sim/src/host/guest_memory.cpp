// SPDX-License-Identifier: Apache-2.0
#include "host/guest_memory.hpp"

#include <sys/mman.h>
#include <sys/stat.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "base/hash.hpp"
#include "base/types.hpp"
#include "host/bus_guard.hpp"

namespace kumihimo {
namespace {

// A ring's index must not be seen half written.
void copy(std::uint8_t* to, const std::uint8_t* from, std::uint64_t bytes) {
  const auto aligned = [&](std::uint64_t n) {
    return bytes == n &&
           (reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from)) % n == 0;
  };
  const auto word = [&]<class T>(T) {
    __atomic_store_n(reinterpret_cast<T*>(to),
                     __atomic_load_n(reinterpret_cast<const T*>(from), __ATOMIC_ACQUIRE),
                     __ATOMIC_RELEASE);
  };
  if (aligned(2)) {
    word(std::uint16_t{});
  } else if (aligned(4)) {
    word(std::uint32_t{});
  } else if (aligned(8)) {
    word(std::uint64_t{});
  } else {
    std::memcpy(to, from, bytes);
  }
  // A full barrier, in a form that the thread sanitizer knows: the guest is another process.
  static std::atomic<unsigned> barrier{0};
  barrier.fetch_add(1, std::memory_order_seq_cst);
}

}  // namespace

void GuestMemory::add(const GuestRegion& r, int fd) {
  const auto refuse = [&](const std::string& why) {
    throw Error("memory region at 0x" + hex64(r.guest) + ": " + why);
  };
  if (regions_.size() == kMostRegions) {
    refuse("more than " + std::to_string(kMostRegions) + " regions");
  }
  if (fd < 0) refuse("no file descriptor came with it");
  if (r.bytes == 0 || r.bytes > ~r.guest || r.bytes > ~r.user || r.bytes > ~r.offset) {
    refuse("its length is impossible");
  }
  for (const Mapped& m : regions_) {
    if (r.guest < m.region.guest + m.region.bytes && m.region.guest < r.guest + r.bytes) {
      refuse("it overlaps the region at 0x" + hex64(m.region.guest));
    }
  }
  struct stat file{};
  if (fstat(fd, &file) != 0) refuse(std::strerror(errno));
  const std::uint64_t end = r.offset + r.bytes;
  if (S_ISREG(file.st_mode) && static_cast<std::uint64_t>(file.st_size) < end) {
    refuse("its file is shorter than the region");
  }
  void* base = mmap(nullptr, end, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  if (base == MAP_FAILED) refuse(std::strerror(errno));
  if (!guard(base, end)) {
    munmap(base, end);
    refuse("too many regions in this process");
  }
  regions_.push_back({r, static_cast<std::uint8_t*>(base), end});
}

bool GuestMemory::remove(std::uint64_t guest, std::uint64_t bytes) {
  for (auto m = regions_.begin(); m != regions_.end(); ++m) {
    if (m->region.guest != guest || m->region.bytes != bytes) continue;
    unguard(m->base);
    munmap(m->base, m->mapped);
    regions_.erase(m);
    return true;
  }
  return false;
}

void GuestMemory::clear() {
  for (const Mapped& m : regions_) {
    unguard(m.base);
    munmap(m.base, m.mapped);
  }
  regions_.clear();
}

std::vector<GuestRegion> GuestMemory::regions() const {
  std::vector<GuestRegion> all;
  for (const Mapped& m : regions_) all.push_back(m.region);
  return all;
}

std::optional<std::uint64_t> GuestMemory::physical(std::uint64_t user) const {
  for (const Mapped& m : regions_) {
    if (user >= m.region.user && user - m.region.user < m.region.bytes) {
      return m.region.guest + (user - m.region.user);
    }
  }
  return std::nullopt;
}

std::uint8_t* GuestMemory::find(std::uint64_t guest, std::uint64_t bytes) const {
  for (const Mapped& m : regions_) {
    const std::uint64_t at = guest - m.region.guest;
    if (guest >= m.region.guest && at < m.region.bytes && bytes <= m.region.bytes - at) {
      return m.base + m.region.offset + at;
    }
  }
  return nullptr;
}

bool GuestMemory::covers(std::uint64_t guest, std::uint64_t bytes) const {
  return find(guest, bytes) != nullptr;
}

bool GuestMemory::read(std::uint64_t guest, void* to, std::uint64_t bytes) const {
  const std::uint8_t* from = find(guest, bytes);
  if (from == nullptr) return false;
  copy(static_cast<std::uint8_t*>(to), from, bytes);
  return true;
}

bool GuestMemory::write(std::uint64_t guest, const void* from, std::uint64_t bytes) const {
  std::uint8_t* to = find(guest, bytes);
  if (to == nullptr) return false;
  copy(to, static_cast<const std::uint8_t*>(from), bytes);
  return true;
}

}  // namespace kumihimo
