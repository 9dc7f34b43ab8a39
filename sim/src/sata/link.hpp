// SPDX-License-Identifier: Apache-2.0
//
// Link layer of a Serial ATA device: frames, CRC, scrambler, flow control; one word per cycle and
// direction.
//
// When both ends request to send, the host yields. HOLD of either side is obeyed, and the device
// can insert HOLD at random, as sender and as receiver. SYNC within a frame aborts it. Power
// management requests are answered with PMNAK; DMAT is ignored.
#pragma once

#include <cstdint>
#include <vector>

#include "base/types.hpp"
#include "sata/code.hpp"
#include "sata/stream.hpp"

namespace kumihimo {

using SataFrame = std::vector<std::uint32_t>;  // a FIS, without CRC

enum class SataSent { kGood, kRefused, kAborted };  // R_OK, R_ERR, SYNC

struct SataLinkConfig {
  bool cont = true;
  double hold = 0;           // chance, at each word of a frame, to hold
  unsigned hold_words = 16;  // maximum length
  std::uint64_t seed = 0;
};

struct SataLinkStats {
  std::uint64_t frames_in = 0, frames_out = 0;
  std::uint64_t crc_errors = 0;  // received frames with a wrong CRC or invalid words
  std::uint64_t rerr_sent = 0;   // for any reason
  std::uint64_t rerr_got = 0;
  std::uint64_t aborts = 0;  // SYNC within a frame
  std::uint64_t holds_sent = 0, holds_got = 0;
};

class SataLink {
 public:
  class Client {
   public:
    virtual ~Client() = default;
    // A complete frame with a good CRC; false: answer R_ERR.
    virtual bool received(const SataFrame& frame) = 0;
    virtual void broken() = 0;  // a frame arrived damaged or incomplete
    virtual void sent(SataSent result) = 0;
    virtual bool spoil_crc() = 0;  // whether the next frame gets a wrong CRC
  };

  SataLink(Client& client, const SataLinkConfig& config) : client_(client), config_(config) {
    tx_words_.use_cont(config.cont);
  }

  void reset();
  SataWord step(SataWord in);

  // One frame at a time; sent() reports its end.
  void send(SataFrame frame);
  bool sending() const { return pending_; }
  // Sends SYNC for a number of words, so that the host can send.
  void rest(unsigned words) { rest_ = words; }
  bool idle() const { return state_ == State::kIdle && !pending_; }
  const SataLinkStats& stats() const { return stats_; }

 private:
  enum class State {
    kIdle,
    kRefusePower,
    kSendReady,
    kSendSof,
    kSendData,
    kSendCrc,
    kSendEof,
    kWait,
    kReceiveReady,
    kReceiveData,
    kAnswer
  };

  void take(SataWord in);
  void take_primitive(std::uint32_t p);
  void take_data(SataWord in);
  void finish_frame();
  SataWord produce();
  SataWord produce_data();
  void ended(SataSent result);
  bool holding(bool sender);

  Client& client_;
  SataLinkConfig config_;
  SataTxWords tx_words_;
  SataRxWords rx_words_;
  SataLinkStats stats_;
  State state_ = State::kIdle;
  unsigned idle_words_ = 0;  // SYNCs sent in this idle
  unsigned rest_ = 0;
  bool peer_holds_ = false;
  unsigned hold_left_ = 0;
  std::uint64_t draws_ = 0;

  bool pending_ = false;
  SataFrame out_;
  std::size_t out_at_ = 0;
  SataCrc out_crc_;
  SataScrambler out_scrambler_;
  bool spoil_ = false;

  SataFrame in_;
  SataCrc in_crc_;
  SataScrambler in_scrambler_;
  bool in_bad_ = false;
  bool answer_good_ = false;
};

}  // namespace kumihimo
