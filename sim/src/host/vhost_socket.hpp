// SPDX-License-Identifier: Apache-2.0
//
// A vhost-user connection: whole messages with their file descriptors, one front end at a time.
// Nothing here blocks; a message in pieces is joined. An empty path: no socket (replay).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "host/vhost_message.hpp"

namespace kumihimo {

// A file descriptor that is closed with its owner.
class OwnedFd {
 public:
  OwnedFd() = default;
  explicit OwnedFd(int fd) : fd_(fd) {}
  OwnedFd(OwnedFd&& other) noexcept : fd_(other.release()) {}
  OwnedFd& operator=(OwnedFd&& other) noexcept;
  OwnedFd(const OwnedFd&) = delete;
  OwnedFd& operator=(const OwnedFd&) = delete;
  ~OwnedFd();

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release();

 private:
  int fd_ = -1;
};

struct VhostMessage {
  vhost::Request request{};
  bool need_reply = false;
  Bytes payload;
  std::vector<OwnedFd> fds;

  // The payload as T; throws Error if it is shorter.
  template <class T>
  T as() const;
};

class VhostSocket {
 public:
  VhostSocket(std::string owner, std::string path);
  ~VhostSocket() { shut(); }
  VhostSocket(const VhostSocket&) = delete;
  VhostSocket& operator=(const VhostSocket&) = delete;

  bool named() const { return !path_.empty(); }
  int listen();  // throws Error; the descriptor to wait for
  // Accepts a front end if none is connected; -1 otherwise. One more is refused.
  int accept();
  bool connected() const { return static_cast<bool>(connection_); }
  void disconnect();
  void shut();

  // The next whole message, or nothing yet. Throws Error when the front end left or broke a rule.
  std::optional<VhostMessage> receive();
  void reply(vhost::Request request, const void* payload, std::size_t bytes);
  std::uint64_t refused() const { return refused_; }

 private:
  std::string owner_, path_;
  OwnedFd listener_, connection_;
  Bytes in_;
  std::vector<OwnedFd> fds_;
  std::uint64_t refused_ = 0;
};

}  // namespace kumihimo
