// SPDX-License-Identifier: Apache-2.0
//
// From the symbols of the lanes to words: skips removed, words found (1x), lanes aligned (4x), as
// kumi_ib_word_align and kumi_ib_deskew do it.
#pragma once

#include <array>

#include "symbols.hpp"

namespace kumihimo::ib_model {

class Receiver {
 public:
  explicit Receiver(const Params& p) : lanes_(p.lanes), symbols_(p.symbols()) {}

  // Symbols of a cycle as in kumi_block: of lane l, symbol s in byte l * symbols + s. Returns the
  // number of words, and `idle` when they are idle data and nothing has changed.
  unsigned step(std::uint64_t data, std::uint8_t k, std::uint8_t err, std::array<Word, 2>& out,
                bool& idle);
  bool aligned() const { return lanes_ == 1 || aligned_; }

 private:
  static constexpr unsigned kDepth = 12;
  struct Lane {
    std::array<std::uint16_t, kDepth + 2> fifo;  // err, k, data; oldest first
    unsigned count = 0;
    bool skip = false;
  };

  unsigned deskew(std::uint64_t data, std::uint8_t k, std::uint8_t err, std::array<Word, 2>& out);
  unsigned align(std::uint32_t data, std::uint8_t k, std::uint8_t err, Word& out);

  unsigned lanes_, symbols_;
  unsigned quiet_ = 0;  // cycles of zeros
  // 4x
  std::array<Lane, 4> lane_{};
  bool aligned_ = false, lost_ = false;
  unsigned partial_ = 0;
  // 1x
  Word held_;
  unsigned count_ = 0;
  bool com_ = false, skip_ = false;
};

}  // namespace kumihimo::ib_model
