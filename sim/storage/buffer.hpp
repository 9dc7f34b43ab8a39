// SPDX-License-Identifier: Apache-2.0
//
// Bytes that several owners share. An operation on a device holds its slice until it is over, so a
// device that answers long after its time-out never touches memory that was given back.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace kumihimo::storage {

struct Slice {
  std::shared_ptr<std::uint8_t> hold;
  std::uint8_t* data = nullptr;
  std::size_t size = 0;

  static Slice make(std::size_t size);  // not zeroed
  static Slice zeros(std::size_t size) {
    Slice s = make(size);
    std::memset(s.data, 0, size);
    return s;
  }
  Slice sub(std::size_t at, std::size_t length) const { return {hold, data + at, length}; }
  explicit operator bool() const { return data != nullptr; }
};

}  // namespace kumihimo::storage
