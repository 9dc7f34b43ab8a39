// SPDX-License-Identifier: Apache-2.0
//
// What a cable does to the 8b/10b symbols of its 1 or 4 lanes: bit errors, skew, and an unknown
// symbol boundary at the receiver.
//
// A bit error changes the code group: the receiver sees a code violation, or another symbol and,
// since the running disparity is then wrong, mostly a violation later. The lanes' delays are whole
// symbols: `skew`, and from each time that a signal comes up 0 .. symbols per lane - 1 by chance,
// because a receiver does not know where its word begins. All randomness depends only on the seed
// and the number of the error or of the signal.
#pragma once

#include <array>
#include <map>
#include <span>

#include "base/types.hpp"

namespace kumihimo {

inline constexpr unsigned kMostLanes = 4;
inline constexpr unsigned kMostSkew = 32;  // symbols

struct SymbolLanesConfig {
  unsigned lanes = 0;    // 0: the line carries 66-bit blocks, and this is not used
  unsigned symbols = 0;  // per lane and block
  std::array<unsigned, kMostLanes> skew{};  // symbols
};

// An error at one place: bit 0 .. 10 * symbols - 1 of a lane, in the first block of the sender at
// or after a time.
struct BitFlip {
  unsigned lane = 0;
  unsigned bit = 0;
};

class SymbolLanes {
 public:
  SymbolLanes(const SymbolLanesConfig& config, std::uint64_t seed, double ber);

  void flip(Ps at, BitFlip what) { flips_.emplace(at, what); }
  // In the order of the line, as sent: first errors, then the delays of the lanes. A block with
  // KUMI_LANE_PLUGGED is the first of a signal.
  void add_errors(kumi_block& block, Ps sent);
  void add_delays(kumi_block& block);
  std::uint64_t bit_errors() const { return bit_errors_; }

 private:
  struct Delayed {  // symbols on their way
    std::uint8_t data = 0, k = 0, err = 1;
  };

  static constexpr unsigned kRing = 64;

  void damage(kumi_block& block, std::span<const std::uint16_t> masks);
  void start_signal();
  void draw();

  SymbolLanesConfig config_;
  std::uint64_t seed_;
  double ber_;
  std::multimap<Ps, BitFlip> flips_;
  std::array<bool, kMostLanes> sent_rd_{}, received_rd_{};
  bool differ_ = false;  // a running disparity is wrong at the receiver
  std::array<std::array<Delayed, kRing>, kMostLanes> way_{};
  std::array<unsigned, kMostLanes> delay_{};
  unsigned at_ = 0;  // in the rings
  bool delayed_ = false;
  std::uint64_t signals_ = 0;
  std::uint64_t bits_to_error_ = 0, drawn_ = 0, bit_errors_ = 0;
};

}  // namespace kumihimo
