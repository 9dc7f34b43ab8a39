// SPDX-License-Identifier: Apache-2.0
#include "line_rx.hpp"

namespace kumihimo::ib_model {

RxPiece LineRx::word(const Word& w) {
  RxPiece piece;
  const bool sdp = w.control(0, kSdp), slp = w.control(0, kSlp);
  const bool remote = w.control(3, kEbp);
  const bool ends = remote || w.control(3, kEgp);
  const auto crc_of = static_cast<std::uint16_t>(w.data >> 8);  // symbols 1 and 2
  piece.data = carry_ | static_cast<std::uint32_t>(w.at(0)) << 24;
  switch (state_) {
    case State::kData: {
      crc_ = vcrc_step(crc_, piece.data);
      piece.word = true;
      piece.first = first_;
      const bool too_long = count_ >= kMaxWords;
      ++count_;
      if (w.err != 0 || (w.k & 7) != 0) bad_ = true;
      if (ends) {
        state_ = State::kGap;
        piece.last = true;
        piece.remote = remote;
        piece.bad = bad_ || (!remote && static_cast<std::uint16_t>(~crc_) != crc_of);
      } else {
        if ((w.k & 8) != 0) bad_ = true;
        if (sdp || slp || (too_long && !first_)) {
          state_ = State::kSkip;
          piece.last = true;
          piece.bad = true;
        }
      }
      first_ = false;
      break;
    }
    case State::kLink: {
      const std::uint32_t fc = swap32(piece.data);
      const std::uint16_t crc = vcrc_step(0xFFFF, piece.data);
      piece.fc = ends && !remote && !bad_ && w.k == 8 && w.err == 0 &&
                 static_cast<std::uint16_t>(~crc) == crc_of;
      piece.bad_fc = !piece.fc;
      piece.fc_packet = {fc >> 28, fc >> 16 & 0xFFF, fc >> 12 & 0xF, fc & 0xFFF};
      state_ = ends ? State::kGap : State::kSkip;
      break;
    }
    default:
      if (ends) {
        state_ = State::kGap;
      } else if ((sdp || slp) && state_ == State::kGap) {
        state_ = sdp ? State::kData : State::kLink;
        bad_ = (w.k & 0xE) != 0 || w.err != 0;
        crc_ = 0xFFFF;
        count_ = 0;
        first_ = true;
      }
  }
  carry_ = w.data >> 8;
  return piece;
}

}  // namespace kumihimo::ib_model
