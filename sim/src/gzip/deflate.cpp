// SPDX-License-Identifier: Apache-2.0
#include "gzip/deflate.hpp"

#include <algorithm>
#include <utility>

#include "gzip/huffman.hpp"

namespace kumihimo::gzip {
namespace {

constexpr int STORED_COST = 40;  // bits beside the bytes that a stored block is taken to cost
constexpr std::uint32_t ADLER_BASE = 65521;

struct Token {
  std::uint16_t length;  // 1: a literal
  std::uint16_t dist;
  std::uint8_t byte;
};

// Costs in bits that the parse reckons with, beside extra bits; see kumi_deflate_optimal.
constexpr int LITERAL_COST = 7;
constexpr int MATCH_COST = 10;

// The cheapest way through a segment, from its end: what begins at each position.
void parse(std::span<const MatchRecord> r, int longest, std::vector<Token>& out) {
  std::vector<int> cost(r.size() + 1);             // of the bytes from here on
  std::vector<std::uint16_t> whole(r.size() + 1);  // length of the match, 0: none
  std::vector<std::uint16_t> taken(r.size());      // length of what begins here
  for (std::size_t p = r.size(); p-- > 0;) {
    const int dist = r[p].dist;
    int length = std::min<int>(r[p].length, static_cast<int>(r.size() - p));
    // The next position found the same distance: the match goes on with that one.
    if (length != 0 && p + 1 < r.size() && r[p + 1].dist == dist) {
      length = std::max(length, std::min(whole[p + 1] + 1, 258));
    }
    if (length < 3) length = 0;
    whole[p] = static_cast<std::uint16_t>(length);
    if (length > longest) {  // always taken; what it costs is in the next position's cost
      cost[p] = cost[p + 1];
      taken[p] = whole[p];
      continue;
    }
    cost[p] = cost[p + 1] + LITERAL_COST;
    taken[p] = 1;
    if (length == 0) continue;
    const int fixed = MATCH_COST + dist_extra_bits(dist_symbol(dist));
    int best = length;
    for (int l = length; l >= 3; --l) {
      const auto with = [&](int n) { return cost[p + n] + length_extra_bits(length_symbol(n)); };
      if (with(l) < with(best)) best = l;
    }
    const int with_match = fixed + cost[p + best] + length_extra_bits(length_symbol(best));
    if (with_match <= cost[p]) {
      cost[p] = with_match;
      taken[p] = static_cast<std::uint16_t>(best);
    }
  }
  for (std::size_t p = 0; p < r.size(); p += taken[p]) {
    out.push_back({taken[p], r[p].dist, r[p].byte});
  }
}

const std::uint32_t* crc_table() {
  static const auto table = [] {
    std::array<std::uint32_t, 256> t{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t c = i;
      for (int b = 0; b < 8; ++b) c = (c >> 1) ^ (c & 1 ? 0xedb88320u : 0);
      t[i] = c;
    }
    return t;
  }();
  return table.data();
}

}  // namespace

Deflate::Deflate(const MatchParams& params, Format format)
    : params_(params), format_(format), matcher_(params) {}

void Deflate::bits(std::uint64_t value, int count) {
  acc_ |= value << acc_bits_;
  acc_bits_ += count;
  for (; acc_bits_ >= 8; acc_bits_ -= 8, acc_ >>= 8)
    out_.push_back(static_cast<std::uint8_t>(acc_));
}

void Deflate::align() { bits(0, (8 - acc_bits_) & 7); }

std::vector<std::uint8_t> Deflate::take() {
  stats_.bytes_out += out_.size();
  return std::exchange(out_, {});
}

// The wrapper's header.
void Deflate::start() {
  if (started_) return;
  started_ = true;
  crc_ = ~0u;
  adler_a_ = 1;
  adler_b_ = 0;
  size_ = 0;
  if (format_ == Format::gzip) {  // no name, no time, unknown system
    bits(0x0000'0000'0008'8b1full, 32);
    bits(0, 32);
    bits(0xff00, 16);
  } else if (format_ == Format::zlib) {
    bits(0x5e78, 16);  // window 32 KiB, fast compressor
  }
}

std::vector<std::uint8_t> Deflate::write(std::span<const std::uint8_t> data) {
  start();
  size_ += data.size();
  stats_.bytes_in += data.size();
  if (format_ == Format::gzip) {
    const std::uint32_t* table = crc_table();
    for (const auto byte : data) crc_ = (crc_ >> 8) ^ table[(crc_ ^ byte) & 255];
  } else if (format_ == Format::zlib) {
    for (const auto byte : data) {
      adler_a_ = (adler_a_ + byte) % ADLER_BASE;
      adler_b_ = (adler_b_ + adler_a_) % ADLER_BASE;
    }
  }
  const auto row_bytes = static_cast<std::size_t>(params_.lanes) * params_.segment;
  while (!data.empty()) {
    // One byte more than a row shows that the piece goes on.
    const std::size_t n = std::min(data.size(), row_bytes);
    matcher_.add(data.first(n), records_);
    data = data.subspan(n);
    while (records_.size() > row_bytes) row(false);
  }
  return take();
}

std::vector<std::uint8_t> Deflate::end_piece(bool final) {
  start();
  matcher_.end_piece(records_);
  const auto row_bytes = static_cast<std::size_t>(params_.lanes) * params_.segment;
  while (records_.size() > row_bytes) row(false);
  row(final);
  if (!final) {  // sync flush: an empty stored block
    bits(0, 3);
    align();
    bits(0xffff'0000u, 32);
    return take();
  }
  align();
  if (format_ == Format::gzip) {
    bits(~crc_, 32);
    bits(size_ & 0xffff'ffffu, 32);
  } else if (format_ == Format::zlib) {
    const std::uint32_t sums = adler_b_ << 16 | adler_a_;
    bits(__builtin_bswap32(sums), 32);
  }
  matcher_.start();
  started_ = false;
  return take();
}

// Compresses the first row of records_, which is the last of the message with `final`.
void Deflate::row(bool final) {
  const auto row_bytes = static_cast<std::size_t>(params_.lanes) * params_.segment;
  const std::size_t n = std::min(records_.size(), row_bytes);
  const std::span<const MatchRecord> all(records_.data(), n);
  std::vector<Token> tokens;
  for (std::size_t at = 0; at < n; at += params_.segment) {
    parse(all.subspan(at, std::min<std::size_t>(params_.segment, n - at)), 2 * params_.match_bytes,
          tokens);
  }

  std::vector<std::uint32_t> litlen(LITLEN), dist(DIST), codelen(CODELEN);
  std::uint64_t extra = 0;
  ++litlen[END_OF_BLOCK];
  for (const Token& t : tokens) {
    if (t.length == 1) {
      ++litlen[t.byte];
      ++stats_.literals;
      continue;
    }
    const int l = length_symbol(t.length), d = dist_symbol(t.dist);
    ++litlen[257 + l];
    ++dist[d];
    extra += length_extra_bits(l) + dist_extra_bits(d);
    ++stats_.matches;
  }
  std::vector<std::uint8_t> litlen_bits = code_lengths(litlen, 15),
                            dist_bits = code_lengths(dist, 15);
  int litlen_used = LITLEN, dist_used = DIST, codelen_used = CODELEN;
  while (litlen_bits[litlen_used - 1] == 0) --litlen_used;
  litlen_used = std::max(litlen_used, END_OF_BLOCK + 1);
  while (dist_used > 1 && dist_bits[dist_used - 1] == 0) --dist_used;
  std::vector<std::uint8_t> lengths(litlen_bits.begin(), litlen_bits.begin() + litlen_used);
  lengths.insert(lengths.end(), dist_bits.begin(), dist_bits.begin() + dist_used);
  const std::vector<LengthItem> items = run_lengths(lengths);
  for (const LengthItem& item : items) ++codelen[item.symbol];
  const std::vector<std::uint8_t> codelen_bits = code_lengths(codelen, 7);
  while (codelen_used > 4 && codelen_bits[CODELEN_ORDER[codelen_used - 1]] == 0) --codelen_used;

  std::uint64_t dynamic_cost = 3 + 14 + 3 * codelen_used, fixed_cost = 3;
  for (const LengthItem& item : items) dynamic_cost += codelen_bits[item.symbol] + item.extra_bits;
  for (int i = 0; i < LITLEN; ++i) {
    dynamic_cost += std::uint64_t{litlen[i]} * litlen_bits[i];
    fixed_cost += std::uint64_t{litlen[i]} * fixed_litlen_bits(i);
  }
  for (int i = 0; i < DIST; ++i) {
    dynamic_cost += std::uint64_t{dist[i]} * dist_bits[i];
    fixed_cost += std::uint64_t{dist[i]} * 5;
  }

  if (8 * n + STORED_COST < std::min(dynamic_cost, fixed_cost) + extra) {
    ++stats_.blocks[0];
    bits(final, 3);
    align();
    bits(n, 16);
    bits(~n & 0xffff, 16);
    for (const MatchRecord& r : all) bits(r.byte, 8);
  } else {
    const bool fixed = fixed_cost <= dynamic_cost;
    ++stats_.blocks[fixed ? 1 : 2];
    bits((fixed ? 2u : 4u) | (final ? 1u : 0u), 3);
    if (fixed) {
      litlen_bits.resize(288);
      for (int i = 0; i < 288; ++i)
        litlen_bits[i] = static_cast<std::uint8_t>(fixed_litlen_bits(i));
      dist_bits.assign(DIST, 5);
    } else {
      bits(litlen_used - 257, 5);
      bits(dist_used - 1, 5);
      bits(codelen_used - 4, 4);
      for (int i = 0; i < codelen_used; ++i) bits(codelen_bits[CODELEN_ORDER[i]], 3);
      const auto codelen_codes = codes(codelen_bits);
      for (const LengthItem& item : items) {
        bits(codelen_codes[item.symbol], codelen_bits[item.symbol]);
        bits(item.extra, item.extra_bits);
      }
    }
    const auto litlen_codes = codes(litlen_bits), dist_codes = codes(dist_bits);
    for (const Token& t : tokens) {
      if (t.length == 1) {
        bits(litlen_codes[t.byte], litlen_bits[t.byte]);
        continue;
      }
      const int l = length_symbol(t.length), d = dist_symbol(t.dist);
      bits(litlen_codes[257 + l], litlen_bits[257 + l]);
      bits(t.length - length_base(l), length_extra_bits(l));
      bits(dist_codes[d], dist_bits[d]);
      bits(t.dist - dist_base(d), dist_extra_bits(d));
    }
    bits(litlen_codes[END_OF_BLOCK], litlen_bits[END_OF_BLOCK]);
  }
  records_.erase(records_.begin(), records_.begin() + static_cast<std::ptrdiff_t>(n));
}

}  // namespace kumihimo::gzip
