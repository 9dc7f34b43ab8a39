// SPDX-License-Identifier: Apache-2.0
//
// Chained 64-bit hash over beats (the multiply-rotate round of the xxHash family), and CRC-32.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>

#include "kumi/abi.h"

namespace kumihimo {

class ChainHash {
 public:
  void word(std::uint64_t v) {
    state_ ^= std::rotl(v * 0xc2b2ae3d27d4eb4fULL, 31) * 0x9e3779b185ebca87ULL;
    state_ = std::rotl(state_, 27) * 0x9e3779b185ebca87ULL + 0x85ebca77c2b2ae63ULL;
  }

  void bytes(const std::uint8_t* p, std::size_t n) {
    for (; n >= 8; p += 8, n -= 8) {
      std::uint64_t v;
      std::memcpy(&v, p, 8);
      word(v);
    }
    if (n) {
      std::uint64_t v = 0;
      std::memcpy(&v, p, n);
      word(v);
    }
  }

  void beat(const kumi_beat& b) {
    word(b.t_ps);
    word(b.user);
    word(static_cast<std::uint64_t>(b.dest) | static_cast<std::uint64_t>(b.id) << 32 |
         static_cast<std::uint64_t>(b.len) << 48 | static_cast<std::uint64_t>(b.flags) << 56);
    bytes(b.data, b.len);
    ++count_;
  }

  // One step per block: a lane sends one every cycle. A dark one differs by its flag.
  void block(const kumi_block& b) {
    word(b.data ^ std::rotl(b.t_ps * 0x165667b19e3779f9ULL + b.head + b.flags * 256u, 23));
    ++count_;
  }

  std::uint64_t value() const {
    std::uint64_t h = state_ ^ count_;
    h ^= h >> 33;
    h *= 0xc2b2ae3d27d4eb4fULL;
    h ^= h >> 29;
    h *= 0x165667b19e3779f9ULL;
    return h ^ (h >> 32);
  }

  std::uint64_t count() const { return count_; }

 private:
  std::uint64_t state_ = 0x27d4eb2f165667c5ULL;
  std::uint64_t count_ = 0;
};

std::uint32_t crc32(const void* data, std::size_t n, std::uint32_t crc = 0);
std::string hex64(std::uint64_t v);

}  // namespace kumihimo
