// SPDX-License-Identifier: Apache-2.0
#include "rank/socket_stream.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "base/types.hpp"

namespace kumihimo {

SocketStream::SocketStream(int fd) : fd_(fcntl(fd, F_DUPFD_CLOEXEC, 3)) {
  if (fd_ < 0) throw Error(std::string("socket of a rank: ") + std::strerror(errno));
  fcntl(fd_, F_SETFL, fcntl(fd_, F_GETFL) | O_NONBLOCK);
  // A UNIX socket has no such option.
  const int one = 1;
  setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

SocketStream::~SocketStream() { close(fd_); }

std::size_t SocketStream::write(const std::uint8_t* data, std::size_t bytes) {
  for (;;) {
    const ssize_t n = ::send(fd_, data, bytes, MSG_NOSIGNAL);
    if (n >= 0) return static_cast<std::size_t>(n);
    if (errno == EINTR) continue;
    if (errno == EAGAIN || errno == EWOULDBLOCK) return 0;
    throw Error(std::strerror(errno));
  }
}

std::size_t SocketStream::read(std::uint8_t* to, std::size_t most) {
  for (;;) {
    const ssize_t n = ::recv(fd_, to, most, 0);
    if (n > 0) return static_cast<std::size_t>(n);
    if (n == 0) throw Error("it closed the connection");
    if (errno == EINTR) continue;
    if (errno == EAGAIN || errno == EWOULDBLOCK) return 0;
    throw Error(std::strerror(errno));
  }
}

}  // namespace kumihimo
