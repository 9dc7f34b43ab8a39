// SPDX-License-Identifier: Apache-2.0
#include "host/bus_guard.hpp"

#include <signal.h>
#include <sys/mman.h>

#include <atomic>
#include <cerrno>

namespace kumihimo {
namespace {

constexpr std::uintptr_t kPage = 4096;

struct Range {
  std::atomic<std::uintptr_t> from{0}, to{0};
};
Range ranges[256];
struct sigaction before{};

void on_bus(int /*signal*/, siginfo_t* info, void* /*context*/) {
  const int kept = errno;
  const auto at = reinterpret_cast<std::uintptr_t>(info->si_addr);
  for (const Range& r : ranges) {
    if (at < r.from.load() || at >= r.to.load()) continue;
    void* page = reinterpret_cast<void*>(at & ~(kPage - 1));
    constexpr int kOwn = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
    if (mmap(page, kPage, PROT_READ | PROT_WRITE, kOwn, -1, 0) == MAP_FAILED) break;
    errno = kept;
    return;
  }
  sigaction(SIGBUS, &before, nullptr);  // the access is repeated, and fails as before
}

}  // namespace

bool guard(void* base, std::uint64_t bytes) {
  static const bool installed = [] {
    struct sigaction a{};
    a.sa_sigaction = on_bus;
    a.sa_flags = SA_SIGINFO;
    return sigaction(SIGBUS, &a, &before) == 0;
  }();
  const auto at = reinterpret_cast<std::uintptr_t>(base);
  for (Range& r : ranges) {
    std::uintptr_t unused = 0;
    if (!installed || !r.from.compare_exchange_strong(unused, at)) continue;
    r.to = at + bytes;
    return true;
  }
  return false;
}

void unguard(void* base) {
  for (Range& r : ranges) {
    if (r.from.load() != reinterpret_cast<std::uintptr_t>(base)) continue;
    r.to = 0;
    r.from = 0;
  }
}

}  // namespace kumihimo
