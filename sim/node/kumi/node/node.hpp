// SPDX-License-Identifier: Apache-2.0
//
// An instance of a Verilated design behind the C interface of kumi/abi.h.
//
// The generated adapter gives a class D with the tables and accessors of one design:
//   Model, Ports (a std::tuple of port classes; lane and ib have one for each direction), kPorts,
//   kClocks, kPins, kPinWords, kRestless, info(), set_clock(m, i, v), set_resets(m, v),
//   set_pin(m, i, words), snapshot(m, words), busy(m), kPinOffset[], kPinInput[], kLoops.
//
// A cycle takes two evaluations: clk low with the new inputs settles the outputs, the handshakes
// are sampled, clk high moves the state. With several clocks each group of edges at one time is
// such a pair. Port work in a cycle without traffic is a few comparisons.
#pragma once

#include <verilated.h>

#include <memory>
#include <tuple>
#include <utility>
#if VM_TRACE
#include <verilated_fst_c.h>
#endif

#include "kumi/node/axi.hpp"
#include "kumi/node/axil.hpp"
#include "kumi/node/hdr.hpp"
#include "kumi/node/ib.hpp"
#include "kumi/node/lane.hpp"
#include "kumi/node/messages.hpp"
#include "kumi/node/sata.hpp"
#include "kumi/node/stream.hpp"

namespace kumi::node {

enum class Phase { kReset, kSetup, kRun };

template <class D>
class Node {
  using Model = typename D::Model;
  using Ports = typename D::Ports;
  static constexpr unsigned kPorts = D::kPorts;
  static constexpr unsigned kClocks = D::kClocks;

 public:
  explicit Node(const kumi_node_config& config) {
    messages_.connect(config.log, config.log_ctx, D::kLoops);
    Enter enter(*this);
    for (unsigned i = 0; i < kClocks; ++i) {
      period_ps_[i] = config.period_ps[i] != 0 ? config.period_ps[i] : 1;
      phase_ps_[i] = config.phase_ps != nullptr ? config.phase_ps[i] : 0;
      next_ps_[i] = phase_ps_[i];
    }
    context_.randSeed(static_cast<int>(config.seed % 0x7ffffffe) + 1);
    context_.randReset(2);
    context_.fatalOnError(false);
#if VM_TRACE
    if (config.trace_path != nullptr && *config.trace_path != '\0') {
      trace_path_ = config.trace_path;
      context_.traceEverOn(true);
    }
#endif
    model_ = std::make_unique<Model>(&context_, "top");
    // Verilator fills inputs with random bits too; pins start at zero.
    const uint32_t zeros[D::kPinWords + 1] = {};
    for (unsigned i = 0; i < D::kPins; ++i) set_pin(i, zeros);
    D::set_resets(*model_, true);
    each([&](auto& port) { port.close(*model_); });
    for (unsigned i = 0; i < kClocks; ++i) D::set_clock(*model_, i, false);
    settled([&] { model_->eval(); });
    D::snapshot(*model_, pins_);
  }

  ~Node() {
    finish();
    Enter enter(*this);
#if VM_TRACE
    if (trace_) trace_->close();
#endif
    model_.reset();
    for (kumi_port& p : ports_) {
      free(p.rx.buf);
      free(p.tx.buf);
      free(p.lane_rx.buf);
      free(p.lane_tx.buf);
    }
  }

  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  kumi_port* port(unsigned i) { return i < kPorts ? &ports_[i] : nullptr; }

  void reset(uint32_t cycles) {
    Enter enter(*this);
    D::set_resets(*model_, true);
    settled([&] { prepare<Phase::kReset>(cycles); });
    D::set_resets(*model_, false);
  }

  void setup(uint32_t cycles) {
    Enter enter(*this);
    settled([&] { prepare<Phase::kSetup>(cycles); });
  }

  uint64_t run(uint64_t until_ps) {
    Enter enter(*this);
    each([&](auto& port) { port.begin(ports_[port.kIndex]); });
    uint64_t edges = 0;
    settled([&] {
#if VM_TRACE
      if (trace_) {
        edges = run_many<Phase::kRun, true>(until_ps);
        return;
      }
#endif
      if constexpr (kClocks == 1) {
        edges = run_single(until_ps);
      } else {
        edges = run_many<Phase::kRun, false>(until_ps);
      }
    });
    return edges;
  }

  // Runs the design's `final` blocks, once.
  void finish() {
    if (finished_) return;
    finished_ = true;
    Enter enter(*this);
    model_->final();
    messages_.flush();
  }

  uint64_t last_activity() const { return last_activity_; }

  void set_pin(uint32_t i, const uint32_t* words) {
    if (i < D::kPins && D::kPinInput[i]) D::set_pin(*model_, i, words);
  }
  void get_pin(uint32_t i, uint32_t* words) const {
    if (i >= D::kPins) return;
    if (D::kPinInput[i]) {
      D::get_pin(*model_, i, words);
    } else {
      const unsigned from = D::kPinOffset[i];
      std::memcpy(words, pins_ + from, (D::kPinOffset[i + 1] - from) * sizeof(uint32_t));
    }
  }

  void axil_push(uint32_t index, const kumi_axil_op* op) {
    axil(index, [&](auto& port) { port.push(*op); });
  }
  int axil_pop(uint32_t index, kumi_axil_op* op) {
    int got = 0;
    axil(index, [&](auto& port) { got = port.pop(*op) ? 1 : 0; });
    return got;
  }
  uint64_t axil_pending(uint32_t index) {
    uint64_t n = 0;
    axil(index, [&](auto& port) { n = port.outstanding(); });
    return n;
  }

  void mem_read(uint32_t index, uint64_t addr, void* data, uint64_t bytes) {
    memory(index, [&](Memory& mem) { mem.read(addr, static_cast<uint8_t*>(data), bytes); });
  }
  void mem_write(uint32_t index, uint64_t addr, const void* data, uint64_t bytes) {
    memory(index, [&](Memory& mem) { mem.write(addr, static_cast<const uint8_t*>(data), bytes); });
  }
  void mem_fault(uint32_t index, uint64_t addr, uint64_t bytes, bool on) {
    memory(index, [&](Memory& mem) { mem.fault(addr, bytes, on); });
  }
  uint64_t mem_digest(uint32_t index) {
    uint64_t digest = 0;
    memory(index, [&](Memory& mem) { digest = mem.digest(); });
    return digest;
  }

  void trace([[maybe_unused]] bool on) {
#if VM_TRACE
    Enter enter(*this);
    if (trace_path_.empty()) return;
    if (on && !trace_) {
      trace_ = std::make_unique<VerilatedFstC>();
      model_->trace(trace_.get(), 99);
      trace_->open(trace_path_.c_str());
      if (!trace_->isOpen()) {
        messages_.print(("%Warning: cannot write the waveform " + trace_path_ + "\n").c_str());
        trace_.reset();
        trace_path_.clear();
      }
    } else if (!on && trace_) {
      trace_->close();
      trace_.reset();
      // A second opening would overwrite the first part.
      trace_path_ += ".next.fst";
    }
#endif
  }

  int failed(const char** text) const {
    if (text != nullptr) *text = messages_.text();
    return messages_.failed() ? 1 : 0;
  }

  void toggle(uint64_t cycles) {
    Enter enter(*this);
    Model& m = *model_;
    settled([&] {
      for (uint64_t i = 0; i < cycles; ++i) {
        D::set_clock(m, 0, false);
        m.eval();
        D::set_clock(m, 0, true);
        m.eval();
      }
    });
  }

 private:
  // The Verilated runtime and the hooks find the instance through thread-local pointers.
  struct Enter {
    explicit Enter(Node& node) : before(Messages::current()) {
      Messages::current() = &node.messages_;
      Verilated::threadContextp(&node.context_);
    }
    ~Enter() { Messages::current() = before; }
    Enter(const Enter&) = delete;
    Enter& operator=(const Enter&) = delete;
    Messages* before;
  };

  template <class F>
  static void settled(F&& evaluate) {
    try {
      evaluate();
    } catch (const NeverSettles&) {  // the messages have it
    }
  }

  template <class F>
  void each(F&& f) {
    std::apply([&](auto&... port) { (f(port), ...); }, port_logic_);
  }

  template <class F>
  void axil(uint32_t index, F&& f) {
    each([&](auto& port) {
      if constexpr (std::remove_reference_t<decltype(port)>::kAxil) {
        if (port.kIndex == index) f(port);
      }
    });
  }

  template <class F>
  void memory(uint32_t index, F&& f) {
    each([&](auto& port) {
      if constexpr (requires { port.memory(); }) {
        if (port.kIndex == index) f(port.memory());
      }
    });
  }

  template <Phase P, class Port>
  static constexpr bool active() {
    return P == Phase::kRun || (P == Phase::kSetup && Port::kAxil);
  }

  uint64_t run_single(uint64_t until_ps) {
    uint64_t t = next_ps_[0];
    if (t >= until_ps) return 0;
    const uint64_t period = period_ps_[0];
    const uint64_t n = (until_ps - 1 - t) / period + 1;
    next_ps_[0] = t + n * period;
    Model& m = *model_;
    for (uint64_t i = 0; i < n; ++i, t += period) {
      if (messages_.failed()) [[unlikely]]
        return i;
      context_.time(t);
      each([&](auto& port) { port.drive(m, ports_[port.kIndex], t); });
      D::set_clock(m, 0, false);
      m.eval();
      bool moved = false;
      each([&](auto& port) { moved |= port.sample(m, ports_[port.kIndex], t); });
      if constexpr (D::kRestless) moved |= D::busy(m);
      if (moved) last_activity_ = t;
      if (i + 1 == n) D::snapshot(m, pins_);
      D::set_clock(m, 0, true);
      m.eval();
    }
    return n;
  }

  // Any number of clocks; also the way of reset, set-up and traced runs.
  template <Phase P, bool Traced>
  uint64_t run_many(uint64_t until_ps) {
    Model& m = *model_;
    uint64_t core_edges = 0;
    uint64_t t = soonest();
    while (t < until_ps) {
      uint32_t rising = 0;
      uint64_t half = kNever;
      for (unsigned c = 0; c < kClocks; ++c) {
        if (next_ps_[c] != t) continue;
        rising |= 1u << c;
        next_ps_[c] = t + period_ps_[c];
        if (period_ps_[c] / 2 < half) half = period_ps_[c] / 2;
      }
      const uint64_t after = soonest();
      if (messages_.failed()) [[unlikely]] {
        t = after;
        continue;
      }
      context_.time(t);
      each([&](auto& port) {
        if constexpr (active<P, std::remove_reference_t<decltype(port)>>()) {
          if ((rising >> port.kClock & 1) != 0) port.drive(m, ports_[port.kIndex], t);
        }
      });
      for (unsigned c = 0; c < kClocks; ++c) {
        if ((rising >> c & 1) != 0) D::set_clock(m, c, false);
      }
      m.eval();
      dump<Traced>(t > half ? t - half : 0);
      bool moved = false;
      each([&](auto& port) {
        if constexpr (active<P, std::remove_reference_t<decltype(port)>>()) {
          if ((rising >> port.kClock & 1) != 0) {
            moved |= port.sample(m, ports_[port.kIndex], t);
          }
        }
      });
      if constexpr (P == Phase::kRun) {
        if constexpr (D::kRestless) moved |= D::busy(m);
        if (moved) last_activity_ = t;
      }
      if (after >= until_ps) D::snapshot(m, pins_);
      for (unsigned c = 0; c < kClocks; ++c) {
        if ((rising >> c & 1) != 0) D::set_clock(m, c, true);
      }
      m.eval();
      dump<Traced>(t);
      core_edges += rising & 1;
      t = after;
    }
    return core_edges;
  }

  uint64_t soonest() const {
    uint64_t t = next_ps_[0];
    for (unsigned c = 1; c < kClocks; ++c) {
      if (next_ps_[c] < t) t = next_ps_[c];
    }
    return t;
  }

  template <Phase P>
  void prepare(uint32_t cycles) {
    uint64_t slowest = 0;
    for (unsigned c = 0; c < kClocks; ++c) {
      next_ps_[c] = phase_ps_[c];
      if (period_ps_[c] > slowest) slowest = period_ps_[c];
    }
    each([&](auto& port) {
      if constexpr (P == Phase::kReset || !std::remove_reference_t<decltype(port)>::kAxil) {
        port.close(*model_);
      }
    });
    run_many<P, false>(slowest * cycles);
    for (unsigned c = 0; c < kClocks; ++c) next_ps_[c] = phase_ps_[c];
  }

  template <bool Traced>
  void dump([[maybe_unused]] uint64_t t) {
#if VM_TRACE
    if constexpr (Traced) {
      if (traced_any_ && t <= traced_ps_) t = traced_ps_ + 1;
      traced_any_ = true;
      traced_ps_ = t;
      trace_->dump(t);
    }
#endif
  }

  VerilatedContext context_;
  std::unique_ptr<Model> model_;
  Ports port_logic_;
  kumi_port ports_[kPorts != 0 ? kPorts : 1] = {};
  uint64_t period_ps_[kClocks] = {};
  uint64_t phase_ps_[kClocks] = {};
  uint64_t next_ps_[kClocks] = {};
  uint64_t last_activity_ = kNever;
  uint32_t pins_[D::kPinWords + 1] = {};
  Messages messages_;
  bool finished_ = false;
#if VM_TRACE
  std::unique_ptr<VerilatedFstC> trace_;
  std::string trace_path_;
  uint64_t traced_ps_ = 0;
  bool traced_any_ = false;
#endif
};

template <class D>
const kumi_node_api* make_api() {
  using N = Node<D>;
  static const auto self = [](kumi_node* n) { return reinterpret_cast<N*>(n); };
  static const auto view = [](const kumi_node* n) { return reinterpret_cast<const N*>(n); };
  static const kumi_node_api api = {
      D::info(),
      [](const kumi_node_config* c) { return reinterpret_cast<kumi_node*>(new N(*c)); },
      [](kumi_node* n) { delete self(n); },
      [](kumi_node* n, uint32_t i) { return self(n)->port(i); },
      [](kumi_node* n, uint32_t cycles) { self(n)->reset(cycles); },
      [](kumi_node* n, uint32_t cycles) { self(n)->setup(cycles); },
      [](kumi_node* n, uint64_t until) { return self(n)->run(until); },
      [](const kumi_node* n) { return view(n)->last_activity(); },
      [](kumi_node* n, uint32_t i, const uint32_t* words) { self(n)->set_pin(i, words); },
      [](const kumi_node* n, uint32_t i, uint32_t* words) { view(n)->get_pin(i, words); },
      [](kumi_node* n, uint32_t p, const kumi_axil_op* op) { self(n)->axil_push(p, op); },
      [](kumi_node* n, uint32_t p, kumi_axil_op* op) { return self(n)->axil_pop(p, op); },
      [](const kumi_node* n, uint32_t p) { return const_cast<N*>(view(n))->axil_pending(p); },
      [](kumi_node* n, int on) { self(n)->trace(on != 0); },
      [](const kumi_node* n, const char** text) { return view(n)->failed(text); },
      [](kumi_node* n, uint64_t cycles) { self(n)->toggle(cycles); },
      [](const kumi_node* n, uint32_t p, uint64_t addr, void* data, uint64_t bytes) {
        const_cast<N*>(view(n))->mem_read(p, addr, data, bytes);
      },
      [](kumi_node* n, uint32_t p, uint64_t addr, const void* data, uint64_t bytes) {
        self(n)->mem_write(p, addr, data, bytes);
      },
      [](kumi_node* n, uint32_t p, uint64_t addr, uint64_t bytes, int on) {
        self(n)->mem_fault(p, addr, bytes, on != 0);
      },
      [](kumi_node* n, uint32_t p) { return self(n)->mem_digest(p); },
      [](kumi_node* n) { self(n)->finish(); },
  };
  return &api;
}

}  // namespace kumi::node
