// SPDX-License-Identifier: Apache-2.0
//
// Connections and requests. A connection has a thread that reads requests; workers execute them, so
// replies come in any order.
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
#include <utility>

#include "nbd_connection.hpp"

namespace kumihimo::storage {

using namespace nbd;

namespace {

constexpr unsigned kMostInFlight = 64;
constexpr std::size_t kMostBytesInFlight = 64U << 20;

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
  for (unsigned i = 0; i < std::max(1U, options_.workers); ++i) {
    workers_.emplace_back([this] { work(); });
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
      if (!(fds[i].revents & POLLIN)) continue;
      const int fd = ::accept4(fds[i].fd, nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) continue;
      const int on = 1;
      ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      auto c = std::make_shared<Connection>(fd);
      const std::lock_guard lock(m_);
      ++count_.connections;
      // Threads of connections that are over are collected here.
      for (auto it = connections_.begin(); it != connections_.end();) {
        if (it->first->over) {
          it->second.join();
          it = connections_.erase(it);
        } else {
          ++it;
        }
      }
      connections_.emplace_back(c, std::thread([this, c] { serve(c); }));
    }
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
  {
    // Not before: connections wait for the replies to what they have queued.
    const std::lock_guard lock(m_);
    idle_ = true;
  }
  wake_.notify_all();
  for (auto& w : workers_) w.join();
  connections_.clear();
  for (const int fd : listeners_) ::close(fd);
  if (!options_.unix_path.empty()) ::unlink(options_.unix_path.c_str());
}

NbdCounters NbdServer::counters() {
  const std::lock_guard lock(m_);
  return count_;
}

void NbdServer::serve(const std::shared_ptr<Connection>& c) {
  if (negotiate(*c)) {
    std::thread sender([c] { c->send_loop(); });
    transmit(c);
    {
      // Replies under way are waited for; the socket is closed with the connection.
      std::unique_lock lock(c->m);
      c->room.wait(lock, [&] { return c->in_flight == 0; });
      c->closing = true;
      c->room.notify_all();
    }
    sender.join();
  }
  const std::lock_guard lock(m_);
  count_.broken += c->broken;
  ::shutdown(c->fd, SHUT_RDWR);
  c->over = true;
}

void NbdServer::transmit(const std::shared_ptr<Connection>& c) {
  std::uint8_t head[28];
  while (receive(c->fd, head, sizeof head)) {
    In in(head, sizeof head);
    if (in.get<std::uint32_t>() != kRequestMagic) {
      c->broken = true;
      return;
    }
    auto r = std::make_shared<Request>();
    r->flags = in.get<std::uint16_t>();
    r->type = in.get<std::uint16_t>();
    r->cookie = in.get<std::uint64_t>();
    r->offset = in.get<std::uint64_t>();
    r->length = in.get<std::uint32_t>();
    if (r->type == kDisc) return;
    const std::size_t payload = r->type == kWrite ? r->length : 0;
    if (payload > kMaxPayload) {
      c->broken = true;  // it cannot be skipped without taking it all in
      return;
    }
    const std::size_t cost = r->type == kRead || r->type == kWrite ? r->length : 0;
    {
      std::unique_lock lock(c->m);
      c->room.wait(lock, [&] {
        return c->in_flight == 0 ||
               (c->in_flight < kMostInFlight && c->bytes + cost <= kMostBytesInFlight);
      });
      ++c->in_flight;
      c->bytes += cost;
      r->cost = cost;
    }
    if (payload) {
      r->data = Slice::make(payload);
      if (!receive(c->fd, r->data.data, payload)) {
        c->end(cost);
        return;
      }
    }
    {
      const std::lock_guard lock(m_);
      queue_.emplace_back(c, std::move(r));
    }
    wake_.notify_one();
  }
}

void NbdServer::work() {
  std::unique_lock lock(m_);
  while (true) {
    wake_.wait(lock, [&] { return idle_ || !queue_.empty(); });
    if (queue_.empty()) return;
    const auto [c, r] = std::move(queue_.front());
    queue_.pop_front();
    ++count_.requests;
    lock.unlock();
    auto head = handle(*c, *r);
    lock.lock();
    count_.errors += r->error != 0;
    if (r->type == kRead && !r->error) count_.read_bytes += r->length;
    if (r->type == kWrite && !r->error) count_.written_bytes += r->length;
    lock.unlock();
    c->reply(r, std::move(head));
    lock.lock();
  }
}

// Executes a request; what comes before the data of its reply.
std::vector<std::uint8_t> NbdServer::handle(Connection& c, Request& r) {
  std::string why;
  try {
    r.error = execute(c, r);
  } catch (const std::bad_alloc&) {
    r.error = ENOMEM;
  } catch (const std::exception& e) {
    r.error = EIO;
    why = e.what();
  }
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
    head.put(kChunkMagic).put(kDone).put(kStatus).put(r.cookie);
    head.put(static_cast<std::uint32_t>(4 + 8 * r.extents.size())).put(std::uint32_t{1});
    for (const Extent& e : r.extents) {
      head.put(static_cast<std::uint32_t>(e.length)).put(std::uint32_t{e.data ? 0U : 3U});
    }
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

// Returns the error of the reply; errors of the array are thrown.
int NbdServer::execute(Connection& c, Request& r) {
  const std::uint64_t size = volume_->size();
  const bool outside = r.offset > size || r.length > size - r.offset;
  std::uint16_t allowed = kFua;
  if (r.type == kRead) allowed |= kDf;
  if (r.type == kWriteZeroes) allowed |= kNoHole;
  if (r.type == kBlockStatus) allowed |= kReqOne;
  if (r.flags & ~allowed) return EINVAL;
  const bool changes = r.type == kWrite || r.type == kTrim || r.type == kWriteZeroes;
  if (changes && options_.read_only) return EPERM;
  switch (r.type) {
    case kRead:
      if (r.length > kMaxPayload) return EOVERFLOW;
      if (outside) return EINVAL;
      r.reply = volume_->read(r.offset, r.length);
      return 0;
    case kWrite:
      if (outside) return ENOSPC;
      if (r.length) volume_->write(r.offset, r.data);
      break;
    case kTrim:
    case kWriteZeroes:
      if (outside) return r.type == kTrim ? EINVAL : ENOSPC;
      volume_->zero(r.offset, r.length, r.type == kWriteZeroes);
      break;
    case kFlush:
      if (!options_.read_only) volume_->flush();
      return 0;
    case kBlockStatus:
      if (!c.allocation || !c.structured || outside || r.length == 0) return EINVAL;
      r.extents = volume_->extents(r.offset, r.length);
      if (r.flags & kReqOne) r.extents.resize(1);
      return 0;
    default:
      return EINVAL;
  }
  if (r.flags & kFua) volume_->flush();
  return 0;
}

}  // namespace kumihimo::storage
