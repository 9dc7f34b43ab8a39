// SPDX-License-Identifier: Apache-2.0
//
// Converts whole frames to beats at line rate, and back.
#pragma once

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/types.hpp"
#include "net/link.hpp"

namespace kumihimo {

// Fills a beat with a piece of frame data.
inline void fill_beat(kumi_beat& b, const Bytes& data, std::size_t from, std::size_t to) {
  b.user = 0;
  b.dest = 0;
  b.id = 0;
  b.len = static_cast<std::uint8_t>(to - from);
  b.flags = 0;
  if (from == 0) b.flags |= KUMI_FIRST;
  if (to == data.size()) b.flags |= KUMI_LAST;
  if (to > from) std::memcpy(b.data, data.data() + from, to - from);
}

// Sends frames one after the other at line rate.
class LineTx {
 public:
  void set_rate(double ppb) { ppb_ = ppb; }
  Ps free_at() const { return free_at_; }

  // Sends a frame whose first preamble byte may start at `at`. Returns the time of its last byte.
  Ps send(Link* link, const Bytes& data, Ps at, bool bad = false) {
    const Ps start = std::max(at, free_at_);
    std::size_t from = 0;
    Ps t = start;
    do {
      const std::size_t to = std::min(data.size(), from + KUMI_BEAT_BYTES);
      kumi_beat b;
      fill_beat(b, data, from, to);
      t = start + byte_time(ppb_, kPreambleBytes + to);
      b.t_ps = t;
      if (bad && (b.flags & KUMI_LAST)) {
        b.flags |= KUMI_BAD;
        b.user = 1;
      }
      if (link) link->put(b);
      from = to;
    } while (from < data.size());
    free_at_ = start + byte_time(ppb_, data.size() + kOverheadBytes);
    return t;
  }

 private:
  double ppb_ = 0;
  Ps free_at_ = 0;
};

// Reassembles frames. A frame longer than the limit is truncated and marked bad.
class FrameRx {
 public:
  explicit FrameRx(std::size_t limit = kMaxFrame) : limit_(limit) {}
  // True if the frame is complete; take() then returns it.
  bool beat(const kumi_beat& b) {
    if (!open_) {
      frame_ = {};
      frame_.t_first = b.t_ps;
      open_ = true;
    }
    if (frame_.data.size() + b.len <= limit_) {
      frame_.data.insert(frame_.data.end(), b.data, b.data + b.len);
    } else {
      frame_.bad = true;
    }
    if (!(b.flags & KUMI_LAST)) return false;
    open_ = false;
    frame_.t_last = b.t_ps;
    frame_.user = b.user;
    frame_.id = b.id;
    frame_.bad |= (b.flags & KUMI_BAD) != 0;
    return true;
  }
  bool open() const { return open_; }
  TimedFrame take() { return std::move(frame_); }

 private:
  std::size_t limit_;
  bool open_ = false;
  TimedFrame frame_;
};

}  // namespace kumihimo
