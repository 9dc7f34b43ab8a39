// SPDX-License-Identifier: Apache-2.0
//
// NBD server in front of a volume: the protocol of the NetworkBlockDevice project (doc/proto.md),
// fixed newstyle, structured replies, several connections at once (a FLUSH on one covers all).
// Loopback TCP and unix sockets only: there is no encryption. Metadata contexts: base:allocation,
// and kumi:lost, whose bit 0 is set where reads are errors because no disk has the data any more.
//
// A connection has a few threads that read requests by turns and begin them. Whoever completes a
// request, most often the thread of a disk, sends its reply, so replies come in any order.
//
// A client that breaks the protocol loses its connection; nothing of the broken request is done.
// Nor is one served that comes when there are `max_connections` others, or no thread for it.
#pragma once

#include <atomic>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "volume.hpp"

namespace kumihimo::storage {

struct NbdOptions {
  std::string unix_path;  // empty: none
  int tcp_port = -1;      // on 127.0.0.1; 0: any free one, -1: none
  bool read_only = false;
  unsigned max_connections = 64;
};

struct NbdCounters {
  std::uint64_t connections = 0, requests = 0, read_bytes = 0, written_bytes = 0, errors = 0;
  std::uint64_t broken = 0;   // connections ended because of what the client sent
  std::uint64_t refused = 0;  // connections that were too many, or that no thread was left for
};

class NbdServer {
 public:
  NbdServer(std::shared_ptr<Volume> volume, const NbdOptions& options);
  ~NbdServer();
  NbdServer(const NbdServer&) = delete;
  NbdServer& operator=(const NbdServer&) = delete;

  int tcp_port() const { return port_; }
  NbdCounters counters();
  void stop();

 private:
  struct Request;
  struct Connection;

  void listen_unix(const std::string& path);
  void listen_tcp(int port);
  void accept_loop();
  void accept_one(int listener);
  void serve(const std::shared_ptr<Connection>& c);
  bool negotiate(Connection& c);
  bool option(Connection& c, std::uint32_t number, const std::vector<std::uint8_t>& data, bool* go,
              bool* over);
  bool info(Connection& c, std::uint32_t number, const std::vector<std::uint8_t>& data, bool* go);
  bool meta(Connection& c, std::uint32_t number, const std::vector<std::uint8_t>& data);
  void transmit(const std::shared_ptr<Connection>& c);
  std::shared_ptr<Request> next_request(Connection& c);
  std::shared_ptr<Request> receive_request(Connection& c);
  bool receive_data(Connection& c, Request& r);
  void begin(std::shared_ptr<Connection> c, std::shared_ptr<Request> r);
  void end(Connection& c, Request& r, std::exception_ptr problem);
  bool inside(const Request& r) const;
  Task<> execute(Connection& c, Request& r);
  std::vector<std::uint8_t> head_of(const Connection& c, Request& r, std::string why);
  std::uint16_t transmission_flags(const Connection& c) const;

  std::shared_ptr<Volume> volume_;
  NbdOptions options_;
  std::vector<int> listeners_;
  int stop_pipe_[2] = {-1, -1};
  int port_ = -1;
  std::thread acceptor_;

  std::mutex m_;
  std::list<std::pair<std::shared_ptr<Connection>, std::thread>> connections_;
  bool stop_ = false;
  NbdCounters count_;
};

}  // namespace kumihimo::storage
