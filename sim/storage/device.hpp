// SPDX-License-Identifier: Apache-2.0
//
// A disk as the array sees it: operations are submitted and completed once each, in any order, on
// any thread, or before submit() returns. submit() never waits for the disk. A flush covers the
// writes that have ended before it is submitted.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "buffer.hpp"
#include "crc32c.hpp"

namespace kumihimo::storage {

enum class Op : std::uint8_t { kRead, kWrite, kFlush, kTrim };

struct IoResult {
  int error = 0;          // errno; ETIME: late, and `elsewhere` was set
  std::uint32_t crc = 0;  // of what was read, if asked for
  // Of operations that a device did as one, which one this is.
  unsigned nth = 0, together = 1;
};

struct Io {
  Op op = Op::kRead;
  std::uint64_t offset = 0;
  Slice data;
  std::uint64_t length = 0;  // of a trim
  bool want_crc = false;     // the CRC is made where the read ends, so devices do it side by side
  bool elsewhere = false;    // a read that others can answer: not worth waiting for a late device
  std::function<void(IoResult)> done;

  void finish(int error, unsigned nth = 0, unsigned together = 1) {
    IoResult r{error, 0, nth, together};
    if (!error && want_crc) r.crc = crc32c(data.data, data.size);
    done(r);
  }
};

class Device {
 public:
  virtual ~Device() = default;
  virtual void submit(Io io) = 0;
  virtual std::uint64_t size() const = 0;
  virtual std::string name() const = 0;
  virtual double now() const = 0;  // seconds, to measure how long operations take
};

}  // namespace kumihimo::storage
