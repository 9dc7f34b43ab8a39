// SPDX-License-Identifier: Apache-2.0
//
// Statistics, the digest, and the description of the cluster for recordings.
#include <cstdio>

#include "base/hash.hpp"
#include "engine/engine.hpp"

namespace kumihimo {
namespace {

std::string number(double v) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", v);
  return text;
}

std::string describe(const Impairments& im) {
  return "loss " + number(im.loss) + " ber " + number(im.ber) + " duplicate " +
         number(im.duplicate) + " reorder " + number(im.reorder) + "/" +
         std::to_string(im.reorder_gap) + " jitter " + std::to_string(im.jitter_ps) +
         (im.pass_bad ? " pass_bad" : "");
}

void link_stats(Stats& out, const LinkStats& s) {
  out.set("frames_in", s.frames_in);
  out.set("bytes_in", s.bytes_in);
  out.set("frames_out", s.frames_out);
  out.set("bytes_out", s.bytes_out);
  out.set("lost", s.lost);
  out.set("bit_errors", s.bit_errors);
  out.set("corrupted", s.corrupted);
  out.set("fcs_dropped", s.fcs_dropped);
  out.set("duplicated", s.duplicated);
  out.set("reordered", s.reordered);
  out.set("backlog_dropped", s.backlog_dropped);
  out.set("unplugged", s.unplugged);
}

double seconds(std::chrono::steady_clock::duration d) {
  return std::chrono::duration<double>(d).count();
}

}  // namespace

std::string Engine::topology() const {
  std::string s = "seed " + std::to_string(seed_) + "\n";
  for (const auto& a : actors_) s += a->describe() + "\n";
  for (const auto& c : cables_) {
    const LinkConfig& ab = c->link[0]->config();
    s += "cable " + port_name(c->actor[0], c->port[0]) + " " + port_name(c->actor[1], c->port[1]) +
         " rate " + number(ab.rate_bps) + " latency " + std::to_string(ab.latency_ps) + " ab " +
         describe(ab.impair) + " ba " + describe(c->link[1]->config().impair) + "\n";
  }
  for (const auto& c : lane_cables_) {
    const LaneConfig& ab = c->link[0]->config();
    s += (c->infiniband ? "ib " : "lane ") + port_name(c->actor[0], c->port[0]) + " " +
         port_name(c->actor[1], c->port[1]) + " latency " + std::to_string(ab.latency_ps) + "+" +
         std::to_string(ab.skew_ps) + " ber " + number(ab.ber) + " " +
         number(c->link[1] ? c->link[1]->config().ber : 0) + (c->noise ? " noise" : "");
    if (c->infiniband) {
      s += " skews";
      for (const unsigned skew : ab.symbols.skew) s += " " + std::to_string(skew);
    }
    for (const auto& [from, to] : c->unplugged) {
      s += " out " + std::to_string(from) + "-" + std::to_string(to);
    }
    s += "\n";
  }
  for (const JoinedDisk& d : disks_) {
    s += d.disk->describe() + " at " + port_name(d.node, d.port) + "\n";
  }
  for (const auto& x : hosts_) s += x->describe() + " at " + actor(x->node()).name() + "\n";
  return s;
}

std::uint64_t Engine::digest_now() const {
  if (ranked() && told_.empty()) throw Error("digest: this engine holds a part of a cluster");
  ChainHash h;
  for (const std::uint64_t part : ranked() ? told_ : parts_digests()) h.word(part);
  return h.value();
}

// Of the nodes, then of the disks, then of the hosts; 0: it is in another rank.
std::vector<std::uint64_t> Engine::parts_digests() const {
  std::vector<std::uint64_t> parts;
  for (const NodeActor* n : nodes_) parts.push_back(n->away() ? 0 : n->digest());
  for (const JoinedDisk& d : disks_) parts.push_back(away(d) ? 0 : d.disk->digest());
  for (const auto& x : hosts_) parts.push_back(away(*x) ? 0 : x->digest());
  return parts;
}

std::string Engine::digest() {
  std::uint64_t v = 0;
  call([&] { v = digest_now(); });
  return hex64(v);
}

Stats Engine::stats() {
  Stats out;
  call([&] {
    Stats& e = out.group("engine");
    auto busy = busy_ - idle_;
    if (driving_) busy += Clock::now() - drive_began_;
    const double wall = seconds(busy);
    e.set("now_ps", now_ps());
    e.set("window_ps", window_);
    e.set("windows", windows_);
    e.set("threads", std::uint64_t{pool_ ? pool_->threads() : threads_});
    e.set("wall_s", wall);
    e.set("idle_s", seconds(idle_));
    e.set("sleeps", sleeps_);
    e.set("runs_ahead", runs_ahead_);
    e.set("frames_early", frames_early_);
    std::uint64_t cycles = 0;
    for (const NodeActor* n : nodes_) cycles += n->cycles();
    e.set("khz", wall > 0 ? static_cast<double>(cycles) / wall / 1e3 : 0.0);
    Stats& costs = e.group("wall_cost_ns");  // of a window, recently
    for (const auto& a : actors_) {
      if (!a->away()) costs.set(a->name(), a->cost_ns);
    }
    const struct {
      const char* kind;
      const char* group;
    } groups[] = {{"node", "nodes"},
                  {"switch", "switches"},
                  {"tap", "taps"},
                  {"peer", "peers"},
                  {"script", "scripts"}};
    for (const auto& g : groups) {
      Stats& group = out.group(g.group);
      for (const auto& a : actors_) {
        if (a->kind() != g.kind) continue;
        Stats& s = group.group(a->name());
        if (a->away()) continue;
        if (const auto* n = dynamic_cast<const NodeActor*>(a.get())) {
          s.set("khz", wall > 0 ? static_cast<double>(n->cycles()) / wall / 1e3 : 0.0);
        }
        a->stats(s);
      }
    }
    Stats& cables = out.group("cables");
    for (const auto& c : cables_) {
      Stats& s = cables.group(c->name);
      s.set("rate_bps", c->link[0]->config().rate_bps);
      s.set("latency_ps", c->link[0]->config().latency_ps);
      // Its sender counts for a link.
      for (int i = 0; i < 2; ++i) {
        Stats& way = s.group(i ? "ba" : "ab");
        if (!actors_[c->actor[i]]->away()) link_stats(way, c->link[i]->stats());
      }
      s.set("plugged", std::uint64_t{c->link[0]->plugged(now_ps())});
    }
    Stats& lanes = out.group("lanes");
    for (const auto& c : lane_cables_) {
      Stats& s = lanes.group(c->name);
      s.set("latency_ps", c->link[0]->config().latency_ps);
      if (c->infiniband) {
        s.set("width", std::uint64_t{c->link[0]->config().symbols.lanes});
        s.set("lane_rate_bps", c->lane_rate_bps);
      } else {
        s.set("skew_ps", c->link[0]->config().skew_ps);
      }
      for (int i = 0; i < 2 && c->link[i]; ++i) {
        const LaneStats l = c->link[i]->stats();
        Stats& g = s.group(i ? "ba" : "ab");
        if (actors_[c->actor[i]]->away()) continue;
        g.set("blocks", l.blocks);
        g.set("lost", l.lost);
        g.set("bit_errors", l.bit_errors);
        g.set("plugs", l.plugs);
        g.set("plugged", std::uint64_t{c->link[i]->plugged()});
      }
    }
    Stats& hosts = out.group("hosts");
    for (const auto& x : hosts_) {
      Stats& s = hosts.group(x->name());
      if (!away(*x)) x->stats(s);
    }
    Stats& disks = out.group("disks");
    for (const JoinedDisk& d : disks_) {
      Stats& s = disks.group(d.disk->name());
      s.set("port", port_name(d.node, d.port));
      if (!away(d)) d.disk->stats(s);
    }
    Stats& captures = out.group("captures");
    for (const auto& c : captures_) {
      Stats& s = captures.group(c->file().path());
      s.set("frames", c->frames());
      s.set("bytes", c->file().bytes());
    }
  });
  return out;
}

}  // namespace kumihimo
