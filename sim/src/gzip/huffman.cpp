// SPDX-License-Identifier: Apache-2.0
#include "gzip/huffman.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace kumihimo::gzip {
namespace {

constexpr int STEPS = 16;     // steps of a bit
constexpr int FIRST_TRY = 6;  // the offset is rarely smaller
// floor(16 * log2(1 + i/32))
constexpr std::uint8_t LOG2[32] = {0, 0, 1,  2,  2,  3,  3,  4,  5,  5,  6,  6,  7,  7,  8,  8,
                                   9, 9, 10, 10, 11, 11, 12, 12, 12, 13, 13, 14, 14, 14, 15, 15};

int log2_steps(std::uint32_t v) {
  const int e = std::bit_width(v) - 1;
  const std::uint32_t mantissa = (e >= 5 ? v >> (e - 5) : v << (5 - e)) & 31;
  return STEPS * e + LOG2[mantissa];
}

}  // namespace

std::vector<std::uint8_t> code_lengths(std::span<const std::uint32_t> counts, int limit) {
  std::vector<std::uint8_t> out(counts.size());
  std::vector<int> logs(counts.size());
  std::array<std::uint64_t, STEPS> weights{};
  std::uint32_t total = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    total += counts[i];
    logs[i] = log2_steps(counts[i]);
    weights[logs[i] % STEPS] += 1ull << (logs[i] / STEPS);
  }
  if (total == 0) return out;
  int offset = log2_steps(total) + FIRST_TRY;
  for (;; ++offset) {
    std::uint64_t kraft = 0;  // in 2^-16
    for (int f = 0; f < STEPS; ++f) {
      if (weights[f] != 0) kraft += (weights[f] << 16) >> ((offset - f) / STEPS);
    }
    if (kraft <= 1u << 16) break;
  }
  std::int64_t room = 0;  // in 2^-limit
  for (;; ++offset) {
    room = 1 << limit;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] == 0) continue;
      out[i] = static_cast<std::uint8_t>(std::clamp((offset - logs[i]) / STEPS, 1, limit));
      room -= 1 << (limit - out[i]);
    }
    if (room >= 0) break;
  }
  bool changed = true;
  for (int bound = 7; room > 0 && (bound < STEPS || changed); bound += 8) {
    changed = false;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const int cost = 1 << (limit - out[i]);
      if (counts[i] == 0 || out[i] == 1 || cost > room) continue;
      if ((offset - logs[i]) % STEPS > bound) continue;
      room -= cost;
      --out[i];
      changed = true;
    }
  }
  return out;
}

std::vector<std::uint16_t> codes(std::span<const std::uint8_t> lengths) {
  std::array<std::uint32_t, 17> next{};
  for (const auto n : lengths) ++next[n + 1u];
  next[1] = 0;
  for (int n = 2; n < 17; ++n) next[n] = (next[n - 1] + next[n]) << 1;
  // next[n + 1] counted length n, so next[n] is now twice the end of length n - 1.
  std::vector<std::uint16_t> out(lengths.size());
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const int n = lengths[i];
    if (n == 0) continue;
    const std::uint32_t code = next[n]++;
    for (int b = 0; b < n; ++b)
      out[i] |= static_cast<std::uint16_t>(((code >> b) & 1) << (n - 1 - b));
  }
  return out;
}

std::vector<LengthItem> run_lengths(std::span<const std::uint8_t> lengths) {
  std::vector<LengthItem> out;
  int value = -1, run = 0;  // run: of `value`, not yet sent
  const auto flush = [&] {
    const auto r = static_cast<std::uint8_t>(run);
    if (value == 0 && run >= 11) {
      out.push_back({18, static_cast<std::uint8_t>(r - 11), 7});
    } else if (run >= 3) {
      out.push_back(value == 0 ? LengthItem{17, static_cast<std::uint8_t>(r - 3), 3}
                               : LengthItem{16, static_cast<std::uint8_t>(r - 3), 2});
    } else {
      for (int i = 0; i < run; ++i) out.push_back({static_cast<std::uint8_t>(value), 0, 0});
    }
    run = 0;
  };
  for (const auto n : lengths) {
    if (n != value) {
      flush();
      value = n;
      if (n != 0) {
        out.push_back({n, 0, 0});
        continue;
      }
    }
    ++run;
    if (run == (n == 0 ? 138 : 6)) flush();
  }
  flush();
  return out;
}

int length_symbol(int length) {
  const int x = length - 3;
  if (length == 258) return 28;
  if (x < 8) return x;
  const int extra = std::bit_width(static_cast<unsigned>(x)) - 3;
  return 4 * (extra + 1) + ((x >> extra) & 3);
}
int length_extra_bits(int symbol) { return symbol < 8 || symbol == 28 ? 0 : symbol / 4 - 1; }
int length_base(int symbol) {
  if (symbol == 28) return 258;
  return 3 + (symbol < 8 ? symbol : (4 + symbol % 4) << (symbol / 4 - 1));
}
int dist_symbol(int dist) {
  const int x = dist - 1;
  if (x < 2) return x;
  const int extra = std::bit_width(static_cast<unsigned>(x)) - 2;
  return 2 * (extra + 1) + ((x >> extra) & 1);
}
int dist_extra_bits(int symbol) { return symbol < 2 ? 0 : symbol / 2 - 1; }
int dist_base(int symbol) {
  return 1 + (symbol < 2 ? symbol : (2 + symbol % 2) << (symbol / 2 - 1));
}
int fixed_litlen_bits(int symbol) {
  return symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8;
}

}  // namespace kumihimo::gzip
