// SPDX-License-Identifier: Apache-2.0
#include "receiver.hpp"

#include <algorithm>

namespace kumihimo::ib_model {

namespace {
constexpr std::uint16_t kComSymbol = 0x100 | kCom, kSkpSymbol = 0x100 | kSkp;
}

unsigned Receiver::step(std::uint64_t data, std::uint8_t k, std::uint8_t err,
                        std::array<Word, 2>& out, bool& idle) {
  idle = false;
  quiet_ = (data | k | err) == 0 ? quiet_ + 1 : 0;
  if (quiet_ > 2 * kDepth && !lost_ && aligned()) {  // only zeros in all lanes: nothing changes
    out.fill({});
    idle = true;
    return lanes_ == 1 ? 1 : symbols_;
  }
  if (lanes_ == 1) return align(static_cast<std::uint32_t>(data), k, err, out[0]);
  return deskew(data, k, err, out);
}

unsigned Receiver::deskew(std::uint64_t data, std::uint8_t k, std::uint8_t err,
                          std::array<Word, 2>& out) {
  unsigned take = 0;
  if (aligned_) {
    take = symbols_;
    for (const Lane& lane : lane_) take = std::min(take, lane.count);
  }
  const bool all_com_first = std::ranges::all_of(
      lane_, [](const Lane& lane) { return lane.count > 0 && lane.fifo[0] == kComSymbol; });
  for (unsigned s = 0; s < take; ++s) {
    Word w;
    unsigned coms = 0;
    for (unsigned l = 0; l < 4; ++l) {
      const std::uint16_t symbol = lane_[l].fifo[s];
      w.data |= static_cast<std::uint32_t>(symbol & 0xFF) << (8 * l);
      w.k |= static_cast<std::uint8_t>((symbol >> 8 & 1) << l);
      w.err |= static_cast<std::uint8_t>((symbol >> 9 & 1) << l);
      if (symbol == kComSymbol) ++coms;
    }
    out[s] = w;
    if (coms == 4) {
      partial_ = 0;
    } else if (coms > 0 && partial_ < 3) {
      ++partial_;
    }
  }
  bool overflow = false;
  for (unsigned l = 0; l < 4; ++l) {
    Lane& lane = lane_[l];
    unsigned leave = take;
    if (!aligned_ && lane.count > 0 && lane.fifo[0] != kComSymbol) {
      leave = symbols_ == 2 && lane.count > 1 && lane.fifo[1] != kComSymbol ? 2 : 1;
    }
    std::move(lane.fifo.begin() + leave, lane.fifo.begin() + lane.count, lane.fifo.begin());
    lane.count -= leave;
    for (unsigned s = 0; s < symbols_; ++s) {
      const unsigned bit = l * symbols_ + s;
      const auto symbol = static_cast<std::uint16_t>((data >> (8 * bit) & 0xFF) |
                                                     (k >> bit & 1) << 8 | (err >> bit & 1) << 9);
      if (symbol == kSkpSymbol && lane.skip) continue;
      if (lane.count < 8 + 2 * symbols_) {
        lane.fifo[lane.count++] = symbol;
      } else {
        overflow = true;
      }
      lane.skip = symbol == kComSymbol;
    }
  }
  if (all_com_first) aligned_ = true;
  const bool was_lost = lost_;
  lost_ = !lost_ && (overflow || partial_ == 3);
  if (was_lost) {
    for (Lane& lane : lane_) lane.count = 0;
    aligned_ = false;
    partial_ = 0;
    return 0;
  }
  return take;
}

unsigned Receiver::align(std::uint32_t data, std::uint8_t k, std::uint8_t err, Word& out) {
  unsigned whole = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const auto symbol = static_cast<std::uint8_t>(data >> (8 * i));
    const bool control = (k >> i & 1) != 0 && (err >> i & 1) == 0;
    if (control && symbol == kCom) {
      held_ = {kCom, 1, 0};
      count_ = 1;
      com_ = true;
      skip_ = false;
    } else if (control && symbol == kSkp && com_) {
      count_ = 0;
      held_ = {};
      com_ = false;
      skip_ = true;
    } else if (!(control && symbol == kSkp && skip_)) {
      if (count_ == 0) held_ = {};
      held_.data |= static_cast<std::uint32_t>(symbol) << (8 * count_);
      held_.k |= static_cast<std::uint8_t>((k >> i & 1) << count_);
      held_.err |= static_cast<std::uint8_t>((err >> i & 1) << count_);
      if (++count_ == 4) {
        out = held_;
        whole = 1;
        count_ = 0;
      }
      com_ = false;
      skip_ = false;
    }
  }
  return whole;
}

}  // namespace kumihimo::ib_model
