// SPDX-License-Identifier: Apache-2.0
//
// Moves bytes and words between plain memory and the ports of a Verilated model, whose C++ type
// depends on the width: CData, SData, IData, QData, or VlWide for more than 64 bits.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace kumi::node {

template <unsigned Bits>
inline constexpr uint64_t kMask = Bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << (Bits % 64)) - 1;

// signal = the low Bits of the little-endian bytes at src ((Bits + 7) / 8 of them are read).
template <unsigned Bits, class S>
inline void put_bytes(S& signal, const uint8_t* src) {
  if constexpr (Bits <= 64) {
    uint64_t v = 0;
    std::memcpy(&v, src, (Bits + 7) / 8);
    signal = static_cast<S>(v & kMask<Bits>);
  } else {
    std::memcpy(signal.data(), src, (Bits + 7) / 8);
    if constexpr (Bits % 32 != 0) {
      constexpr unsigned kTop = (Bits - 1) / 32;
      uint32_t top = 0;
      std::memcpy(&top, src + kTop * 4, (Bits + 7) / 8 - kTop * 4);
      signal.data()[kTop] = static_cast<uint32_t>(top & kMask<Bits % 32>);
    }
  }
}

template <unsigned Bits, class S>
inline void get_bytes(const S& signal, uint8_t* dst) {
  if constexpr (Bits <= 64) {
    const uint64_t v = signal;
    std::memcpy(dst, &v, (Bits + 7) / 8);
  } else {
    std::memcpy(dst, signal.data(), (Bits + 7) / 8);
  }
}

// Pins: (Bits + 31) / 32 words.
template <unsigned Bits, class S>
inline void put_words(S& signal, const uint32_t* src) {
  if constexpr (Bits <= 32) {
    signal = static_cast<S>(src[0] & kMask<Bits>);
  } else if constexpr (Bits <= 64) {
    signal = static_cast<S>((src[0] | uint64_t{src[1]} << 32) & kMask<Bits>);
  } else {
    constexpr unsigned kWords = (Bits + 31) / 32;
    std::memcpy(signal.data(), src, kWords * 4);
    if constexpr (Bits % 32 != 0) {
      signal.data()[kWords - 1] &= static_cast<uint32_t>(kMask<Bits % 32>);
    }
  }
}

template <unsigned Bits, class S>
inline void get_words(const S& signal, uint32_t* dst) {
  if constexpr (Bits <= 32) {
    dst[0] = static_cast<uint32_t>(signal);
  } else if constexpr (Bits <= 64) {
    dst[0] = static_cast<uint32_t>(signal);
    dst[1] = static_cast<uint32_t>(static_cast<uint64_t>(signal) >> 32);
  } else {
    std::memcpy(dst, signal.data(), (Bits + 31) / 32 * 4);
  }
}

// A side-band field as an integer; what exceeds 64 bits is not carried across the boundary.
template <unsigned Bits, class S>
inline uint64_t get_u64(const S& signal) {
  if constexpr (Bits <= 64) {
    return signal;
  } else {
    return signal.data()[0] | uint64_t{signal.data()[1]} << 32;
  }
}

template <unsigned Bits, class S>
inline void put_u64(S& signal, uint64_t value) {
  if constexpr (Bits <= 64) {
    signal = static_cast<S>(value & kMask<Bits>);
  } else {
    std::memset(signal.data(), 0, (Bits + 31) / 32 * 4);
    signal.data()[0] = static_cast<uint32_t>(value);
    signal.data()[1] = static_cast<uint32_t>(value >> 32);
  }
}

// Small generator for stalls and filler; SplitMix64 (Steele, Lea, Flood 2014).
class Rng {
 public:
  explicit Rng(uint64_t seed = 0) : state_(seed) {}
  uint64_t next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  bool chance(uint32_t of_65536) { return (next() & 0xffffu) < of_65536; }

 private:
  uint64_t state_;
};

}  // namespace kumi::node
