// SPDX-License-Identifier: Apache-2.0
//
// A host port of a node: a guest at a vhost-user socket in place of the PCIe slot
// (docs/decisions/0006-nic.md). DMA of the node reads and writes the guest's memory, interrupts
// become its call descriptors, its kicks notifications. The rings are the node's affair alone.
//
// In a window the node's thread calls access(); everything else happens between windows, by the
// driving thread. What enters the node is recorded: register accesses by the engine, and here the
// answer to each DMA access. A replay takes these from the recording and has no guest.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/hash.hpp"
#include "base/stats.hpp"
#include "external/outside.hpp"
#include "external/poller.hpp"
#include "host/control_queue.hpp"
#include "host/guest_memory.hpp"
#include "host/vhost_socket.hpp"
#include "node/register_wait.hpp"

namespace kumihimo {

class HostPort : public Outside {
 public:
  // Starts a register access at the node, with someone who waits for it or nobody.
  using Push = std::function<void(const kumi_axil_op&, const std::shared_ptr<RegisterWait>&)>;
  // The next recorded answers to DMA accesses; empty: there are no more.
  using Source = std::function<Bytes()>;

  HostPort(std::string name, const std::string& path, std::uint32_t node, std::string port);
  ~HostPort() override;

  const std::string& name() const { return name_; }
  std::uint32_t node() const { return node_; }
  void set_push(Push push) { push_ = std::move(push); }
  void replay_from(Source source) { source_ = std::move(source); }

  void open(Poller& poller) override;
  void ready(std::uint32_t events, Ps now, const Inject& inject) override;
  void shut() override;

  // After each window: interrupts go out, and what waited for registers goes on.
  void after_window(Ps now);
  std::vector<std::uint16_t>& interrupts() { return interrupts_; }
  // The node has started over: the device has forgotten everything.
  void node_reset(Ps now);
  // Answers to DMA accesses since the last call, when they are recorded.
  void keep_answers() { keeps_ = true; }
  Bytes take_answers() { return std::exchange(answers_, {}); }

  void stats(Stats& out) const;
  std::string describe() const { return "host " + name_ + " " + port_; }
  // Of every DMA access, its answer, and the data of writes.
  std::uint64_t digest() const { return hash_.value(); }
  std::vector<Message>& pending_log() { return log_; }

  // kumi_host_fn
  static int access(void* self, int operation, std::uint64_t address, void* data,
                    std::uint64_t bytes);

 private:
  using Answers = std::vector<kumi_axil_op>;
  struct Job {
    std::vector<kumi_axil_op> ops;
    std::function<void(const Answers&)> then;
    std::vector<std::shared_ptr<RegisterWait>> waits;
  };
  struct Queue {
    std::uint32_t size = 0, base = 0;
    std::uint64_t descriptors = 0, available = 0, used = 0;  // addresses of the front end
    bool wanted = false;                                     // enabled by the front end
    bool running = false;                                    // enabled in the device
    OwnedFd kick, call;
  };

  // Messages (host_messages.cpp).
  void handle(VhostMessage& m);
  void answer(vhost::Request request, const void* payload, std::size_t bytes);
  void answer_word(vhost::Request request, std::uint64_t value);
  void set_features(std::uint64_t features);
  void negotiate();
  bool any_running() const;
  void set_memory_table(VhostMessage& m);
  void add_memory(VhostMessage& m);
  void remove_memory(const VhostMessage& m);
  void set_kick(VhostMessage& m);
  void set_call(VhostMessage& m);
  void get_config(const VhostMessage& m);
  void set_config(const VhostMessage& m);
  void get_vring_base(std::uint32_t index);
  void start_queue(std::uint32_t index);
  void stop_queue(std::uint32_t index, std::function<void()> then);
  void wait_for_reset(std::uint32_t index, unsigned tries, std::function<void()> then);
  void reset_device();
  void wait_for_status(unsigned tries);
  void write_regions();
  Queue& queue(std::uint32_t index);

  // Commands to a device whose front end has none (host_control.cpp).
  bool drives_control() const;
  std::uint32_t control_index() const;
  void update_control();
  void start_control();
  void command(std::uint8_t kind, std::uint8_t number, Bytes data);
  void wait_for_command(unsigned tries);

  // Registers and descriptors (host_port.cpp).
  void read_capabilities();
  void run(std::vector<kumi_axil_op> ops, std::function<void(const Answers&)> then);
  void start_job();
  bool idle() const { return jobs_.empty(); }
  void receive_messages();
  void kicked(std::uint32_t index);
  void interrupt(std::uint16_t vector);
  void leave(const std::string& why);
  void watch(int fd, std::uint32_t what);
  void drop_kick(Queue& q);
  void log(Level level, std::string text);
  int access(int operation, std::uint64_t address, std::uint8_t* data, std::uint64_t bytes);
  int access_guest(int operation, std::uint64_t address, void* data, std::uint64_t bytes);
  int access_recorded(int operation, void* data, std::uint64_t bytes);

  std::string name_;
  std::uint32_t node_;
  std::string port_;
  VhostSocket socket_;
  Poller* poller_ = nullptr;
  OwnedFd epoll_;
  Push push_;
  Source source_;
  GuestMemory memory_;
  ChainHash hash_;
  Ps now_ = 0;

  std::deque<Job> jobs_;
  std::uint64_t offered_ = 0;  // by the device
  std::uint64_t features_ = 0;
  std::uint64_t protocol_ = 0;
  std::uint32_t status_ = 0;
  std::vector<Queue> queues_;
  OwnedFd backend_;  // to the front end
  ControlQueue control_;
  bool control_runs_ = false;
  std::uint32_t control_pairs_ = 1;  // in use, as the device knows
  std::vector<std::uint16_t> interrupts_;

  bool keeps_ = false;
  Bytes answers_;  // {response, and of a read the data} of each access
  Bytes recorded_;
  std::size_t recorded_at_ = 0;

  std::vector<Message> log_;
  std::uint64_t connects_ = 0, kicks_ = 0, calls_ = 0, calls_lost_ = 0, messages_ = 0;
  std::uint64_t refused_accesses_ = 0;
};

}  // namespace kumihimo
