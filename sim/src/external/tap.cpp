// SPDX-License-Identifier: Apache-2.0
#include "external/tap.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace kumihimo {

Tap::Tap(std::string name, int fd, bool obey_pause) : External("tap", std::move(name), obey_pause) {
  if (fd < 0) return;
  fd_ = fcntl(fd, F_DUPFD_CLOEXEC, 3);
  if (fd_ < 0) {
    throw Error("tap '" + this->name() + "': file descriptor " + std::to_string(fd) + ": " +
                std::strerror(errno));
  }
  fcntl(fd_, F_SETFL, fcntl(fd_, F_GETFL) | O_NONBLOCK);
}

Tap::~Tap() { Tap::shut(); }

void Tap::shut() {
  if (fd_ < 0) return;
  if (poller_) poller_->remove(fd_);
  close(fd_);
  fd_ = -1;
}

void Tap::open(Poller& poller) {
  poller_ = &poller;
  if (fd_ >= 0) poller.add(fd_, this, EPOLLIN);
}

void Tap::gone(Ps now, const std::string& why) {
  log(Level::kError, now, "the TAP is gone (" + why + "); the run goes on without it");
  shut();
}

void Tap::ready(std::uint32_t events, Ps now, const Inject& inject) {
  static thread_local Bytes buffer(kBufferBytes);
  while (fd_ >= 0 && backlog_bytes() < kReadAhead) {
    const ssize_t n = read(fd_, buffer.data(), buffer.size());
    if (n > 0) {
      Bytes frame(buffer.begin(), buffer.begin() + n);
      if (frame.size() < kMinFrame) {
        frame.resize(kMinFrame, 0);
        ++padded_;
      }
      inject(*this, std::move(frame));
      continue;
    }
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      if (events & (EPOLLERR | EPOLLHUP)) gone(now, "its interface was removed");
      return;
    }
    gone(now, n == 0 ? "end of file" : std::strerror(errno));
  }
}

void Tap::deliver(Ps now) {
  for (const TimedFrame& f : arrived()) {
    if (fd_ < 0) {
      ++to_linux_gone_;
      continue;
    }
    ssize_t n;
    do n = write(fd_, f.data.data(), f.data.size());
    while (n < 0 && errno == EINTR);
    if (n >= 0) {
      if (down_) log(Level::kInfo, now, "the interface is up again");
      down_ = false;
    } else if (errno == EAGAIN || errno == ENOBUFS || errno == ENOMEM) {
      ++to_linux_full_;
      if (!full_reported_) log(Level::kWarning, now, "Linux takes no more frames; counted as full");
      full_reported_ = true;
    } else if (errno == EIO) {
      ++to_linux_down_;
      if (!down_) log(Level::kWarning, now, "the interface is down; frames toward it are dropped");
      down_ = true;
    } else if (errno == EINVAL) {
      ++to_linux_bad_;  // shorter than an Ethernet header
    } else {
      ++to_linux_gone_;
      gone(now, std::strerror(errno));
    }
  }
  arrived().clear();
}

void Tap::stats(Stats& out) const {
  Endpoint::stats(out);
  out.set("alive", std::uint64_t{fd_ >= 0});
  out.set("padded", padded_);
  out.set("to_linux_full", to_linux_full_);
  out.set("to_linux_down", to_linux_down_);
  out.set("to_linux_gone", to_linux_gone_);
  out.set("to_linux_refused", to_linux_bad_);
}

}  // namespace kumihimo
