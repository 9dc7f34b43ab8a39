// SPDX-License-Identifier: Apache-2.0
//
// Counter-based random numbers: a value depends only on (seed, counter, purpose), never on how
// many were drawn before or by which thread. The mixer is the finaliser of SplitMix64.
#pragma once

#include <cstdint>

namespace kumihimo {

inline std::uint64_t mix64(std::uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ULL;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

inline std::uint64_t random_at(std::uint64_t seed, std::uint64_t counter, std::uint64_t purpose) {
  const std::uint64_t a = mix64(seed + 0x9e3779b97f4a7c15ULL * (counter + 1));
  return mix64(a ^ (0xd1342543de82ef95ULL * (purpose + 1)));
}

// Uniform in [0, 1).
inline double unit_at(std::uint64_t seed, std::uint64_t counter, std::uint64_t purpose) {
  return static_cast<double>(random_at(seed, counter, purpose) >> 11) * 0x1.0p-53;
}

}  // namespace kumihimo
