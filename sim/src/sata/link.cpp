// SPDX-License-Identifier: Apache-2.0
#include "sata/link.hpp"

#include <utility>

#include "base/rng.hpp"

namespace kumihimo {
namespace {

using namespace sata;

// SYNCs between two frames, so that a corrupted one does not leave the host in the previous frame.
constexpr unsigned kGap = 2;

}  // namespace

void SataLink::reset() {
  tx_words_.reset();
  rx_words_.reset();
  state_ = State::kIdle;
  idle_words_ = rest_ = hold_left_ = 0;
  peer_holds_ = false;
  pending_ = false;
}

void SataLink::send(SataFrame frame) {
  out_ = std::move(frame);
  pending_ = true;
}

SataWord SataLink::step(SataWord in) {
  if (const auto seen = rx_words_.next(in)) take(*seen);
  return tx_words_.next([this] { return produce(); });
}

void SataLink::ended(SataSent result) {
  if (result == SataSent::kAborted) ++stats_.aborts;
  if (result == SataSent::kRefused) ++stats_.rerr_got;
  if (result == SataSent::kGood) ++stats_.frames_out;
  state_ = State::kIdle;
  idle_words_ = 0;
  pending_ = false;
  client_.sent(result);
}

// ---- receiving --------------------------------------------------------------------------------

void SataLink::take(SataWord in) {
  if (in.k && !in.error) {
    take_primitive(in.data);
  } else if (state_ == State::kReceiveData) {
    take_data(in);
  }
}

void SataLink::take_data(SataWord in) {
  peer_holds_ = false;
  if (in.error) in_bad_ = true;
  if (in_.size() >= sata::kMaxFrame) {
    in_bad_ = true;
    return;
  }
  const std::uint32_t word = in.data ^ in_scrambler_.next();
  in_crc_.word(word);
  in_.push_back(word);
}

void SataLink::take_primitive(std::uint32_t p) {
  const bool held = peer_holds_;
  peer_holds_ = p == kHold;
  if (peer_holds_ && !held) ++stats_.holds_got;
  switch (state_) {
    case State::kIdle:
      if (p == kXRdy) {
        state_ = State::kReceiveReady;
      } else if (p == kPmreqP || p == kPmreqS) {
        state_ = State::kRefusePower;
      }
      break;
    case State::kRefusePower:
      if (p != kPmreqP && p != kPmreqS) state_ = State::kIdle;
      break;
    case State::kSendReady:
      if (p == kRRdy) state_ = State::kSendSof;
      break;
    case State::kSendSof:
    case State::kSendData:
    case State::kSendCrc:
    case State::kSendEof:
      if (p == kSync) ended(SataSent::kAborted);
      break;
    case State::kWait:
      if (p == kROk) ended(SataSent::kGood);
      if (p == kRErr) ended(SataSent::kRefused);
      if (p == kSync) ended(SataSent::kAborted);
      break;
    case State::kReceiveReady:
      if (p == kSof) {
        in_.clear();
        in_crc_.reset();
        in_scrambler_.reset();
        in_bad_ = false;
        hold_left_ = 0;
        state_ = State::kReceiveData;
      } else if (p != kXRdy) {
        state_ = State::kIdle;
        idle_words_ = 0;
      }
      break;
    case State::kReceiveData:
      if (p == kEof) {
        finish_frame();
      } else if (p == kWtrm) {  // the EOF was corrupted
        ++stats_.crc_errors;
        ++stats_.rerr_sent;
        answer_good_ = false;
        state_ = State::kAnswer;
        client_.broken();
      } else if (p == kSync) {
        ++stats_.aborts;
        state_ = State::kIdle;
        idle_words_ = 0;
        client_.broken();
      } else if (p != kHold && p != kHolda && p != kSof) {
        in_bad_ = true;
      }
      break;
    case State::kAnswer:
      if (p == kSync) {
        state_ = State::kIdle;
        idle_words_ = 0;
      }
      break;
  }
}

void SataLink::finish_frame() {
  const bool whole = !in_bad_ && in_.size() >= 2 && in_crc_.value() == 0;
  if (whole) {
    in_.pop_back();  // the CRC
    ++stats_.frames_in;
  } else {
    ++stats_.crc_errors;
    client_.broken();
  }
  answer_good_ = whole && client_.received(in_);
  if (!answer_good_) ++stats_.rerr_sent;
  state_ = State::kAnswer;
}

// ---- sending ----------------------------------------------------------------------------------

bool SataLink::holding(bool sender) {
  if (hold_left_ > 0) {
    --hold_left_;
    return true;
  }
  if (config_.hold <= 0) return false;
  const std::uint64_t draw = draws_++;
  if (unit_at(config_.seed, draw, sender ? 1 : 2) >= config_.hold) return false;
  hold_left_ = static_cast<unsigned>(random_at(config_.seed, draw, 3) % config_.hold_words);
  ++stats_.holds_sent;
  return true;
}

SataWord SataLink::produce_data() {
  if (peer_holds_) return primitive(kHolda);
  if (holding(true)) return primitive(kHold);
  const std::uint32_t word = out_[out_at_++];
  out_crc_.word(word);
  if (out_at_ == out_.size()) state_ = State::kSendCrc;
  return {word ^ out_scrambler_.next(), false, false};
}

SataWord SataLink::produce() {
  switch (state_) {
    case State::kIdle:
      if (rest_ > 0) {
        --rest_;
      } else if (pending_ && idle_words_ >= kGap) {
        state_ = State::kSendReady;
        return primitive(kXRdy);
      }
      ++idle_words_;
      return primitive(kSync);
    case State::kRefusePower:
      return primitive(kPmnak);
    case State::kSendReady:
      return primitive(kXRdy);
    case State::kSendSof:
      out_at_ = 0;
      out_crc_.reset();
      out_scrambler_.reset();
      hold_left_ = 0;
      spoil_ = client_.spoil_crc();
      state_ = State::kSendData;
      return primitive(kSof);
    case State::kSendData:
      return produce_data();
    case State::kSendCrc: {
      if (peer_holds_) return primitive(kHolda);
      const std::uint32_t crc = out_crc_.value() ^ (spoil_ ? 0x00010000u : 0u);
      state_ = State::kSendEof;
      return {crc ^ out_scrambler_.next(), false, false};
    }
    case State::kSendEof:
      state_ = State::kWait;
      return primitive(kEof);
    case State::kWait:
      return primitive(kWtrm);
    case State::kReceiveReady:
      return primitive(kRRdy);
    case State::kReceiveData:
      if (holding(false)) return primitive(kHold);
      return primitive(peer_holds_ ? kHolda : kRIp);
    case State::kAnswer:
      return primitive(answer_good_ ? kROk : kRErr);
  }
  return primitive(kSync);
}

}  // namespace kumihimo
