// SPDX-License-Identifier: Apache-2.0
//
// Parts of the memory port: the shape of an AXI4 burst, the rules that are checked, and the time of
// a channel with limited bandwidth.
#pragma once

#include <cstdint>

namespace kumi::node {

enum AxiRule : uint32_t {
  kAxiWithdrawn,  // valid went away, or the payload changed, before ready
  kAxiBoundary,   // INCR across 4 KiB
  kAxiSize,       // a beat wider than the port
  kAxiType,       // reserved burst type
  kAxiLength,     // FIXED of more than 16 beats, WRAP not of 2, 4, 8 or 16
  kAxiWrapStart,  // WRAP that does not start at a multiple of its beat's size
  kAxiLast,       // WLAST at the wrong beat
  kAxiStrobe      // a strobe off the bytes that the beat addresses
};

inline const char* axi_rule_text(AxiRule rule) {
  static const char* const texts[] = {
      "valid was withdrawn or the payload changed before ready",
      "a burst crosses a 4 KiB boundary",
      "a beat is wider than the port",
      "reserved burst type",
      "a FIXED burst has more than 16 beats, or a WRAP burst not 2, 4, 8 or 16",
      "a WRAP burst does not start at a multiple of its beat's size",
      "WLAST at the wrong beat",
      "a write strobe is set off the bytes that the beat addresses"};
  return texts[rule];
}

// Address and shape of a burst; beat addresses after IHI 0022E A3.4.1.
struct AxiBurst {
  uint64_t addr = 0;
  uint32_t id = 0;
  uint32_t beats = 1;
  uint32_t beat_bytes = 1;
  uint32_t type = 1;  // 0 FIXED, 1 INCR, 2 WRAP

  uint64_t beat_addr(uint32_t i) const {
    if (i == 0 || type == 0) return addr;
    const uint64_t aligned = addr & ~uint64_t{beat_bytes - 1};
    const uint64_t at = aligned + uint64_t{i} * beat_bytes;
    if (type != 2) return at;
    const uint64_t total = uint64_t{beats} * beat_bytes;
    const uint64_t low = aligned - aligned % total;
    return at >= low + total ? at - total : at;
  }
  // Bytes of beat i, from beat_addr(i) on.
  uint32_t beat_length(uint32_t i) const {
    return beat_bytes - static_cast<uint32_t>(beat_addr(i) & (beat_bytes - 1));
  }
};

// Time of a channel with limited bandwidth.
class AxiMeter {
 public:
  uint64_t free_ps() const { return free_ps_; }
  // When `bytes` that can start at `ready` are through; nothing is taken yet.
  uint64_t end(uint64_t ready, double cost_ps) const {
    if (ready >= free_ps_) return ready + static_cast<uint64_t>(cost_ps);
    return free_ps_ + static_cast<uint64_t>(fraction_ + cost_ps);
  }
  uint64_t take(uint64_t ready, double cost_ps) {
    if (ready >= free_ps_) {
      free_ps_ = ready;
      fraction_ = 0;
    }
    fraction_ += cost_ps;
    const auto whole = static_cast<uint64_t>(fraction_);
    fraction_ -= static_cast<double>(whole);
    free_ps_ += whole;
    return free_ps_;
  }

 private:
  uint64_t free_ps_ = 0;
  double fraction_ = 0;
};

}  // namespace kumi::node
