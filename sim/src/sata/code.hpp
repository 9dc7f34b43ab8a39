// SPDX-License-Identifier: Apache-2.0
//
// CRC and scrambler of Serial ATA, table-driven, one word at a time.
#pragma once

#include <cstdint>

namespace kumihimo {

// Over the unscrambled words between SOF and CRC. The CRC of a frame including its CRC is zero.
class SataCrc {
 public:
  void reset() { value_ = kInit; }
  void word(std::uint32_t data);
  std::uint32_t value() const { return value_; }

 private:
  static constexpr std::uint32_t kInit = 0x52325032;
  std::uint32_t value_ = kInit;
};

// x^16 + x^15 + x^13 + x^4 + 1; the state is the upper half of the word before.
class SataScrambler {
 public:
  void reset() { state_ = kStart; }
  std::uint32_t next();

 private:
  static constexpr std::uint16_t kStart = 0xF0F6;  // what 0xFFFF in the shift register comes to
  std::uint16_t state_ = kStart;
};

}  // namespace kumihimo
