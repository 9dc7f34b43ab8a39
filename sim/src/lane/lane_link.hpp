// SPDX-License-Identifier: Apache-2.0
//
// One direction of a lane cable or an InfiniBand cable: latency, bit errors, and a plug.
//
// A lane is never idle, so its blocks move in batches: the sender fills one of two (by window
// parity), the receiver takes the whole batch of the previous window. Blocks carry their arrival
// time, and the receiving node takes each when due; since no window is longer than the latency,
// none is late. The only work per block is a copy: bit errors are placed by geometric distances,
// and plug events are rare.
//
// The plug is at the sender's end: blocks in flight still arrive. At each plug-in (and at time
// zero) the receiver's block boundary is random. All randomness depends only on the seed and the
// number of the error or plug event. An InfiniBand cable is one line whose blocks are what all of
// its lanes carry (SymbolLanes); it can be captured.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/types.hpp"
#include "lane/ib_packets.hpp"
#include "lane/symbol_lanes.hpp"
#include "record/frame_tap.hpp"

namespace kumihimo {

struct LaneConfig {
  std::uint64_t seed = 0;
  Ps latency_ps = 0;
  Ps skew_ps = 0;  // extra latency of this lane
  double ber = 0;
  std::map<Ps, bool> plug;  // by time: plugged in or out
  SymbolLanesConfig symbols;
};

struct LaneStats {
  std::uint64_t blocks = 0;      // transferred over the line
  std::uint64_t lost = 0;        // sent while unplugged
  std::uint64_t bit_errors = 0;  // bits flipped
  std::uint64_t plugs = 0;       // plug-ins, the first included
};

class LaneLink {
 public:
  explicit LaneLink(LaneConfig config);

  // Sender, every window: the blocks that the node sent, up to `until`.
  void begin_window(unsigned parity);
  void send(const kumi_blocks& blocks, Ps until);

  // Receiver: appends the blocks of the previous window, or what arrive() has added since.
  void receive(kumi_blocks& to, unsigned parity);

  // For an end in another rank, between windows: the blocks that the last window, of `parity`,
  // sent; and in its rank, those blocks in place of a sender.
  const std::vector<kumi_block>& sent(unsigned parity) const { return batch_[parity & 1]; }
  void arrive(const kumi_block& b) { arrived_.push_back(b); }

  // Between windows: plugs in or out, now or later.
  void plug(Ps at, bool in) { config_.plug[at] = in; }
  bool plugged() const { return plugged_; }
  // InfiniBand: a bit error at one place; a capture of the packets as sent, or as they arrive.
  void flip(Ps at, BitFlip what) { symbols_->flip(at, what); }
  void tap(std::unique_ptr<FrameTap> tap, bool arriving);
  // Whether the line changed recently, so that its receiver has work.
  bool busy(Ps now) const { return changed_ && now < last_change_ + delay_ + kSettlePs; }
  LaneStats stats() const;
  const LaneConfig& config() const { return config_; }

 private:
  static constexpr Ps kSettlePs = 20'000'000;

  void apply_plug(Ps at, bool in);
  void copy(const kumi_blocks& blocks, std::uint64_t from, std::uint64_t to);
  void copy_symbols(const kumi_blocks& blocks, std::uint64_t from, std::uint64_t to);
  void damage(std::size_t first);
  void draw_error();

  struct Tap {
    std::unique_ptr<FrameTap> frames;
    IbPackets packets;
  };

  LaneConfig config_;
  std::optional<SymbolLanes> symbols_;
  std::vector<Tap> sent_taps_, arriving_taps_;
  Ps delay_;
  LaneStats stats_;
  bool plugged_ = true;
  bool fresh_ = true;  // the next block is the first after a plug-in
  bool changed_ = false;
  Ps last_change_ = 0;
  std::uint64_t bits_to_error_ = 0;
  std::uint64_t errors_drawn_ = 0;
  std::vector<kumi_block>* writing_ = nullptr;
  std::vector<kumi_block> batch_[2];
  std::vector<kumi_block> arrived_;  // from a sender in another rank
};

}  // namespace kumihimo
