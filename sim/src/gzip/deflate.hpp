// SPDX-License-Identifier: Apache-2.0
//
// Bit-exact model of kumi_deflate: the same bytes as the circuit, at the speed of software.
//
// A message is written in pieces: write() takes bytes, end_piece() ends the piece, with a sync
// flush or as the end of the message. What is ready comes back from either. Memory does not grow
// with the message. docs/gzip.md describes the algorithm.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "gzip/matcher.hpp"

namespace kumihimo::gzip {

enum class Format : std::uint8_t { raw, zlib, gzip };

/// What became of the input so far.
struct DeflateStats {
  std::uint64_t bytes_in = 0, bytes_out = 0;
  std::uint64_t blocks[3] = {};  // stored, fixed, dynamic
  std::uint64_t literals = 0, matches = 0;
};

class Deflate {
 public:
  Deflate(const MatchParams& params, Format format);

  /// Adds bytes to the piece. Returns what has been compressed.
  std::vector<std::uint8_t> write(std::span<const std::uint8_t> data);

  /// Ends the piece, and with `final` the message; the next write() then begins another.
  std::vector<std::uint8_t> end_piece(bool final);

  const DeflateStats& stats() const { return stats_; }

 private:
  void start();
  void row(bool final);
  void bits(std::uint64_t value, int count);
  void align();
  std::vector<std::uint8_t> take();

  MatchParams params_;
  Format format_;
  Matcher matcher_;
  std::vector<MatchRecord> records_;  // of the row
  bool started_ = false;
  std::uint32_t crc_ = 0, adler_a_ = 1, adler_b_ = 0;
  std::uint64_t size_ = 0;  // of the message
  std::uint64_t acc_ = 0;
  int acc_bits_ = 0;
  std::vector<std::uint8_t> out_;
  DeflateStats stats_;
};

}  // namespace kumihimo::gzip
