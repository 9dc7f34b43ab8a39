// SPDX-License-Identifier: Apache-2.0
#include "sata/code.hpp"

#include <array>

namespace kumihimo {
namespace {

using Table = std::array<std::uint32_t, 256>;

constexpr std::uint32_t kPolynomial = 0x04C11DB7;

// kCrc[j][b]: what byte b, with j more bytes behind it, adds to the CRC.
constexpr std::array<Table, 4> crc_tables() {
  std::array<Table, 4> t{};
  for (std::uint32_t b = 0; b < 256; ++b) {
    std::uint32_t v = b << 24;
    for (int j = 0; j < 4; ++j) {
      for (int i = 0; i < 8; ++i) v = v << 1 ^ ((v >> 31) != 0 ? kPolynomial : 0);
      t[static_cast<std::size_t>(j)][b] = v;
    }
  }
  return t;
}

// The next 32 bits of the sequence, whose bit n is the sum of bits n-1, n-3, n-12 and n-16.
constexpr std::uint32_t sequence(std::uint32_t before) {
  std::uint64_t bits = before;  // bit 15 is the latest
  for (int n = 16; n < 48; ++n) {
    const std::uint64_t b =
        (bits >> (n - 1) ^ bits >> (n - 3) ^ bits >> (n - 12) ^ bits >> (n - 16)) & 1;
    bits |= b << n;
  }
  return static_cast<std::uint32_t>(bits >> 16);
}

constexpr std::array<Table, 2> scrambler_tables() {
  std::array<Table, 2> t{};
  for (std::uint32_t b = 0; b < 256; ++b) {
    t[0][b] = sequence(b);
    t[1][b] = sequence(b << 8);
  }
  return t;
}

constexpr auto kCrc = crc_tables();
constexpr auto kScramble = scrambler_tables();

}  // namespace

void SataCrc::word(std::uint32_t data) {
  const std::uint32_t x = value_ ^ data;
  value_ = kCrc[3][x >> 24] ^ kCrc[2][x >> 16 & 255] ^ kCrc[1][x >> 8 & 255] ^ kCrc[0][x & 255];
}

std::uint32_t SataScrambler::next() {
  const std::uint32_t v = kScramble[0][state_ & 255] ^ kScramble[1][state_ >> 8];
  state_ = static_cast<std::uint16_t>(v >> 16);
  return v;
}

}  // namespace kumihimo
