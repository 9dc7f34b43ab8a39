// SPDX-License-Identifier: Apache-2.0
//
// A node: one instance of a node library, driven through the ABI.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/hash.hpp"
#include "net/actor.hpp"
#include "node/node_library.hpp"

namespace kumihimo {

struct NodeOptions {
  std::vector<Ps> periods_ps;  // per clock of the design
  std::vector<Ps> phases_ps;   // per clock, or empty
  std::uint64_t seed = 0;
  std::string trace_path;
  std::uint32_t reset_cycles = 16;
  std::uint32_t setup_cycles = 0;  // run after the last register write of set-up
  std::uint32_t rx_limit_bytes = 256 * 1024;
  bool away = false;  // another rank has the instance
};

// For messages: 0x and eight digits; SLVERR, DECERR, no answer.
std::string register_text(std::uint32_t address);
std::string response_text(std::uint8_t response);

class NodeActor : public Actor {
 public:
  NodeActor(std::string name, std::shared_ptr<NodeLibrary> library, NodeOptions options);
  ~NodeActor() override;

  const kumi_design_info& info() const { return *api_->info; }
  std::uint32_t port_index(const std::string& name) const override;
  void attached(std::uint32_t port, double rate_bps) override;
  // Connects a lane or an InfiniBand port, by name, to its cable.
  std::uint32_t lane_index(const std::string& name) const;
  Ps port_period(std::uint32_t port) const { return options_.periods_ps[info().ports[port].clock]; }
  void lane_attached(std::uint32_t port, Ps delay_ps, bool noise);
  // Attaches a disk to a port by name; also the period of its clock.
  std::uint32_t sata_index(const std::string& name) const;
  bool has_device(std::uint32_t port) const { return raw_[port]->sata != nullptr; }
  Ps join_device(std::uint32_t port, kumi_sata_fn device, void* ctx);
  // A host port NAME: memory port NAME, register port NAME and record port NAME_irq. From now on
  // `access` is the memory, and records from the latter are added to `interrupts`.
  void join_host(const std::string& name, kumi_host_fn access, void* ctx,
                 std::vector<std::uint16_t>* interrupts);
  // A non-Ethernet stream port, for a channel.
  std::uint32_t stream_index(const std::string& name) const;
  bool holds_bad_frames() const override { return true; }
  bool quiet(Ps now) const override;
  std::string failure() const override { return failure_; }
  void stats(Stats& out) const override;
  std::string describe() const override;

  // Between windows.
  void reset();
  // Starts over at `now`: a new instance, with registers and memories as after power-on. Its clocks
  // start at `now`; its lanes are dark for a microsecond. What it held is lost, and so are register
  // accesses under way (no answer).
  void restart(Ps now);
  void finish();        // runs the design's `final` blocks, and nothing afterwards
  void finish_setup();  // runs until every queued register operation has completed
  std::uint32_t axil_port(const std::string& name) const;
  void axil_push(std::uint32_t port, const kumi_axil_op& op);
  std::vector<kumi_axil_op>& axil_done() { return axil_done_; }
  std::uint32_t memory_port(const std::string& name) const;
  void set_memory(std::uint32_t port, const kumi_port_config& settings);
  Bytes mem_read(std::uint32_t port, std::uint64_t address, std::uint64_t bytes) const;
  void mem_write(std::uint32_t port, std::uint64_t address, const Bytes& data);
  void mem_fault(std::uint32_t port, std::uint64_t address, std::uint64_t bytes, bool on);
  std::uint32_t pin_index(const std::string& name) const;
  std::vector<std::uint32_t> get_pin(std::uint32_t pin) const;
  void set_pin(std::uint32_t pin, const std::vector<std::uint32_t>& words);
  void trace(bool on) {
    tracing_ = on;
    if (node_) api_->trace(node_, on);
  }
  const std::string& trace_path() const { return options_.trace_path; }
  // How far it may be ahead of an idle cluster, and up to when it has run.
  void set_lead(Ps lead_ps) { lead_ps_ = lead_ps; }
  Ps lead_ps() const { return lead_ps_; }
  Ps reached_ps() const { return reached_ps_; }
  void run_ahead(Ps now, Ps limit) override;

  // Digest of all beats that left the node, port by port, and of its memories.
  std::uint64_t digest() const;
  std::uint64_t cycles() const { return cycles_; }

 protected:
  void run(Ps from, Ps to) override;

 private:
  void create();
  void advance(Ps to);
  static void sata_step(void* device, std::uint64_t t_ps, const kumi_sata_word* from_node,
                        kumi_sata_word* to_node);
  void take_axil();
  void cut_lanes(Ps now);
  void receive_lane(std::size_t port);
  void take_lane(std::size_t port, Ps to);
  std::vector<std::vector<kumi_block>> lane_blocks_from(Ps now) const;
  void end_frame(std::size_t port, Ps now);
  void check_here() const;
  void check_memory(std::uint32_t port) const;
  void check_failed(Ps now);
  static void on_log(void* ctx, int level, const char* text);

  std::shared_ptr<NodeLibrary> library_;
  const kumi_node_api* api_;
  NodeOptions options_;
  kumi_node* node_ = nullptr;  // null: away
  std::vector<kumi_port*> raw_;
  std::vector<kumi_port> shells_;  // in place of those of an instance
  std::vector<ChainHash> hash_;
  std::vector<std::vector<std::uint16_t>*> interrupts_;  // of a port that carries them
  std::vector<std::uint64_t> unconnected_;  // frames that left through a port without a cable
  std::vector<std::uint32_t> axil_ports_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> driven_;  // input pins, as last set
  std::vector<kumi_axil_op> axil_done_;
  std::vector<kumi_axil_op> axil_open_;
  int busy_pin_ = -1;
  bool lanes_ = false;  // with a cable
  Ps lane_delay_ = 0;   // the longest
  std::uint64_t rx_wait_ = 0;
  bool rx_waits_ = false;  // a port stalled its input in the last window
  std::uint64_t cycles_ = 0;
  Ps now_ = 0;
  Ps lead_ps_ = 0;
  Ps reached_ps_ = 0;  // after now_ while it is ahead
  // After a restart the instance's time begins at `base_`.
  struct Device {
    NodeActor* node;
    kumi_sata_fn step;
    void* ctx;
  };
  struct Cut {
    bool rx_open = false, skip = false;  // toward the node: within a frame; dropping the rest of it
    bool tx_open = false;
    std::uint64_t came = 0;    // frames put into the port's queue
    std::uint64_t waited = 0;  // of these: were there at a restart
    std::uint64_t rest = 0;    // frames whose rest came after one
  };
  Ps base_ = 0;
  std::uint64_t restarts_ = 0;
  bool tracing_ = false;
  std::vector<Cut> cut_;
  std::vector<std::unique_ptr<Device>> devices_;
  std::string failure_;
};

}  // namespace kumihimo
