// SPDX-License-Identifier: Apache-2.0
//
// An endpoint whose other side is a file descriptor of the outside world. All methods here are
// called between windows by the thread that drives the engine, and none of them blocks.
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

  // Starts to listen to the outside; throws Error when that cannot work.
  virtual void open(Poller& poller) = 0;
  // Something happened: read what there is, as long as the line has room.
  virtual void ready(std::uint32_t events, Ps now, const Inject& inject) = 0;
  // True when ready() has work without an event of the file descriptor.
  virtual bool pending() const { return false; }
  // Writes the frames that arrived. Called also without any, for what waited.
  virtual void deliver(Ps now) = 0;
  // Now and then, a few times a second of wall time: reconnect and the like.
  virtual void tend(Ps /*now*/) {}
  // The run is over: closes what is open.
  virtual void shut() = 0;

 protected:
  // Reading pauses while this much waits for the line: the kernel's own queue pushes back.
  static constexpr std::size_t kReadAhead = 32 * 1024;
  static constexpr std::size_t kBufferBytes = 1 << 17;
};

}  // namespace kumihimo
