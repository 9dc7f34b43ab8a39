// SPDX-License-Identifier: Apache-2.0
//
// One direction of the line between host and disk: a delay in words, and bit errors. It carries a
// word and its side-band signals (KUMI_SATA_*) per cycle.
#pragma once

#include <cstdint>
#include <vector>

#include "kumi/abi.h"

namespace kumihimo {

class SataLine {
 public:
  SataLine(std::uint64_t seed, unsigned words);

  void errors(double ber);  // chance of each of the 40 bits of a word on the line
  std::uint64_t broken() const { return broken_; }

  // Sends a word and returns the arriving one.
  kumi_sata_word pass(kumi_sata_word in) {
    kumi_sata_word out = in;
    if (!ring_.empty()) {
      out = ring_[at_];
      ring_[at_] = in;
      if (++at_ == ring_.size()) at_ = 0;
    }
    if (ber_ > 0) damage(out);
    return out;
  }

 private:
  static constexpr unsigned kBits = 40;  // of a word in 8b10b

  void damage(kumi_sata_word& w);
  void draw();

  std::uint64_t seed_;
  std::vector<kumi_sata_word> ring_;
  std::size_t at_ = 0;
  double ber_ = 0;
  std::uint64_t words_to_error_ = 0, drawn_ = 0, broken_ = 0;
};

}  // namespace kumihimo
