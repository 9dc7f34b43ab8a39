// SPDX-License-Identifier: Apache-2.0
//
// One direction of a lane cable: latency, bit errors, and a plug that is pulled and put back.
//
// A lane never rests, so its blocks go from window to window in batches: the sender fills one of
// two (by window parity), the receiver takes the whole batch of the window before. Blocks carry the
// time of their arrival, and the receiving node takes each when it is due; since no window is
// longer than the latency, none comes too late. Nothing is done for a single block but a copy: bit
// errors are skipped over by geometric distances, and plug events are rare.
//
// The plug is at the sender's end: what was sent before still arrives. Every time it is put in (and
// at time zero) the receiver's block boundary is a new random one. All chance depends on the seed
// and on the number of the error or of the plug alone.
#pragma once

#include <map>
#include <vector>

#include "base/types.hpp"

namespace kumihimo {

struct LaneConfig {
  std::uint64_t seed = 0;
  Ps latency_ps = 0;
  Ps skew_ps = 0;  // more latency, of this lane alone
  double ber = 0;
  std::map<Ps, bool> plug;  // from that time on: put in, or pulled
};

struct LaneStats {
  std::uint64_t blocks = 0;      // that went over the line
  std::uint64_t lost = 0;        // sent while the plug was out
  std::uint64_t bit_errors = 0;  // bits flipped
  std::uint64_t plugs = 0;       // times that the plug was put in, the first included
};

class LaneLink {
 public:
  explicit LaneLink(LaneConfig config);

  // Sender: every window, then what the node sent in it, up to `until`.
  void begin_window(unsigned parity);
  void send(const kumi_blocks& blocks, Ps until);

  // Receiver: appends what was sent in the window before.
  void receive(kumi_blocks& to, unsigned parity) const;

  // Between windows: pulls the plug or puts it in, not before the time reached.
  void plug(Ps at, bool in) { config_.plug[at] = in; }
  bool plugged() const { return plugged_; }
  // The line changed lately, so that its receiver has work to do.
  bool busy(Ps now) const { return changed_ && now < last_change_ + delay_ + kSettlePs; }
  const LaneStats& stats() const { return stats_; }
  const LaneConfig& config() const { return config_; }

 private:
  static constexpr Ps kSettlePs = 20'000'000;

  void apply_plug(Ps at, bool in);
  void copy(const kumi_blocks& blocks, std::uint64_t from, std::uint64_t to);
  void damage(std::size_t first);
  void draw_error();

  LaneConfig config_;
  Ps delay_;
  LaneStats stats_;
  bool plugged_ = true;
  bool fresh_ = true;  // the next block is the first since the plug was put in
  bool changed_ = false;
  Ps last_change_ = 0;
  std::uint64_t bits_to_error_ = 0;
  std::uint64_t errors_drawn_ = 0;
  std::vector<kumi_block>* writing_ = nullptr;
  std::vector<kumi_block> batch_[2];
};

}  // namespace kumihimo
