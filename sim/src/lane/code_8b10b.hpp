// SPDX-License-Identifier: Apache-2.0
//
// The 8b/10b code (IEEE 802.3 clause 36.2.4): tables both ways, and the running disparity.
//
// A code group is 10 bits, bit 0 ("a") first on the wire. Running disparity: false negative.
#pragma once

#include <array>
#include <cstdint>

namespace kumihimo {

struct Symbol8b10b {
  std::uint8_t data = 0;
  bool k = false;
  bool error = false;  // no code group, or one of the other running disparity
};

class Code8b10b {
 public:
  static const Code8b10b& get();

  // The group of a symbol; 0, which is no code group, for a K flag with a byte that is no K
  // character. `disparity` becomes that behind the group.
  std::uint16_t encode(std::uint8_t data, bool k, bool& disparity) const {
    const unsigned i = index(data, k);
    const std::uint16_t group = group_[disparity][i];
    disparity ^= turns_[i];
    return group;
  }
  // Whether encode() would give a code group, and nothing else that it does.
  bool pass(std::uint8_t data, bool k, bool& disparity) const {
    const unsigned i = index(data, k);
    disparity ^= turns_[i];
    return group_[0][i] != 0;
  }
  Symbol8b10b decode(std::uint16_t group, bool& disparity) const;

 private:
  static constexpr std::uint16_t kNone = 0xffff;

  Code8b10b();
  static unsigned index(std::uint8_t data, bool k) { return data | (k ? 256u : 0u); }
  void add(std::uint8_t data, bool k);

  std::array<std::uint16_t, 512> group_[2]{};    // by running disparity before
  std::array<bool, 512> turns_{};                // the running disparity changes
  std::array<std::uint16_t, 1024> symbol_[2]{};  // by running disparity before; kNone
};

}  // namespace kumihimo
