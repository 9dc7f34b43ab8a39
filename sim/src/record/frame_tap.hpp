// SPDX-License-Identifier: Apache-2.0
//
// Collects the frames that pass one point, for a capture. Filled by one actor's thread during a
// window, drained by the engine between windows.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/types.hpp"

namespace kumihimo {

struct CapturedFrame {
  Ps t_ps;  // last byte on the wire
  std::uint32_t interface;
  bool inbound;
  bool bad;
  std::uint64_t order;  // of this point
  std::string comment;
  Bytes data;
};

class FrameTap {
 public:
  FrameTap(std::uint32_t interface, bool inbound) : interface_(interface), inbound_(inbound) {}

  void beat(const kumi_beat& b, Ps t_ps, const char* comment = "") {
    if (b.flags & KUMI_FIRST) {
      data_.clear();
      open_ = true;
    }
    if (!open_) return;  // the capture started within a frame
    data_.insert(data_.end(), b.data, b.data + b.len);
    if (!(b.flags & KUMI_LAST)) return;
    open_ = false;
    done_.push_back({t_ps, interface_, inbound_, (b.flags & KUMI_BAD) != 0, order_++, comment,
                     std::exchange(data_, {})});
  }

  // A frame from a reader of its own.
  void whole(Ps t_ps, bool bad, Bytes data) {
    done_.push_back({t_ps, interface_, inbound_, bad, order_++, "", std::move(data)});
  }

  std::vector<CapturedFrame>& done() { return done_; }

 private:
  std::uint32_t interface_;
  bool inbound_;
  bool open_ = false;
  std::uint64_t order_ = 0;
  Bytes data_;
  std::vector<CapturedFrame> done_;
};

}  // namespace kumihimo
