// SPDX-License-Identifier: Apache-2.0
#include "lane/ib_packets.hpp"

#include <utility>

namespace kumihimo {
namespace {

enum : std::uint8_t { kSdp = 0xfb, kEgp = 0xfd, kEbp = 0xfe };

constexpr std::size_t kLongest = 4400;  // more than a packet of MTU 4096 has

}  // namespace

void IbPackets::block(const kumi_block& b, Ps t_ps, FrameTap& tap) {
  if ((b.flags & KUMI_LANE_DARK) != 0) {
    open_ = false;
    return;
  }
  if (!open_ && b.head == 0) return;
  // In the order of a packet's bytes: the lanes in turn.
  for (unsigned s = 0; s < config_.symbols; ++s) {
    for (unsigned l = 0; l < config_.lanes; ++l) {
      const unsigned i = l * config_.symbols + s;
      symbol(static_cast<std::uint8_t>(b.data >> 8 * i), (b.head >> i & 1u) != 0,
             (b.err >> i & 1u) != 0, t_ps, tap);
    }
  }
}

void IbPackets::symbol(std::uint8_t data, bool k, bool err, Ps t_ps, FrameTap& tap) {
  if (k && !err && data == kSdp) {
    open_ = true;
    bad_ = false;
    data_.clear();
    return;
  }
  if (!open_) return;
  if (k && !err && (data == kEgp || data == kEbp)) {
    open_ = false;
    bad_ = bad_ || data == kEbp;
    if (!data_.empty()) tap.whole(t_ps, bad_, std::exchange(data_, {}));
    return;
  }
  bad_ = bad_ || k || err;
  data_.push_back(data);
  if (data_.size() > kLongest) open_ = false;
}

}  // namespace kumihimo
