// SPDX-License-Identifier: Apache-2.0
#include "disk/ata_identify.hpp"

#include <algorithm>
#include <cstring>

namespace kumihimo {
namespace {

using Words = std::array<std::uint16_t, 256>;

// Two characters per word, the first in the upper byte, padded with spaces.
void text(Words& w, std::size_t first, std::size_t words, const std::string& s) {
  for (std::size_t i = 0; i < words * 2; ++i) {
    const auto c =
        static_cast<std::uint16_t>(i < s.size() ? static_cast<unsigned char>(s[i]) : ' ');
    w[first + i / 2] = static_cast<std::uint16_t>(w[first + i / 2] | (i % 2 ? c : c << 8));
  }
}

void number(Words& w, std::size_t first, std::size_t words, std::uint64_t v) {
  for (std::size_t i = 0; i < words; ++i) w[first + i] = static_cast<std::uint16_t>(v >> (16 * i));
}

std::uint8_t sum(const std::uint8_t* bytes, std::size_t n) {
  std::uint8_t s = 0;
  for (std::size_t i = 0; i < n; ++i) s = static_cast<std::uint8_t>(s + bytes[i]);
  return s;
}

AtaBlock block(const void* bytes) {
  AtaBlock b;
  std::memcpy(b.data(), bytes, sizeof b);
  return b;
}

constexpr std::uint16_t bits(std::initializer_list<int> set) {
  unsigned v = 0;
  for (const int b : set) v |= 1u << b;
  return static_cast<std::uint16_t>(v);
}

}  // namespace

AtaBlock identify_block(const AtaIdentity& d) {
  Words w{};
  w[0] = bits({6});
  text(w, 10, 10, d.serial);
  text(w, 23, 4, d.firmware);
  text(w, 27, 20, d.model);
  w[47] = 0x8001;
  w[49] = bits({8, 9, 10, 11});  // DMA, LBA, IORDY
  w[50] = 0x4000;
  w[53] = bits({1, 2});
  number(w, 60, 2, std::min<std::uint64_t>(d.sectors, 0x0FFFFFFF));
  w[63] = 0x0007;
  w[64] = 0x0003;
  for (std::size_t i = 65; i <= 68; ++i) w[i] = 120;
  if (d.trim) w[69] = bits({5, 14});  // deterministic zeros after TRIM
  w[75] = static_cast<std::uint16_t>(d.queue_depth > 0 ? d.queue_depth - 1 : 0);
  w[76] = static_cast<std::uint16_t>(bits({1, 2, 3}) | (d.queue_depth > 0 ? bits({8}) : 0));
  w[77] = 3 << 1;
  w[78] = bits({2});  // DMA Setup with auto-activate
  w[79] = d.auto_activate ? bits({2}) : 0;
  w[80] = 0x03F0;
  w[82] = bits({5, 6, 14});
  w[83] = bits({10, 12, 13, 14});  // 48-bit addresses, FLUSH CACHE, FLUSH CACHE EXT
  w[84] = bits({5, 6, 8, 14});     // general purpose logging, FUA, world wide name
  w[85] = static_cast<std::uint16_t>(bits({14}) | (d.write_cache ? bits({5}) : 0) |
                                     (d.look_ahead ? bits({6}) : 0));
  w[86] = bits({10, 12, 13});
  w[87] = bits({5, 6, 8, 14});
  w[88] = 0x407F;
  number(w, 100, 4, d.sectors);
  w[105] = d.trim ? kTrimBlocks : 0;
  w[106] = 0x4000;
  for (std::size_t i = 0; i < 4; ++i)
    w[108 + i] = static_cast<std::uint16_t>(d.wwn >> (48 - 16 * i));
  w[169] = d.trim ? 1 : 0;
  w[217] = static_cast<std::uint16_t>(d.rpm == 0 ? 1 : d.rpm);
  w[222] = 0x107F;
  w[255] = 0x00A5;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(w.data());
  w[255] = static_cast<std::uint16_t>(w[255] | (256 - sum(bytes, 511)) << 8);
  return block(w.data());
}

AtaBlock error_log(bool not_queued, unsigned tag, const fis::Registers& r) {
  std::array<std::uint8_t, 512> b{};
  b[0] = static_cast<std::uint8_t>(not_queued ? 0x80 : tag & 31);
  b[2] = r.status;
  b[3] = r.error;
  for (std::size_t i = 0; i < 3; ++i) {
    b[4 + i] = static_cast<std::uint8_t>(r.lba >> (8 * i));
    b[8 + i] = static_cast<std::uint8_t>(r.lba >> (8 * i + 24));
  }
  b[7] = r.device;
  b[12] = static_cast<std::uint8_t>(r.count);
  b[13] = static_cast<std::uint8_t>(r.count >> 8);
  b[511] = static_cast<std::uint8_t>(256 - sum(b.data(), 511));
  return block(b.data());
}

AtaBlock log_directory() {
  Words w{};
  w[0] = 1;     // version
  w[0x10] = 1;  // pages of log 10h
  return block(w.data());
}

}  // namespace kumihimo
