// SPDX-License-Identifier: Apache-2.0
#include "parity.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

namespace kumihimo::storage {
namespace {

// Eight bytes at once: doubled in the field.
std::uint64_t twice(std::uint64_t v) {
  const std::uint64_t top = v & 0x8080808080808080U;
  return ((v ^ top) << 1) ^ ((top >> 7) * 0x1DU);
}

std::uint64_t load(const std::uint8_t* p) {
  std::uint64_t v;
  std::memcpy(&v, p, 8);
  return v;
}

void store(std::uint8_t* p, std::uint64_t v) { std::memcpy(p, &v, 8); }

void add(std::uint8_t* to, const std::uint8_t* from, std::size_t size) {
  for (std::size_t i = 0; i < size; i += 8) store(to + i, load(to + i) ^ load(from + i));
}

void scale(std::uint8_t* p, std::uint8_t by, std::size_t size) {
  std::array<std::uint8_t, 256> t{};
  for (unsigned v = 0; v < 256; ++v) t[v] = gf_mul(static_cast<std::uint8_t>(v), by);
  for (std::size_t i = 0; i < size; ++i) p[i] = t[p[i]];
}

// q = 2 q + d
void step(std::uint8_t* q, const std::uint8_t* d, std::size_t size) {
  for (std::size_t i = 0; i < size; i += 8) store(q + i, twice(load(q + i)) ^ load(d + i));
}

}  // namespace

std::uint8_t gf_mul(std::uint8_t a, std::uint8_t b) {
  unsigned r = 0, x = a;
  for (unsigned i = 0; i < 8; ++i) {
    if (b >> i & 1) r ^= x;
    x <<= 1;
    if (x & 0x100) x ^= 0x11D;
  }
  return static_cast<std::uint8_t>(r);
}

std::uint8_t gf_power(unsigned exponent) {
  std::uint8_t r = 1;
  for (unsigned i = 0; i < exponent % 255; ++i) r = gf_mul(r, 2);
  return r;
}

std::uint8_t gf_inverse(std::uint8_t a) {
  std::uint8_t r = 1;
  for (int i = 0; i < 254; ++i) r = gf_mul(r, a);
  return r;
}

void make_checks(const std::vector<const std::uint8_t*>& data, std::uint8_t* p, std::uint8_t* q,
                 std::size_t size) {
  // In pieces that stay in the first cache, so that data is read from memory once.
  constexpr std::size_t kPiece = 4096;
  for (std::size_t at = 0; at < size; at += kPiece) {
    const std::size_t n = std::min(kPiece, size - at);
    if (p) std::memcpy(p + at, data[0] + at, n);
    if (p) {
      for (std::size_t j = 1; j < data.size(); ++j) add(p + at, data[j] + at, n);
    }
    if (q) {
      std::memcpy(q + at, data.back() + at, n);
      for (std::size_t j = data.size() - 1; j-- > 0;) step(q + at, data[j] + at, n);
    }
  }
}

void restore(const std::vector<std::uint8_t*>& chunk, std::size_t k,
             const std::vector<std::size_t>& missing, std::size_t size) {
  const std::size_t checks = chunk.size() - k;
  if (missing.size() > checks) throw std::invalid_argument("more chunks are missing than checks");
  std::vector<std::size_t> lost;  // data chunks
  bool p_lost = false, q_lost = false;
  for (std::size_t m : missing) {
    if (m < k) lost.push_back(m);
    p_lost |= m == k;
    q_lost |= m == k + 1;
  }
  std::uint8_t* p = checks > 0 ? chunk[k] : nullptr;
  std::uint8_t* q = checks > 1 ? chunk[k + 1] : nullptr;
  if (lost.size() == 1 && !p_lost) {
    std::uint8_t* d = chunk[lost[0]];
    std::memcpy(d, p, size);
    for (std::size_t j = 0; j < k; ++j) {
      if (j != lost[0]) add(d, chunk[j], size);
    }
  } else if (!lost.empty()) {
    // Q of what is there, with zeros for what is lost; then one or two equations.
    const std::size_t x = lost[0];
    std::vector<std::uint8_t> qs(size, 0);
    for (std::size_t j = k; j-- > 0;) {
      const bool missing = std::find(lost.begin(), lost.end(), j) != lost.end();
      for (std::size_t i = 0; i < size; i += 8) {
        store(&qs[i], twice(load(&qs[i])) ^ (missing ? 0 : load(chunk[j] + i)));
      }
    }
    add(qs.data(), q, size);
    std::uint8_t* dx = chunk[x];
    if (lost.size() == 1) {
      std::memcpy(dx, qs.data(), size);
      scale(dx, gf_inverse(gf_power(static_cast<unsigned>(x))), size);
    } else {
      // dx + dy = ps, g^x dx + g^y dy = qs
      const std::size_t y = lost[1];
      std::uint8_t* dy = chunk[y];
      std::memcpy(dy, p, size);
      for (std::size_t j = 0; j < k; ++j) {
        if (j != x && j != y) add(dy, chunk[j], size);
      }
      const std::uint8_t gx = gf_power(static_cast<unsigned>(x));
      const std::uint8_t gy = gf_power(static_cast<unsigned>(y));
      std::memcpy(dx, dy, size);
      scale(dx, gy, size);
      add(dx, qs.data(), size);
      scale(dx, gf_inverse(static_cast<std::uint8_t>(gx ^ gy)), size);
      add(dy, dx, size);
    }
  }
  if (p_lost || q_lost) {
    std::vector<const std::uint8_t*> data(chunk.begin(), chunk.begin() + static_cast<long>(k));
    make_checks(data, p_lost ? p : nullptr, q_lost ? q : nullptr, size);
  }
}

}  // namespace kumihimo::storage
