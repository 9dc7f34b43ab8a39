// SPDX-License-Identifier: Apache-2.0
#include "external/poller.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/types.hpp"

namespace kumihimo {

Poller::Poller() {
  epoll_ = epoll_create1(EPOLL_CLOEXEC);
  wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (epoll_ < 0 || wake_ < 0) throw Error(std::string("epoll: ") + std::strerror(errno));
  add(wake_, nullptr, EPOLLIN);
}

Poller::~Poller() {
  close(epoll_);
  close(wake_);
}

void Poller::add(int fd, Outside* owner, std::uint32_t events) {
  epoll_event e{};
  e.events = events;
  e.data.ptr = owner;
  if (epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &e) != 0) {
    throw Error("cannot wait for file descriptor " + std::to_string(fd) + ": " +
                std::strerror(errno));
  }
}

void Poller::change(int fd, Outside* owner, std::uint32_t events) {
  epoll_event e{};
  e.events = events;
  e.data.ptr = owner;
  epoll_ctl(epoll_, EPOLL_CTL_MOD, fd, &e);
}

void Poller::remove(int fd) { epoll_ctl(epoll_, EPOLL_CTL_DEL, fd, nullptr); }

std::span<epoll_event> Poller::wait(int timeout_ms, bool* woken) {
  if (woken) *woken = false;
  const int n = epoll_wait(epoll_, events_, 32, timeout_ms);
  if (n <= 0) return {};
  epoll_event* end = std::remove_if(events_, events_ + n, [&](const epoll_event& e) {
    if (e.data.ptr) return false;
    std::uint64_t count;
    if (read(wake_, &count, sizeof count) > 0 && woken) *woken = true;
    return true;
  });
  return {events_, end};
}

void Poller::wake() {
  const std::uint64_t one = 1;
  if (write(wake_, &one, sizeof one) < 0) return;  // full: already awake
}

}  // namespace kumihimo
