// SPDX-License-Identifier: Apache-2.0
//
// Receive side of the line: packets and link packets in the words, VCRC checked and removed, as
// kumi_ib_rx_line.
#pragma once

#include "symbols.hpp"

namespace kumihimo::ib_model {

struct FcPacket {
  unsigned op, fctbs, vl, fccl;
};

// What a word gives.
struct RxPiece {
  bool word = false, first = false, last = false;
  bool bad = false, remote = false;  // with last
  std::uint32_t data = 0;
  bool fc = false, bad_fc = false;  // a link packet, one that is broken
  FcPacket fc_packet{};
};

class LineRx {
 public:
  RxPiece word(const Word& w);
  bool in_gap() const { return state_ == State::kGap; }
  void reset() { state_ = State::kGap; }

 private:
  enum class State : std::uint8_t { kGap, kData, kLink, kSkip };
  static constexpr unsigned kMaxWords = 1055;

  State state_ = State::kGap;
  std::uint32_t carry_ = 0;  // symbols behind the first of the last word
  std::uint16_t crc_ = 0;
  unsigned count_ = 0;
  bool bad_ = false, first_ = false;
};

}  // namespace kumihimo::ib_model
