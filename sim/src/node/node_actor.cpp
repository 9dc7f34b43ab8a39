// SPDX-License-Identifier: Apache-2.0
#include "node/node_actor.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "base/rng.hpp"
#include "node/step_watch.hpp"

namespace kumihimo {
namespace {

constexpr Ps kQuietPs = 20'000'000;  // no handshake for this long: the node is idle

bool has_cable(std::uint32_t kind) {
  return kind != KUMI_PORT_AXIL && kind != KUMI_PORT_AXI && kind != KUMI_PORT_SATA;
}

bool is_sata(std::uint32_t kind) { return kind == KUMI_PORT_SATA; }

bool is_axil(std::uint32_t kind) { return kind == KUMI_PORT_AXIL; }

/// Whether a register port is that of a host port: interrupts come from one called NAME_irq.
bool of_host(const kumi_design_info& info, std::uint32_t port) {
  const std::string irq = std::string(info.ports[port].name) + "_irq";
  return std::any_of(info.ports, info.ports + info.n_ports,
                     [&](const auto& p) { return p.kind == KUMI_PORT_HDR && p.name == irq; });
}

bool is_lane(std::uint32_t kind) { return kind == KUMI_PORT_LANE || kind == KUMI_PORT_IB; }

bool is_memory(std::uint32_t kind) { return kind == KUMI_PORT_AXI; }

std::string port_list(const kumi_design_info& info, bool (*wanted)(std::uint32_t kind)) {
  std::string s;
  for (std::uint32_t i = 0; i < info.n_ports; ++i) {
    if (!wanted(info.ports[i].kind)) continue;
    s += (s.empty() ? "'" : ", '") + std::string(info.ports[i].name) + "'";
  }
  return s.empty() ? "none" : s;
}

}  // namespace

std::string register_text(std::uint32_t address) { return "0x" + hex64(address).substr(8); }

std::string response_text(std::uint8_t response) {
  if (response == 2) return "SLVERR";
  if (response == 3) return "DECERR";
  return response == 255 ? "no answer" : "response " + std::to_string(response);
}

NodeActor::NodeActor(std::string node_name, std::shared_ptr<NodeLibrary> library,
                     NodeOptions options)
    : Actor("node", std::move(node_name)),
      library_(std::move(library)),
      api_(&library_->api()),
      options_(std::move(options)) {
  const kumi_design_info& d = info();
  if (options_.periods_ps.size() != d.n_clocks) {
    throw Error("node '" + name() + "': design " + d.design + " has " + std::to_string(d.n_clocks) +
                " clocks, " + std::to_string(options_.periods_ps.size()) + " periods were given");
  }
  if (!options_.phases_ps.empty() && options_.phases_ps.size() != d.n_clocks) {
    throw Error("node '" + name() + "': one phase a clock is wanted, or none");
  }
  for (std::uint32_t i = 0; i < d.n_clocks; ++i) {
    if (options_.periods_ps[i] < 2) {
      throw Error("node '" + name() + "': period of clock " + d.clocks[i] + " is below 2 ps");
    }
  }
  if (!options_.trace_path.empty() && !d.traced) {
    throw Error("node '" + name() + "': its library was built without waveforms");
  }
  create();
  for (std::uint32_t i = 0; i < d.n_ports; ++i) {
    ports_.push_back({d.ports[i].name, nullptr, nullptr});
    if (d.ports[i].kind == KUMI_PORT_AXIL) axil_ports_.push_back(i);
    if (!raw_[i]) continue;
    raw_[i]->cfg.frame_overhead = kOverheadBytes;
    if (!has_cable(d.ports[i].kind) || is_lane(d.ports[i].kind)) {
      raw_[i]->cfg.seed = random_at(options_.seed, i, 2);
    }
  }
  hash_.resize(d.n_ports);
  cut_.resize(d.n_ports);
  interrupts_.resize(d.n_ports);
  unconnected_.resize(d.n_ports);
  for (std::uint32_t i = 0; i < d.n_pins; ++i) {
    if (d.pins[i].is_output && std::string(d.pins[i].name) == "busy") {
      busy_pin_ = static_cast<int>(i);
    }
  }
}

NodeActor::~NodeActor() {
  if (node_) api_->destroy(node_);
}

void NodeActor::create() {
  raw_.clear();
  if (options_.away) {
    shells_.assign(info().n_ports, kumi_port{});
    for (kumi_port& p : shells_) raw_.push_back(&p);
    return;
  }
  kumi_node_config c{};
  c.name = name().c_str();
  c.period_ps = options_.periods_ps.data();
  c.phase_ps = options_.phases_ps.empty() ? nullptr : options_.phases_ps.data();
  c.seed = options_.seed;
  c.trace_path = options_.trace_path.empty() ? nullptr : options_.trace_path.c_str();
  c.log = &NodeActor::on_log;
  c.log_ctx = this;
  const StepWatch step(name());
  node_ = api_->create(&c);
  if (!node_) throw Error("node '" + name() + "': its library could not make an instance");
  for (std::uint32_t i = 0; i < info().n_ports; ++i) raw_.push_back(api_->port(node_, i));
}

void NodeActor::on_log(void* ctx, int level, const char* text) {
  auto* self = static_cast<NodeActor*>(ctx);
  self->log(static_cast<Level>(std::clamp(level, 0, 2)), self->now_, text);
}

std::uint32_t NodeActor::port_index(const std::string& port) const {
  for (std::uint32_t i = 0; i < info().n_ports; ++i) {
    if (!has_cable(info().ports[i].kind) || port != info().ports[i].name) continue;
    if (is_lane(info().ports[i].kind)) {
      throw Error("node '" + name() + "': port '" + port + "' is " +
                  (info().ports[i].kind == KUMI_PORT_IB
                       ? "an InfiniBand port and takes an InfiniBand cable"
                       : "a lane and takes a lane's cable"));
    }
    if (info().ports[i].kind != KUMI_PORT_ETH) {
      throw Error("node '" + name() + "': port '" + port + "' is no Ethernet port");
    }
    return i;
  }
  throw Error("node '" + name() + "' has no port '" + port + "'; it has " +
              port_list(info(), has_cable));
}

std::uint32_t NodeActor::lane_index(const std::string& lane) const {
  for (std::uint32_t i = 0; i < info().n_ports; ++i) {
    if (is_lane(info().ports[i].kind) && lane == info().ports[i].name) return i;
  }
  throw Error("node '" + name() + "' has no lane '" + lane + "'; it has " +
              port_list(info(), is_lane));
}

std::uint32_t NodeActor::sata_index(const std::string& port) const {
  for (std::uint32_t i = 0; i < info().n_ports; ++i) {
    if (is_sata(info().ports[i].kind) && port == info().ports[i].name) return i;
  }
  throw Error("node '" + name() + "' has no disk port '" + port + "'; it has " +
              port_list(info(), is_sata));
}

Ps NodeActor::join_device(std::uint32_t port, kumi_sata_fn device, void* ctx) {
  raw_[port]->sata = device;
  raw_[port]->sata_ctx = ctx;
  return port_period(port);
}

void NodeActor::join_host(const std::string& host, kumi_host_fn access, void* ctx,
                          std::vector<std::uint16_t>* interrupts) {
  const std::uint32_t memory = memory_port(host);
  axil_port(host);
  const std::uint32_t irq = stream_index(host + "_irq");
  if (raw_[memory]->host) throw Error("node '" + name() + "': host port '" + host + "' is taken");
  raw_[memory]->host = access;
  raw_[memory]->host_ctx = ctx;
  interrupts_[irq] = interrupts;
}

std::uint32_t NodeActor::stream_index(const std::string& port) const {
  const auto is_stream = [](std::uint32_t kind) {
    return kind == KUMI_PORT_AXIS || kind == KUMI_PORT_HDR;
  };
  for (std::uint32_t i = 0; i < info().n_ports; ++i) {
    if (is_stream(info().ports[i].kind) && port == info().ports[i].name) return i;
  }
  throw Error("node '" + name() + "' has no stream port '" + port + "'; it has " +
              port_list(info(), is_stream));
}

void NodeActor::attached(std::uint32_t port, double rate_bps) {
  raw_[port]->cfg.ps_per_byte = ps_per_byte(rate_bps);
  raw_[port]->cfg.frame_overhead = kOverheadBytes;
  raw_[port]->cfg.rx_limit_bytes = options_.rx_limit_bytes;
}

std::string NodeActor::describe() const {
  std::string s = "node " + name() + " library " + info().hash + " seed " +
                  std::to_string(options_.seed) + " reset " +
                  std::to_string(options_.reset_cycles) + "+" +
                  std::to_string(options_.setup_cycles) + " periods";
  for (const Ps p : options_.periods_ps) s += " " + std::to_string(p);
  if (!options_.phases_ps.empty()) s += " phases";
  for (const Ps p : options_.phases_ps) s += " " + std::to_string(p);
  s += " rx_limit " + std::to_string(options_.rx_limit_bytes);
  for (std::uint32_t i = 0; i < info().n_ports; ++i) {
    if (!is_memory(info().ports[i].kind)) continue;
    const kumi_port_config& c = raw_[i]->cfg;
    char rate[40];
    std::snprintf(rate, sizeof rate, "%.17g", c.mem_ps_per_byte);
    s += " memory " + std::string(info().ports[i].name) + " size " + std::to_string(c.mem_size) +
         " latency " + std::to_string(c.mem_latency_ps) + "+" + std::to_string(c.mem_jitter_ps) +
         " ps_per_byte " + rate + " flags " + std::to_string(c.mem_flags);
  }
  return s;
}

void NodeActor::reset() {
  if (!node_) return;
  const StepWatch step(name());
  api_->reset(node_, options_.reset_cycles);
}

void NodeActor::finish() {
  if (!node_) return;
  const StepWatch step(name());
  api_->finish(node_);
}

void NodeActor::restart(Ps now) {
  if (!failure_.empty()) return;
  cut_lanes(now);
  if (!node_) return;
  const std::size_t n = info().n_ports;
  std::vector<kumi_port_config> configs(n);
  std::vector<kumi_port_stats> counts(n);
  std::vector<std::pair<kumi_sata_fn, void*>> devices(n);
  std::vector<std::pair<kumi_host_fn, void*>> hosts(n);
  for (std::size_t i = 0; i < n; ++i) {
    if (!raw_[i]) continue;
    configs[i] = raw_[i]->cfg;
    counts[i] = raw_[i]->stats;
    devices[i] = {raw_[i]->sata, raw_[i]->sata_ctx};
    hosts[i] = {raw_[i]->host, raw_[i]->host_ctx};
    // Also those that the port has taken out of its queue, but not given to the node.
    const std::uint64_t gone = counts[i].rx_frames + counts[i].rx_overflow + cut_[i].waited;
    if (cut_[i].came > gone) cut_[i].waited += cut_[i].came - gone;
    cut_[i].skip = cut_[i].rx_open;
    if (std::exchange(cut_[i].tx_open, false)) {
      end_frame(i, now);
      ++counts[i].tx_frames;
      ++counts[i].tx_bad;
    }
  }
  const std::vector<std::vector<kumi_block>> coming = lane_blocks_from(now);
  for (kumi_axil_op op : std::exchange(axil_open_, {})) {
    op.resp = 255;
    axil_done_.push_back(op);
  }
  api_->destroy(node_);
  // A second opening would overwrite the first part.
  if (!options_.trace_path.empty()) options_.trace_path += ".next.fst";
  base_ = now;
  ++restarts_;
  create();
  for (std::size_t i = 0; i < n; ++i) {
    if (!raw_[i]) continue;
    raw_[i]->cfg = configs[i];
    raw_[i]->stats = counts[i];
    raw_[i]->host = hosts[i].first;
    raw_[i]->host_ctx = hosts[i].second;
    if (!devices[i].first) continue;
    if (devices[i].first != &NodeActor::sata_step) {
      devices_.push_back(
          std::make_unique<Device>(Device{this, devices[i].first, devices[i].second}));
      devices[i] = {&NodeActor::sata_step, devices_.back().get()};
    }
    raw_[i]->sata = devices[i].first;
    raw_[i]->sata_ctx = devices[i].second;
  }
  for (const auto& [pin, words] : driven_) api_->set_pin(node_, pin, words.data());
  reset();
  for (std::size_t i = 0; i < n; ++i) {
    for (const kumi_block& b : coming[i]) *kumi_blocks_push(&raw_[i]->lane_rx) = b;
  }
  if (tracing_) api_->trace(node_, 1);
}

// The rest of a frame that the node was sending never comes.
void NodeActor::end_frame(std::size_t i, Ps now) {
  kumi_beat b{};
  b.t_ps = now;
  b.user = 1;
  b.flags = KUMI_LAST | KUMI_BAD;
  hash_[i].beat(b);
  if (ports_[i].out) ports_[i].out->put(b);
}

void NodeActor::sata_step(void* device, std::uint64_t t_ps, const kumi_sata_word* from_node,
                          kumi_sata_word* to_node) {
  const auto* d = static_cast<const Device*>(device);
  d->step(d->ctx, t_ps + d->node->base_, from_node, to_node);
}

void NodeActor::finish_setup() {
  if (!node_) return;
  const StepWatch step(name());
  constexpr int kRounds = 1 << 16;
  for (int i = 0; i < kRounds && !axil_open_.empty() && failure_.empty(); ++i) {
    api_->setup(node_, 32);
    take_axil();
    check_failed(0);
  }
  if (!axil_open_.empty() && failure_.empty()) failure_ = "register writes of set-up do not end";
  if (options_.setup_cycles && failure_.empty()) api_->setup(node_, options_.setup_cycles);
  check_failed(0);
}

std::uint32_t NodeActor::axil_port(const std::string& port) const {
  for (const std::uint32_t i : axil_ports_) {
    if (port.empty() ? !of_host(info(), i) : port == info().ports[i].name) return i;
  }
  throw Error("node '" + name() + "' has no register port '" + port + "'; it has " +
              port_list(info(), is_axil));
}

void NodeActor::axil_push(std::uint32_t port, const kumi_axil_op& op) {
  // A number from a recording of another library may name another kind of port, or none.
  if (std::find(axil_ports_.begin(), axil_ports_.end(), port) == axil_ports_.end()) {
    throw Error("node '" + name() + "': port " + std::to_string(port) + " is no register port");
  }
  if (!node_) return;
  kumi_axil_op local = op;
  local.t_ps -= std::min(base_, local.t_ps);
  api_->axil_push(node_, port, &local);
  axil_open_.push_back(op);
}

void NodeActor::take_axil() {
  if (axil_open_.empty()) return;
  for (const std::uint32_t port : axil_ports_) {
    kumi_axil_op op;
    while (api_->axil_pop(node_, port, &op)) {
      op.t_ps += base_;
      axil_done_.push_back(op);
      const auto same = [&](const kumi_axil_op& o) { return o.tag == op.tag; };
      axil_open_.erase(std::find_if(axil_open_.begin(), axil_open_.end(), same));
    }
  }
}

std::uint32_t NodeActor::memory_port(const std::string& port) const {
  for (std::uint32_t i = 0; i < info().n_ports; ++i) {
    if (is_memory(info().ports[i].kind) && (port.empty() || port == info().ports[i].name)) return i;
  }
  throw Error("node '" + name() + "' has no memory port '" + port + "'; it has " +
              port_list(info(), is_memory));
}

void NodeActor::set_memory(std::uint32_t port, const kumi_port_config& settings) {
  kumi_port_config& c = raw_[port]->cfg;
  c.mem_flags = settings.mem_flags;
  c.mem_size = settings.mem_size;
  c.mem_latency_ps = settings.mem_latency_ps;
  c.mem_jitter_ps = settings.mem_jitter_ps;
  c.mem_ps_per_byte = settings.mem_ps_per_byte;
}

Bytes NodeActor::mem_read(std::uint32_t port, std::uint64_t address, std::uint64_t bytes) const {
  check_memory(port);
  check_here();
  Bytes data(bytes);
  api_->mem_read(node_, port, address, data.data(), bytes);
  return data;
}

void NodeActor::mem_write(std::uint32_t port, std::uint64_t address, const Bytes& data) {
  check_memory(port);
  if (!node_) return;
  api_->mem_write(node_, port, address, data.data(), data.size());
}

void NodeActor::mem_fault(std::uint32_t port, std::uint64_t address, std::uint64_t bytes, bool on) {
  check_memory(port);
  if (!node_) return;
  api_->mem_fault(node_, port, address, bytes, on ? 1 : 0);
}

void NodeActor::check_here() const {
  if (!node_) throw Error("node '" + name() + "' is in rank " + std::to_string(rank()));
}

// A number from a recording of another library may name another kind of port, or none.
void NodeActor::check_memory(std::uint32_t port) const {
  if (port >= info().n_ports || !is_memory(info().ports[port].kind)) {
    throw Error("node '" + name() + "': port " + std::to_string(port) + " is no memory port");
  }
  if (raw_[port]->host) {
    throw Error("node '" + name() + "': behind port '" + info().ports[port].name +
                "' is the memory of a guest");
  }
}

std::uint32_t NodeActor::pin_index(const std::string& pin) const {
  std::string have;
  for (std::uint32_t i = 0; i < info().n_pins; ++i) {
    if (pin == info().pins[i].name) return i;
    have += (have.empty() ? "'" : ", '") + std::string(info().pins[i].name) + "'";
  }
  throw Error("node '" + name() + "' has no pin '" + pin + "'; it has " +
              (have.empty() ? "none" : have));
}

std::vector<std::uint32_t> NodeActor::get_pin(std::uint32_t pin) const {
  check_here();
  std::vector<std::uint32_t> words((info().pins[pin].bits + 31) / 32);
  api_->get_pin(node_, pin, words.data());
  return words;
}

void NodeActor::set_pin(std::uint32_t pin, const std::vector<std::uint32_t>& words) {
  if (pin >= info().n_pins) {
    throw Error("node '" + name() + "': there is no pin " + std::to_string(pin));
  }
  if (info().pins[pin].is_output) {
    throw Error("node '" + name() + "': pin '" + info().pins[pin].name + "' is an output");
  }
  std::vector<std::uint32_t> all = words;
  all.resize((info().pins[pin].bits + 31) / 32);
  if (node_) api_->set_pin(node_, pin, all.data());
  driven_[pin] = std::move(all);
}

void NodeActor::check_failed(Ps now) {
  const char* text = nullptr;
  if (!failure_.empty() || !api_->failed(node_, &text)) return;
  failure_ = text && *text ? text : "the design stopped";
  const bool said = !pending_log().empty() && pending_log().back().text == failure_;
  if (!said) log(Level::kError, now, failure_);
}

void NodeActor::advance(Ps to) {
  if (to <= reached_ps_) return;
  const StepWatch step(name());
  cycles_ += api_->run(node_, to - base_);
  reached_ps_ = to;
}

void NodeActor::run_ahead(Ps now, Ps limit) {
  if (!failure_.empty() || tracing_ || rx_waits_ || !axil_open_.empty()) return;
  now_ = now;
  advance(std::min(now + lead_ps_, limit));
  check_failed(now);
}

void NodeActor::run(Ps from, Ps to) {
  if (!failure_.empty()) return;
  now_ = from;
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    if (ports_[i].lane_in) receive_lane(i);
    Link* in = ports_[i].in;
    if (!in) continue;
    Cut& cut = cut_[i];
    while (const kumi_beat* b = in->front(to)) {
      if (reached_ps_ > from && b->t_ps < reached_ps_) {
        throw Error("node '" + name() + "': a frame arrives in its past");
      }
      if (cut.skip && (b->flags & KUMI_FIRST)) cut.skip = false;
      if (cut.skip) [[unlikely]] {
        cut.rest += (b->flags & KUMI_LAST) != 0;
      } else {
        kumi_beat* beat = kumi_queue_push(&raw_[i]->rx);
        *beat = *b;
        beat->t_ps -= base_;
        cut.rx_open = !(b->flags & KUMI_LAST);
        cut.came += !cut.rx_open;
      }
      in->pop();
    }
  }
  advance(to);
  now_ = to;
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    if (!raw_[i]) continue;
    if (is_lane(info().ports[i].kind)) {
      take_lane(i, to);
      continue;
    }
    kumi_queue* q = &raw_[i]->tx;
    Link* out = ports_[i].out;
    while (kumi_queue_size(q)) {
      kumi_beat& b = *kumi_queue_front(q);
      if (reached_ps_ > to && b.t_ps + base_ >= to) break;
      b.t_ps += base_;
      cut_[i].tx_open = !(b.flags & KUMI_LAST);
      hash_[i].beat(b);
      if (out) {
        out->put(b);
      } else if (interrupts_[i] != nullptr) {
        interrupts_[i]->push_back(static_cast<std::uint16_t>(b.data[0] | b.data[1] << 8));
      } else {
        unconnected_[i] += (b.flags & KUMI_LAST) != 0;
      }
      kumi_queue_pop(q);
    }
  }
  std::uint64_t wait = 0;
  for (const kumi_port* p : raw_) wait += p ? p->stats.rx_wait : 0;
  rx_waits_ = wait != rx_wait_;
  rx_wait_ = wait;
  take_axil();
  check_failed(to);
}

bool NodeActor::quiet(Ps now) const {
  if (!failure_.empty()) return true;
  if (!axil_open_.empty() || rx_waits_) return false;
  // Blocks on lanes do not indicate work; pin `busy` does. Without that pin, assume work.
  if (lanes_ && busy_pin_ < 0) return false;
  const Ps last = api_->last_activity(node_);
  if (last != kForever && last + base_ + kQuietPs + lane_delay_ > now) return false;
  for (const kumi_port* p : raw_) {
    if (p && kumi_queue_size(&p->rx)) return false;
  }
  return busy_pin_ < 0 || get_pin(static_cast<std::uint32_t>(busy_pin_))[0] == 0;
}

std::uint64_t NodeActor::digest() const {
  ChainHash h;
  for (std::uint32_t i = 0; i < info().n_ports; ++i) {
    if (is_memory(info().ports[i].kind)) {
      h.word(api_->mem_digest(node_, i));
      continue;
    }
    h.word(hash_[i].value());
    h.word(hash_[i].count());
  }
  return h.value();
}

void NodeActor::stats(Stats& out) const {
  const kumi_design_info& d = info();
  out.set("design", std::string(d.design));
  out.set("cycles", cycles_);
  if (!failure_.empty()) out.set("failure", failure_);
  if (restarts_) out.set("resets", restarts_);
  Stats& ports = out.group("ports");
  for (std::uint32_t i = 0; i < d.n_ports; ++i) {
    if (d.ports[i].kind == KUMI_PORT_AXIL || !raw_[i]) continue;
    const kumi_port_stats& s = raw_[i]->stats;
    Stats& p = ports.group(d.ports[i].name);
    if (is_lane(d.ports[i].kind)) {
      p.set("tx_blocks", s.tx_beats);
      p.set("rx_blocks", s.rx_beats);
      if (d.ports[i].kind == KUMI_PORT_LANE) p.set("slips", s.lane_slips);
      p.set("repeats", s.lane_repeats);
      p.set("skips", s.lane_skips);
      p.set("dark", s.lane_dark);
      continue;
    }
    if (is_sata(d.ports[i].kind)) {
      p.set("tx_words", s.tx_beats);
      p.set("rx_words", s.rx_beats);
      continue;
    }
    if (is_memory(d.ports[i].kind)) {
      p.set("read_bursts", s.rx_frames);
      p.set("read_beats", s.rx_beats);
      p.set("read_bytes", s.rx_bytes);
      p.set("write_bursts", s.tx_frames);
      p.set("write_beats", s.tx_beats);
      p.set("write_bytes", s.tx_bytes);
      p.set("errors", s.tx_bad);
      p.set("waits", s.rx_wait);
      p.set("protocol_errors", s.protocol_errors);
      continue;
    }
    p.set("rx_frames", s.rx_frames);
    p.set("rx_beats", s.rx_beats);
    p.set("rx_bytes", s.rx_bytes);
    p.set("rx_overflow", s.rx_overflow);
    p.set("rx_wait", s.rx_wait);
    if (restarts_) p.set("rx_reset", cut_[i].waited + cut_[i].rest);
    if (ports_[i].in) p.set("rx_fcs_errors", ports_[i].in->stats().fcs_dropped);
    p.set("tx_frames", s.tx_frames);
    p.set("tx_beats", s.tx_beats);
    p.set("tx_bytes", s.tx_bytes);
    p.set("tx_bad", s.tx_bad);
    p.set("tx_gap", s.tx_gap);
    p.set("tx_unconnected", unconnected_[i]);
    p.set("protocol_errors", s.protocol_errors);
  }
}

}  // namespace kumihimo
