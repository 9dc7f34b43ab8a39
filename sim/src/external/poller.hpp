// SPDX-License-Identifier: Apache-2.0
//
// epoll over the file descriptors of the outside world, and an eventfd to wake the engine.
#pragma once

#include <sys/epoll.h>

#include <atomic>
#include <span>

namespace kumihimo {

class Outside;

class Poller {
 public:
  Poller();
  ~Poller();
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

  void add(int fd, Outside* owner, std::uint32_t events);
  void change(int fd, Outside* owner, std::uint32_t events);
  void remove(int fd);

  // Waits; an empty result after the time-out or a wake, which `woken` distinguishes.
  std::span<epoll_event> wait(int timeout_ms, bool* woken);
  void wake();  // from any thread

 private:
  int epoll_ = -1;
  int wake_ = -1;
  epoll_event events_[32];
};

}  // namespace kumihimo
