// SPDX-License-Identifier: Apache-2.0
//
// Connections and requests.
#include "nbd_server.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "nbd_connection.hpp"

namespace kumihimo::storage {

using namespace nbd;

namespace {

constexpr unsigned kMostInFlight = 64;
constexpr std::size_t kMostBytesInFlight = 64U << 20;
constexpr int kSendBuffer = 4 << 20;
constexpr unsigned kReaders = 4;           // threads of a connection
constexpr int kPauseMs = 100;              // between tries to accept without files
constexpr std::size_t kLong = 128U << 10;  // bytes of a request

std::string problem(const std::string& what) { return what + ": " + std::strerror(errno); }

}  // namespace

NbdServer::NbdServer(std::shared_ptr<Volume> volume, const NbdOptions& options)
    : volume_(std::move(volume)), options_(options) {
  if (::pipe2(stop_pipe_, O_CLOEXEC) != 0) throw StorageError(problem("pipe"));
  try {
    if (!options_.unix_path.empty()) listen_unix(options_.unix_path);
    if (options_.tcp_port >= 0) listen_tcp(options_.tcp_port);
    if (listeners_.empty()) throw StorageError("an NBD server needs a socket path or a port");
  } catch (...) {
    for (const int fd : listeners_) ::close(fd);
    ::close(stop_pipe_[0]);
    ::close(stop_pipe_[1]);
    throw;
  }
  acceptor_ = std::thread([this] { accept_loop(); });
}

NbdServer::~NbdServer() {
  stop();
  ::close(stop_pipe_[0]);
  ::close(stop_pipe_[1]);
}

void NbdServer::listen_unix(const std::string& path) {
  sockaddr_un a{};
  a.sun_family = AF_UNIX;
  if (path.size() >= sizeof a.sun_path) throw StorageError(path + ": too long for a socket");
  std::memcpy(a.sun_path, path.c_str(), path.size() + 1);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) throw StorageError(problem("socket"));
  // A socket that nobody listens on is left over from a server that was killed.
  if (::connect(fd, reinterpret_cast<sockaddr*>(&a), sizeof a) == 0) {
    ::close(fd);
    throw StorageError(path + ": another server listens there");
  }
  if (errno == ECONNREFUSED) ::unlink(path.c_str());
  if (::bind(fd, reinterpret_cast<sockaddr*>(&a), sizeof a) != 0 || ::listen(fd, 64) != 0) {
    const std::string text = problem(path);
    ::close(fd);
    throw StorageError(text);
  }
  listeners_.push_back(fd);
}

void NbdServer::listen_tcp(int port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) throw StorageError(problem("socket"));
  const int on = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in a{};
  a.sin_family = AF_INET;
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  a.sin_port = htons(static_cast<std::uint16_t>(port));
  socklen_t size = sizeof a;
  if (::bind(fd, reinterpret_cast<sockaddr*>(&a), sizeof a) != 0 || ::listen(fd, 64) != 0 ||
      ::getsockname(fd, reinterpret_cast<sockaddr*>(&a), &size) != 0) {
    const std::string text = problem("port " + std::to_string(port));
    ::close(fd);
    throw StorageError(text);
  }
  port_ = ntohs(a.sin_port);
  listeners_.push_back(fd);
}

void NbdServer::accept_loop() {
  while (true) {
    std::vector<pollfd> fds;
    for (const int fd : listeners_) fds.push_back({fd, POLLIN, 0});
    fds.push_back({stop_pipe_[0], POLLIN, 0});
    if (::poll(fds.data(), fds.size(), -1) < 0 && errno != EINTR) return;
    if (fds.back().revents) return;
    for (std::size_t i = 0; i + 1 < fds.size(); ++i) {
      if (fds[i].revents & POLLIN) accept_one(fds[i].fd);
    }
  }
}

void NbdServer::accept_one(int listener) {
  const int fd = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  if (fd < 0) {
    // Out of files: the client waits until others have gone.
    pollfd stop{stop_pipe_[0], POLLIN, 0};
    if (errno != EAGAIN && errno != ECONNABORTED) ::poll(&stop, 1, kPauseMs);
    return;
  }
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  // So that a reply mostly goes out in one piece; the kernel may give less.
  ::setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &kSendBuffer, sizeof kSendBuffer);
  auto c = std::make_shared<Connection>(fd);
  c->dropped_seen = volume_->dropped();
  const std::lock_guard lock(m_);
  // Threads of connections that are over are collected here.
  for (auto it = connections_.begin(); it != connections_.end();) {
    if (it->first->over) {
      it->second.join();
      it = connections_.erase(it);
    } else {
      ++it;
    }
  }
  if (connections_.size() >= options_.max_connections) {
    ++count_.refused;
    return;
  }
  try {
    connections_.emplace_back(c, std::thread([this, c] { serve(c); }));
    ++count_.connections;
  } catch (const std::system_error&) {  // no thread is left
    ++count_.refused;
  }
}

void NbdServer::stop() {
  {
    const std::lock_guard lock(m_);
    if (stop_) return;
    stop_ = true;
    for (auto& [c, thread] : connections_) ::shutdown(c->fd, SHUT_RDWR);
  }
  const char byte = 0;
  (void)!::write(stop_pipe_[1], &byte, 1);
  acceptor_.join();
  for (auto& [c, thread] : connections_) ::shutdown(c->fd, SHUT_RDWR);
  for (auto& [c, thread] : connections_) thread.join();
  connections_.clear();
  for (const int fd : listeners_) ::close(fd);
  if (!options_.unix_path.empty()) ::unlink(options_.unix_path.c_str());
}

NbdCounters NbdServer::counters() {
  const std::lock_guard lock(m_);
  return count_;
}

void NbdServer::serve(const std::shared_ptr<Connection>& c) {
  std::thread sender;
  bool refused = false;
  if (negotiate(*c)) {
    try {
      sender = std::thread([c] { c->send_loop(); });
    } catch (const std::system_error&) {  // no thread is left
      refused = true;
    }
  }
  if (sender.joinable()) {
    std::vector<std::thread> more;
    try {
      for (unsigned i = 1; i < kReaders; ++i) more.emplace_back([this, c] { transmit(c); });
    } catch (const std::system_error&) {
      refused = more.empty();  // fewer serve it as well, one after the other
    }
    transmit(c);
    for (auto& thread : more) thread.join();
    {
      // Replies under way are waited for; the socket is closed with the connection.
      std::unique_lock lock(c->m);
      c->wait_room(lock, [&] { return c->in_flight == 0; });
      c->closing = true;
      c->more.notify_one();
    }
    sender.join();
  }
  const std::lock_guard lock(m_);
  count_.broken += c->broken;
  count_.refused += refused;
  ::shutdown(c->fd, SHUT_RDWR);
  c->over = true;
}

// One of the connection's threads reads at a time. Short requests it does itself, for a write is
// only gathered and a read mostly comes from the page cache: to let another thread read meanwhile
// would cost more. During long reads another one goes on.
void NbdServer::transmit(const std::shared_ptr<Connection>& c) {
  auto soon = [](const Request& r) {
    const bool is_short = r.type == kRead && r.length <= Connection::kShort;
    return (is_short || r.type == kWrite) && !(r.flags & kFua);
  };
  std::shared_ptr<Request> r;
  do {
    {
      const std::lock_guard turn(c->reading);
      Connection::reads_here() = c.get();
      while ((r = next_request(*c)) && soon(*r)) begin(c, std::move(r));
      Connection::reads_here() = nullptr;
      c->send_held();
    }
    if (r) begin(c, r);
  } while (r);
}

// The next request with its data; null at the end of the connection.
std::shared_ptr<NbdServer::Request> NbdServer::next_request(Connection& c) {
  if (c.ended) return nullptr;
  auto r = receive_request(c);
  c.ended = r == nullptr;
  return r;
}

std::shared_ptr<NbdServer::Request> NbdServer::receive_request(Connection& c) {
  std::uint8_t head[28];
  if (!c.take(head, sizeof head)) return nullptr;
  In in(head, sizeof head);
  if (in.get<std::uint32_t>() != kRequestMagic) {
    c.broken = true;
    return nullptr;
  }
  auto r = std::make_shared<Request>();
  r->flags = in.get<std::uint16_t>();
  r->type = in.get<std::uint16_t>();
  r->cookie = in.get<std::uint64_t>();
  r->offset = in.get<std::uint64_t>();
  r->length = in.get<std::uint32_t>();
  if (r->type == kDisc) return nullptr;
  const std::size_t payload = r->type == kWrite ? r->length : 0;
  if (payload > kMaxPayload) {
    c.broken = true;  // it cannot be skipped without taking it all in
    return nullptr;
  }
  r->cost = r->type == kRead || r->type == kWrite ? r->length : 0;
  {
    std::unique_lock lock(c.m);
    auto room = [&] {
      return c.in_flight == 0 ||
             (c.in_flight < kMostInFlight && c.bytes + r->cost <= kMostBytesInFlight);
    };
    if (!room()) {
      lock.unlock();
      c.send_held();  // they count
      lock.lock();
    }
    if (!room()) c.wait_room(lock, room);
    ++c.in_flight;
    c.bytes += r->cost;
  }
  c.expect_long = payload >= kLong;
  if (payload) {
    r->data = Slice::make(payload);
    if (!receive_data(c, *r)) {
      c.end(r->cost);
      return nullptr;
    }
  }
  return r;
}

// Of long data the checksums are made piece by piece, while they are in the processor's cache.
bool NbdServer::receive_data(Connection& c, Request& r) {
  constexpr std::size_t kPiece = 256U << 10;
  if (r.length < kLong) return c.take(r.data.data, r.length);
  const std::size_t chunk = volume_->array().chunk(), piece = std::max(chunk, kPiece);
  std::size_t from = 0;  // the first byte whose checksum is not made yet
  if (r.offset % chunk) from = std::min<std::size_t>(r.length, chunk - r.offset % chunk);
  for (std::size_t at = 0; at < r.length;) {
    const std::size_t n = std::min<std::size_t>(r.length - at, piece - (r.offset + at) % piece);
    if (!c.take(r.data.data + at, n)) return false;
    at += n;
    for (; from + chunk <= at; from += chunk) {
      r.crc.push_back(crc32c(r.data.data + from, chunk));
    }
  }
  return true;
}

// Begins a request; its reply is sent where it ends.
void NbdServer::begin(std::shared_ptr<Connection> c, std::shared_ptr<Request> r) {
  if (r->type == kWrite && r->flags == 0 && r->crc.empty() && !options_.read_only && inside(*r) &&
      volume_->write_at_once(r->offset, r->data)) {
    end(*c, *r, nullptr);
    return;
  }
  auto task = execute(*c, *r);
  spawn(std::move(task), [this, c = std::move(c), r = std::move(r)](std::exception_ptr problem) {
    end(*c, *r, std::move(problem));
  });
}

void NbdServer::end(Connection& c, Request& r, std::exception_ptr problem) {
  std::string why;
  try {
    if (problem) std::rethrow_exception(problem);
  } catch (const std::bad_alloc&) {
    r.error = ENOMEM;
  } catch (const NoSpaceError& e) {
    r.error = ENOSPC;
    why = e.what();
  } catch (const std::exception& e) {
    r.error = EIO;
    why = e.what();
  }
  auto head = head_of(c, r, std::move(why));
  {
    const std::lock_guard lock(m_);
    ++count_.requests;
    count_.errors += r.error != 0;
    if (r.type == kRead && !r.error) count_.read_bytes += r.length;
    if (r.type == kWrite && !r.error) count_.written_bytes += r.length;
  }
  r.data = {};
  c.reply(r, std::move(head));  // the server may be gone when this returns
}

bool NbdServer::inside(const Request& r) const {
  const std::uint64_t size = volume_->size();
  return r.offset <= size && r.length <= size - r.offset;
}

// What comes before the data of a reply.
std::vector<std::uint8_t> NbdServer::head_of(const Connection& c, Request& r, std::string why) {
  Out head;
  std::size_t size = 0;
  for (const Slice& s : r.reply) size += s.size;
  if (r.error) r.reply.clear();
  if (c.structured && r.error) {
    why.resize(std::min<std::size_t>(why.size(), 1024));
    head.put(kChunkMagic).put(kDone).put(kError).put(r.cookie);
    head.put(static_cast<std::uint32_t>(6 + why.size())).put(static_cast<std::uint32_t>(r.error));
    head.put(static_cast<std::uint16_t>(why.size())).text(why);
  } else if (c.structured && r.type == kBlockStatus) {
    const auto extents_of = [&](std::uint32_t context, bool last, auto bits_of) {
      std::vector<std::pair<std::uint32_t, std::uint32_t>> runs;  // length, bits
      for (const Extent& e : r.extents) {
        const std::uint32_t bits = bits_of(e);
        const bool same = !runs.empty() && runs.back().second == bits;
        if (!same && !runs.empty() && r.flags & kReqOne) break;
        if (!same) runs.emplace_back(0, bits);
        runs.back().first += static_cast<std::uint32_t>(e.length);
      }
      head.put(kChunkMagic).put(last ? kDone : std::uint16_t{0}).put(kStatus).put(r.cookie);
      head.put(static_cast<std::uint32_t>(4 + 8 * runs.size())).put(context);
      for (const auto& [length, bits] : runs) head.put(length).put(bits);
    };
    if (c.allocation) {
      extents_of(kAllocation, !c.lost, [](const Extent& e) { return e.data ? 0U : 3U; });
    }
    if (c.lost) extents_of(kLost, true, [](const Extent& e) { return e.lost ? 1U : 0U; });
  } else if (c.structured && r.type == kRead && size) {
    head.put(kChunkMagic).put(kDone).put(kOffsetData).put(r.cookie);
    head.put(static_cast<std::uint32_t>(8 + size)).put(r.offset);
  } else if (c.structured && r.type == kRead) {
    head.put(kChunkMagic).put(kDone).put(kNone).put(r.cookie).put(std::uint32_t{0});
  } else {
    head.put(kSimpleMagic).put(static_cast<std::uint32_t>(r.error)).put(r.cookie);
  }
  return head.bytes();
}

// Sets the error of the reply; errors of the array are thrown.
Task<> NbdServer::execute(Connection& c, Request& r) {
  const bool outside = !inside(r);
  std::uint16_t allowed = kFua;
  if (r.type == kRead) allowed |= kDf;
  if (r.type == kWriteZeroes) allowed |= kNoHole;
  if (r.type == kBlockStatus) allowed |= kReqOne;
  const bool changes = r.type == kWrite || r.type == kTrim || r.type == kWriteZeroes;
  if (r.flags & ~allowed) {
    r.error = EINVAL;
  } else if (changes && options_.read_only) {
    r.error = EPERM;
  } else if (r.type == kRead) {
    r.error = r.length > kMaxPayload ? EOVERFLOW : outside ? EINVAL : 0;
    if (!r.error) co_await volume_->read_task(r.offset, r.length, &r.reply);
  } else if (r.type == kWrite) {
    r.error = outside ? ENOSPC : 0;
    if (!r.error && r.length) co_await volume_->write_task(r.offset, r.data, std::move(r.crc));
  } else if (r.type == kTrim || r.type == kWriteZeroes) {
    r.error = !outside ? 0 : r.type == kTrim ? EINVAL : ENOSPC;
    if (!r.error) co_await volume_->zero_task(r.offset, r.length, r.type == kWriteZeroes);
  } else if (r.type == kFlush) {
    if (!options_.read_only) co_await volume_->flush_task(&c.dropped_seen);
    co_return;
  } else if (r.type == kBlockStatus) {
    const bool asked = (c.allocation || c.lost) && c.structured;
    r.error = !asked || outside || r.length == 0 ? EINVAL : 0;
    if (r.error) co_return;
    r.extents = volume_->extents(r.offset, r.length);
    co_return;
  } else {
    r.error = EINVAL;
  }
  if (!r.error && r.flags & kFua) {
    co_await volume_->flush_range_task(r.offset, r.length, &c.dropped_seen);
  }
}

}  // namespace kumihimo::storage
