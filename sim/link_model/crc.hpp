// SPDX-License-Identifier: Apache-2.0
//
// CRC-32 of IEEE 802.3 over blocks of 8 bytes, bits [7:0] first, and the pipeline of kumi_crc32
// (64 bits, full beats).
#pragma once

#include <array>
#include <cstdint>

namespace kumihimo::link_model {

namespace crc_detail {
using Table = std::array<std::array<std::uint32_t, 256>, 8>;
constexpr Table make() {
  Table t{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t c = i;
    for (int n = 0; n < 8; ++n) c = (c >> 1) ^ ((c & 1) != 0 ? 0xEDB88320u : 0);
    t[0][i] = c;
  }
  for (unsigned k = 1; k < 8; ++k) {
    for (unsigned i = 0; i < 256; ++i) t[k][i] = t[k - 1][i] >> 8 ^ t[0][t[k - 1][i] & 0xFF];
  }
  return t;
}
inline constexpr Table kTable = make();
}  // namespace crc_detail

constexpr std::uint32_t crc_block(std::uint32_t crc, std::uint64_t block) {
  const auto& t = crc_detail::kTable;
  block ^= crc;
  return t[7][block & 0xFF] ^ t[6][block >> 8 & 0xFF] ^ t[5][block >> 16 & 0xFF] ^
         t[4][block >> 24 & 0xFF] ^ t[3][block >> 32 & 0xFF] ^ t[2][block >> 40 & 0xFF] ^
         t[1][block >> 48 & 0xFF] ^ t[0][block >> 56];
}
constexpr std::uint32_t crc_bytes(std::uint32_t crc, std::uint64_t block, unsigned bytes) {
  for (; bytes != 0; --bytes, block >>= 8) {
    crc = crc >> 8 ^ crc_detail::kTable[0][(crc ^ block) & 0xFF];
  }
  return crc;
}

// Registered stages of kumi_crc32: the block's own part, the state, two of the final value.
class CrcPipe {
 public:
  std::uint32_t crc() const { return ~late_[1]; }
  bool done() const { return done_[2]; }

  void step(bool valid, bool last, std::uint64_t block, bool clear) {
    done_[2] = done_[1] && !clear;
    done_[1] = done_[0] && !clear;
    done_[0] = valid_ && last_ && !clear;
    late_[1] = late_[0];
    late_[0] = state_;
    if (valid_) {
      state_ = crc_block(first_ ? ~0u : state_, block_);
      first_ = last_;
    }
    if (clear) first_ = true;
    valid_ = valid && !clear;
    last_ = last;
    block_ = block;
  }

 private:
  std::uint64_t block_ = 0;
  std::uint32_t state_ = 0, late_[2] = {};
  bool valid_ = false, last_ = false, first_ = true, done_[3] = {};
};

}  // namespace kumihimo::link_model
