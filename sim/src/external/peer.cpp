// SPDX-License-Identifier: Apache-2.0
#include "external/peer.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace kumihimo {
namespace {

constexpr std::size_t kOutLimit = 1 << 20;

sockaddr_un address(const std::string& path) {
  sockaddr_un a{};
  a.sun_family = AF_UNIX;
  std::memcpy(a.sun_path, path.data(), path.size());
  return a;
}

int stream_socket() { return socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0); }

}  // namespace

Peer::Peer(std::string name, std::string path, bool listen, bool obey_pause)
    : External("peer", std::move(name), obey_pause), path_(std::move(path)), listen_(listen) {
  if (path_.size() >= sizeof(sockaddr_un{}.sun_path)) {
    throw Error("peer '" + this->name() + "': socket path is longer than " +
                std::to_string(sizeof(sockaddr_un{}.sun_path) - 1) + " bytes: " + path_);
  }
}

Peer::~Peer() { Peer::shut(); }

void Peer::shut() {
  for (int* fd : {&fd_, &listener_}) {
    if (*fd < 0) continue;
    poller_->remove(*fd);
    close(*fd);
    if (fd == &listener_) unlink(path_.c_str());
    *fd = -1;
  }
}

void Peer::open(Poller& poller) {
  poller_ = &poller;
  if (path_.empty()) return;
  if (listen_) {
    start_listening();
  } else {
    tend(0);
  }
}

void Peer::start_listening() {
  listener_ = stream_socket();
  const sockaddr_un a = address(path_);
  const auto* sa = reinterpret_cast<const sockaddr*>(&a);
  int bound = bind(listener_, sa, sizeof a);
  if (bound != 0 && errno == EADDRINUSE) {
    // A socket without a listener is left over from an earlier run.
    const int probe = stream_socket();
    const bool dead = connect(probe, sa, sizeof a) != 0 && errno == ECONNREFUSED;
    close(probe);
    errno = EADDRINUSE;
    if (dead && unlink(path_.c_str()) == 0) bound = bind(listener_, sa, sizeof a);
  }
  if (bound != 0 || ::listen(listener_, 4) != 0) {
    const std::string why = std::strerror(errno);
    close(listener_);
    listener_ = -1;
    throw Error("peer '" + name() + "': cannot listen on " + path_ + ": " + why);
  }
  poller_->add(listener_, this, EPOLLIN);
}

void Peer::adopt(int fd, Ps now) {
  fd_ = fd;
  in_.clear();
  out_.clear();
  in_at_ = out_at_ = 0;
  want_write_ = false;
  ++connects_;
  poller_->add(fd_, this, EPOLLIN);
  log(Level::kInfo, now, "a peer is connected");
}

void Peer::drop_peer(Ps now, const std::string& why) {
  if (in_at_ < in_.size()) ++cut_frames_;
  left_ += unsent();
  poller_->remove(fd_);
  close(fd_);
  fd_ = -1;
  in_.clear();
  out_.clear();
  in_at_ = out_at_ = 0;
  ++disconnects_;
  log(Level::kInfo, now, "the peer left: " + why);
}

void Peer::accept_one(Ps now) {
  const int fd = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (fd < 0) return;
  if (fd_ >= 0) {
    close(fd);
    ++refused_;
    log(Level::kWarning, now, "a second peer was refused: one is connected");
    return;
  }
  adopt(fd, now);
}

void Peer::tend(Ps now) {
  if (listen_ || path_.empty() || fd_ >= 0) return;
  const int fd = stream_socket();
  const sockaddr_un a = address(path_);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&a), sizeof a) == 0) {
    adopt(fd, now);
  } else {
    close(fd);
  }
}

void Peer::ready(std::uint32_t events, Ps now, const Inject& inject) {
  // The order matters: read the rest of a leaving peer, then accept a new one.
  if (fd_ >= 0) read_some(now, inject);
  if (fd_ >= 0 && (events & EPOLLOUT)) flush(now);
  if (listener_ >= 0) accept_one(now);
}

void Peer::read_some(Ps now, const Inject& inject) {
  static thread_local Bytes buffer(kBufferBytes);
  while (fd_ >= 0 && backlog_bytes() < kReadAhead) {
    parse(now, inject);
    if (fd_ < 0 || backlog_bytes() >= kReadAhead) return;
    const ssize_t n = recv(fd_, buffer.data(), buffer.size(), 0);
    if (n > 0) {
      in_.insert(in_.end(), buffer.begin(), buffer.begin() + n);
      continue;
    }
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    drop_peer(now, n == 0 ? "it closed the connection" : std::strerror(errno));
  }
}

void Peer::parse(Ps now, const Inject& inject) {
  while (in_.size() - in_at_ >= 4 && backlog_bytes() < kReadAhead) {
    const std::uint8_t* p = in_.data() + in_at_;
    const std::size_t n = static_cast<std::size_t>(p[0]) << 24 | p[1] << 16 | p[2] << 8 | p[3];
    if (n == 0 || n > kMaxFrame) {
      drop_peer(now, "it sent a frame length of " + std::to_string(n));
      return;
    }
    if (in_.size() - in_at_ < 4 + n) break;
    Bytes frame(p + 4, p + 4 + n);
    in_at_ += 4 + n;
    if (frame.size() < kMinFrame) {
      frame.resize(kMinFrame, 0);
      ++padded_;
    }
    inject(*this, std::move(frame));
  }
  if (in_at_ == in_.size()) {
    in_.clear();
    in_at_ = 0;
  } else if (in_at_ > kBufferBytes) {
    in_.erase(in_.begin(), in_.begin() + static_cast<std::ptrdiff_t>(in_at_));
    in_at_ = 0;
  }
}

void Peer::deliver(Ps now) {
  if (arrived().empty()) return;
  for (const TimedFrame& f : arrived()) {
    const std::size_t n = f.data.size();
    if (fd_ < 0) {
      ++no_peer_;
    } else if (out_.size() - out_at_ + n + 4 > kOutLimit) {
      ++full_;
    } else {
      for (int shift = 24; shift >= 0; shift -= 8) {
        out_.push_back(static_cast<std::uint8_t>(n >> shift));
      }
      out_.insert(out_.end(), f.data.begin(), f.data.end());
    }
  }
  arrived().clear();
  if (fd_ >= 0) flush(now);
}

void Peer::flush(Ps now) {
  while (out_at_ < out_.size()) {
    const ssize_t n = send(fd_, out_.data() + out_at_, out_.size() - out_at_, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (n < 0) {
      drop_peer(now, std::strerror(errno));
      return;
    }
    out_at_ += static_cast<std::size_t>(n);
  }
  const bool waits = out_at_ < out_.size();
  if (!waits) {
    out_.clear();
    out_at_ = 0;
  } else if (out_at_ > kOutLimit) {
    std::size_t whole = 0;
    while (frame_end(whole) <= out_at_) whole = frame_end(whole);
    out_.erase(out_.begin(), out_.begin() + static_cast<std::ptrdiff_t>(whole));
    out_at_ -= whole;
  }
  if (waits != want_write_) {
    want_write_ = waits;
    poller_->change(fd_, this, waits ? EPOLLIN | EPOLLOUT : EPOLLIN);
  }
}

// The end of the frame whose length is at `at`.
std::size_t Peer::frame_end(std::size_t at) const {
  const std::uint8_t* p = out_.data() + at;
  return at + 4 + (static_cast<std::size_t>(p[0]) << 24 | p[1] << 16 | p[2] << 8 | p[3]);
}

std::uint64_t Peer::unsent() const {
  std::uint64_t frames = 0;
  for (std::size_t at = 0; at < out_.size();) {
    at = frame_end(at);
    frames += at > out_at_;
  }
  return frames;
}

void Peer::stats(Stats& out) const {
  Endpoint::stats(out);
  out.set("connected", std::uint64_t{fd_ >= 0});
  out.set("connects", connects_);
  out.set("disconnects", disconnects_);
  out.set("refused", refused_);
  out.set("cut_frames", cut_frames_);
  out.set("padded", padded_);
  out.set("to_peer_absent", no_peer_);
  out.set("to_peer_full", full_);
  out.set("to_peer_left", left_);
  out.set("to_peer_waiting", unsent());
}

}  // namespace kumihimo
