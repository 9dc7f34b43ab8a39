/* SPDX-License-Identifier: Apache-2.0
 *
 * A small LZ4 block compressor for the waveform writer, so that traced builds need no system
 * library. LZ4 block format: sequences of a token (literal count, match length - 4), literals, and
 * a 16-bit little-endian offset; the last five bytes are literals and the last match starts at
 * least twelve bytes before the end.
 */
#ifndef KUMI_FST_LZ4_H
#define KUMI_FST_LZ4_H
#include <cstdint>
#include <cstring>
#include <vector>

static inline int LZ4_compressBound(int size) { return size + size / 255 + 16; }

namespace kumi_lz4 {
inline uint32_t word(const uint8_t* p) {
  uint32_t v;
  std::memcpy(&v, p, 4);
  return v;
}
inline uint8_t* length(uint8_t* out, int rest) {
  for (; rest >= 255; rest -= 255) *out++ = 255;
  *out++ = static_cast<uint8_t>(rest);
  return out;
}
inline uint8_t* sequence(uint8_t* out, const uint8_t* literals, int count, int offset, int match) {
  uint8_t* token = out++;
  *token = static_cast<uint8_t>((count < 15 ? count : 15) << 4);
  if (count >= 15) out = length(out, count - 15);
  std::memcpy(out, literals, static_cast<size_t>(count));
  out += count;
  if (match == 0) return out;
  *out++ = static_cast<uint8_t>(offset);
  *out++ = static_cast<uint8_t>(offset >> 8);
  *token = static_cast<uint8_t>(*token | (match - 4 < 15 ? match - 4 : 15));
  if (match - 4 >= 15) out = length(out, match - 4 - 15);
  return out;
}
}  // namespace kumi_lz4

/* out_size must be at least LZ4_compressBound(size). */
static inline int LZ4_compress_default(const char* in_text, char* out_text, int size,
                                       int out_size) {
  if (out_size < LZ4_compressBound(size)) return 0;
  const auto* in = reinterpret_cast<const uint8_t*>(in_text);
  auto* const begin = reinterpret_cast<uint8_t*>(out_text);
  uint8_t* out = begin;
  constexpr int kHashBits = 12;
  static thread_local std::vector<int> table;
  table.assign(size_t{1} << kHashBits, -1);
  int anchor = 0;
  for (int at = 0; at + 12 < size;) {
    const uint32_t hash = kumi_lz4::word(in + at) * 2654435761u >> (32 - kHashBits);
    const int seen = table[hash];
    table[hash] = at;
    if (seen < 0 || at - seen > 65535 || kumi_lz4::word(in + seen) != kumi_lz4::word(in + at)) {
      ++at;
      continue;
    }
    int match = 4;
    while (at + match < size - 5 && in[seen + match] == in[at + match]) ++match;
    out = kumi_lz4::sequence(out, in + anchor, at - anchor, at - seen, match);
    at += match;
    anchor = at;
  }
  out = kumi_lz4::sequence(out, in + anchor, size - anchor, 0, 0);
  return static_cast<int>(out - begin);
}
#endif
