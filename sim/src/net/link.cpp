// SPDX-License-Identifier: Apache-2.0
#include "net/link.hpp"

#include <algorithm>
#include <cmath>

#include "base/rng.hpp"

namespace kumihimo {
namespace {

enum Purpose : std::uint64_t { kLoss, kReorder, kGap, kDuplicate, kJitter, kBits = 1000 };

constexpr Ps kHoldPs = 50'000'000;  // longest wait of a reordered frame for followers: 50 us
constexpr std::uint64_t kBacklogBytes = 1 << 20;
constexpr double kFcsBits = 32;

}  // namespace

Link::Link(const LinkConfig& config)
    : config_(config),
      impair_(config.impair),
      ppb_(kumihimo::ps_per_byte(config.rate_bps)),
      plain_(!config.impair.any()) {}

bool Link::plugged(Ps now) const {
  bool in = plugged_;
  for (const auto& [at, c] : changes_) {
    if (at <= now) in = c.plugged.value_or(in);
  }
  return in;
}

// The frames that began before a change may still be delayed, so a changed cable stays with the
// way of an impaired one.
void Link::apply_changes(Ps now) {
  while (!changes_.empty() && changes_.begin()->first <= now) {
    const LinkChange c = changes_.begin()->second;
    changes_.erase(changes_.begin());
    if (c.impair) impair_ = *c.impair;
    plugged_ = c.plugged.value_or(plugged_);
    plain_ = false;
  }
}

void Link::put(const kumi_beat& b) {
  const bool last = b.flags & KUMI_LAST;
  stats_.bytes_in += b.len;
  stats_.frames_in += last;
  if (!changes_.empty() && !in_frame_) [[unlikely]]
    apply_changes(b.t_ps);
  if (plain_) {
    for (auto& tap : egress) tap->beat(b, b.t_ps);
    emit(b, b.t_ps + config_.latency_ps);
    in_frame_ = !last;
    return;
  }
  if (!in_frame_) {
    release_held(b.t_ps);
    begin_frame(b);
  }
  last_in_ = std::max(last_in_, b.t_ps);
  kumi_beat copy = b;
  if (impair_.ber > 0) damage(copy);
  for (auto& tap : egress) tap->beat(b, b.t_ps, fate(b));
  if (streaming_) emit(copy, b.t_ps + config_.latency_ps + shift_);
  if (!lost_ && (!streaming_ || duplicate_)) store_.push_back(copy);
  in_frame_ = !last;
  if (last) finish_frame();
}

void Link::end_window(Ps until, unsigned parity) {
  if (!held_.empty() && !in_frame_ && until) release_held(until - 1);
  queue_.publish(parity);
}

void Link::begin_frame(const kumi_beat& b) {
  const Impairments& im = impair_;
  const std::uint64_t n = frame_no_++;
  const std::uint64_t seed = config_.seed;
  unplugged_ = !plugged_;
  lost_ = unplugged_ || (im.loss > 0 && unit_at(seed, n, kLoss) < im.loss);
  reorder_ = !lost_ && im.reorder > 0 && unit_at(seed, n, kReorder) < im.reorder;
  duplicate_ = !lost_ && im.duplicate > 0 && unit_at(seed, n, kDuplicate) < im.duplicate;
  jitter_ = im.jitter_ps ? random_at(seed, n, kJitter) % (im.jitter_ps + 1) : 0;
  hit_ = false;
  store_.clear();
  errors_drawn_ = 0;
  if (im.ber > 0) draw_error();
  const bool whole = reorder_ || (im.ber > 0 && config_.hold_bad && !im.pass_bad);
  streaming_ = !lost_ && !whole;
  if (streaming_ && !place_frame(b, 0)) {
    streaming_ = false;
    lost_ = true;
    ++stats_.backlog_dropped;
  } else if (unplugged_) {
    ++stats_.unplugged;
  } else if (lost_) {
    ++stats_.lost;
  }
}

// Bits until the next error: geometric.
void Link::draw_error() {
  const double u = unit_at(config_.seed, frame_no_, kBits + errors_drawn_++);
  const double ber = impair_.ber;
  bits_to_error_ = ber >= 1 ? 0 : std::floor(std::log1p(-u) / std::log1p(-ber));
}

void Link::damage(kumi_beat& b) {
  const double bits = 8.0 * b.len + ((b.flags & KUMI_LAST) ? kFcsBits : 0);
  double at = bits_to_error_;
  while (at < bits) {
    hit_ = true;
    if (!lost_) ++stats_.bit_errors;
    if (at < 8.0 * b.len) {
      const auto bit = static_cast<unsigned>(at);
      b.data[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit & 7));
    }
    draw_error();
    at += 1 + bits_to_error_;
  }
  bits_to_error_ = at - bits;
  if ((b.flags & KUMI_LAST) && hit_) {
    b.flags |= KUMI_BAD;
    b.user |= 1;
    if (!lost_) ++stats_.corrupted;
  }
}

const char* Link::fate(const kumi_beat& b) const {
  if (!(b.flags & KUMI_LAST)) return "";
  if (unplugged_) return "the cable was unplugged";
  if (lost_) return "lost on the cable";
  if (hit_) return "bit error on the cable";
  if (reorder_) return "reordered on the cable";
  if (duplicate_) return "duplicated on the cable";
  return "";
}

// Schedules the frame after earlier ones; false if it would wait too long.
bool Link::place_frame(const kumi_beat& first, Ps not_before) {
  const Ps natural = first.t_ps + config_.latency_ps;
  Ps at = std::max(natural + jitter_, not_before);
  if (out_any_) at = std::max(at, out_end_ + byte_time(ppb_, kOverheadBytes + first.len));
  shift_ = at - natural;
  // Rounding must not accumulate delay in a clean stream of back-to-back frames.
  if (!jitter_ && shift_ <= 1 && natural >= out_end_) shift_ = 0;
  return ppb_ <= 0 || shift_ <= impair_.jitter_ps + kHoldPs + byte_time(ppb_, kBacklogBytes);
}

void Link::emit(const kumi_beat& b, Ps t_ps) {
  kumi_beat& out = queue_.push();
  out = b;
  out.t_ps = t_ps;
  stats_.bytes_out += b.len;
  stats_.frames_out += (b.flags & KUMI_LAST) != 0;
  out_end_ = t_ps;
  out_any_ = true;
  for (auto& tap : ingress) tap->beat(b, t_ps);
}

bool Link::emit_frame(const std::vector<kumi_beat>& beats, Ps not_before) {
  if (!place_frame(beats.front(), not_before)) {
    ++stats_.backlog_dropped;
    return false;
  }
  for (const kumi_beat& b : beats) emit(b, b.t_ps + config_.latency_ps + shift_);
  return true;
}

void Link::finish_frame() {
  if (lost_) return;
  if (streaming_) {
    passed_one();
  } else if (hit_ && config_.hold_bad && !impair_.pass_bad) {
    ++stats_.fcs_dropped;
    return;
  } else if (reorder_) {
    ++stats_.reordered;
    const std::uint64_t gap = std::max<std::uint32_t>(1, impair_.reorder_gap);
    const auto wait = 1 + random_at(config_.seed, frame_no_, kGap) % gap;
    held_.push_back({store_, static_cast<std::uint32_t>(wait), last_in_ + kHoldPs});
  } else if (emit_frame(store_, last_in_ + config_.latency_ps)) {
    passed_one();
  }
  if (duplicate_) {
    ++stats_.duplicated;
    emit_frame(store_, last_in_ + config_.latency_ps);
  }
}

void Link::release_held(Ps now) {
  while (!held_.empty() && held_.front().release_ps <= now) {
    const Held h = std::move(held_.front());
    held_.pop_front();
    emit_frame(h.beats, std::max(h.release_ps, last_in_) + config_.latency_ps);
  }
}

// A frame left: held frames let it overtake. A released frame overtakes older held ones.
void Link::passed_one() {
  for (Held& h : held_) --h.countdown;
  for (;;) {
    const auto due =
        std::find_if(held_.begin(), held_.end(), [](const Held& h) { return h.countdown == 0; });
    if (due == held_.end()) return;
    emit_frame(due->beats, last_in_ + config_.latency_ps);
    for (auto older = held_.begin(); older != due; ++older) --older->countdown;
    held_.erase(due);
  }
}

}  // namespace kumihimo
