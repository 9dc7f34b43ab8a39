// SPDX-License-Identifier: Apache-2.0
//
// A rank that shares cables with this one. After each window both tell each other how far they are,
// and what they have put on the cables between them: one message a window. A rank that is at time t
// sends nothing that arrives before t + latency, so the other may go on until then.
//
// Message: u32 bytes of the rest, u64 time of the sender, and for each link with something new
//   u32 link (2 * cable + direction), u32 beats, u64 frames dropped for their FCS,
//   each beat: the head of a kumi_beat (24 bytes), its `len` bytes of data.
// Of a lane cable, whose number has bit 31 set: its blocks (lane_runs.hpp).
// In the byte order of the machine, which is little-endian on all that are supported. A message
// without links says only the time; while the stream takes no more, one replaces the other.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/types.hpp"
#include "lane/lane_link.hpp"
#include "net/link.hpp"
#include "rank/stream.hpp"
#include "rank/wire.hpp"

namespace kumihimo {

struct NeighbourStats {
  std::uint64_t messages_out = 0, messages_in = 0, times_only = 0;
  std::uint64_t bytes_out = 0, bytes_in = 0, beats_out = 0, beats_in = 0;
  std::uint64_t blocks_out = 0, blocks_in = 0;  // of lanes
  std::uint64_t waits = 0;                      // that it kept this rank waiting
};

class Neighbour {
 public:
  Neighbour(std::uint32_t rank, std::unique_ptr<Stream> stream);

  std::uint32_t rank() const { return rank_; }
  // Links of border cables: key is 2 * cable + direction; lane cables are numbered separately.
  void add_out(std::uint32_t key, Link* link);
  void add_out(std::uint32_t key, LaneLink* lane);
  void add_in(std::uint32_t key, Link* link);
  void add_in(std::uint32_t key, LaneLink* lane);
  bool joined() const { return !out_links_.empty() || !out_lanes_.empty(); }
  Ps latency() const { return latency_; }  // the shortest

  // Between windows. Sends what the last window, of `parity`, put on the cables, and the time.
  void send(Ps now, unsigned parity);
  // Takes what has come and sends what still waits; throws Error when the other rank has ended.
  void exchange();
  Ps clock() const { return clock_; }
  // Up to when everything that comes from it is here.
  Ps known_until() const { return joined() ? clock_ + latency_ : kForever; }
  int fd() const { return stream_->fd(); }
  std::chrono::microseconds nap() const { return stream_->nap(); }
  bool unsent() const { return out_at_ < out_.size() || stream_->leaving(); }

  NeighbourStats stats;

 private:
  static constexpr std::uint32_t kLaneKey = 1u << 31;

  struct OutLink {
    std::uint32_t key;
    Link* link;
    std::uint64_t dropped = 0;  // as last told
  };

  void flush();
  void take(const std::uint8_t* p, const std::uint8_t* end);
  void take_beats(std::uint32_t key, Fetch& from);
  void take_blocks(std::uint32_t key, Fetch& from);

  std::uint32_t rank_;
  std::unique_ptr<Stream> stream_;
  std::vector<OutLink> out_links_;
  std::map<std::uint32_t, Link*> in_links_;
  std::vector<std::pair<std::uint32_t, LaneLink*>> out_lanes_;
  std::map<std::uint32_t, LaneLink*> in_lanes_;
  Ps latency_ = kForever;
  Ps clock_ = 0;
  Bytes out_;
  std::size_t out_at_ = 0;   // next byte to write
  std::size_t time_at_ = 0;  // start of the last message if it says only the time; else npos
  Bytes in_;
  std::size_t in_at_ = 0, in_end_ = 0;
};

}  // namespace kumihimo
