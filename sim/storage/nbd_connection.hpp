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
#include <cstring>
#include <deque>
#include <utility>

#include "nbd_server.hpp"
#include "nbd_wire.hpp"

namespace kumihimo::storage {

struct NbdServer::Request {
  std::uint16_t flags = 0, type = 0;
  std::uint64_t cookie = 0, offset = 0;
  std::uint32_t length = 0;
  std::size_t cost = 0;
  Slice data;
  std::vector<std::uint32_t> crc;  // of whole chunks of long data
  std::vector<Slice> reply;
  std::vector<Extent> extents;
  int error = 0;
};

struct NbdServer::Connection {
  explicit Connection(int socket) : fd(socket) {}
  ~Connection() { ::close(fd); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  static constexpr std::size_t kShort = 16U << 10;  // bytes of a reply that is copied to others
  static constexpr std::size_t kMostHeld = 128U << 10;

  // Replies that go out together.
  struct Outgoing {
    std::vector<std::uint8_t> head;
    std::vector<Slice> data;
    std::size_t sent = 0, cost = 0;
    unsigned count = 1;
  };

  void end(std::size_t cost, unsigned count = 1) {
    const std::lock_guard lock(m);
    in_flight -= count;
    bytes -= cost;
    if (wanted) room.notify_all();
  }

  // Until `enough` requests have ended; the lock is held.
  template <class Enough>
  void wait_room(std::unique_lock<std::mutex>& lock, Enough enough) {
    wanted = true;
    room.wait(lock, enough);
    wanted = false;
  }

  // Replies to what the thread that reads does itself wait until it would have to wait for more
  // requests: a call each would cost more than the requests.
  void reply(const Request& r, std::vector<std::uint8_t> head) {
    std::size_t size = 0;
    for (const Slice& s : r.reply) size += s.size;
    if (reads_here() == this && size <= kShort) {
      if (held.head.size() > kMostHeld) send_held();
      held.head.insert(held.head.end(), head.begin(), head.end());
      for (const Slice& s : r.reply) held.head.insert(held.head.end(), s.data, s.data + s.size);
      held.cost += r.cost;
      ++held.count;
      return;
    }
    send(Outgoing{std::move(head), r.reply, 0, r.cost, 1});
  }

  // A reply that the socket does not take at once is left to the connection's own thread, so that a
  // client that reads nothing holds up no disk.
  void send(Outgoing o) {
    {
      const std::lock_guard lock(m);
      if (!out.empty() || !push(o, MSG_DONTWAIT)) {
        out.push_back(std::move(o));
        more.notify_one();
        return;
      }
    }
    end(o.cost, o.count);
  }

  void send_held() {
    if (held.count == 0) return;
    send(std::exchange(held, Outgoing{{}, {}, 0, 0, 0}));
  }

  // The connection that this thread reads from, and whose requests it does in a row.
  static Connection*& reads_here() {
    static thread_local Connection* one = nullptr;
    return one;
  }

  // Bytes of the client; small pieces come from a buffer. False at the end.
  bool take(std::uint8_t* to, std::size_t size) {
    while (size) {
      if (in_from == in_to && size < in.size() / 2) {
        // Not into long data, which would have to be moved.
        const ssize_t n = receive_some(in.data(), expect_long ? size : in.size());
        if (n <= 0) return false;
        in_from = 0;
        in_to = static_cast<std::size_t>(n);
      }
      std::size_t got = std::min(size, in_to - in_from);
      if (got) {
        std::memcpy(to, &in[in_from], got);
        in_from += got;
      } else {
        const ssize_t n = receive_some(to, size);
        if (n <= 0) return false;
        got = static_cast<std::size_t>(n);
      }
      to += got;
      size -= got;
    }
    return true;
  }

  ssize_t receive_some(std::uint8_t* to, std::size_t size) {
    send_held();
    while (true) {
      const ssize_t n = ::recv(fd, to, size, 0);
      if (n >= 0 || errno != EINTR) return n;
    }
  }

  void send_loop() {
    std::unique_lock lock(m);
    while (true) {
      more.wait(lock, [&] { return closing || !out.empty(); });
      if (out.empty()) return;
      Outgoing& o = out.front();  // stays in front, so that nobody overtakes it
      lock.unlock();
      push(o, 0);
      lock.lock();
      in_flight -= o.count;
      bytes -= o.cost;
      out.pop_front();
      if (wanted) room.notify_all();
    }
  }

  // Sends on; true when it is all out, or the client is gone.
  bool push(Outgoing& o, int flags) {
    std::vector<iovec> parts{{o.head.data(), o.head.size()}};
    for (const Slice& s : o.data) parts.push_back({s.data, s.size});
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
  bool no_zeroes = false, structured = false;
  bool allocation = false, lost = false;  // metadata contexts that were asked for
  std::uint64_t dropped_seen = 0;         // writes that could not be stored, see Volume
  std::mutex reading;  // held by the thread whose turn it is to read; all down to `ended`
  std::vector<std::uint8_t> in = std::vector<std::uint8_t>(64U << 10);
  std::size_t in_from = 0, in_to = 0;
  bool expect_long = false;  // the last request was one
  Outgoing held{{}, {}, 0, 0, 0};
  bool ended = false;
  bool broken = false;
  std::atomic<bool> over{false};
  std::mutex m;
  std::condition_variable room, more;
  bool wanted = false;  // somebody waits for `room`
  unsigned in_flight = 0;
  std::size_t bytes = 0;
};

}  // namespace kumihimo::storage
