// SPDX-License-Identifier: Apache-2.0
//
// An endpoint backed by a file descriptor of the outside world.
#pragma once

#include "external/outside.hpp"
#include "external/poller.hpp"
#include "net/endpoint.hpp"

namespace kumihimo {

// ready() reads while the line has space.
class External : public Endpoint, public Outside {
 public:
  using Endpoint::Endpoint;

  // Writes arrived frames; also called without new frames, for pending ones.
  virtual void deliver(Ps now) = 0;

 protected:
  // Reading pauses while this much waits for the line; the kernel's queue then pushes back.
  static constexpr std::size_t kReadAhead = 32 * 1024;
  static constexpr std::size_t kBufferBytes = 1 << 17;
};

}  // namespace kumihimo
