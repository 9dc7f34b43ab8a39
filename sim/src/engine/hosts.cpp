// SPDX-License-Identifier: Apache-2.0
//
// Host ports: guests at nodes, and their answers in recordings. A guest of a node in another rank
// is a name here: its socket is there, and what it does comes in pieces (collect_entered).
#include <algorithm>

#include "engine/engine.hpp"

namespace kumihimo {

std::uint32_t Engine::add_host(const std::string& name, const End& port, const std::string& path) {
  check_open("add_host", true);
  NodeActor& n = node(port.actor);
  for (const auto& h : hosts_) {
    if (h->name() == name) throw Error("the name '" + name + "' is used twice");
  }
  auto host = std::make_unique<HostPort>(name, path, port.actor, port.port);
  n.join_host(port.port, &HostPort::access, host.get(), &host->interrupts());
  host->set_push([this, node = port.actor, registers = n.axil_port(port.port)](
                     const kumi_axil_op& op, const std::shared_ptr<RegisterWait>& wait) {
    if (collects_) {
      pack_event(entered_, {now_ps(), RegisterEvent{node, registers, op.addr, op.data, op.strb,
                                                    op.write != 0, false}});
    }
    push_register(node, registers, op, wait);
  });
  if (!n.away()) outsides_.push_back(host.get());
  hosts_.push_back(std::move(host));
  return static_cast<std::uint32_t>(hosts_.size() - 1);
}

bool Engine::away(const HostPort& h) const { return actor(h.node()).away(); }

// After each window.
void Engine::tend_hosts(Ps now) {
  for (std::uint32_t i = 0; i < hosts_.size(); ++i) {
    if (away(*hosts_[i])) continue;
    Bytes answers = hosts_[i]->take_answers();
    if (!answers.empty()) {
      const Event e{now, HostEvent{i, std::move(answers)}};
      if (recorder_) recorder_->add(e);
      if (collects_) pack_event(entered_, e);
    }
    hosts_[i]->after_window(now);
  }
}

// ---- in the recording of another rank -----------------------------------------------------------

void Engine::collect_entered() {
  check_open("collect_entered", true);
  collects_ = true;
}

Bytes Engine::take_entered() {
  Bytes out;
  call([&] { out.swap(entered_); });
  return out;
}

// At a meeting, from every rank; calls of that time come after it.
void Engine::give_entered(const Bytes& events) {
  call([&] {
    if (recorder_) recorder_->give(unpack_events(events));
  });
}

void Engine::write_entered() {
  call([&] {
    if (recorder_) recorder_->release();
  });
}

// A node reads its answers within a window, and the recording has them at its end: each host reads
// the file ahead by itself.
void Engine::replay_hosts(const std::string& path) {
  for (std::uint32_t i = 0; i < hosts_.size(); ++i) {
    if (away(*hosts_[i])) continue;
    auto reader = std::make_shared<RecordingReader>(path);
    hosts_[i]->replay_from([i, reader]() -> Bytes {
      while (std::optional<Event> e = reader->next()) {
        auto* h = std::get_if<HostEvent>(&e->what);
        if (h && h->host == i) return std::move(h->answers);
      }
      return {};
    });
  }
}

}  // namespace kumihimo
