// SPDX-License-Identifier: Apache-2.0
//
// Identity block of a model's registers (regs/id.rdl), and what every register bus has: the codes
// of its answers, windows of 4 KiB, words of which bytes are written.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace kumihimo::model {

inline constexpr std::uint8_t kOkay = 0, kSlvErr = 2, kDecErr = 3;
inline constexpr std::uint32_t kPage = 0x1000;

// Bits that write strobes let through.
constexpr std::uint32_t strobed(std::uint8_t strb) {
  std::uint32_t bits = 0;
  for (unsigned i = 0; i < 4; ++i) bits |= (strb >> i & 1) != 0 ? 0xFFu << (8 * i) : 0;
  return bits;
}

class Identity {
 public:
  // kinds: of the blocks behind this one, all of version 1.
  Identity(std::string_view name, unsigned data_w, std::uint64_t build,
           std::vector<std::uint32_t> kinds);

  // The word at an offset in the window, or false if there is none; `cycles` since reset.
  bool read(std::uint32_t at, std::uint64_t cycles, std::uint32_t& value);
  // False: nothing is written there.
  bool write(std::uint32_t at, std::uint32_t data, std::uint8_t strb);

 private:
  std::string_view name_;
  std::uint32_t data_w_;
  std::uint64_t build_;
  std::vector<std::uint32_t> kinds_;
  std::uint32_t scratch_ = 0, cycles_high_ = 0;
};

}  // namespace kumihimo::model
