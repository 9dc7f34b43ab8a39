// SPDX-License-Identifier: Apache-2.0
//
// Bytes that several owners share. An operation on a device holds its slice until it is over, so a
// device that answers long after its time-out never touches memory that was given back.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

namespace kumihimo::storage {

struct Slice {
  std::shared_ptr<std::uint8_t> hold;
  std::uint8_t* data = nullptr;
  std::size_t size = 0;

  static Slice make(std::size_t size) {
    const std::size_t room = (size + 4095) / 4096 * 4096;
    auto* p = static_cast<std::uint8_t*>(std::aligned_alloc(4096, room ? room : 4096));
    if (!p) throw std::bad_alloc();
    return {std::shared_ptr<std::uint8_t>(p, [](std::uint8_t* q) { std::free(q); }), p, size};
  }
  static Slice zeros(std::size_t size) {
    Slice s = make(size);
    std::memset(s.data, 0, size);
    return s;
  }
  Slice sub(std::size_t at, std::size_t length) const { return {hold, data + at, length}; }
  explicit operator bool() const { return data != nullptr; }
};

}  // namespace kumihimo::storage
