// SPDX-License-Identifier: Apache-2.0
//
// A model of a node behind the C interface of kumi/abi.h, in place of a Verilated library.
//
// N is made from a kumi_node_config and has port, reset, setup, run, last_activity, set_pin,
// get_pin, push, pop, pending as kumi_node_api says them, and memory(port) if it has one. Models
// have no waveforms and never fail.
#pragma once

#include <cstring>

#include "kumi/abi.h"

namespace kumihimo::model {

// The queues of a node's ports, as the engine takes and fills them.
template <std::size_t Count>
class Ports {
 public:
  Ports() = default;
  ~Ports() {
    for (kumi_port& p : ports_) {
      std::free(p.lane_rx.buf);
      std::free(p.lane_tx.buf);
    }
  }
  Ports(const Ports&) = delete;
  Ports& operator=(const Ports&) = delete;

  kumi_port& operator[](std::size_t i) { return ports_[i]; }
  kumi_port* at(std::size_t i) { return i < Count ? &ports_[i] : nullptr; }

 private:
  kumi_port ports_[Count] = {};
};

template <class N>
N& self(kumi_node* n) {
  return *reinterpret_cast<N*>(n);
}
template <class N>
const N& self(const kumi_node* n) {
  return *reinterpret_cast<const N*>(n);
}

template <class N>
kumi_node_api make_api(const kumi_design_info& info) {
  kumi_node_api api = {};
  api.info = &info;
  api.create = [](const kumi_node_config* c) { return reinterpret_cast<kumi_node*>(new N(*c)); };
  api.destroy = [](kumi_node* n) { delete &self<N>(n); };
  api.port = [](kumi_node* n, uint32_t i) { return self<N>(n).port(i); };
  api.reset = [](kumi_node* n, uint32_t cycles) { self<N>(n).reset(cycles); };
  api.setup = [](kumi_node* n, uint32_t cycles) { self<N>(n).setup(cycles); };
  api.run = [](kumi_node* n, uint64_t until) { return self<N>(n).run(until); };
  api.last_activity = [](const kumi_node* n) { return self<N>(n).last_activity(); };
  api.set_pin = [](kumi_node* n, uint32_t i, const uint32_t* w) { self<N>(n).set_pin(i, w); };
  api.get_pin = [](const kumi_node* n, uint32_t i, uint32_t* w) { self<N>(n).get_pin(i, w); };
  api.axil_push = [](kumi_node* n, uint32_t, const kumi_axil_op* op) { self<N>(n).push(*op); };
  api.axil_pop = [](kumi_node* n, uint32_t, kumi_axil_op* op) { return self<N>(n).pop(*op); };
  api.axil_pending = [](const kumi_node* n, uint32_t) { return self<N>(n).pending(); };
  api.trace = [](kumi_node*, int) {};
  api.failed = [](const kumi_node*, const char** text) {
    if (text != nullptr) *text = "";
    return 0;
  };
  api.toggle = [](kumi_node* n, uint64_t cycles) {
    self<N>(n).setup(static_cast<uint32_t>(cycles));
  };
  if constexpr (requires(N& n) { n.memory(0u); }) {
    api.mem_read = [](const kumi_node* n, uint32_t i, uint64_t addr, void* data, uint64_t bytes) {
      self<N>(n).memory(i).read(addr, static_cast<uint8_t*>(data), bytes);
    };
    api.mem_write = [](kumi_node* n, uint32_t i, uint64_t addr, const void* data, uint64_t bytes) {
      self<N>(n).memory(i).write(addr, static_cast<const uint8_t*>(data), bytes);
    };
    api.mem_fault = [](kumi_node* n, uint32_t i, uint64_t addr, uint64_t bytes, int on) {
      self<N>(n).memory(i).fault(addr, bytes, on != 0);
    };
    api.mem_digest = [](kumi_node* n, uint32_t i) { return self<N>(n).memory(i).digest(); };
  } else {
    api.mem_read = [](const kumi_node*, uint32_t, uint64_t, void* data, uint64_t bytes) {
      std::memset(data, 0, bytes);
    };
    api.mem_write = [](kumi_node*, uint32_t, uint64_t, const void*, uint64_t) {};
    api.mem_fault = [](kumi_node*, uint32_t, uint64_t, uint64_t, int) {};
    api.mem_digest = [](kumi_node*, uint32_t) { return uint64_t{0}; };
  }
  api.finish = [](kumi_node*) {};
  return api;
}

}  // namespace kumihimo::model
