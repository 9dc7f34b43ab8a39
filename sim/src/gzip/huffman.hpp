// SPDX-License-Identifier: Apache-2.0
//
// Code lengths and codes as kumi_deflate_build computes them: no sorting and no tree.
//
// Ideal lengths are -log2 of the frequencies in sixteenths of a bit. One offset is searched with
// which the lengths, rounded down, just satisfy Kraft's inequality; what room is left shortens
// symbols, those first that were rounded up most. The code is complete whenever two or more symbols
// are used, and never longer than the limit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace kumihimo::gzip {

/// Lengths of at most `limit` bits for symbols with these counts (sum up to 2^16); 0 for unused
/// ones. One used symbol gets length 1.
std::vector<std::uint8_t> code_lengths(std::span<const std::uint32_t> counts, int limit);

/// Canonical codes (RFC 1951, 3.2.2), bit-reversed: bit 0 is sent first.
std::vector<std::uint16_t> codes(std::span<const std::uint8_t> lengths);

/// An item of the encoded code lengths (3.2.7): symbol, and its extra bits.
struct LengthItem {
  std::uint8_t symbol;
  std::uint8_t extra;
  std::uint8_t extra_bits;
};

/// Code lengths of literals/lengths and distances, run-length encoded.
std::vector<LengthItem> run_lengths(std::span<const std::uint8_t> lengths);

/// Symbols, with what is fixed about them.
inline constexpr int LITLEN = 286, DIST = 30, CODELEN = 19, END_OF_BLOCK = 256;
int length_symbol(int length);  // 0..28
int length_extra_bits(int symbol);
int length_base(int symbol);
int dist_symbol(int dist);  // 0..29
int dist_extra_bits(int symbol);
int dist_base(int symbol);
int fixed_litlen_bits(int symbol);
inline constexpr std::uint8_t CODELEN_ORDER[CODELEN] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                        11, 4,  12, 3, 13, 2, 14, 1, 15};

}  // namespace kumihimo::gzip
