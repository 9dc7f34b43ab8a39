// SPDX-License-Identifier: Apache-2.0
//
// Cables of lanes and of InfiniBand ports: connected before start; plugs and bit errors at any
// time.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/rng.hpp"
#include "engine/engine.hpp"

namespace kumihimo {
namespace {

std::string rate_text(double bps) {
  char text[40];
  std::snprintf(text, sizeof text, "%g Gb/s", bps / 1e9);
  return text;
}

// What the line of an InfiniBand port carries; both ends must agree.
struct IbLine {
  unsigned lanes, symbols;
  Ps period;

  Ps symbol_ps() const { return period / symbols; }
  double lane_rate_bps() const { return 1e13 * symbols / static_cast<double>(period); }
  std::string text() const {
    return std::to_string(lanes) + "x at " + rate_text(lane_rate_bps()) + " a lane, " +
           std::to_string(8 * lanes * symbols) + " bits a cycle";
  }
  bool operator==(const IbLine&) const = default;
};

IbLine ib_line(const NodeActor& node, std::uint32_t port) {
  const kumi_port_info& info = node.info().ports[port];
  return {info.lanes, info.rx_bits / 8 / info.lanes, node.port_period(port)};
}

SymbolLanesConfig symbol_lanes(const std::string& cable, const IbLine& line,
                               const std::vector<Ps>& skews) {
  SymbolLanesConfig config{line.lanes, line.symbols, {}};
  if (!skews.empty() && skews.size() != line.lanes) {
    throw Error("InfiniBand cable '" + cable + "': " + std::to_string(skews.size()) +
                " skews for " + std::to_string(line.lanes) + " lanes; give one time per lane");
  }
  for (std::size_t l = 0; l < skews.size(); ++l) {
    const double symbols = static_cast<double>(skews[l]) / static_cast<double>(line.symbol_ps());
    if (symbols > kMostSkew) {
      throw Error("InfiniBand cable '" + cable + "': a skew is at most " +
                  std::to_string(kMostSkew) + " symbols, " +
                  std::to_string(kMostSkew * line.symbol_ps()) + " ps");
    }
    config.skew[l] = static_cast<unsigned>(std::lround(symbols));
  }
  return config;
}

}  // namespace

std::uint32_t Engine::connect_lane(const End& a, const End& b, const LaneCableOptions& options) {
  check_open("connect_lane", true);
  auto cable = std::make_unique<LaneCable>();
  const End* ends[2] = {&a, &b};
  for (int i = 0; i < 2; ++i) {
    cable->actor[i] = ends[i]->actor;
    cable->port[i] = node(ends[i]->actor).lane_index(ends[i]->port);
    const std::string where = port_name(cable->actor[i], cable->port[i]);
    if (actor(cable->actor[i]).ports()[cable->port[i]].lane_out) {
      throw Error("lane " + where + " has a cable already");
    }
    cable->name += (i ? "--" : "") + where;
  }
  const bool loop = cable->actor[0] == cable->actor[1] && cable->port[0] == cable->port[1];
  if (!options.name.empty()) cable->name = options.name;
  SymbolLanesConfig symbols;
  const auto is_ib = [&](int i) {
    return node(cable->actor[i]).info().ports[cable->port[i]].kind == KUMI_PORT_IB;
  };
  cable->infiniband = is_ib(0);
  if (is_ib(0) != is_ib(1)) {
    throw Error("lane cable '" + cable->name +
                "': one end is an InfiniBand port, the other a lane of 66-bit blocks");
  }
  if (cable->infiniband) {
    const IbLine line = ib_line(node(cable->actor[0]), cable->port[0]);
    const IbLine other = ib_line(node(cable->actor[1]), cable->port[1]);
    if (!(line == other)) {
      throw Error("InfiniBand cable '" + cable->name + "': one end is " + line.text() +
                  ", the other " + other.text() + "; both must be equal");
    }
    cable->lane_rate_bps = line.lane_rate_bps();
    symbols = symbol_lanes(cable->name, line, options.lane_skews_ps);
  }
  cable->noise = options.noise;
  cable->unplugged = options.unplugged;
  if (options.latency_ps < kMinLatency) {
    throw Error("lane cable '" + cable->name + "': a latency is at least 1 ns (1000 ps), not " +
                std::to_string(options.latency_ps) + " ps");
  }
  check_share(cable->name, "bit error rate", options.ber_ab);
  check_share(cable->name, "bit error rate", options.ber_ba);
  Ps before = 0;
  for (const auto& [from, to] : options.unplugged) {
    if (from < before || to <= from) {
      throw Error("lane cable '" + cable->name +
                  "': the times without a plug must follow each other and end after they begin");
    }
    before = to;
  }
  for (int i = 0; i < (loop ? 1 : 2); ++i) {
    LaneConfig config;
    config.seed = random_at(seed_, lane_cables_.size(), 18 + static_cast<std::uint64_t>(i));
    config.latency_ps = options.latency_ps;
    config.skew_ps = options.skew_ps;
    config.ber = i ? options.ber_ba : options.ber_ab;
    config.symbols = symbols;
    for (const auto& [from, to] : options.unplugged) {
      config.plug[from] = false;
      config.plug[to] = true;
    }
    cable->link[i] = std::make_unique<LaneLink>(std::move(config));
    actor(cable->actor[i]).ports()[cable->port[i]].lane_out = cable->link[i].get();
    actor(cable->actor[1 - i]).ports()[cable->port[1 - i]].lane_in = cable->link[i].get();
    node(cable->actor[1 - i])
        .lane_attached(cable->port[1 - i], options.latency_ps + options.skew_ps, options.noise);
  }
  lane_cables_.push_back(std::move(cable));
  return static_cast<std::uint32_t>(lane_cables_.size() - 1);
}

void Engine::plug(std::uint32_t lane_cable, bool in, Ps at) {
  if (closed_) throw Error("plug: the engine is closed");
  if (lane_cable >= lane_cables_.size()) {
    throw Error("there is no lane cable number " + std::to_string(lane_cable));
  }
  call([&] {
    PlugEvent p{std::max(at, now_ps()), lane_cable, in, !started_};
    apply(p);
    if (!started_) setup_.push_back({0, p});
    if (started_ && recorder_) recorder_->add({now_ps(), p});
  });
}

void Engine::apply(const PlugEvent& p) {
  if (p.lane_cable >= lane_cables_.size()) throw Error("the recording has another lane cable");
  for (auto& link : lane_cables_[p.lane_cable]->link) {
    if (link) link->plug(p.at_ps, p.in);
  }
}

void Engine::flip(std::uint32_t lane_cable, unsigned direction, BitFlip what, Ps at) {
  if (closed_) throw Error("flip: the engine is closed");
  call([&] {
    FlipEvent f{std::max(at, now_ps()), lane_cable, direction, what.lane, what.bit, !started_};
    apply(f);
    if (!started_) setup_.push_back({0, f});
    if (started_ && recorder_) recorder_->add({now_ps(), f});
  });
}

// Also from a recording, which may be damaged or of another cluster.
void Engine::apply(const FlipEvent& f) {
  if (f.lane_cable >= lane_cables_.size() || !lane_cables_[f.lane_cable]->infiniband) {
    throw Error("there is no InfiniBand cable number " + std::to_string(f.lane_cable));
  }
  const LaneCable& c = *lane_cables_[f.lane_cable];
  const SymbolLanesConfig& line = c.link[0]->config().symbols;
  if (f.direction > 1 || !c.link[f.direction] || f.lane >= line.lanes ||
      f.bit >= 10 * line.symbols) {
    throw Error("InfiniBand cable '" + c.name + "' has no bit " + std::to_string(f.bit) +
                " of lane " + std::to_string(f.lane) + " in direction " +
                std::to_string(f.direction) + "; it has " + std::to_string(line.lanes) +
                " lanes of " + std::to_string(10 * line.symbols) + " bits a cycle");
  }
  c.link[f.direction]->flip(f.at_ps, {f.lane, f.bit});
}

}  // namespace kumihimo
