// SPDX-License-Identifier: Apache-2.0
#include "host/vhost_socket.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace kumihimo {
namespace {

constexpr std::size_t kMostPayload = 4096;
constexpr std::size_t kMostFds = 32;

sockaddr_un address(const std::string& path) {
  sockaddr_un a{};
  a.sun_family = AF_UNIX;
  std::memcpy(a.sun_path, path.data(), path.size());
  return a;
}

}  // namespace

OwnedFd& OwnedFd::operator=(OwnedFd&& other) noexcept {
  if (this != &other) {
    if (fd_ >= 0) close(fd_);
    fd_ = other.release();
  }
  return *this;
}

OwnedFd::~OwnedFd() {
  if (fd_ >= 0) close(fd_);
}

int OwnedFd::release() { return std::exchange(fd_, -1); }

template <class T>
T VhostMessage::as() const {
  T value{};
  if (payload.size() < sizeof value) {
    throw Error("message " + std::to_string(static_cast<std::uint32_t>(request)) + " has " +
                std::to_string(payload.size()) + " bytes, not " + std::to_string(sizeof value));
  }
  std::memcpy(&value, payload.data(), sizeof value);
  return value;
}
template std::uint64_t VhostMessage::as() const;
template vhost::VringState VhostMessage::as() const;
template vhost::VringAddr VhostMessage::as() const;
template vhost::OneRegion VhostMessage::as() const;

VhostSocket::VhostSocket(std::string owner, std::string path)
    : owner_(std::move(owner)), path_(std::move(path)) {
  if (path_.size() >= sizeof(sockaddr_un{}.sun_path)) {
    throw Error("host '" + owner_ + "': socket path is longer than " +
                std::to_string(sizeof(sockaddr_un{}.sun_path) - 1) + " bytes: " + path_);
  }
}

int VhostSocket::listen() {
  OwnedFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const sockaddr_un a = address(path_);
  const auto* sa = reinterpret_cast<const sockaddr*>(&a);
  int bound = bind(fd.get(), sa, sizeof a);
  if (bound != 0 && errno == EADDRINUSE) {
    // A socket without a listener is left over from an earlier run.
    const OwnedFd probe(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    const bool dead = connect(probe.get(), sa, sizeof a) != 0 && errno == ECONNREFUSED;
    errno = EADDRINUSE;
    if (dead && unlink(path_.c_str()) == 0) bound = bind(fd.get(), sa, sizeof a);
  }
  if (bound != 0 || ::listen(fd.get(), 4) != 0) {
    throw Error("host '" + owner_ + "': cannot listen on " + path_ + ": " + std::strerror(errno));
  }
  listener_ = std::move(fd);
  return listener_.get();
}

int VhostSocket::accept() {
  OwnedFd fd(accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!fd) return -1;
  if (connection_) {
    ++refused_;
    return -1;
  }
  connection_ = std::move(fd);
  return connection_.get();
}

void VhostSocket::disconnect() {
  connection_ = OwnedFd();
  in_.clear();
  fds_.clear();
}

void VhostSocket::shut() {
  disconnect();
  if (!listener_) return;
  listener_ = OwnedFd();
  unlink(path_.c_str());
}

std::optional<VhostMessage> VhostSocket::receive() {
  for (;;) {
    // Never beyond this message, so that descriptors stay with theirs.
    std::size_t want = sizeof(vhost::Header);
    vhost::Header header{};
    if (in_.size() >= want) {
      std::memcpy(&header, in_.data(), sizeof header);
      if ((header.flags & vhost::kVersionMask) != vhost::kVersion) throw Error("unknown version");
      if (header.size > kMostPayload) {
        throw Error("a message of " + std::to_string(header.size) + " bytes");
      }
      want += header.size;
      if (in_.size() == want) {
        VhostMessage m;
        m.request = static_cast<vhost::Request>(header.request);
        m.need_reply = (header.flags & vhost::kNeedReply) != 0;
        m.payload.assign(in_.begin() + sizeof header, in_.end());
        m.fds = std::exchange(fds_, {});
        in_.clear();
        return m;
      }
    }
    std::uint8_t bytes[kMostPayload + sizeof header];
    alignas(cmsghdr) char control[CMSG_SPACE(kMostFds * sizeof(int))];
    iovec part{bytes, want - in_.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const ssize_t n = recvmsg(connection_.get(), &message, MSG_CMSG_CLOEXEC);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return std::nullopt;
    if (n < 0) throw Error(std::strerror(errno));
    for (cmsghdr* c = CMSG_FIRSTHDR(&message); c != nullptr; c = CMSG_NXTHDR(&message, c)) {
      if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
      const std::size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
      for (std::size_t i = 0; i < count; ++i) {
        int fd = -1;
        std::memcpy(&fd, CMSG_DATA(c) + i * sizeof fd, sizeof fd);
        fds_.emplace_back(fd);
      }
    }
    if (fds_.size() > kMostFds) throw Error("too many file descriptors with one message");
    if (n == 0) throw Error("it closed the connection");
    in_.insert(in_.end(), bytes, bytes + n);
  }
}

void VhostSocket::reply(vhost::Request request, const void* payload, std::size_t bytes) {
  const vhost::Header header{static_cast<std::uint32_t>(request), vhost::kVersion | vhost::kReply,
                             static_cast<std::uint32_t>(bytes)};
  Bytes out(sizeof header + bytes);
  std::memcpy(out.data(), &header, sizeof header);
  std::memcpy(out.data() + sizeof header, payload, bytes);
  // A front end waits for each answer, so the socket has room for it.
  const ssize_t n = send(connection_.get(), out.data(), out.size(), MSG_NOSIGNAL);
  if (n != static_cast<ssize_t>(out.size())) throw Error("it does not take an answer");
}

}  // namespace kumihimo
