// SPDX-License-Identifier: Apache-2.0
//
// Model of kumi_deflate_match: one best match for each position of a message.
//
// Positions come in groups of `lanes`. Each place k in a group has `ways` tables of its own, into
// which only positions at that place go; a position looks into all of them. A table entry is a
// position and the match_bytes bytes from it. A read that meets the write of the group before it
// gives nothing. docs/gzip.md describes the rules.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace kumihimo::gzip {

/// Parameters of the circuit that its output depends on.
struct MatchParams {
  int lanes = 8;        // bytes a cycle: 1, 4 or 8
  int ways = 2;         // entries of a bucket, for each place in a group
  int hash_bits = 12;   // log2 of the buckets
  int segment = 4096;   // bytes of a row that one lane parses
  int match_bytes = 8;  // compared at once, 8, 16 or 32; a match found is up to twice as long
};

inline constexpr int NEAR = 4;             // distances that are always tried: 1 to NEAR
inline constexpr int SWEEP = 256;          // every so many groups clear one bucket, storing nothing
inline constexpr int FAR_LENGTH_3 = 4096;  // a match of 3 bytes is not worth a larger distance

/// A position: its byte and the longest, then nearest, match that was found.
struct MatchRecord {
  std::uint8_t byte;
  std::uint8_t length;  // 0 or 3..64
  std::uint16_t dist;   // 1..32768
};

class Matcher {
 public:
  explicit Matcher(const MatchParams& params);

  /// A new message: forgets everything.
  void start();

  /// Adds bytes of the piece. Returns records whose matches are known.
  void add(std::span<const std::uint8_t> data, std::vector<MatchRecord>& out);

  /// Ends the piece: records of all that is left.
  void end_piece(std::vector<MatchRecord>& out);

 private:
  struct Candidate {
    std::uint16_t dist;
    std::uint8_t length;  // at least 1
    std::uint8_t table;   // 0..NEAR-1 the distances always tried, then one for each place
  };
  struct Candidates {
    std::uint32_t count = 0, whole = 0;
    std::uint32_t best = 0;                   // key() of the best that is shorter than match_bytes
    std::array<Candidate, 264> list;          // of them `count` in use
    std::array<std::uint16_t, 264> of_whole;  // indices of those of match_bytes
  };
  /// Orders matches: the longest, of equal ones the nearest.
  static std::uint32_t key(std::uint32_t length, std::uint32_t dist) {
    return length << 16 | (0xffff - dist);
  }

  void group(std::uint64_t end);
  void finish(std::uint64_t until, std::uint64_t end, std::vector<MatchRecord>& out);
  void groups(std::uint64_t end, bool last, std::vector<MatchRecord>& out);
  std::uint32_t hash(const std::uint8_t* p) const;
  // The ways of all places in a bucket, place by place.
  std::uint32_t* bucket(std::uint32_t index) {
    return &table_[static_cast<std::size_t>(index) * entries_];
  }

  MatchParams params_;
  std::size_t buckets_, entries_;
  // Position in the message modulo 2^32, plus 1; 0: none. Clearing keeps it from being ambiguous.
  std::vector<std::uint32_t> table_;
  std::uint64_t groups_ = 0;
  std::uint32_t sweep_at_ = 0;
  std::vector<std::uint8_t> data_;  // history, then what is not grouped yet
  std::uint64_t base_ = 0;          // position of data_[0] in the message
  std::uint64_t next_ = 0;          // position of the next group
  std::uint64_t piece_ = 0;         // position at which the piece begins
  std::uint64_t done_ = 0;          // position of the next record
  static constexpr std::size_t KEPT = 128;
  std::vector<Candidates> candidates_;  // of the positions from done_ on: [position % KEPT]
  std::uint32_t columns_[4][256];       // hash of a byte at its place
  std::vector<std::int64_t> written_;   // bucket that the last group wrote, by place, or -1
};

}  // namespace kumihimo::gzip
