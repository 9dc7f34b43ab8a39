// SPDX-License-Identifier: Apache-2.0
//
// A hand-written node library without RTL, for tests of the engine.
//
// Ports: eth0, eth1 (frames that arrive on one are sent back on the same, addresses swapped,
// store-and-forward), s_axil. Clocks: clk, and aux_clk which only counts. Pins: busy (out),
// work (in, 32 bits: rounds of a mixer a cycle, to cost time), leds (out, 40 bits), mode (in, 8:
// 1 = do not echo, 2 = fail at the next edge).
// Registers: 0x00 id, 0x04 scratch, 0x08 frames echoed, 0x0c cycles (low word), 0x10 generator:
// frames left to send on eth0, 0x14 their length, 0x18 cycles between their starts, 0x1c/0x20
// destination MAC (low 32, high 16), 0x24/0x28 own MAC, 0x2c VLAN tag (0: none), 0x30 answers
// SLVERR, 0x34 never answers.
#include <array>
#include <cstdio>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "kumi/abi.h"

namespace {

constexpr unsigned kEth = 2, kAxil = 2, kPorts = 3;
enum { kPinBusy, kPinWork, kPinLeds, kPinMode, kPins };

struct Frame {
  std::vector<uint8_t> data;
  bool bad = false;
};

struct Line {
  std::vector<uint8_t> rx;
  uint64_t queued = 0;  // bytes of rx taken but not yet echoed
  std::deque<Frame> tx;
  size_t sent = 0;
  uint64_t start_ps = 0, free_ps = 0;
  bool sending = false;
};

struct Node {
  std::string name;
  std::array<uint64_t, 2> period{}, next{};
  kumi_port port[kPorts] = {};
  Line line[kEth];
  std::deque<kumi_axil_op> ops, done;
  uint64_t op_wait = 0;
  std::array<uint32_t, 16> regs{};
  uint64_t cycles = 0, aux = 0, last = UINT64_MAX, gen_at = 0, sequence = 0;
  uint32_t work = 0, mode = 0;
  uint64_t state = 0;
  bool reset_done = false;
  std::string failure;
  void (*log)(void*, int, const char*) = nullptr;
  void* ctx = nullptr;
};

void swap_addresses(std::vector<uint8_t>& f) {
  for (int i = 0; i < 6 && f.size() >= 12; ++i) std::swap(f[i], f[6 + i]);
}

void receive(Node& n, unsigned p, uint64_t now) {
  kumi_queue* q = &n.port[p].rx;
  Line& l = n.line[p];
  if (!kumi_queue_size(q) || kumi_queue_front(q)->t_ps > now) return;
  const kumi_beat b = *kumi_queue_front(q);
  kumi_queue_pop(q);
  n.last = now;
  l.rx.insert(l.rx.end(), b.data, b.data + b.len);
  ++n.port[p].stats.rx_beats;
  n.port[p].stats.rx_bytes += b.len;
  if (!(b.flags & KUMI_LAST)) return;
  ++n.port[p].stats.rx_frames;
  if (!(b.flags & KUMI_BAD) && !(n.mode & 1)) {
    swap_addresses(l.rx);
    l.tx.push_back({l.rx, false});
    ++n.regs[2];
  }
  l.rx.clear();
}

void generate(Node& n) {
  if (!n.regs[4] || n.cycles < n.gen_at) return;
  n.gen_at = n.cycles + n.regs[6];
  --n.regs[4];
  Frame f;
  f.data.resize(n.regs[5] < 60 ? 60 : n.regs[5]);
  const uint64_t dst = (uint64_t)n.regs[8] << 32 | n.regs[7];
  const uint64_t src = (uint64_t)n.regs[10] << 32 | n.regs[9];
  for (int i = 0; i < 6; ++i) {
    f.data[i] = (uint8_t)(dst >> (40 - 8 * i));
    f.data[6 + i] = (uint8_t)(src >> (40 - 8 * i));
  }
  size_t at = 12;
  if (n.regs[11]) {
    f.data[at++] = 0x81;
    f.data[at++] = 0x00;
    f.data[at++] = (uint8_t)(n.regs[11] >> 8);
    f.data[at++] = (uint8_t)n.regs[11];
  }
  f.data[at++] = 0x88;
  f.data[at++] = 0xb5;
  const uint64_t s = n.sequence++;
  std::memcpy(&f.data[at], &s, 8);
  n.line[0].tx.push_back(f);
}

void transmit(Node& n, unsigned p, uint64_t now) {
  Line& l = n.line[p];
  const kumi_port_config& c = n.port[p].cfg;
  if (!l.sending) {
    if (l.tx.empty() || l.free_ps > now) return;
    l.sending = true;
    l.sent = 0;
    l.start_ps = now;
  }
  Frame& f = l.tx.front();
  const size_t to = f.data.size() - l.sent > 8 ? l.sent + 8 : f.data.size();
  const uint64_t t = l.start_ps + (uint64_t)(c.ps_per_byte * (double)(8 + to));
  kumi_beat* b = kumi_queue_push(&n.port[p].tx);
  b->t_ps = t < now ? now : t;
  b->user = 0;
  b->dest = 0;
  b->id = 0;
  b->len = (uint8_t)(to - l.sent);
  b->flags = (uint8_t)((l.sent == 0 ? KUMI_FIRST : 0) | (to == f.data.size() ? KUMI_LAST : 0));
  std::memcpy(b->data, f.data.data() + l.sent, b->len);
  n.last = now;
  l.sent = to;
  ++n.port[p].stats.tx_beats;
  n.port[p].stats.tx_bytes += b->len;
  if (!(b->flags & KUMI_LAST)) return;
  ++n.port[p].stats.tx_frames;
  l.free_ps = b->t_ps + (uint64_t)(c.ps_per_byte * (double)(c.frame_overhead - 8));
  l.sending = false;
  l.tx.pop_front();
}

void registers(Node& n, uint64_t now) {
  if (n.ops.empty()) return;
  kumi_axil_op op = n.ops.front();
  if (op.t_ps > now) return;
  const uint32_t index = op.addr / 4;
  op.resp = 0;
  if (op.addr == 0x34) {
    if (++n.op_wait < 1000) return;
    op.resp = 255;
  } else if (op.addr == 0x30) {
    op.resp = 2;
  } else if (op.addr >= 0x40) {
    op.resp = 3;
  } else if (op.write) {
    n.regs[index] = op.data;
  } else {
    op.data = index == 0 ? 0x6b756d69 : index == 3 ? (uint32_t)n.cycles : n.regs[index];
  }
  n.op_wait = 0;
  if (now != UINT64_MAX) n.last = now;
  n.done.push_back(op);
  n.ops.pop_front();
}

void edge(Node& n, uint64_t now) {
  ++n.cycles;
  for (uint32_t i = 0; i < n.work; ++i) {
    n.state = (n.state ^ (n.state >> 29) ^ n.cycles) * 0xbf58476d1ce4e5b9ULL;
  }
  if (n.mode & 2) {
    n.failure = "assertion failed: mode has bit 1";
    return;
  }
  registers(n, now);
  generate(n);
  for (unsigned p = 0; p < kEth; ++p) {
    receive(n, p, now);
    transmit(n, p, now);
  }
}

const char* kClocks[] = {"clk", "aux_clk"};
const kumi_port_info kPortInfo[] = {
    {"eth0", KUMI_PORT_ETH, KUMI_TO_NODE | KUMI_FROM_NODE, 64, 64, 0, 0, 0},
    {"eth1", KUMI_PORT_ETH, KUMI_TO_NODE | KUMI_FROM_NODE, 64, 64, 0, 0, 0},
    {"", KUMI_PORT_AXIL, KUMI_TO_NODE | KUMI_FROM_NODE, 32, 32, 0, 0, 0},
};
const kumi_pin_info kPinInfo[] = {{"busy", 1, 1}, {"work", 0, 32}, {"leds", 1, 40}, {"mode", 0, 8}};
const kumi_design_info kInfo = {KUMI_ABI_VERSION, "fake_echo", "fake-1", 2,        kClocks,
                                kPorts,           kPortInfo,   kPins,    kPinInfo, 1};

Node* self(kumi_node* n) { return reinterpret_cast<Node*>(n); }
const Node* self(const kumi_node* n) { return reinterpret_cast<const Node*>(n); }

kumi_node* create(const kumi_node_config* c) {
  Node* n = new Node;
  n->name = c->name;
  n->log = c->log;
  n->ctx = c->log_ctx;
  for (int i = 0; i < 2; ++i) {
    n->period[i] = c->period_ps[i];
    n->next[i] = c->phase_ps ? c->phase_ps[i] : 0;
  }
  return reinterpret_cast<kumi_node*>(n);
}

void destroy(kumi_node* k) {
  for (kumi_port& p : self(k)->port) {
    free(p.rx.buf);
    free(p.tx.buf);
  }
  delete self(k);
}

uint64_t run(kumi_node* k, uint64_t until) {
  Node& n = *self(k);
  const uint64_t before = n.cycles;
  for (;;) {
    const int c = n.next[1] < n.next[0] ? 1 : 0;
    if (n.next[c] >= until) break;
    if (c == 0) {
      edge(n, n.next[0]);
    } else {
      ++n.aux;
    }
    n.next[c] += n.period[c];
  }
  return n.cycles - before;
}

void get_pin(const kumi_node* k, uint32_t index, uint32_t* words) {
  const Node& n = *self(k);
  if (index == kPinBusy) words[0] = n.regs[4] != 0 || !n.line[0].tx.empty();
  if (index == kPinWork) words[0] = n.work;
  if (index == kPinMode) words[0] = n.mode;
  if (index == kPinLeds) {
    words[0] = (uint32_t)n.aux;
    words[1] = (uint32_t)(n.aux >> 32) & 0xff;
  }
}

void set_pin(kumi_node* k, uint32_t index, const uint32_t* words) {
  if (index == kPinWork) self(k)->work = words[0];
  if (index == kPinMode) self(k)->mode = words[0];
}

const kumi_node_api kApi = {
    &kInfo,
    create,
    destroy,
    [](kumi_node* k, uint32_t i) { return &self(k)->port[i]; },
    [](kumi_node* k, uint32_t) {
      self(k)->reset_done = true;
      self(k)->log(self(k)->ctx, 0, "out of reset");
    },
    [](kumi_node* k, uint32_t cycles) {
      for (uint32_t i = 0; i < cycles; ++i) registers(*self(k), UINT64_MAX);
    },
    run,
    [](const kumi_node* k) { return self(k)->last; },
    set_pin,
    get_pin,
    [](kumi_node* k, uint32_t, const kumi_axil_op* op) { self(k)->ops.push_back(*op); },
    [](kumi_node* k, uint32_t, kumi_axil_op* op) {
      Node& n = *self(k);
      if (n.done.empty()) return 0;
      *op = n.done.front();
      n.done.pop_front();
      return 1;
    },
    [](const kumi_node* k, uint32_t) { return (uint64_t)(self(k)->ops.size()); },
    [](kumi_node* k, int on) { self(k)->log(self(k)->ctx, 0, on ? "trace on" : "trace off"); },
    [](const kumi_node* k, const char** text) {
      *text = self(k)->failure.c_str();
      return self(k)->failure.empty() ? 0 : 1;
    },
    [](kumi_node* k, uint64_t cycles) {
      for (uint64_t i = 0; i < cycles; ++i) edge(*self(k), 0);
    },
    nullptr,  // no memory port
    nullptr,
    nullptr,
    nullptr,
    [](kumi_node* k) { self(k)->log(self(k)->ctx, 0, "finished"); },
};

}  // namespace

extern "C" __attribute__((visibility("default"))) const kumi_node_api* kumi_node_api_v1(void) {
  return &kApi;
}
