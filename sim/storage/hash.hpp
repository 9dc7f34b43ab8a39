// SPDX-License-Identifier: Apache-2.0
//
// 64-bit hashes of states, to find equal ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace kumihimo::storage {

inline std::uint64_t mix(std::uint64_t h, std::uint64_t v) {
  h = (h ^ v) * 0x9E3779B97F4A7C15;
  h = (h ^ (h >> 32)) * 0xD6E8FEB86659FD93;
  return h ^ (h >> 29);
}

inline std::uint64_t hash_of(const void* data, std::size_t size, std::uint64_t h = 1) {
  const auto* p = static_cast<const std::uint8_t*>(data);
  for (; size >= 8; p += 8, size -= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, p, 8);
    h = mix(h, word);
  }
  for (; size; ++p, --size) h = mix(h, *p);
  return h;
}

}  // namespace kumihimo::storage
