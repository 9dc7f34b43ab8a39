// SPDX-License-Identifier: Apache-2.0
//
// A single node, driven cycle by cycle from a test: frames in and out, pins, registers, and the
// cycle of each beat.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "disk/disk.hpp"
#include "lane/lane_link.hpp"
#include "node/node_library.hpp"

namespace kumihimo {

struct BenchFrame {
  uint64_t t_first_ps = 0;  // of the first beat
  uint64_t t_last_ps = 0;   // of the last beat
  uint64_t user = 0;        // of the last beat
  uint32_t id = 0;
  uint32_t dest = 0;
  bool bad = false;
  uint32_t beats = 0;
  std::string data;
  std::vector<uint64_t> users;      // of every beat
  std::vector<uint64_t> beat_ps;    // of every beat
  std::vector<uint8_t> beat_bytes;  // of every beat
};

struct Span {
  uint64_t first_ps = 0;
  uint64_t last_ps = 0;
};

class NodeBench {
 public:
  NodeBench(const std::string& path, const std::map<std::string, uint64_t>& periods_ps,
            const std::map<std::string, uint64_t>& phases_ps, uint64_t seed,
            const std::string& trace, const std::string& name);
  ~NodeBench();
  NodeBench(const NodeBench&) = delete;
  NodeBench& operator=(const NodeBench&) = delete;

  const NodeLibrary& library() const { return *library_; }
  uint64_t period_ps() const { return periods_[0]; }
  uint64_t now_ps() const { return now_ps_; }
  uint64_t cycle() const { return now_ps_ / periods_[0]; }

  void reset(uint32_t cycles, uint32_t settle);
  void run(uint64_t cycles);
  // Runs until a port has `frames` frames beyond the popped ones; false after the time-out.
  bool run_until_frames(int port, uint64_t frames, uint64_t timeout_cycles);
  // Runs until the node has accepted everything pushed.
  bool run_until_taken(uint64_t timeout_cycles);

  // piece_bytes: size of the pieces that the frame arrives in, 0 for the port's own width.
  void push(int port, const std::string& data, const std::vector<uint64_t>& users, uint32_t id,
            uint32_t dest, bool bad, uint64_t t_ps, uint32_t piece_bytes = 0);
  std::vector<BenchFrame> pop(int port);
  std::vector<Span> taken(int port);
  uint64_t waiting(int port) const;

  kumi_port& port(int index) const;
  void stall(int index, double rx, double tx, uint64_t seed);
  void line(int index, double ps_per_byte, uint32_t overhead, uint32_t rx_limit);

  // Memory ports.
  void memory(int index, const kumi_port_config& settings);
  std::string mem_read(int index, uint64_t addr, uint64_t bytes) const;
  void mem_write(int index, uint64_t addr, const std::string& data);
  void mem_fault(int index, uint64_t addr, uint64_t bytes, bool on);

  // Lanes and InfiniBand ports: connects one direction to another or back; queues blocks, one per
  // cycle; records the blocks that leave.
  void lane_tie(int from, int to, const LaneConfig& config, bool noise);
  void lane_plug(int from, bool in);
  void ib_flip(int from, BitFlip what);  // of the next block
  void lane_push(int index, const std::vector<std::pair<uint64_t, uint32_t>>& blocks,
                 uint32_t shift);
  void lane_keep(int index);
  std::vector<kumi_block> lane_take(int index);

  void set_pin(int index, const std::vector<uint32_t>& words);
  std::vector<uint32_t> get_pin(int index) const;
  void watch(int index);
  std::vector<uint64_t> watched(int index, bool clear);

  // Attaches a disk to a sata port, replacing any other, and powers it on.
  void join_disk(int index, const std::string& name, const DiskOptions& options);
  // Detaches the disk of a port, if any: the line goes dark, unwritten cache content is lost.
  void remove_disk(int index);
  Disk& disk(int index);

  void axil_push(int index, const kumi_axil_op& op);
  std::vector<kumi_axil_op> axil_done(int index);
  kumi_axil_op axil(int index, kumi_axil_op op);

  void trace(bool on);
  bool failed(std::string& text) const;
  // Of all ports; the counters of each say which.
  uint64_t protocol_errors() const;
  void toggle(uint64_t cycles) { node_->api().toggle(node_->get(), cycles); }
  uint64_t run_raw(uint64_t cycles);
  std::vector<std::pair<int, std::string>> messages() const { return messages_; }

 private:
  struct PortState {
    BenchFrame open;
    bool inside = false;
    std::vector<BenchFrame> frames;
    std::vector<Span> spans;
    Span span;
    bool taking = false;
    uint64_t seen_beats = 0;
    uint64_t seen_frames = 0;
    uint64_t pushed = 0;
    uint64_t line_free_ps = 0;
  };

  struct LaneTie {
    int from;
    int to;
    std::unique_ptr<LaneLink> link;
  };

  void step();
  uint64_t advance(uint64_t cycles);
  void collect(uint32_t index);
  void note_taken(uint32_t index, uint64_t t);

  std::shared_ptr<NodeLibrary> library_;
  std::unique_ptr<NodeInstance> node_;
  std::vector<uint64_t> periods_;
  std::vector<PortState> ports_;
  std::map<int, std::vector<uint64_t>> watches_;
  std::vector<int> lanes_;
  std::vector<LaneTie> ties_;
  std::map<int, std::vector<kumi_block>> kept_;
  std::map<int, std::unique_ptr<Disk>> disks_;
  std::map<int, uint64_t> lane_next_ps_;
  unsigned parity_ = 0;
  std::vector<std::pair<int, std::string>> messages_;
  uint64_t now_ps_ = 0;
};

}  // namespace kumihimo
