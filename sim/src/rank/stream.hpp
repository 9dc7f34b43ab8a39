// SPDX-License-Identifier: Apache-2.0
//
// Transport between two ranks: bytes, both ways, in order. Nothing here blocks.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace kumihimo {

class Stream {
 public:
  virtual ~Stream() = default;
  // Bytes that were taken, from the first on.
  virtual std::size_t write(const std::uint8_t* data, std::size_t bytes) = 0;
  // Bytes that were there; throws Error when the other side has ended.
  virtual std::size_t read(std::uint8_t* to, std::size_t most) = 0;
  // Whether bytes that were taken leave only while this process calls write() or read().
  virtual bool leaving() const { return false; }
  // Readable when read() has bytes or the other side has ended; -1: nothing says so.
  virtual int fd() const = 0;
  // How long one may sleep on it at most.
  virtual std::chrono::microseconds nap() const { return std::chrono::milliseconds(10); }
};

}  // namespace kumihimo
