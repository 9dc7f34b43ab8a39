// SPDX-License-Identifier: Apache-2.0
//
// What the engine meets in the outside world between windows: file descriptors that become ready.
// All methods are called by the driving thread, and none blocks.
#pragma once

#include <cstdint>
#include <functional>

#include "base/types.hpp"

namespace kumihimo {

class Endpoint;
class Poller;

class Outside {
 public:
  using Inject = std::function<void(Endpoint&, Bytes)>;

  virtual ~Outside() = default;
  // Starts listening; throws Error on failure.
  virtual void open(Poller& poller) = 0;
  // Handles an event of a file descriptor.
  virtual void ready(std::uint32_t events, Ps now, const Inject& inject) = 0;
  // True when ready() has work without an event.
  virtual bool pending() const { return false; }
  // Periodic work, a few times per second of wall time: reconnects.
  virtual void tend(Ps /*now*/) {}
  // End of the run: closes all descriptors.
  virtual void shut() = 0;
};

}  // namespace kumihimo
