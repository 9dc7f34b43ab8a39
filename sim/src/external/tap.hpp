// SPDX-License-Identifier: Apache-2.0
//
// A Linux TAP. The file descriptor is given, configured with IFF_TAP | IFF_NO_PI.
//
// Frames from Linux shorter than 60 bytes are padded as a MAC would. A TAP that disappears is
// reported and counted; the run goes on without it.
#pragma once

#include "external/external.hpp"

namespace kumihimo {

class Tap : public External {
 public:
  // fd -1: no TAP (replay). Takes a duplicate of fd; the caller keeps its own.
  Tap(std::string name, int fd, bool obey_pause);
  ~Tap() override;

  void open(Poller& poller) override;
  void ready(std::uint32_t events, Ps now, const Inject& inject) override;
  void deliver(Ps now) override;
  void shut() override;
  void stats(Stats& out) const override;

 private:
  void gone(Ps now, const std::string& why);

  int fd_ = -1;
  Poller* poller_ = nullptr;
  bool down_ = false;
  bool full_reported_ = false;
  std::uint64_t to_linux_full_ = 0, to_linux_down_ = 0, to_linux_gone_ = 0, to_linux_bad_ = 0;
  std::uint64_t padded_ = 0;
};

}  // namespace kumihimo
