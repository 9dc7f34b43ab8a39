// SPDX-License-Identifier: Apache-2.0
//
// One client of the NBD server, and one of its requests.
#pragma once

#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <deque>

#include "nbd_server.hpp"
#include "nbd_wire.hpp"

namespace kumihimo::storage {

struct NbdServer::Request {
  std::uint16_t flags = 0, type = 0;
  std::uint64_t cookie = 0, offset = 0;
  std::uint32_t length = 0;
  std::size_t cost = 0;
  Slice data;
  std::vector<Slice> reply;
  std::vector<Extent> extents;
  int error = 0;
};

struct NbdServer::Connection {
  explicit Connection(int socket) : fd(socket) {}
  ~Connection() { ::close(fd); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void end(std::size_t cost) {
    const std::lock_guard lock(m);
    --in_flight;
    bytes -= cost;
    room.notify_all();
  }

  // A reply that the socket does not take at once is left to the connection's own thread, so that a
  // client that reads nothing holds up no disk.
  void reply(std::shared_ptr<Request> r, std::vector<std::uint8_t> head) {
    Outgoing o{std::move(r), std::move(head), 0};
    {
      const std::lock_guard lock(m);
      if (!out.empty() || !push(o, MSG_DONTWAIT)) {
        out.push_back(std::move(o));
        room.notify_all();
        return;
      }
    }
    end(o.request->cost);
  }

  void send_loop() {
    std::unique_lock lock(m);
    while (true) {
      room.wait(lock, [&] { return closing || !out.empty(); });
      if (out.empty()) return;
      Outgoing& o = out.front();  // stays in front, so that nobody overtakes it
      lock.unlock();
      push(o, 0);
      lock.lock();
      const std::size_t cost = o.request->cost;
      out.pop_front();
      --in_flight;
      bytes -= cost;
      room.notify_all();
    }
  }

  struct Outgoing {
    std::shared_ptr<Request> request;
    std::vector<std::uint8_t> head;
    std::size_t sent;
  };

  // Sends on; true when it is all out, or the client is gone.
  bool push(Outgoing& o, int flags) {
    std::vector<iovec> parts{{o.head.data(), o.head.size()}};
    for (const Slice& s : o.request->reply) parts.push_back({s.data, s.size});
    std::size_t total = 0;
    for (const iovec& part : parts) total += part.iov_len;
    while (o.sent < total) {
      std::size_t skip = o.sent, first = 0;
      while (skip >= parts[first].iov_len) skip -= parts[first++].iov_len;
      std::vector<iovec> rest(parts.begin() + static_cast<std::ptrdiff_t>(first), parts.end());
      rest[0].iov_base = static_cast<std::uint8_t*>(rest[0].iov_base) + skip;
      rest[0].iov_len -= skip;
      msghdr message{};
      message.msg_iov = rest.data();
      message.msg_iovlen = std::min<std::size_t>(rest.size(), 512);
      const ssize_t n = ::sendmsg(fd, &message, MSG_NOSIGNAL | flags);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) && flags) return false;
      if (n < 0) {
        ::shutdown(fd, SHUT_RDWR);
        return true;
      }
      o.sent += static_cast<std::size_t>(n);
    }
    return true;
  }

  int fd;
  std::deque<Outgoing> out;
  bool closing = false;
  bool no_zeroes = false, structured = false, allocation = false;
  std::mutex reading;  // held by the thread whose turn it is to read
  bool ended = false;  // under `reading`
  bool broken = false;
  std::atomic<bool> over{false};
  std::mutex m;
  std::condition_variable room;
  unsigned in_flight = 0;
  std::size_t bytes = 0;
};

}  // namespace kumihimo::storage
