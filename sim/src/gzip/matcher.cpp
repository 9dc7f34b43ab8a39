// SPDX-License-Identifier: Apache-2.0
#include "gzip/matcher.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace kumihimo::gzip {
namespace {

constexpr std::uint64_t WINDOW = 32768;  // the largest distance
constexpr int MAX_WAYS = 32;
constexpr std::size_t PAD = 64;  // zeros after the piece, as the circuit sees them

std::uint64_t load(const std::uint8_t* p) {
  std::uint64_t v;
  std::memcpy(&v, p, 8);
  return v;
}

// Of the `most` (8, 16 or 32) bytes at a and b.
int equal_bytes(const std::uint8_t* a, const std::uint8_t* b, int most, std::uint64_t left) {
  int same = 0;
  for (; same < most; same += 8) {
    const std::uint64_t differ = load(a + same) ^ load(b + same);
    if (differ != 0) {
      same += std::countr_zero(differ) / 8;
      break;
    }
  }
  return static_cast<int>(std::min<std::uint64_t>(same, left));
}

}  // namespace

Matcher::Matcher(const MatchParams& params)
    : params_(params),
      buckets_(1ull << params.hash_bits),
      entries_(static_cast<std::size_t>(params.lanes * params.ways)),
      table_(buckets_ * entries_),
      candidates_(KEPT),
      written_(params.lanes) {
  for (int byte = 0; byte < 4; ++byte) {
    for (std::uint32_t v = 0; v < 256; ++v) {
      std::uint32_t h = 0;
      for (int bit = 0; bit < 8; ++bit) {
        const std::uint32_t column = 0x9e3779b1u * (2u * (8u * byte + bit) + 1u);
        if ((v >> bit) & 1) h ^= column >> (32 - params.hash_bits);
      }
      columns_[byte][v] = h;
    }
  }
  start();
}

void Matcher::start() {
  std::fill(table_.begin(), table_.end(), 0);
  data_.clear();
  groups_ = base_ = next_ = piece_ = done_ = 0;
  sweep_at_ = 0;
  std::fill(written_.begin(), written_.end(), -1);
}

std::uint32_t Matcher::hash(const std::uint8_t* p) const {
  return columns_[0][p[0]] ^ columns_[1][p[1]] ^ columns_[2][p[2]] ^ columns_[3][p[3]];
}

// The group at next_; `end` is the end of the piece as far as it is known.
void Matcher::group(std::uint64_t end) {
  const int lanes = params_.lanes, ways = params_.ways, whole = params_.match_bytes;
  const std::uint8_t* at = &data_[next_ - base_];
  const std::size_t valid = std::min<std::uint64_t>(lanes, end - next_);
  const bool sweep = groups_ % SWEEP == SWEEP - 1;
  std::uint32_t buckets[8], shifted[8][MAX_WAYS];
  for (int k = 0; k < lanes; ++k) buckets[k] = hash(at + k);
  for (std::size_t k = 0; k < valid; ++k) {
    const std::uint64_t p = next_ + k;
    const std::uint8_t* here = at + k;
    Candidates& to = candidates_[p % KEPT];
    to.count = to.whole = to.best = 0;
    const std::uint64_t left = end - p;
    // Without branches: what is in a bucket cannot be predicted. `good` 0 adds nothing.
    const auto add = [&](std::uint32_t dist, int table, std::uint32_t good) {
      const auto length =
          static_cast<std::uint32_t>(equal_bytes(here, here - dist, whole, left)) * good;
      to.list[to.count] = {static_cast<std::uint16_t>(dist), static_cast<std::uint8_t>(length),
                           static_cast<std::uint8_t>(table)};
      to.of_whole[to.whole] = static_cast<std::uint16_t>(to.count);
      to.count += length != 0;
      to.whole += length == static_cast<std::uint32_t>(whole);
      const std::uint32_t worth = (length > 3) | ((length == 3) & (dist <= FAR_LENGTH_3));
      const std::uint32_t value =
          key(length, dist) & (0u - (worth & (length < static_cast<std::uint32_t>(whole))));
      to.best = std::max(to.best, value);
    };
    for (std::uint64_t d = 1; d <= NEAR && d <= p - piece_; ++d) {
      add(static_cast<std::uint32_t>(d), static_cast<int>(d) - 1, 1);
    }
    const std::uint32_t* from = bucket(buckets[k]);
    for (int place = 0; place < lanes; ++place, from += ways) {
      const bool collides = written_[place] == buckets[k];
      for (int way = 0; way < ways; ++way) {
        const std::uint32_t e = collides ? 0 : from[way];
        if (place == static_cast<int>(k)) shifted[k][way] = e;
        const std::uint32_t dist = static_cast<std::uint32_t>(p + 1) - e;
        const std::uint32_t good = (e != 0) & (dist <= WINDOW);
        add(dist & (0u - good), NEAR + place, good);
      }
    }
  }
  for (int k = 0; k < lanes; ++k) {
    written_[k] = -1;
    std::uint32_t* to = nullptr;
    if (sweep) {
      to = bucket(sweep_at_) + k * ways;
      std::fill(to, to + ways, 0);
      written_[k] = sweep_at_;
    } else if (next_ + k + whole <= end) {
      to = bucket(buckets[k]) + k * ways;
      for (int way = ways - 1; way > 0; --way) to[way] = shifted[k][way - 1];
      to[0] = static_cast<std::uint32_t>(next_ + k + 1);
      written_[k] = buckets[k];
    }
  }
  if (sweep) sweep_at_ = (sweep_at_ + 1) % buckets_;
  ++groups_;
  next_ += valid;
}

// Records up to `until`, whose candidates and those match_bytes further are known up to `end`.
void Matcher::finish(std::uint64_t until, std::uint64_t end, std::vector<MatchRecord>& out) {
  const auto whole = static_cast<std::uint32_t>(params_.match_bytes);
  for (; done_ < until; ++done_) {
    const Candidates& all = candidates_[done_ % KEPT];
    const Candidates* on = done_ + whole < end ? &candidates_[(done_ + whole) % KEPT] : nullptr;
    std::uint32_t best = all.best;
    for (std::uint32_t i = 0; i < all.whole; ++i) {
      // The same distance so many bytes further, in the same table, continues the match.
      const Candidate& c = all.list[all.of_whole[i]];
      std::uint32_t length = whole;
      for (std::uint32_t j = 0; on != nullptr && j < on->count; ++j) {
        if (on->list[j].dist == c.dist && on->list[j].table == c.table) {
          length = whole + on->list[j].length;
        }
      }
      best = std::max(best, key(length, c.dist));
    }
    out.push_back({data_[done_ - base_], static_cast<std::uint8_t>(best >> 16),
                   static_cast<std::uint16_t>(best == 0 ? 0 : 0xffff - (best & 0xffff))});
  }
}

// Groups that lie before `end` with all that they look at, or with `last` all of them.
void Matcher::groups(std::uint64_t end, bool last, std::vector<MatchRecord>& out) {
  const auto whole = static_cast<std::uint64_t>(params_.match_bytes);
  const std::uint64_t ahead = params_.lanes + whole;
  while (last ? next_ < end : next_ + ahead <= end) {
    group(end);
    if (next_ > done_ + 2 * whole) finish(next_ - whole, end, out);
  }
  if (last) finish(end, end, out);
}

void Matcher::add(std::span<const std::uint8_t> data, std::vector<MatchRecord>& out) {
  if (data_.size() > 8 * WINDOW) {
    const std::uint64_t keep = done_ > WINDOW ? done_ - WINDOW : 0;
    data_.erase(data_.begin(), data_.begin() + static_cast<std::ptrdiff_t>(keep - base_));
    base_ = keep;
  }
  data_.insert(data_.end(), data.begin(), data.end());
  groups(base_ + data_.size(), false, out);
}

void Matcher::end_piece(std::vector<MatchRecord>& out) {
  const std::uint64_t end = base_ + data_.size();
  data_.resize(data_.size() + PAD);  // zeros
  groups(end, true, out);
  data_.resize(data_.size() - PAD);
  piece_ = end;
  std::fill(written_.begin(), written_.end(), -1);
}

}  // namespace kumihimo::gzip
