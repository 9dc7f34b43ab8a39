// SPDX-License-Identifier: Apache-2.0
//
// Between the link layer and the line: ALIGN and CONT.
//
// Sending (SataTxWords): two ALIGNs in every 256 words; a repeated primitive becomes primitive,
// primitive, CONT, filler; before data that follows filler the primitive is sent once more.
// Receiving (SataRxWords): drops ALIGNs, and replaces filler after CONT by the primitive before it.
#pragma once

#include <optional>

#include "sata/code.hpp"
#include "sata/words.hpp"

namespace kumihimo {

class SataTxWords {
 public:
  void reset() {
    last_.reset();
    held_.reset();
    repeats_ = 0;
    filling_ = false;
  }
  void use_cont(bool on) { cont_ = on; }

  // produce: called when the link layer may send its next word.
  template <class F>
  SataWord next(F&& produce) {
    if (count_++ % 256 < 2) return sata::primitive(sata::kAlign);
    const SataWord w = held_ ? *held_ : produce();
    held_.reset();
    if (!w.k) {
      if (filling_) {
        filling_ = false;
        held_ = w;
        return *last_;
      }
      last_.reset();
      return w;
    }
    if (last_ != w) {
      last_ = w;
      repeats_ = 0;
      filling_ = false;
      return w;
    }
    if (!cont_) return w;
    if (filling_) return {filler_.next(), false, false};
    if (++repeats_ < 2) return w;
    filling_ = true;
    return sata::primitive(sata::kCont);
  }

 private:
  bool cont_ = true;
  std::uint64_t count_ = 0;
  std::optional<SataWord> last_;  // the current primitive
  std::optional<SataWord> held_;  // data queued behind a repeated primitive
  unsigned repeats_ = 0;
  bool filling_ = false;
  SataScrambler filler_;
};

class SataRxWords {
 public:
  void reset() {
    last_ = 0;
    filling_ = false;
  }

  // Word for the link layer; nothing for ALIGN.
  std::optional<SataWord> next(SataWord w) {
    if (w.error) return w;
    if (w.k) {
      if (w.data == sata::kAlign) return std::nullopt;
      filling_ = w.data == sata::kCont;
      if (!filling_) last_ = w.data;
      return sata::primitive(last_);
    }
    if (filling_) return sata::primitive(last_);
    return w;
  }

 private:
  std::uint32_t last_ = 0;
  bool filling_ = false;
};

}  // namespace kumihimo
