// SPDX-License-Identifier: Apache-2.0
#include "sata/line.hpp"

#include <cmath>

#include "base/rng.hpp"

namespace kumihimo {
namespace {

enum Purpose : std::uint64_t { kDistance, kDamage };

}  // namespace

SataLine::SataLine(std::uint64_t seed, unsigned words) : seed_(seed) {
  kumi_sata_word dark{};
  dark.flags = KUMI_SATA_IDLE;
  ring_.assign(words, dark);
}

void SataLine::errors(double ber) {
  ber_ = ber;
  if (ber > 0) draw();
}

// Words until the next corrupted one: geometric.
void SataLine::draw() {
  const double whole = kBits * std::log1p(-std::fmin(ber_, 0.5));  // log of "no error in a word"
  const double skip = std::floor(std::log1p(-unit_at(seed_, drawn_++, kDistance)) / whole);
  words_to_error_ = skip < 0x1p60 ? static_cast<std::uint64_t>(skip) : std::uint64_t{1} << 60;
}

// A corrupted code group is either invalid, or another valid one.
void SataLine::damage(kumi_sata_word& w) {
  if ((w.flags & KUMI_SATA_IDLE) != 0) return;
  if (words_to_error_ > 0) {
    --words_to_error_;
    return;
  }
  const std::uint64_t r = random_at(seed_, drawn_, kDamage);
  w.data ^= std::uint32_t{1} << (r & 31);
  if ((r & 64) != 0) w.flags |= KUMI_SATA_ERROR;
  ++broken_;
  draw();
}

}  // namespace kumihimo
