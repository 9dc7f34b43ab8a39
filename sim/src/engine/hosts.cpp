// SPDX-License-Identifier: Apache-2.0
//
// Host ports: guests at nodes, and their answers in recordings.
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
    push_register(node, registers, op, wait);
  });
  outsides_.push_back(host.get());
  hosts_.push_back(std::move(host));
  return static_cast<std::uint32_t>(hosts_.size() - 1);
}

// After each window.
void Engine::tend_hosts(Ps now) {
  for (std::uint32_t i = 0; i < hosts_.size(); ++i) {
    if (recorder_) {
      Bytes answers = hosts_[i]->take_answers();
      if (!answers.empty()) recorder_->add({now, HostEvent{i, std::move(answers)}});
    }
    hosts_[i]->after_window(now);
  }
}

// A node reads its answers within a window, and the recording has them at its end: each host reads
// the file ahead by itself.
void Engine::replay_hosts(const std::string& path) {
  for (std::uint32_t i = 0; i < hosts_.size(); ++i) {
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
