// SPDX-License-Identifier: Apache-2.0
//
// A connected stream socket to another rank: UNIX or TCP.
#pragma once

#include "rank/stream.hpp"

namespace kumihimo {

class SocketStream : public Stream {
 public:
  // Takes a duplicate of fd; the caller keeps its own.
  explicit SocketStream(int fd);
  ~SocketStream() override;
  SocketStream(const SocketStream&) = delete;
  SocketStream& operator=(const SocketStream&) = delete;

  std::size_t write(const std::uint8_t* data, std::size_t bytes) override;
  std::size_t read(std::uint8_t* to, std::size_t most) override;
  int fd() const override { return fd_; }

 private:
  int fd_;
};

}  // namespace kumihimo
