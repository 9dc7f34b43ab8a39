// SPDX-License-Identifier: Apache-2.0
//
// Three streams at a time with the processor's instruction: it takes three cycles and one can begin
// every cycle. The streams are joined by tables that move a CRC over a fixed number of zero bytes.
#include "crc32c.hpp"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace kumihimo::storage {
namespace {

constexpr std::uint32_t kPoly = 0x82F63B78;
constexpr std::size_t kBlock = 1024;  // bytes of one of three streams
constexpr std::size_t kAhead = 9;     // blocks; the processor itself fetches nothing beyond a page
constexpr std::size_t kLine = 64;

using Table = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr Table make_table() {
  Table t{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t c = i;
    for (int k = 0; k < 8; ++k) c = (c >> 1) ^ (c & 1 ? kPoly : 0);
    t[0][i] = c;
  }
  for (std::uint32_t i = 0; i < 256; ++i) {
    for (std::size_t j = 1; j < 8; ++j) t[j][i] = (t[j - 1][i] >> 8) ^ t[0][t[j - 1][i] & 255];
  }
  return t;
}

const Table kTable = make_table();

std::uint32_t by_table(const std::uint8_t* p, std::size_t n, std::uint32_t c) {
  while (n >= 8) {
    std::uint64_t v;
    std::memcpy(&v, p, 8);
    v ^= c;
    c = 0;
    for (std::size_t j = 0; j < 8; ++j) c ^= kTable[7 - j][(v >> (8 * j)) & 255];
    p += 8;
    n -= 8;
  }
  while (n--) c = (c >> 8) ^ kTable[0][(c ^ *p++) & 255];
  return c;
}

#if defined(__x86_64__)
using Shift = std::array<std::array<std::uint32_t, 256>, 4>;

// What `zeros` zero bytes behind a CRC make of each value of each of its bytes.
Shift make_shift(std::size_t zeros) {
  const std::array<std::uint8_t, kBlock> nothing{};
  std::array<std::uint32_t, 32> bit{};
  for (std::size_t i = 0; i < 32; ++i) {
    std::uint32_t c = 1U << i;
    for (std::size_t done = 0; done < zeros; done += kBlock)
      c = by_table(nothing.data(), kBlock, c);
    bit[i] = c;
  }
  Shift t{};
  for (std::size_t j = 0; j < 4; ++j) {
    for (std::size_t v = 0; v < 256; ++v) {
      for (std::size_t b = 0; b < 8; ++b) {
        if (v >> b & 1) t[j][v] ^= bit[8 * j + b];
      }
    }
  }
  return t;
}

std::uint32_t moved(const Shift& t, std::uint32_t c) {
  return t[0][c & 255] ^ t[1][c >> 8 & 255] ^ t[2][c >> 16 & 255] ^ t[3][c >> 24];
}

__attribute__((target("sse4.2"))) std::uint32_t by_instruction(const std::uint8_t* p, std::size_t n,
                                                               std::uint32_t start) {
  static const Shift one = make_shift(kBlock), two = make_shift(2 * kBlock);
  std::uint64_t c = start;
  auto word = [](const std::uint8_t* q) {
    std::uint64_t v;
    std::memcpy(&v, q, 8);
    return v;
  };
  while (n >= 3 * kBlock) {
    std::uint64_t a = c, b = 0, d = 0;
    for (std::size_t i = 0; i < kBlock; i += kLine) {
      for (std::size_t j = 0; j < 3; ++j) __builtin_prefetch(p + (kAhead + j) * kBlock + i);
      for (std::size_t j = i; j < i + kLine; j += 8) {
        a = _mm_crc32_u64(a, word(p + j));
        b = _mm_crc32_u64(b, word(p + kBlock + j));
        d = _mm_crc32_u64(d, word(p + 2 * kBlock + j));
      }
    }
    c = moved(two, static_cast<std::uint32_t>(a)) ^ moved(one, static_cast<std::uint32_t>(b)) ^ d;
    p += 3 * kBlock;
    n -= 3 * kBlock;
  }
  for (; n >= 8; n -= 8, p += 8) c = _mm_crc32_u64(c, word(p));
  auto r = static_cast<std::uint32_t>(c);
  while (n--) r = _mm_crc32_u8(r, *p++);
  return r;
}
#endif

}  // namespace

std::uint32_t crc32c_table(const void* data, std::size_t size, std::uint32_t before) {
  return ~by_table(static_cast<const std::uint8_t*>(data), size, ~before);
}

std::uint32_t crc32c(const void* data, std::size_t size, std::uint32_t before) {
#if defined(__x86_64__)
  static const bool fast = __builtin_cpu_supports("sse4.2");
  if (fast) return ~by_instruction(static_cast<const std::uint8_t*>(data), size, ~before);
#endif
  return crc32c_table(data, size, before);
}

}  // namespace kumihimo::storage
