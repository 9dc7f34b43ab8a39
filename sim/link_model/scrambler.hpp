// SPDX-License-Identifier: Apache-2.0
//
// Self-synchronous scrambler 1 + x^39 + x^58 of 64b/66b on whole blocks, bit 63 first on the wire,
// as kumi_64b66b_scrambler and kumi_64b66b_descrambler.
#pragma once

#include <cstdint>

namespace kumihimo::link_model {

class Scrambler {
 public:
  std::uint64_t next(std::uint64_t block) {
    // The line's bits before this block enter first; then the first ones of the block itself.
    const std::uint64_t outer = block ^ (line_ << 25) ^ (line_ << 6);
    line_ = outer ^ (outer >> 39) ^ (outer >> 58);
    return line_;
  }

 private:
  std::uint64_t line_ = ~std::uint64_t{0};
};

class Descrambler {
 public:
  std::uint64_t next(std::uint64_t block) {
    const std::uint64_t clear = block ^ (block >> 39 | line_ << 25) ^ (block >> 58 | line_ << 6);
    line_ = block;
    return clear;
  }

 private:
  std::uint64_t line_ = 0;
};

}  // namespace kumihimo::link_model
