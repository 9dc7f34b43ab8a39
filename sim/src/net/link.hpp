// SPDX-License-Identifier: Apache-2.0
//
// One direction of a cable: latency and impairments.
//
// The sending actor calls put() for each beat and end_window(); the receiving actor calls open(),
// front() and pop(). A beat put in a window leaves the link no earlier than the window after, since
// a window is never longer than the smallest latency. Beats of a clean cable pass one by one
// (cut-through). Every random decision depends only on the link's seed and the frame's number.
//
// Decisions for a frame, in order: loss; bit errors; reordering; duplication. Frames never overlap
// at the far end: a frame delayed by jitter or a duplicate delays the next one.
//
// A change (pulled, plugged in, other impairments) affects the frames that begin after it; a frame
// that has begun arrives.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/types.hpp"
#include "net/beat_queue.hpp"
#include "record/frame_tap.hpp"

namespace kumihimo {

struct Impairments {
  double loss = 0;       // share of frames
  double ber = 0;        // chance of each bit (FCS bits too)
  double duplicate = 0;  // share of frames
  double reorder = 0;    // share of frames
  std::uint32_t reorder_gap = 3;
  Ps jitter_ps = 0;
  bool pass_bad = false;  // hand frames with bit errors to the receiver, marked bad

  bool any() const { return loss > 0 || ber > 0 || duplicate > 0 || reorder > 0 || jitter_ps > 0; }
};

struct LinkStats {
  std::uint64_t frames_in = 0, bytes_in = 0;    // from the sender
  std::uint64_t frames_out = 0, bytes_out = 0;  // delivered to the receiver (duplicates included)
  std::uint64_t lost = 0;                       // dropped: loss
  std::uint64_t bit_errors = 0;                 // bits flipped, FCS bits included
  std::uint64_t corrupted = 0;                  // frames hit by at least one bit error
  std::uint64_t fcs_dropped = 0;                // dropped by the receiving port for its FCS
  std::uint64_t duplicated = 0, reordered = 0;
  std::uint64_t backlog_dropped = 0;  // dropped: delayed beyond the link's buffer
  std::uint64_t unplugged = 0;        // dropped: the cable was unplugged
};

struct LinkConfig {
  std::uint64_t seed = 0;
  Ps latency_ps = 0;
  double rate_bps = 0;
  bool hold_bad = false;  // deliver whole frames if bit errors are possible
  Impairments impair;
};

struct LinkChange {
  std::optional<Impairments> impair;
  std::optional<bool> plugged;
};

class Link {
 public:
  explicit Link(const LinkConfig& config);

  // Sender.
  void put(const kumi_beat& b);
  void end_window(Ps until, unsigned parity);

  // Receiver.
  void open(unsigned parity) { queue_.open(parity); }
  const kumi_beat* front(Ps until) {
    const kumi_beat* b = queue_.front();
    return b && b->t_ps < until ? b : nullptr;
  }
  void pop() { queue_.pop(); }

  // In place of a sender that is in another rank, between windows: what its end of the link let go,
  // and how many frames it has dropped for the receiver.
  void arrive(const kumi_beat& b) { queue_.push() = b; }
  void arrived(std::uint64_t fcs_dropped) {
    queue_.publish(0);
    queue_.publish(1);
    stats_.fcs_dropped = fcs_dropped;
  }

  // Between windows.
  void change(Ps at, const LinkChange& c) { changes_.emplace(at, c); }
  bool plugged(Ps now) const;
  bool busy() const { return in_frame_ || !held_.empty() || queue_.in_flight() != 0; }
  // When the next frame has arrived, if it is known and short; else a time that never comes.
  Ps next_end() const { return queue_.first_end(64); }
  std::uint64_t in_flight() const { return queue_.in_flight(); }  // beats
  const LinkStats& stats() const { return stats_; }
  const LinkConfig& config() const { return config_; }
  double ps_per_byte() const { return ppb_; }

  std::vector<std::unique_ptr<FrameTap>> egress;   // as sent
  std::vector<std::unique_ptr<FrameTap>> ingress;  // as received

 private:
  struct Held {
    std::vector<kumi_beat> beats;
    std::uint32_t countdown;
    Ps release_ps;
  };

  void apply_changes(Ps now);
  void begin_frame(const kumi_beat& b);
  void damage(kumi_beat& b);
  void draw_error();
  bool place_frame(const kumi_beat& first, Ps not_before);
  void emit(const kumi_beat& b, Ps t_ps);
  bool emit_frame(const std::vector<kumi_beat>& beats, Ps not_before);
  void finish_frame();
  void release_held(Ps now);
  void passed_one();
  const char* fate(const kumi_beat& b) const;

  LinkConfig config_;
  Impairments impair_;  // in force
  double ppb_;
  bool plain_;
  bool plugged_ = true;
  std::multimap<Ps, LinkChange> changes_;
  BeatQueue queue_;
  LinkStats stats_;

  // The frame being sent.
  bool in_frame_ = false;
  bool lost_ = false, unplugged_ = false, reorder_ = false, duplicate_ = false, hit_ = false,
       streaming_ = false;
  std::uint64_t frame_no_ = 0;
  std::uint64_t errors_drawn_ = 0;
  double bits_to_error_ = 0;
  Ps jitter_ = 0;
  std::vector<kumi_beat> store_;
  Ps last_in_ = 0;

  // The far end.
  Ps shift_ = 0;
  Ps out_end_ = 0;
  bool out_any_ = false;
  std::deque<Held> held_;
};

}  // namespace kumihimo
