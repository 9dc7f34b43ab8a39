// SPDX-License-Identifier: Apache-2.0
//
// Transmit side of the line: packets, link packets, skip sets and training sets as words, as
// kumi_ib_tx_line.
#pragma once

#include <array>

#include "line_rx.hpp"
#include "packet.hpp"

namespace kumihimo::ib_model {

class LineTx {
 public:
  explicit LineTx(const Params& p);

  struct Result {
    std::array<Word, 2> words{};
    bool quiet = false;
    bool fc_taken = false, ts_sent = false;
    PacketPtr sent;  // has left, or was discarded
    unsigned sent_words = 0, sent_vl = 0;
    bool discarded = false;
  };
  // `fc`: a link packet to send, or null. next(): packet and virtual lane to begin with, or null.
  template <class Next>
  Result step(Mode mode, const FcPacket* fc, Next&& next) {
    begin(mode);
    const bool starts = may_begin(mode, fc != nullptr);
    if (!packet_ && (starts || mode != Mode::kData)) next(packet_, vl_);
    return run(mode, fc, starts);
  }
  // Words of the packet on the line that are to come.
  const PacketPtr& packet() const { return packet_; }
  unsigned left() const { return static_cast<unsigned>(packet_->words.size()) - at_; }

 private:
  enum class State : std::uint8_t { kGap, kTs, kSkip, kFc, kBody, kTail };

  void begin(Mode mode);
  bool may_begin(Mode mode, bool fc) const {
    return state_ == State::kGap && mode == Mode::kData && !skip_due_ && !fc;
  }
  Result run(Mode mode, const FcPacket* fc, bool starts);
  void packet_words(Result& r);
  void tail(Word& w, std::uint8_t first, bool bad);
  void done(Result& r, bool discarded);
  Word set_word(bool training, unsigned column) const;
  bool ts_cycle(Mode mode, Result& r);
  bool skip_cycle(Result& r);

  unsigned lanes_, words_, ts_cycles_, skip_cycles_, interval_;
  State state_ = State::kGap;
  unsigned step_ = 0, skip_time_;
  bool skip_due_ = false, skip_starts_ = false, ts2_ = false;
  FcPacket fc_{};
  PacketPtr packet_;
  unsigned at_ = 0, vl_ = 0;
  std::uint8_t carry_ = 0;
  std::uint16_t crc_ = 0;
  bool bad_ = false;
};

}  // namespace kumihimo::ib_model
