// SPDX-License-Identifier: Apache-2.0
//
// A peer process on a UNIX stream socket, framed as QEMU's "stream" network back end: each frame is
// preceded by its length, 32 bits, big-endian. One peer is connected at a time, and may reconnect.
#pragma once

#include "external/external.hpp"

namespace kumihimo {

class Peer : public External {
 public:
  // listen: bind the path and accept; otherwise connect to it, with retries. An empty path: no peer
  // (replay).
  Peer(std::string name, std::string path, bool listen, bool obey_pause);
  ~Peer() override;

  void open(Poller& poller) override;
  void ready(std::uint32_t events, Ps now, const Inject& inject) override;
  bool pending() const override { return in_.size() - in_at_ >= 4; }
  void deliver(Ps now) override;
  void tend(Ps now) override;
  void shut() override;
  void stats(Stats& out) const override;

 private:
  void start_listening();
  void adopt(int fd, Ps now);
  void drop_peer(Ps now, const std::string& why);
  void accept_one(Ps now);
  void read_some(Ps now, const Inject& inject);
  void parse(Ps now, const Inject& inject);
  void flush(Ps now);
  std::size_t frame_end(std::size_t at) const;
  std::uint64_t unsent() const;  // frames not written completely

  std::string path_;
  bool listen_;
  int listener_ = -1;
  int fd_ = -1;
  Poller* poller_ = nullptr;
  Bytes in_;
  std::size_t in_at_ = 0;
  Bytes out_;               // begins with the length of a frame
  std::size_t out_at_ = 0;  // next byte to write
  bool want_write_ = false;

  std::uint64_t connects_ = 0, disconnects_ = 0, refused_ = 0;
  std::uint64_t cut_frames_ = 0, no_peer_ = 0, full_ = 0, left_ = 0, padded_ = 0;
};

}  // namespace kumihimo
