// SPDX-License-Identifier: Apache-2.0
#include "line_tx.hpp"

namespace kumihimo::ib_model {

namespace {
constexpr unsigned kSkipSymbols = 4608;  // per lane between skip sets
constexpr unsigned kTsSymbols = 16;
}  // namespace

LineTx::LineTx(const Params& p)
    : lanes_(p.lanes),
      words_(p.words()),
      ts_cycles_(kTsSymbols / p.symbols()),
      skip_cycles_(p.symbols() >= 4 ? 1 : 4 / p.symbols()),
      interval_(kSkipSymbols / p.symbols()),
      skip_time_(interval_ - 1) {}

void LineTx::begin(Mode mode) {
  // A change of mode cuts a packet short; the rest of it is discarded.
  if (state_ == State::kBody && mode != Mode::kData) state_ = State::kGap;
}

void LineTx::done(Result& r, bool discarded) {
  r.sent = std::move(packet_);
  packet_.reset();
  r.sent_words = at_;
  r.sent_vl = vl_;
  r.discarded = discarded;
  at_ = 0;
}

Word LineTx::set_word(bool training, unsigned column) const {
  const std::uint32_t fill = repeat(ts2_ ? kTs2 : kTs1);
  if (lanes_ == 4) {
    if (column == 0) return {repeat(kCom), 0xF, 0};
    if (!training) return {repeat(kSkp), 0xF, 0};
    return {column == 1 ? pack(0, 1, 2, 3) : fill, 0, 0};
  }
  if (!training) return {pack(kCom, kSkp, kSkp, kSkp), 0xF, 0};
  if (column == 0) return {(fill & 0xFFFF0000) | kCom, 1, 0};
  return {fill, 0, 0};
}

bool LineTx::ts_cycle(Mode mode, Result& r) {
  if (state_ == State::kGap && (mode == Mode::kTs1 || mode == Mode::kTs2)) {
    ts2_ = mode == Mode::kTs2;
    state_ = State::kTs;
  }
  if (state_ != State::kTs) return false;
  for (unsigned i = 0; i < words_; ++i) r.words[i] = set_word(true, step_ * words_ + i);
  if (++step_ == ts_cycles_) {
    step_ = 0;
    state_ = State::kGap;
    r.ts_sent = true;
  }
  return true;
}

bool LineTx::skip_cycle(Result& r) {
  skip_starts_ = state_ == State::kGap && skip_due_;
  if (skip_starts_) state_ = State::kSkip;
  if (state_ != State::kSkip) return false;
  for (unsigned i = 0; i < words_; ++i) r.words[i] = set_word(false, step_ * words_ + i);
  if (++step_ == skip_cycles_) {
    step_ = 0;
    state_ = State::kGap;
  }
  return true;
}

void LineTx::tail(Word& w, std::uint8_t first, bool bad) {
  const std::uint16_t crc = bad ? crc_ : static_cast<std::uint16_t>(~crc_);
  w.data = pack(first, static_cast<std::uint8_t>(crc), static_cast<std::uint8_t>(crc >> 8),
                bad ? kEbp : kEgp);
  w.k = 8;
}

// One beat of the packet, its words shifted by one symbol.
void LineTx::packet_words(Result& r) {
  const Packet& p = *packet_;
  const bool first = state_ == State::kGap;
  const bool short_of = p.words.size() < at_ + words_;
  if (short_of && !(p.ended && p.words.size() > at_)) {  // underrun, or cut off on the way in
    tail(r.words[0], carry_, true);
    state_ = State::kGap;
    done(r, !p.ended);
    return;
  }
  if (first) crc_ = 0xFFFF;
  const unsigned count = short_of ? 1 : words_;
  const bool last = p.ended && p.words.size() == at_ + count;
  std::uint8_t ahead = first ? kSdp : carry_;
  for (unsigned i = 0; i < count; ++i) {
    std::uint32_t word = p.words[at_ + i];
    if (first && i == 0) word = (word & ~0xF0u) | vl_ << 4;
    r.words[i].data = word << 8 | ahead;
    ahead = static_cast<std::uint8_t>(word >> 24);
    crc_ = vcrc_step(crc_, word);
  }
  if (first) r.words[0].k = 1;
  carry_ = ahead;
  at_ += count;
  bad_ = last && p.bad;
  state_ = last ? State::kTail : State::kBody;
  if (count < words_) {
    tail(r.words[1], ahead, bad_);
    state_ = State::kGap;
  }
  if (last) done(r, false);
}

LineTx::Result LineTx::run(Mode mode, const FcPacket* fc, bool starts) {
  Result r;
  r.quiet = mode == Mode::kQuiet;
  if (packet_ && mode != Mode::kData) done(r, true);
  if (state_ == State::kTail) {
    tail(r.words[0], carry_, bad_);
    state_ = State::kGap;
  } else if (ts_cycle(mode, r) || (mode == Mode::kData && skip_cycle(r))) {
    // sent
  } else if (state_ == State::kSkip) {
    skip_cycle(r);
  } else if (state_ == State::kFc || (state_ == State::kGap && mode == Mode::kData && fc)) {
    if (state_ == State::kGap) {
      fc_ = *fc;
      r.fc_taken = true;
    }
    const std::uint32_t value = fc_.op << 28 | fc_.fctbs << 16 | fc_.vl << 12 | fc_.fccl;
    const std::uint32_t wire = swap32(value);
    const auto crc = static_cast<std::uint16_t>(~vcrc_step(0xFFFF, wire));
    const Word head{wire << 8 | kSlp, 1, 0};
    const Word end{pack(static_cast<std::uint8_t>(wire >> 24), static_cast<std::uint8_t>(crc),
                        static_cast<std::uint8_t>(crc >> 8), kEgp),
                   8, 0};
    if (words_ == 2) {
      r.words = {head, end};
    } else {
      r.words[0] = state_ == State::kFc ? end : head;
      state_ = state_ == State::kFc ? State::kGap : State::kFc;
    }
  } else if (packet_ && (starts || state_ == State::kBody)) {
    packet_words(r);
  }
  if (skip_time_ == 0) {
    skip_time_ = interval_ - 1;
    skip_due_ = true;
  } else {
    --skip_time_;
    if (skip_starts_) skip_due_ = false;
  }
  skip_starts_ = false;
  return r;
}

}  // namespace kumihimo::ib_model
