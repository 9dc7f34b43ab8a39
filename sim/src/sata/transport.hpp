// SPDX-License-Identifier: Apache-2.0
//
// Transport layer of a Serial ATA device: queues FISes for the link. A rejected non-data FIS is
// retransmitted; a rejected Data FIS fails its command. A FIS with a type or length that a host
// must not send is answered with R_ERR. Faults: R_ERR for good FISes, wrong CRCs.
#pragma once

#include <deque>

#include "sata/fis.hpp"

namespace kumihimo {

struct SataTransportStats {
  std::uint64_t repeated = 0;  // retransmitted FISes
  std::uint64_t given_up = 0;  // after kTries
  std::uint64_t illegal = 0;
  std::uint64_t refused = 0;  // by the fault
  std::uint64_t spoiled = 0;  // by the fault
};

class SataTransport : private SataLink::Client {
 public:
  class Client {
   public:
    virtual ~Client() = default;
    virtual void got_register(const fis::Command& c) = 0;
    // False: no data is expected; the FIS is rejected.
    virtual bool got_data(const SataFrame& frame) = 0;
    // A damaged FIS arrived; it may have been the expected data.
    virtual void lost_fis() = 0;
    virtual void data_sent(bool good) = 0;
  };

  SataTransport(Client& client, const SataLinkConfig& config)
      : client_(client), seed_(config.seed), link_(*this, config) {}

  void reset();
  SataWord step(SataWord in);

  void send(SataFrame frame, unsigned rest_words = 0) {
    waiting_.push_back({std::move(frame), rest_words, 0});
  }
  bool busy() const { return !waiting_.empty(); }
  bool idle() const { return waiting_.empty() && link_.idle(); }

  // Drops queued FISes; the current one is aborted.
  void cancel() { waiting_.erase(waiting_.begin() + (link_.sending() ? 1 : 0), waiting_.end()); }

  void refuse(double share) { refuse_ = share; }
  void spoil(double share) { spoil_ = share; }

  const SataLinkStats& link_stats() const { return link_.stats(); }
  const SataTransportStats& stats() const { return stats_; }

 private:
  static constexpr unsigned kTries = 8;
  struct Waiting {
    SataFrame frame;
    unsigned rest_words;  // idle words after it
    unsigned tries;
  };

  bool received(const SataFrame& frame) override;
  void sent(SataSent result) override;
  void broken() override { client_.lost_fis(); }
  bool spoil_crc() override;
  bool chance(double share, std::uint64_t purpose);

  Client& client_;
  std::uint64_t seed_;
  SataLink link_;
  SataTransportStats stats_;
  std::deque<Waiting> waiting_;
  double refuse_ = 0, spoil_ = 0;
  std::uint64_t draws_ = 0;
};

}  // namespace kumihimo
