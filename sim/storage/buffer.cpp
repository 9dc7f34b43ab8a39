// SPDX-License-Identifier: Apache-2.0
//
// Memory that was used before is given out again: pages that the kernel must hand out and zero
// for every request cost more than moving the data.
#include "buffer.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>
#include <new>
#include <vector>

namespace kumihimo::storage {
namespace {

constexpr std::size_t kPage = 4096;
constexpr unsigned kLargest = 25;                          // 32 MiB, the longest request
constexpr std::size_t kMostKept = std::size_t{320} << 20;  // gathered writes, and some

// Sizes are powers of two from a page on. Never destroyed: threads may outlive static objects.
class Pool {
 public:
  std::uint8_t* take(unsigned log2) {
    {
      const std::lock_guard lock(m_);
      auto& row = free_[log2];
      if (!row.empty()) {
        std::uint8_t* p = row.back();
        row.pop_back();
        kept_ -= std::size_t{1} << log2;
        return p;
      }
    }
    auto* p = static_cast<std::uint8_t*>(std::aligned_alloc(kPage, std::size_t{1} << log2));
    if (!p) throw std::bad_alloc();
    return p;
  }

  void give(std::uint8_t* p, unsigned log2) {
    {
      const std::lock_guard lock(m_);
      const std::size_t size = std::size_t{1} << log2;
      if (kept_ + size <= kMostKept) {
        kept_ += size;
        free_[log2].push_back(p);
        return;
      }
    }
    std::free(p);
  }

 private:
  std::mutex m_;
  std::size_t kept_ = 0;
  std::array<std::vector<std::uint8_t*>, kLargest + 1> free_;
};

// Not under the address sanitizer, which must see memory come and go.
#if !defined(__SANITIZE_ADDRESS__)
Pool& pool() {
  static auto* const one = new Pool;
  return *one;
}
#endif

}  // namespace

Slice Slice::make(std::size_t size) {
  const std::size_t whole = std::max(kPage, size);
#if !defined(__SANITIZE_ADDRESS__)
  const auto log2 = static_cast<unsigned>(std::bit_width(whole - 1));
  if (log2 <= kLargest) {
    std::uint8_t* p = pool().take(log2);
    return {std::shared_ptr<std::uint8_t>(p, [log2](std::uint8_t* q) { pool().give(q, log2); }), p,
            size};
  }
#endif
  const std::size_t room = (whole + kPage - 1) / kPage * kPage;
  auto* p = static_cast<std::uint8_t*>(std::aligned_alloc(kPage, room));
  if (!p) throw std::bad_alloc();
  return {std::shared_ptr<std::uint8_t>(p, [](std::uint8_t* q) { std::free(q); }), p, size};
}

}  // namespace kumihimo::storage
