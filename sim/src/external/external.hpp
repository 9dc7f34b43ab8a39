// SPDX-License-Identifier: Apache-2.0
//
// An endpoint backed by a file descriptor of the outside world. All methods are called between
// windows by the driving thread, and none blocks.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "external/poller.hpp"
#include "net/endpoint.hpp"

namespace kumihimo {

class External : public Endpoint {
 public:
  using Inject = std::function<void(Endpoint&, Bytes)>;

  using Endpoint::Endpoint;

  // Starts listening; throws Error on failure.
  virtual void open(Poller& poller) = 0;
  // Handles an event: reads while the line has space.
  virtual void ready(std::uint32_t events, Ps now, const Inject& inject) = 0;
  // True when ready() has work without an event of the file descriptor.
  virtual bool pending() const { return false; }
  // Writes arrived frames; also called without new frames, for pending ones.
  virtual void deliver(Ps now) = 0;
  // Periodic work, a few times per second of wall time: reconnects.
  virtual void tend(Ps /*now*/) {}
  // End of the run: closes all descriptors.
  virtual void shut() = 0;

 protected:
  // Reading pauses while this much waits for the line; the kernel's queue then pushes back.
  static constexpr std::size_t kReadAhead = 32 * 1024;
  static constexpr std::size_t kBufferBytes = 1 << 17;
};

}  // namespace kumihimo
