// SPDX-License-Identifier: Apache-2.0
//
// Calls from any thread: executed between two windows, or at once if nobody drives.
#include <algorithm>

#include "engine/drive.hpp"

namespace kumihimo {
namespace {

constexpr std::uint64_t kMaxMemoryBytes = std::uint64_t{1} << 32;

}  // namespace

void Engine::call(const std::function<void()>& work) {
  std::unique_lock lock(mutex_);
  if (!driving_) {
    work();
    return;
  }
  if (driver_ == std::this_thread::get_id()) {
    lock.unlock();
    settle();
    work();
    return;
  }
  Call c{work, false, nullptr};
  calls_.push_back(&c);
  have_calls_.store(true, std::memory_order_release);
  poller_.wake();
  changed_.wait(lock, [&] { return c.done; });
  if (c.error) std::rethrow_exception(c.error);
}

void Engine::run_calls() {
  std::vector<Call*> calls;
  {
    const std::lock_guard lock(mutex_);
    calls.swap(calls_);
    have_calls_.store(false, std::memory_order_release);
  }
  if (calls.empty()) return;
  for (Call* c : calls) {
    try {
      settle();
      c->work();
    } catch (...) {
      c->error = std::current_exception();
    }
  }
  {
    const std::lock_guard lock(mutex_);
    for (Call* c : calls) c->done = true;
  }
  changed_.notify_all();
}

// ---- registers --------------------------------------------------------------------------------

void Engine::push_register(std::uint32_t id, std::uint32_t port, kumi_axil_op op,
                           const std::shared_ptr<RegisterWait>& wait) {
  op.t_ps = now_ps();
  op.tag = ++tag_;
  if (recorder_) {
    recorder_->add(
        {op.t_ps, RegisterEvent{id, port, op.addr, op.data, op.strb, op.write != 0, false}});
  }
  if (wait && !node(id).away()) waits_.emplace(op.tag, wait);
  node(id).axil_push(port, op);
}

kumi_axil_op Engine::register_op(std::uint32_t id, const std::string& port_text, kumi_axil_op op,
                                 bool wait) {
  check_open("register access", false);
  if (ranked() && wait) throw Error("register access: this engine holds a part of a cluster");
  const std::uint32_t port = node(id).axil_port(port_text);
  auto state = std::make_shared<RegisterWait>();
  call([&] { push_register(id, port, op, state); });
  if (!wait) return op;
  for (;;) {
    std::unique_lock lock(mutex_);
    if (!state->done && driving_ && driver_ != std::this_thread::get_id()) {
      changed_.wait(lock, [&] { return state->done || !driving_; });
    }
    if (state->done) break;
    if (driving_ && driver_ != std::this_thread::get_id()) continue;
    lock.unlock();
    // Nobody drives: advance time here until the answer arrives.
    const Drive drive(*this, Drive::Kind::kCall);
    if (!drive.owns()) continue;
    while (!state->done) {
      if (!failure_.empty()) throw Error(failure_);
      if (closed_) throw Error("register access: the engine is closed");
      step(kForever);
    }
  }
  check_answer(node(id), state->op);
  return state->op;
}

void Engine::check_answer(const NodeActor& node, const kumi_axil_op& op) {
  if (op.resp == 0) return;
  throw Error("node '" + node.name() + "': " + (op.write ? "write to" : "read of") + " register " +
              register_text(op.addr) + ": " + response_text(op.resp));
}

std::uint32_t Engine::axil_read(std::uint32_t id, std::uint32_t address, const std::string& port) {
  kumi_axil_op op{};
  op.addr = address;
  return register_op(id, port, op, true).data;
}

void Engine::axil_write(std::uint32_t id, std::uint32_t address, std::uint32_t data,
                        const std::string& port, std::uint8_t strobe, bool wait) {
  if (!started_) {
    check_open("register access", true);
    setup_.push_back(
        {0, RegisterEvent{id, node(id).axil_port(port), address, data, strobe, true, true}});
    return;
  }
  kumi_axil_op op{};
  op.addr = address;
  op.data = data;
  op.strb = strobe;
  op.write = 1;
  register_op(id, port, op, wait);
}

// ---- pins -------------------------------------------------------------------------------------

std::vector<std::uint32_t> Engine::pin(std::uint32_t id, const std::string& name) {
  NodeActor& n = node(id);
  const std::uint32_t index = n.pin_index(name);
  std::vector<std::uint32_t> words;
  call([&] { words = n.get_pin(index); });
  return words;
}

void Engine::set_pin(std::uint32_t id, const std::string& name,
                     const std::vector<std::uint32_t>& words) {
  NodeActor& n = node(id);
  const std::uint32_t index = n.pin_index(name);
  if (n.info().pins[index].is_output) {
    throw Error("node '" + n.name() + "': pin '" + name + "' is an output");
  }
  if (!started_) {
    check_open("set_pin", true);
    setup_.push_back({0, PinEvent{id, index, true, words}});
    return;
  }
  call([&] {
    if (recorder_) recorder_->add({now_ps(), PinEvent{id, index, false, words}});
    n.set_pin(index, words);
  });
}

// ---- memories ---------------------------------------------------------------------------------

void Engine::set_memory(std::uint32_t id, const std::string& port,
                        const kumi_port_config& settings) {
  check_open("set_memory", true);
  NodeActor& n = node(id);
  if (!(settings.mem_ps_per_byte >= 0)) throw Error("set_memory: negative time a byte");
  n.set_memory(n.memory_port(port), settings);
}

Bytes Engine::mem_read(std::uint32_t id, std::uint64_t address, std::uint64_t bytes,
                       const std::string& port) {
  NodeActor& n = node(id);
  const std::uint32_t index = n.memory_port(port);
  if (bytes > kMaxMemoryBytes) throw Error("mem_read: too many bytes at once");
  Bytes data;
  call([&] { data = n.mem_read(index, address, bytes); });
  return data;
}

void Engine::mem_write(std::uint32_t id, std::uint64_t address, Bytes data,
                       const std::string& port) {
  const std::uint32_t index = node(id).memory_port(port);
  const std::uint64_t bytes = data.size();
  // The size of a recording's record is limited.
  constexpr std::size_t kPiece = std::size_t{1} << 24;
  if (bytes <= kPiece) {
    change_memory({id, index, MemoryEvent::Kind::kWrite, false, address, bytes, std::move(data)});
    return;
  }
  for (std::size_t at = 0; at < bytes; at += kPiece) {
    const std::size_t n = std::min<std::size_t>(kPiece, bytes - at);
    const auto from = data.begin() + static_cast<std::ptrdiff_t>(at);
    Bytes piece(from, from + static_cast<std::ptrdiff_t>(n));
    change_memory({id, index, MemoryEvent::Kind::kWrite, false, address + at, n, std::move(piece)});
  }
}

void Engine::mem_fault(std::uint32_t id, std::uint64_t address, std::uint64_t bytes, bool on,
                       const std::string& port) {
  const std::uint32_t index = node(id).memory_port(port);
  const auto kind = on ? MemoryEvent::Kind::kFault : MemoryEvent::Kind::kClear;
  change_memory({id, index, kind, false, address, bytes, {}});
}

// Before start the change is part of set-up, and immediately visible.
void Engine::change_memory(MemoryEvent m) {
  if (closed_) throw Error("memory: the engine is closed");
  call([&] {
    apply(m);
    if (!started_) {
      m.setup = true;
      setup_.push_back({0, std::move(m)});
    } else if (recorder_) {
      recorder_->add({now_ps(), std::move(m)});
    }
  });
}

void Engine::apply(const MemoryEvent& m) {
  NodeActor& n = node(m.actor);
  if (m.kind == MemoryEvent::Kind::kWrite) {
    n.mem_write(m.port, m.address, m.data);
  } else {
    n.mem_fault(m.port, m.address, m.bytes, m.kind == MemoryEvent::Kind::kFault);
  }
}

// ---- cables, frames, waveforms -----------------------------------------------------------------

void Engine::plug_cable(std::uint32_t cable, bool in, Ps at) {
  change_cable({at, cable, in ? CableEvent::Kind::kPlug : CableEvent::Kind::kUnplug, 3, false, {}});
}

void Engine::impair(std::uint32_t cable, const Impairments* ab, const Impairments* ba, Ps at) {
  const Impairments* both[2] = {ab, ba};
  for (std::uint32_t i = 0; i < 2; ++i) {
    if (both[i]) change_cable({at, cable, CableEvent::Kind::kImpair, 1u << i, false, *both[i]});
  }
}

void Engine::change_cable(CableEvent c) {
  if (closed_) throw Error("cable: the engine is closed");
  call([&] {
    c.at_ps = std::max(c.at_ps, now_ps());
    c.setup = !started_;
    apply(c);
    if (!started_) setup_.push_back({0, c});
    if (started_ && recorder_) recorder_->add({now_ps(), c});
  });
}

// Also from a recording, which may be damaged or of another cluster.
void Engine::apply(const CableEvent& c) {
  if (c.cable >= cables_.size() || cables_[c.cable]->channel) {
    throw Error("there is no Ethernet cable number " + std::to_string(c.cable));
  }
  check_impairments(cables_[c.cable]->name, c.impair);
  LinkChange change;
  if (c.kind == CableEvent::Kind::kImpair) {
    change.impair = c.impair;
  } else {
    change.plugged = c.kind == CableEvent::Kind::kPlug;
  }
  for (unsigned i = 0; i < 2; ++i) {
    if (c.directions >> i & 1) cables_[c.cable]->link[i]->change(c.at_ps, change);
  }
}

void Engine::reset_node(std::uint32_t id, Ps at) {
  check_open("reset_node", false);
  node(id);
  call([&] {
    const ResetEvent r{std::max(at, now_ps()), id};
    // First: what the reset does to a guest is recorded behind it.
    if (recorder_) recorder_->add({now_ps(), r});
    apply(r);
  });
}

void Engine::apply(const ResetEvent& r) {
  node(r.actor);
  resets_.push_back(r);
  apply_resets();
}

void Engine::send(std::uint32_t id, Bytes frame, Ps at) {
  Script& s = script(id);
  check_open("send", false);
  if (frame.empty() || frame.size() > s.max_frame()) {
    throw Error("send: a frame has 1 to " + std::to_string(s.max_frame()) + " bytes, not " +
                std::to_string(frame.size()));
  }
  call([&] { inject(s, std::move(frame), at); });
}

std::vector<TimedFrame> Engine::received(std::uint32_t id) {
  Script& s = script(id);
  std::vector<TimedFrame> frames;
  call([&] { frames = s.take(); });
  return frames;
}

void Engine::trace(std::uint32_t id, bool on) {
  NodeActor& n = node(id);
  if (!n.info().traced) throw Error("node '" + n.name() + "': its library has no waveforms");
  call([&] { n.trace(on); });
}

void Engine::trace_window(std::uint32_t id, Ps from, Ps to) {
  NodeActor& n = node(id);
  if (!n.info().traced) throw Error("node '" + n.name() + "': its library has no waveforms");
  if (from >= to) throw Error("trace_window: it ends before it begins");
  call([&] {
    n.trace(from <= now_ps() && started_ && now_ps() < to);
    traces_.push_back({id, from, to});
  });
}

void Engine::flush() {
  call([&] { housekeeping(true); });
}

}  // namespace kumihimo
