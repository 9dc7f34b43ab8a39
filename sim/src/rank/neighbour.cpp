// SPDX-License-Identifier: Apache-2.0
#include "rank/neighbour.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "rank/lane_runs.hpp"

namespace kumihimo {
namespace {

constexpr std::size_t kNone = ~std::size_t{0};
constexpr std::size_t kRead = 1 << 16;
constexpr std::size_t kBeatHead = offsetof(kumi_beat, data);
constexpr std::size_t kTimeOnly = 12;  // bytes of a message without links

}  // namespace

Neighbour::Neighbour(std::uint32_t rank, std::unique_ptr<Stream> stream)
    : rank_(rank), stream_(std::move(stream)), time_at_(kNone) {}

void Neighbour::add_out(std::uint32_t key, Link* link) {
  out_links_.push_back({key, link});
  latency_ = std::min(latency_, link->config().latency_ps);
}

void Neighbour::add_out(std::uint32_t key, LaneLink* lane) {
  out_lanes_.emplace_back(key | kLaneKey, lane);
  latency_ = std::min(latency_, lane->config().latency_ps);
}

void Neighbour::add_in(std::uint32_t key, Link* link) { in_links_[key] = link; }

void Neighbour::add_in(std::uint32_t key, LaneLink* lane) { in_lanes_[key | kLaneKey] = lane; }

void Neighbour::send(Ps now, unsigned parity) {
  if (!joined()) return;
  const std::size_t start = out_.size();
  append(out_, std::uint32_t{0});
  append(out_, now);
  for (OutLink& o : out_links_) {
    o.link->open(parity ^ 1);
    const std::uint64_t dropped = o.link->stats().fcs_dropped;
    const kumi_beat* b = o.link->front(kForever);
    if (!b && dropped == o.dropped) continue;
    o.dropped = dropped;
    append(out_, o.key);
    const std::size_t count_at = out_.size();
    append(out_, std::uint32_t{0});
    append(out_, dropped);
    std::uint32_t beats = 0;
    for (; b; b = o.link->front(kForever), ++beats) {
      const auto* raw = reinterpret_cast<const std::uint8_t*>(b);
      out_.insert(out_.end(), raw, raw + kBeatHead + b->len);
      o.link->pop();
    }
    patch(out_, count_at, beats);
    stats.beats_out += beats;
  }
  for (const auto& [key, lane] : out_lanes_) {
    const std::vector<kumi_block>& blocks = lane->sent(parity);
    if (blocks.empty()) continue;
    append(out_, key);
    append_blocks(out_, blocks);
    stats.blocks_out += blocks.size();
  }
  const std::size_t bytes = out_.size() - start;
  patch(out_, start, static_cast<std::uint32_t>(bytes - 4));
  if (bytes == kTimeOnly) {
    if (time_at_ != kNone && time_at_ >= out_at_) {
      // The one before has not begun to leave: this one says more.
      out_.resize(start);
      patch(out_, time_at_ + 4, now);
      flush();
      return;
    }
    time_at_ = start;
    ++stats.times_only;
  } else {
    time_at_ = kNone;
  }
  ++stats.messages_out;
  flush();
}

void Neighbour::flush() {
  while (out_at_ < out_.size()) {
    const std::size_t n = stream_->write(out_.data() + out_at_, out_.size() - out_at_);
    if (n == 0) return;
    stats.bytes_out += n;
    out_at_ += n;
  }
  out_.clear();
  out_at_ = 0;
  time_at_ = kNone;
}

void Neighbour::exchange() {
  if (unsent()) flush();
  for (;;) {
    if (in_.size() - in_end_ < kRead) in_.resize(in_end_ + kRead);
    const std::size_t n = stream_->read(in_.data() + in_end_, in_.size() - in_end_);
    if (n == 0) break;
    stats.bytes_in += n;
    in_end_ += n;
    for (;;) {
      std::uint32_t bytes;
      if (in_end_ - in_at_ < sizeof bytes) break;
      std::memcpy(&bytes, in_.data() + in_at_, sizeof bytes);
      if (in_end_ - in_at_ - sizeof bytes < bytes) break;
      const std::uint8_t* p = in_.data() + in_at_ + sizeof bytes;
      take(p, p + bytes);
      in_at_ += sizeof bytes + bytes;
    }
    std::memmove(in_.data(), in_.data() + in_at_, in_end_ - in_at_);
    in_end_ -= in_at_;
    in_at_ = 0;
  }
}

void Neighbour::take(const std::uint8_t* p, const std::uint8_t* end) {
  Fetch from(p, end);
  const auto clock = from.value<Ps>();
  if (clock < clock_) throw Error("the time of another rank went back");
  while (from.more()) {
    const auto key = from.value<std::uint32_t>();
    if (key & kLaneKey) {
      take_blocks(key, from);
    } else {
      take_beats(key, from);
    }
  }
  clock_ = clock;
  ++stats.messages_in;
}

void Neighbour::take_beats(std::uint32_t key, Fetch& from) {
  const auto beats = from.value<std::uint32_t>();
  const auto dropped = from.value<std::uint64_t>();
  const auto it = in_links_.find(key);
  if (it == in_links_.end()) throw Error("a message of another rank names an unknown cable");
  Link& link = *it->second;
  for (std::uint32_t i = 0; i < beats; ++i) {
    kumi_beat b;
    from.raw(&b, kBeatHead);
    if (b.len > KUMI_BEAT_BYTES) throw Error("a message of another rank is damaged");
    from.raw(b.data, b.len);
    link.arrive(b);
  }
  link.arrived(dropped);
  stats.beats_in += beats;
}

void Neighbour::take_blocks(std::uint32_t key, Fetch& from) {
  const auto it = in_lanes_.find(key);
  if (it == in_lanes_.end()) throw Error("a message of another rank names an unknown cable");
  fetch_blocks(from, [&](const kumi_block& b) {
    it->second->arrive(b);
    ++stats.blocks_in;
  });
}

}  // namespace kumihimo
