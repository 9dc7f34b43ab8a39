// SPDX-License-Identifier: Apache-2.0
//
// Actors, cables, captures, and set-up before time zero.
#include <algorithm>

#include "base/rng.hpp"
#include "engine/engine.hpp"
#include "external/peer.hpp"
#include "external/tap.hpp"

namespace kumihimo {
namespace {

constexpr Ps kMaxWindow = 5'000'000;     // keeps a run interruptible
constexpr Ps kLonelyWindow = 1'000'000;  // without any cable

}  // namespace

void check_share(const std::string& cable, const char* what, double v) {
  if (!(v >= 0 && v <= 1)) {
    throw Error("cable '" + cable + "': " + what + " is a share between 0 and 1, not " +
                std::to_string(v));
  }
}

void check_impairments(const std::string& cable, const Impairments& im) {
  check_share(cable, "loss", im.loss);
  check_share(cable, "bit error rate", im.ber);
  check_share(cable, "duplicate", im.duplicate);
  check_share(cable, "reorder", im.reorder);
}

Engine::Engine(unsigned threads, std::uint64_t seed)
    : threads_(threads ? threads : std::max(1u, std::thread::hardware_concurrency())),
      seed_(seed) {}

Engine::~Engine() {
  try {
    close();
  } catch (...) {  // a destructor must not throw; close() reports through messages
  }
}

void Engine::check_open(const char* what, bool before_start) const {
  if (closed_) throw Error(std::string(what) + ": the engine is closed");
  if (before_start && started_) throw Error(std::string(what) + " must come before start()");
  if (!before_start && !started_) throw Error(std::string(what) + " needs start() first");
}

Actor& Engine::actor(std::uint32_t id) const {
  if (id >= actors_.size()) throw Error("there is no actor number " + std::to_string(id));
  return *actors_[id];
}

NodeActor& Engine::node(std::uint32_t id) const {
  auto* n = dynamic_cast<NodeActor*>(&actor(id));
  if (!n) throw Error("'" + actor(id).name() + "' is a " + actor(id).kind() + ", not a node");
  return *n;
}

Script& Engine::script(std::uint32_t id) const {
  auto* s = dynamic_cast<Script*>(&actor(id));
  if (!s) throw Error("'" + actor(id).name() + "' is a " + actor(id).kind() + ", not a script");
  return *s;
}

template <class T, class... Args>
std::uint32_t Engine::add_actor(Args&&... args) {
  check_open("adding to the cluster", true);
  auto a = std::make_unique<T>(std::forward<Args>(args)...);
  const auto id = static_cast<std::uint32_t>(actors_.size());
  if (!names_.emplace(a->name(), id).second) {
    throw Error("the name '" + a->name() + "' is used twice");
  }
  if constexpr (std::is_same_v<T, NodeActor>) nodes_.push_back(a.get());
  if constexpr (std::is_same_v<T, Script>) scripts_.push_back(a.get());
  a->place(owner(a->name()), rank_);
  if (std::is_base_of_v<External, T> && a->away()) {
    actors_.push_back(std::move(a));
    return id;
  }
  if constexpr (std::is_base_of_v<External, T>) {
    externals_.push_back(a.get());
    outsides_.push_back(a.get());
  }
  actors_.push_back(std::move(a));
  return id;
}

std::uint32_t Engine::add_node(const std::string& name, const std::string& path,
                               const std::map<std::string, Ps>& periods_ps,
                               const std::map<std::string, Ps>& phases_ps, NodeOptions options) {
  auto library = NodeLibrary::open(path);
  const kumi_design_info& info = library->info();
  for (const auto* given : {&periods_ps, &phases_ps}) {
    for (const auto& [clock, ps] : *given) {
      if (library->find_clock(clock) < 0) {
        throw Error("node '" + name + "': design " + info.design + " has no clock '" + clock + "'");
      }
    }
  }
  for (std::uint32_t i = 0; i < info.n_clocks; ++i) {
    const auto it = periods_ps.find(info.clocks[i]);
    if (it == periods_ps.end()) {
      throw Error("node '" + name + "': no period for clock '" + info.clocks[i] + "'");
    }
    options.periods_ps.push_back(it->second);
    const auto phase = phases_ps.find(info.clocks[i]);
    if (!phases_ps.empty()) {
      options.phases_ps.push_back(phase == phases_ps.end() ? 0 : phase->second);
    }
  }
  if (!options.seed) options.seed = random_at(seed_, actors_.size(), 1);
  options.away = owner(name) != rank_;
  return add_actor<NodeActor>(name, std::move(library), std::move(options));
}

std::uint32_t Engine::add_switch(const std::string& name, const SwitchOptions& options) {
  const std::uint64_t mac = 0x024b00000000ULL | static_cast<std::uint64_t>(actors_.size()) << 16;
  return add_actor<Switch>(name, options, mac);
}

std::uint32_t Engine::add_tap(const std::string& name, int fd, bool pause) {
  return add_actor<Tap>(name, fd, pause);
}

std::uint32_t Engine::add_peer(const std::string& name, const std::string& path, bool listen,
                               bool pause) {
  return add_actor<Peer>(name, path, listen, pause);
}

std::uint32_t Engine::add_script(const std::string& name, bool pause) {
  return add_actor<Script>(name, pause);
}

std::string Engine::port_name(std::uint32_t id, std::uint32_t port) const {
  const Actor& a = actor(id);
  if (a.ports().size() == 1 && a.kind() != "node") return a.name();
  return a.name() + "." + a.ports()[port].name;
}

std::uint32_t Engine::connect(const End& a, const End& b, const CableOptions& options) {
  check_open("connect", true);
  auto cable = std::make_unique<Cable>();
  const End* ends[2] = {&a, &b};
  double rate = options.rate_bps;
  for (int i = 0; i < 2; ++i) {
    cable->actor[i] = ends[i]->actor;
    cable->port[i] = actor(ends[i]->actor).port_index(ends[i]->port);
    const std::string where = port_name(cable->actor[i], cable->port[i]);
    if (actor(cable->actor[i]).ports()[cable->port[i]].out) {
      throw Error("port " + where + " has a cable already");
    }
    if (const auto* sw = dynamic_cast<const Switch*>(&actor(cable->actor[i]))) {
      const double own = sw->port_rate(cable->port[i]);
      if (own > 0) rate = rate > 0 ? std::min(rate, own) : own;
    }
    cable->name += (i ? "--" : "") + where;
  }
  if (cable->actor[0] == cable->actor[1] && cable->port[0] == cable->port[1]) {
    throw Error("a cable from port " + port_name(cable->actor[0], cable->port[0]) + " to itself");
  }
  if (!options.name.empty()) cable->name = options.name;
  if (options.latency_ps < kMinLatency) {
    throw Error("cable '" + cable->name + "': a latency is at least 1 ns (1000 ps), not " +
                std::to_string(options.latency_ps) + " ps");
  }
  if (!(rate >= 0)) throw Error("cable '" + cable->name + "': negative rate");
  const Impairments* impair[2] = {&options.ab, &options.ba};
  for (int i = 0; i < 2; ++i) {
    check_impairments(cable->name, *impair[i]);
    Actor& to = actor(cable->actor[1 - i]);
    LinkConfig config;
    config.seed = random_at(seed_, cables_.size(), 16 + static_cast<std::uint64_t>(i));
    config.latency_ps = options.latency_ps;
    config.rate_bps = rate;
    config.hold_bad = to.holds_bad_frames();
    config.impair = *impair[i];
    cable->link[i] = std::make_unique<Link>(config);
    actor(cable->actor[i]).ports()[cable->port[i]].out = cable->link[i].get();
    to.ports()[cable->port[1 - i]].in = cable->link[i].get();
  }
  for (int i = 0; i < 2; ++i) actor(cable->actor[i]).attached(cable->port[i], rate);
  cables_.push_back(std::move(cable));
  return static_cast<std::uint32_t>(cables_.size() - 1);
}

std::uint32_t Engine::add_channel(std::uint32_t id, const std::string& port, Ps latency_ps) {
  check_open("add_channel", true);
  NodeActor& n = node(id);
  const std::uint32_t index = n.stream_index(port);
  const std::string name = n.name() + "." + port;
  if (n.ports()[index].out) throw Error("port " + name + " has a channel already");
  if (latency_ps < kMinLatency) throw Error("channel '" + name + "': a latency is at least 1 ns");
  const std::uint32_t script = add_actor<Script>(name, false, true);
  actor(script).place(n.rank(), rank_);
  auto cable = std::make_unique<Cable>();
  cable->name = name;
  cable->channel = true;
  const std::uint32_t ends[2] = {id, script}, ports[2] = {index, 0};
  LinkConfig config;
  config.latency_ps = latency_ps;
  for (int i = 0; i < 2; ++i) {
    cable->actor[i] = ends[i];
    cable->port[i] = ports[i];
    cable->link[i] = std::make_unique<Link>(config);
    actor(ends[i]).ports()[ports[i]].out = cable->link[i].get();
    actor(ends[1 - i]).ports()[ports[1 - i]].in = cable->link[i].get();
  }
  cables_.push_back(std::move(cable));
  return script;
}

// ---- captures and recordings ------------------------------------------------------------------

std::vector<CaptureInterface> Engine::tap_ports(const std::vector<End>& ends) {
  std::vector<CaptureInterface> out;
  const auto add = [&](Cable& c, int end) {
    CaptureInterface i;
    i.name = port_name(c.actor[end], c.port[end]);
    i.description = actor(c.actor[end]).kind() + " port, cable " + c.name;
    i.rate_bps = c.link[0]->config().rate_bps;
    const auto number = static_cast<std::uint32_t>(out.size());
    auto& sent = c.link[end]->egress;
    sent.push_back(std::make_unique<FrameTap>(number, false));
    i.taps.push_back(sent.back().get());
    auto& got = c.link[1 - end]->ingress;
    got.push_back(std::make_unique<FrameTap>(number, true));
    i.taps.push_back(got.back().get());
    out.push_back(std::move(i));
  };
  const auto add_ib = [&](LaneCable& c, int end) {
    CaptureInterface i;
    i.name = port_name(c.actor[end], c.port[end]);
    i.description = "InfiniBand port, cable " + c.name;
    i.rate_bps = c.lane_rate_bps * c.link[0]->config().symbols.lanes;
    i.infiniband = true;
    const auto number = static_cast<std::uint32_t>(out.size());
    for (const bool arriving : {false, true}) {
      LaneLink* link = c.link[arriving ? 1 - end : end].get();
      if (!link) link = c.link[0].get();  // back to itself
      auto tap = std::make_unique<FrameTap>(number, arriving);
      i.taps.push_back(tap.get());
      link->tap(std::move(tap), arriving);
    }
    out.push_back(std::move(i));
  };
  if (ends.empty()) {
    for (auto& c : cables_) {
      if (c->channel) continue;
      const bool second =
          actor(c->actor[0]).kind() != "node" && actor(c->actor[1]).kind() == "node";
      add(*c, second);
    }
    for (auto& c : lane_cables_) {
      if (c->infiniband) add_ib(*c, 0);
    }
  }
  for (const End& e : ends) {
    bool found = false;
    for (auto& c : lane_cables_) {
      for (int i = 0; i < 2 && c->infiniband && !found; ++i) {
        if (c->actor[i] != e.actor || actor(e.actor).ports()[c->port[i]].name != e.port) continue;
        add_ib(*c, i);
        found = true;
      }
    }
    if (found) continue;
    const std::uint32_t port = actor(e.actor).port_index(e.port);
    for (auto& c : cables_) {
      for (int i = 0; i < 2; ++i) {
        if (c->actor[i] != e.actor || c->port[i] != port || found) continue;
        add(*c, i);
        found = true;
      }
    }
    if (!found) throw Error("capture: no cable at port " + port_name(e.actor, port));
  }
  return out;
}

void Engine::capture(const std::string& path, const std::vector<End>& ports,
                     const std::string& comment) {
  if (closed_) throw Error("capture: the engine is closed");
  if (!started_) {
    pending_captures_.push_back({path, comment, ports});
    return;
  }
  call([&] {
    captures_.push_back(std::make_unique<Capture>(path, comment, tap_ports(ports)));
    captures_.back()->open();
  });
}

void Engine::record(const std::string& path, const std::string& metadata) {
  check_open("record", true);
  recorder_ = std::make_unique<RecordingWriter>(path, metadata);
}

// ---- set-up -----------------------------------------------------------------------------------

void Engine::start() {
  check_open("start", true);
  set_up(setup_, true);
}

void Engine::set_up(std::vector<Event> events, bool outside) {
  window_ = cables_.empty() && lane_cables_.empty() ? kLonelyWindow : kMaxWindow;
  for (const auto& c : lane_cables_) window_ = std::min(window_, c->link[0]->config().latency_ps);
  for (const auto& c : cables_) window_ = std::min(window_, c->link[0]->config().latency_ps);
  stride_ = window_;
  if (ranked()) find_borders();
  for (const PendingCapture& p : pending_captures_) {
    captures_.push_back(std::make_unique<Capture>(p.path, p.comment, tap_ports(p.ports)));
    captures_.back()->open();
  }
  outside_ = outside;
  if (outside) {
    for (Outside* o : outsides_) o->open(poller_);
  }
  if (recorder_) {
    recorder_->header(topology());
    for (const Event& e : events) recorder_->add(e);
    const auto elsewhere = [&](const auto& h) { return away(*h); };
    if (std::any_of(hosts_.begin(), hosts_.end(), elsewhere)) recorder_->hold();
  }
  if (recorder_ || collects_) {
    for (auto& h : hosts_) h->keep_answers();
  }
  for (const Event& e : events) {
    if (const auto* p = std::get_if<PinEvent>(&e.what)) node(p->actor).set_pin(p->pin, p->words);
    if (const auto* m = std::get_if<MemoryEvent>(&e.what)) apply(*m);
    if (const auto* l = std::get_if<PlugEvent>(&e.what)) apply(*l);
    // From a recording; our own were executed at once.
    const auto* f = std::get_if<FlipEvent>(&e.what);
    if (f && !outside) apply(*f);
    if (const auto* c = std::get_if<CableEvent>(&e.what)) apply(*c);
    const auto* d = std::get_if<DiskEvent>(&e.what);
    if (d && !outside) apply(*d);
  }
  for (NodeActor* n : nodes_) n->reset();
  for (const Event& e : events) {
    const auto* r = std::get_if<RegisterEvent>(&e.what);
    if (!r) continue;
    kumi_axil_op op{};
    op.tag = ++tag_;
    op.addr = r->address;
    op.data = r->data;
    op.strb = r->strobe;
    op.write = r->write;
    node(r->actor).axil_push(r->port, op);
  }
  started_ = true;
  for (NodeActor* n : nodes_) {
    n->finish_setup();
    for (const kumi_axil_op& op : n->axil_done()) {
      if (op.resp == 0) continue;
      throw Error("node '" + n->name() + "': set-up of register " + register_text(op.addr) +
                  " failed: " + response_text(op.resp));
    }
    n->axil_done().clear();
  }
  if (!ranked()) {
    measure_leads();
    find_early();
  }
  pool_ = std::make_unique<Pool>(threads_);
  std::vector<Actor*> all;
  for (auto& a : actors_) {
    if (!a->away()) all.push_back(a.get());
  }
  pool_->set_actors(all);
  next_flush_ = next_check_ = next_tend_ = Clock::now();
  after_window();
  tend_hosts(now_ps());
  apply_traces();
  check_writers();
}

}  // namespace kumihimo
