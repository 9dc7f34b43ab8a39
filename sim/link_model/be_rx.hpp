// SPDX-License-Identifier: Apache-2.0
//
// Best-effort packets for a local port that nobody reads, as kumi_stdm_be_rx with m_axis.tready
// low: they are checked, fill the buffer, and are counted when it is full.
#pragma once

#include <array>

#include "blocks.hpp"
#include "crc.hpp"

namespace kumihimo::link_model {

class BeRx {
 public:
  // ahead: words that have left the buffer for the registers behind it, at most.
  explicit BeRx(unsigned ahead) : most_ahead_(ahead) {}

  bool broken = false, full = false;  // pulses

  void step(bool valid, const Word& in) {
    if (!valid && !active_) return;
    broken = ev_bad_ || empty_;
    full = ev_full_;
    store(late_[kLatency - 1]);
    for (unsigned i = kLatency - 1; i > 0; --i) late_[i] = late_[i - 1];
    late_[0] = {};
    empty_ = false;
    if (valid) receive(in);
    active_ = broken || full || ev_bad_ || ev_full_ || empty_ || prefetch();
    for (const Beat& b : late_) active_ = active_ || b.valid;
  }

 private:
  static constexpr unsigned kDepth = 512, kLatency = 4, kBytes = 8;
  struct Beat {
    bool valid = false, last = false, bad = false;
  };

  void receive(const Word& in) {
    const bool tail = in.kind == WordKind::kTail;
    if (held_ && (in.kind == WordKind::kData || tail)) {
      const unsigned bytes = tail ? in.data >> kTailBytes & 63 : kBytes;
      crc_ = crc_bytes(crc_, word_, bytes == 0 ? 1 : bytes < kBytes ? bytes : kBytes);
      late_[0] = {true, tail, false};
      if (tail) {
        late_[0].bad = (in.data & bit(kTailAbort)) != 0 || bytes == 0 || bytes > kBytes ||
                       ~crc_ != static_cast<std::uint32_t>(in.data);
        crc_ = ~0u;
      }
    }
    empty_ = tail && !held_;
    held_ = in.kind == WordKind::kData;
    if (held_) word_ = in.data;
  }

  // kumi_axis_frame_fifo, of which some words have been read ahead.
  void store(const Beat& beat) {
    const bool read = prefetch();
    const bool own_full = write_ - commit_ == kDepth;
    const bool misfit = write_ - read_ == kDepth || own_full || drop_, big = own_full || big_;
    if (read) ++read_, ++ahead_;
    ev_bad_ = ev_full_ = false;
    if (!beat.valid) return;
    if (!own_full) ++write_;
    drop_ = misfit;
    big_ = big;
    if (!beat.last) return;
    drop_ = big_ = false;
    ev_full_ = misfit;
    ev_bad_ = !misfit && beat.bad;
    if (misfit || beat.bad) {
      write_ = commit_;
    } else {
      commit_ = write_;
    }
  }
  bool prefetch() const { return commit_ != read_ && ahead_ < most_ahead_; }

  std::array<Beat, kLatency> late_{};
  std::uint64_t word_ = 0;
  std::uint32_t crc_ = ~0u, write_ = 0, commit_ = 0, read_ = 0, ahead_ = 0;
  unsigned most_ahead_;
  bool held_ = false, empty_ = false, drop_ = false, big_ = false;
  bool ev_bad_ = false, ev_full_ = false, active_ = false;
};

}  // namespace kumihimo::link_model
