// SPDX-License-Identifier: Apache-2.0
#include "lane/code_8b10b.hpp"

#include <bit>
#include <string_view>

namespace kumihimo {
namespace {

// abcdei of D.x at negative running disparity.
constexpr std::string_view kSix[32] = {
    "100111", "011101", "101101", "110001", "110101", "101001", "011001", "111000",
    "111001", "100101", "010101", "110100", "001101", "101100", "011100", "010111",
    "011011", "100011", "010011", "110010", "001011", "101010", "011010", "111010",
    "110011", "100110", "010110", "110110", "001110", "101110", "011110", "101011"};
constexpr std::string_view kSixK28 = "001111";
// fghj of D.x.y at negative running disparity; the last is the other form of y = 7.
constexpr std::string_view kFour[9] = {"1011", "1001", "0101", "1100", "1101",
                                       "1010", "0110", "1110", "0111"};
// fghj of K.28.y and of K.x.7.
constexpr std::string_view kFourK[8] = {"1011", "0110", "1010", "1100",
                                        "1101", "0101", "1001", "0111"};
constexpr std::uint8_t kControl[] = {0x1c, 0x3c, 0x5c, 0x7c, 0x9c, 0xbc,
                                     0xdc, 0xfc, 0xf7, 0xfb, 0xfd, 0xfe};

unsigned bits(std::string_view text) {
  unsigned value = 0;
  for (std::size_t i = 0; i < text.size(); ++i) value |= (text[i] == '1' ? 1u : 0u) << i;
  return value;
}

bool balanced(unsigned value, unsigned width) {
  return 2 * static_cast<unsigned>(std::popcount(value)) == width;
}

// Running disparity behind a sub-block that was received.
bool behind(unsigned value, unsigned width, bool before) {
  const auto ones = static_cast<unsigned>(std::popcount(value));
  if (2 * ones != width) return 2 * ones > width;
  const unsigned half = (1u << width / 2) - 1;
  if (value == half << width / 2) return true;  // 000111, 0011
  if (value == half) return false;              // 111000, 1100
  return before;
}

}  // namespace

const Code8b10b& Code8b10b::get() {
  static const Code8b10b code;
  return code;
}

Code8b10b::Code8b10b() {
  for (auto& table : symbol_) table.fill(kNone);
  for (unsigned d = 0; d < 256; ++d) add(static_cast<std::uint8_t>(d), false);
  for (const std::uint8_t d : kControl) add(d, true);
}

void Code8b10b::add(std::uint8_t data, bool k) {
  const unsigned x = data & 31u, y = data >> 5;
  const unsigned i = index(data, k);
  for (unsigned rd = 0; rd < 2; ++rd) {
    const bool plus = rd != 0;
    const unsigned six0 = bits(k && x == 28 ? kSixK28 : kSix[x]);
    const bool neutral = balanced(six0, 6);
    // Balanced groups are the same for both, but for D.7.
    const unsigned six = plus && (!neutral || x == 7) ? ~six0 & 63u : six0;
    const bool middle = plus != !neutral;
    unsigned four0 = 0;
    if (k) {
      four0 = bits(kFourK[y]);
    } else {
      const bool other =
          y == 7 && (middle ? x == 11 || x == 13 || x == 14 : x == 17 || x == 18 || x == 20);
      four0 = bits(kFour[other ? 8 : y]);
    }
    const bool flat = balanced(four0, 4);
    const unsigned four = middle && (!flat || y == 3 || k) ? ~four0 & 15u : four0;
    const unsigned group = six | four << 6;
    group_[rd][i] = static_cast<std::uint16_t>(group);
    turns_[i] = neutral == !flat;
    symbol_[rd][group] = static_cast<std::uint16_t>(i);
  }
}

Symbol8b10b Code8b10b::decode(std::uint16_t group, bool& disparity) const {
  std::uint16_t found = symbol_[disparity][group];
  const bool error = found == kNone;
  if (error) found = symbol_[!disparity][group];
  disparity = behind(group >> 6u, 4, behind(group & 63u, 6, disparity));
  if (found == kNone) return {static_cast<std::uint8_t>(group), false, true};
  return {static_cast<std::uint8_t>(found), found >= 256, error};
}

}  // namespace kumihimo
