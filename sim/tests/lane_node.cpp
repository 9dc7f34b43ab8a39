// SPDX-License-Identifier: Apache-2.0
//
// A node library without RTL, for tests of the engine: two lanes and a memory. What it sends on
// each lane depends on all that it has seen, so one wrong block changes everything after it; every
// 16th cycle it stores a word.
#include <array>
#include <cstring>

#include "kumi/abi.h"
#include "kumi/node/memory.hpp"

namespace {

constexpr unsigned kLanes = 2, kMemory = 2, kPorts = 3;

struct Node {
  uint64_t period = 1, next = 0, cycles = 0;
  uint64_t state = 0x9e3779b97f4a7c15u;
  std::array<kumi_port, kPorts> port{};
  std::array<kumi_block, kLanes> seen{};
  kumi::node::Memory memory;
};

void edge(Node& n) {
  for (unsigned i = 0; i < kLanes; ++i) {
    kumi_port& p = n.port[i];
    kumi_blocks& q = p.lane_rx;
    for (; q.head != q.tail && q.buf[q.head & (q.cap - 1)].t_ps <= n.next; ++q.head) {
      n.seen[i] = q.buf[q.head & (q.cap - 1)];
      ++p.stats.rx_beats;
    }
    n.state = (n.state ^ n.seen[i].data ^ n.seen[i].head ^ n.seen[i].shift) * 0xbf58476d1ce4e5b9u;
    n.state ^= n.state >> 31;
    kumi_block& b = *kumi_blocks_push(&p.lane_tx);
    b = {};
    b.t_ps = n.next;
    b.data = n.state;
    b.head = n.state >> 60 & 3;
    ++p.stats.tx_beats;
  }
  if (n.cycles++ % 16 == 0) {
    n.memory.write(n.state & 0xfff8, reinterpret_cast<const uint8_t*>(&n.state), 8);
  }
  n.next += n.period;
}

const char* kClocks[] = {"clk"};
constexpr unsigned kBoth = KUMI_TO_NODE | KUMI_FROM_NODE;
const kumi_port_info kPortInfo[] = {{"l0_0", KUMI_PORT_LANE, kBoth, 64, 64, 0, 0, 0},
                                    {"l0_1", KUMI_PORT_LANE, kBoth, 64, 64, 0, 0, 0},
                                    {"host", KUMI_PORT_AXI, kBoth, 64, 64, 0, 0, 0}};
const kumi_pin_info kPinInfo[] = {{"busy", 1, 1}};
const kumi_design_info kInfo = {KUMI_ABI_VERSION, "fake_lanes", "fake-2", 1,        kClocks,
                                kPorts,           kPortInfo,    1,        kPinInfo, 0};

Node* self(kumi_node* n) { return reinterpret_cast<Node*>(n); }
const Node* self(const kumi_node* n) { return reinterpret_cast<const Node*>(n); }

const kumi_node_api kApi = {
    &kInfo,
    [](const kumi_node_config* c) {
      Node* n = new Node;
      n->period = c->period_ps[0];
      n->state ^= c->seed;
      return reinterpret_cast<kumi_node*>(n);
    },
    [](kumi_node* k) {
      for (kumi_port& p : self(k)->port) {
        free(p.lane_rx.buf);
        free(p.lane_tx.buf);
      }
      delete self(k);
    },
    [](kumi_node* k, uint32_t i) { return &self(k)->port[i]; },
    [](kumi_node*, uint32_t) {},
    [](kumi_node*, uint32_t) {},
    [](kumi_node* k, uint64_t until) {
      Node& n = *self(k);
      const uint64_t before = n.cycles;
      while (n.next < until) edge(n);
      return n.cycles - before;
    },
    [](const kumi_node*) { return UINT64_MAX; },
    [](kumi_node*, uint32_t, const uint32_t*) {},
    [](const kumi_node*, uint32_t, uint32_t* words) { words[0] = 0; },
    [](kumi_node*, uint32_t, const kumi_axil_op*) {},
    [](kumi_node*, uint32_t, kumi_axil_op*) { return 0; },
    [](const kumi_node*, uint32_t) { return uint64_t{0}; },
    [](kumi_node*, int) {},
    [](const kumi_node*, const char**) { return 0; },
    [](kumi_node* k, uint64_t cycles) {
      for (uint64_t i = 0; i < cycles; ++i) edge(*self(k));
    },
    [](const kumi_node* k, uint32_t, uint64_t addr, void* data, uint64_t bytes) {
      self(k)->memory.read(addr, static_cast<uint8_t*>(data), bytes);
    },
    [](kumi_node* k, uint32_t, uint64_t addr, const void* data, uint64_t bytes) {
      self(k)->memory.write(addr, static_cast<const uint8_t*>(data), bytes);
    },
    [](kumi_node* k, uint32_t, uint64_t addr, uint64_t bytes, int on) {
      self(k)->memory.fault(addr, bytes, on != 0);
    },
    [](kumi_node* k, uint32_t) { return self(k)->memory.digest(); },
    [](kumi_node*) {},
};

}  // namespace

extern "C" __attribute__((visibility("default"))) const kumi_node_api* kumi_node_api_v1(void) {
  return &kApi;
}
