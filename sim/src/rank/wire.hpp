// SPDX-License-Identifier: Apache-2.0
//
// Fields of a message between ranks, in the byte order of the machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/types.hpp"

namespace kumihimo {

template <class T>
void append(Bytes& b, T v) {
  const auto* p = reinterpret_cast<const std::uint8_t*>(&v);
  b.insert(b.end(), p, p + sizeof v);
}

inline void append_bytes(Bytes& b, const void* data, std::size_t n) {
  append(b, static_cast<std::uint32_t>(n));
  const auto* p = static_cast<const std::uint8_t*>(data);
  b.insert(b.end(), p, p + n);
}

template <class T>
void patch(Bytes& b, std::size_t at, T v) {
  std::memcpy(b.data() + at, &v, sizeof v);
}

// Reads them; throws Error where the message ends too soon.
class Fetch {
 public:
  Fetch(const std::uint8_t* begin, const std::uint8_t* end) : p_(begin), end_(end) {}
  explicit Fetch(const Bytes& b) : Fetch(b.data(), b.data() + b.size()) {}

  bool more() const { return p_ != end_; }
  template <class T>
  T value() {
    T v;
    raw(&v, sizeof v);
    return v;
  }
  void raw(void* to, std::size_t n) { std::memcpy(to, skip(n), n); }
  Bytes bytes() {
    const auto n = value<std::uint32_t>();
    const std::uint8_t* p = skip(n);
    return {p, p + n};
  }

 private:
  const std::uint8_t* skip(std::size_t n) {
    if (static_cast<std::size_t>(end_ - p_) < n) throw Error("a message of another rank is short");
    const std::uint8_t* at = p_;
    p_ += n;
    return at;
  }

  const std::uint8_t* p_;
  const std::uint8_t* end_;
};

}  // namespace kumihimo
