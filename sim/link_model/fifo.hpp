// SPDX-License-Identifier: Apache-2.0
//
// Cycle-exact kumi_fifo in block memory (style 1) and kumi_slice (skid), for words of a switch.
#pragma once

#include <array>

#include "blocks.hpp"

namespace kumihimo::link_model {

template <unsigned Depth>
class Fifo {
 public:
  unsigned depth() const { return depth_; }  // without the output registers
  bool valid() const { return out_valid_; }
  const Word& front() const { return out_; }
  bool resting() const { return depth_ == 0 && !ram_valid_ && !out_valid_; }

  void step(bool push, const Word& in, bool ready) {
    const bool out_free = !out_valid_ || ready, ram_free = !ram_valid_ || out_free;
    const bool take = depth_ != 0 && ram_free;
    push = push && depth_ != Depth;
    if (out_free) {
      if (ram_valid_) out_ = ram_;
      out_valid_ = ram_valid_;
    }
    if (ram_free) ram_valid_ = depth_ != 0;
    if (take) ram_ = words_[read_++ % Depth];
    if (push) words_[write_++ % Depth] = in;
    depth_ += static_cast<unsigned>(push) - static_cast<unsigned>(take);
  }

 private:
  std::array<Word, Depth> words_{};
  Word ram_{}, out_{};
  unsigned read_ = 0, write_ = 0, depth_ = 0;
  bool ram_valid_ = false, out_valid_ = false;
};

class Slice {
 public:
  bool ready() const { return !skid_valid_; }
  bool valid() const { return out_valid_; }
  const Word& front() const { return out_; }

  void step(bool push, const Word& in, bool ready) {
    const bool free = !out_valid_ || ready, held = skid_valid_;
    if (free) {
      out_ = held ? skid_ : in;
      out_valid_ = held || push;
      skid_valid_ = false;
    } else if (push) {
      skid_valid_ = true;
    }
    if (!held) skid_ = in;
  }

 private:
  Word out_{}, skid_{};
  bool out_valid_ = false, skid_valid_ = false;
};

}  // namespace kumihimo::link_model
