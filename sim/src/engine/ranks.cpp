// SPDX-License-Identifier: Apache-2.0
//
// A part of a cluster: every rank adds the whole cluster, runs its own actors, and is in step with
// its neighbours by the latency of the cables between them. See docs/decisions/0008-ranks.md.
//
// No rank waits for all others within advance(). Whoever drives lets all ranks advance to the same
// time and makes calls in between, in every rank the same.
#include <poll.h>
#include <sched.h>

#include <algorithm>

#include "engine/drive.hpp"
#include "rank/delayed_stream.hpp"
#include "rank/mpi_stream.hpp"
#include "rank/socket_stream.hpp"
#include "rank/wire.hpp"

namespace kumihimo {
namespace {

constexpr Ps kMostStride = 5'000'000;  // without cables inside; keeps a run interruptible
constexpr std::chrono::milliseconds kMostNap{50};

// How long a thread looks at the streams before it sleeps. Waking up takes longer than most windows
// of equal ranks differ, so that a rank with a core of its own is patient.
constexpr std::chrono::microseconds kAwake{300}, kAwakeOnSharedCores{60};

// Wall time of a cable's latency from which it is walked in two windows: neighbours that are behind
// by turns then wait for each other only when one is half a latency behind. Shorter ones are not
// worth a second message.
constexpr double kHalvedNs = 100e3;

bool has_own_core(std::uint32_t ranks) {
  cpu_set_t allowed;
  return sched_getaffinity(0, sizeof allowed, &allowed) == 0 &&
         ranks <= static_cast<std::uint32_t>(CPU_COUNT(&allowed));
}

}  // namespace

// ---- building -----------------------------------------------------------------------------------

void Engine::place(std::uint32_t rank, std::map<std::string, std::uint32_t> owners) {
  check_open("place", true);
  if (!actors_.empty()) throw Error("place must come before the cluster");
  rank_ = rank;
  owners_ = std::move(owners);
  std::uint32_t ranks = rank + 1;
  for (const auto& [name, owner] : owners_) ranks = std::max(ranks, owner + 1);
  awake_ = has_own_core(ranks) ? kAwake : kAwakeOnSharedCores;
}

std::uint32_t Engine::owner(const std::string& name) const {
  const auto it = owners_.find(name);
  return it == owners_.end() ? 0 : it->second;
}

void Engine::join(std::uint32_t rank, int fd) {
  check_open("join", true);
  join(rank, std::make_unique<SocketStream>(fd));
}

void Engine::join_by_mpi(std::uint32_t rank, const std::string& shim) {
  check_open("join_by_mpi", true);
  join(rank, std::make_unique<MpiStream>(shim, rank));
}

void Engine::join(std::uint32_t rank, std::unique_ptr<Stream> stream) {
  neighbours_.push_back(std::make_unique<Neighbour>(
      rank, delayed_by_environment(std::move(stream), rank_ * std::uint64_t{1 << 16} + rank)));
}

// Which links lead to which neighbour, and how long a window may be here.
void Engine::find_borders() {
  stride_ = kMostStride;
  for (std::uint32_t i = 0; i < cables_.size(); ++i) find_border(i, *cables_[i]);
  for (std::uint32_t i = 0; i < lane_cables_.size(); ++i) find_border(i, *lane_cables_[i]);
  std::erase_if(neighbours_, [](const auto& n) { return !n->joined(); });
}

// Of an Ethernet or a lane cable, by its number.
template <class AnyCable>
void Engine::find_border(std::uint32_t number, const AnyCable& c) {
  const Actor* ends[2] = {actors_[c.actor[0]].get(), actors_[c.actor[1]].get()};
  if (ends[0]->away() && ends[1]->away()) return;
  if (!ends[0]->away() && !ends[1]->away()) {
    stride_ = std::min(stride_, c.link[0]->config().latency_ps);
    return;
  }
  const std::uint32_t other = ends[ends[0]->away() ? 0 : 1]->rank();
  const auto it = std::find_if(neighbours_.begin(), neighbours_.end(),
                               [&](const auto& n) { return n->rank() == other; });
  if (it == neighbours_.end()) {
    throw Error("cable '" + c.name + "' leads to rank " + std::to_string(other) +
                ", to which there is no connection");
  }
  for (std::uint32_t i = 0; i < 2; ++i) {
    const std::uint32_t key = 2 * number + i;
    if (ends[i]->away()) {
      (*it)->add_in(key, c.link[i].get());
    } else {
      (*it)->add_out(key, c.link[i].get());
    }
  }
}

// ---- driving ------------------------------------------------------------------------------------

// After a window.
void Engine::meet_neighbours() {
  const auto parity = static_cast<unsigned>(pool_->windows() & 1);
  for (auto& n : neighbours_) {
    try {
      n->send(now_ps(), parity);
    } catch (const Error& e) {
      throw Error("rank " + std::to_string(n->rank()) + " is gone: " + e.what());
    }
  }
}

// Until more is known from every neighbour than this rank needs: all before `until`, if it is there
// already, else anything. False: the tick ended it.
bool Engine::wait_for_neighbours(Ps until, const Tick& tick) {
  const auto waits_for = [&](const Neighbour& n) {
    return now_ps() < until ? n.known_until() <= now_ps() : n.clock() < until;
  };
  const auto sleep_at = Clock::now() + awake_;
  for (unsigned turn = 0;; ++turn) {
    bool wait = false, unsent = false;
    for (auto& n : neighbours_) {
      try {
        n->exchange();
      } catch (const Error& e) {
        throw Error("rank " + std::to_string(n->rank()) + " is gone: " + e.what());
      }
      unsent |= n->unsent();
      if (!waits_for(*n)) continue;
      wait = true;
      n->stats.waits += turn == 0;
    }
    // At the end nothing is left here that another waits for.
    if (!wait && (now_ps() < until || !unsent)) return true;
    if (Clock::now() < sleep_at) {
      if (turn % 8 == 7) sched_yield();
      continue;
    }
    if (tick_due(tick, until)) return false;
    std::vector<pollfd> fds;
    std::chrono::nanoseconds nap = kMostNap;
    for (const auto& n : neighbours_) {
      fds.push_back({n->fd(), static_cast<short>(n->unsent() ? POLLIN | POLLOUT : POLLIN), 0});
      nap = std::min<std::chrono::nanoseconds>(nap, n->nap());
    }
    const timespec most{0, static_cast<long>(nap.count())};
    ::ppoll(fds.data(), fds.size(), &most, nullptr);
  }
}

std::string Engine::advance(Ps until, const Tick& tick) {
  check_open("advance", false);
  const Drive drive(*this);
  told_.clear();
  for (;;) {
    if (tick_due(tick, until)) return "stopped";
    if (outside_ && !outsides_.empty()) poll(0, nullptr);
    if (!failure_.empty()) throw Error(failure_);
    const Ps next = replay_events();
    if (!wait_for_neighbours(std::min(until, next), tick)) return "stopped";
    if (now_ps() >= until) break;
    Ps limit = std::min(until, next);
    for (const auto& n : neighbours_) {
      limit = std::min(limit, n->known_until());
      const bool halved = static_cast<double>(n->latency()) * wall_ns_per_ps_ > kHalvedNs;
      if (halved) limit = std::min(limit, now_ps() + n->latency() / 2);
    }
    const Ps from = now_ps();
    const auto began = Clock::now();
    step(limit);
    const std::chrono::duration<double, std::nano> took = Clock::now() - began;
    const auto passed = static_cast<double>(std::max<Ps>(1, now_ps() - from));
    wall_ns_per_ps_ += (took.count() / passed - wall_ns_per_ps_) / 16;
  }
  check_writers();
  return "done";
}

bool Engine::poll_outside(int timeout_ms) {
  check_open("poll_outside", false);
  const Drive drive(*this);
  bool woken = false;
  poll(timeout_ms, &woken);
  return woken;
}

bool Engine::is_quiet() {
  bool answer = false;
  call([&] { answer = quiet(); });
  return answer;
}

// ---- digests, captures --------------------------------------------------------------------------

std::vector<std::uint64_t> Engine::digests() {
  std::vector<std::uint64_t> out;
  call([&] { out = parts_digests(); });
  return out;
}

void Engine::tell_digests(const std::vector<std::uint64_t>& of_all) {
  if (of_all.size() != nodes_.size() + disks_.size() + hosts_.size()) {
    throw Error("tell_digests: one of each node, disk and host is wanted");
  }
  call([&] { told_ = of_all; });
}

Bytes Engine::take_captured() {
  Bytes out;
  call([&] {
    for (std::uint32_t i = 0; i < captures_.size(); ++i) {
      for (const CapturedFrame& f : captures_[i]->take()) {
        append(out, i);
        append(out, f.t_ps);
        append(out, f.interface);
        append(out, static_cast<std::uint8_t>(f.inbound | f.bad << 1));
        append(out, f.order);
        append_bytes(out, f.comment.data(), f.comment.size());
        append_bytes(out, f.data.data(), f.data.size());
      }
    }
  });
  return out;
}

void Engine::give_captured(const Bytes& frames) {
  call([&] {
    for (Fetch from(frames); from.more();) {
      const auto capture = from.value<std::uint32_t>();
      CapturedFrame f{};
      f.t_ps = from.value<Ps>();
      f.interface = from.value<std::uint32_t>();
      const auto flags = from.value<std::uint8_t>();
      f.inbound = flags & 1;
      f.bad = flags >> 1 & 1;
      f.order = from.value<std::uint64_t>();
      const Bytes comment = from.bytes();
      f.comment.assign(comment.begin(), comment.end());
      f.data = from.bytes();
      if (capture >= captures_.size()) throw Error("frames of another rank are of no capture");
      captures_[capture]->give(std::move(f));
    }
  });
}

void Engine::write_captured() {
  call([&] {
    for (auto& c : captures_) c->collect(now_ps());
  });
}

// ---- registers ----------------------------------------------------------------------------------

std::uint64_t Engine::post(std::uint32_t id, std::uint32_t address, std::uint32_t data,
                           const std::string& port_text, std::uint8_t strobe, bool write) {
  check_open("register access", false);
  const std::uint32_t port = node(id).axil_port(port_text);
  auto state = std::make_shared<RegisterWait>();
  std::uint64_t ticket = 0;
  call([&] {
    kumi_axil_op op{};
    op.addr = address;
    op.data = data;
    op.strb = strobe;
    op.write = write;
    push_register(id, port, op, state);
    ticket = tag_;
    if (!node(id).away()) posts_[ticket] = {id, state};
  });
  return ticket;
}

bool Engine::answered(std::uint64_t ticket, std::uint32_t* data) {
  std::shared_ptr<RegisterWait> state;
  std::uint32_t id = 0;
  call([&] {
    const auto it = posts_.find(ticket);
    if (it == posts_.end()) throw Error("there is no register access " + std::to_string(ticket));
    id = it->second.first;
    if (!it->second.second->done) return;
    state = it->second.second;
    posts_.erase(it);
  });
  if (!state) return false;
  check_answer(node(id), state->op);
  *data = state->op.data;
  return true;
}

Stats Engine::rank_stats() {
  Stats out;
  call([&] {
    out.set("rank", std::uint64_t{rank_});
    out.set("window_ps", stride_);
    out.set("windows", windows_);
    Stats& all = out.group("neighbours");
    for (const auto& n : neighbours_) {
      Stats& s = all.group(std::to_string(n->rank()));
      s.set("latency_ps", n->latency());
      s.set("messages_out", n->stats.messages_out);
      s.set("messages_in", n->stats.messages_in);
      s.set("times_only", n->stats.times_only);
      s.set("bytes_out", n->stats.bytes_out);
      s.set("bytes_in", n->stats.bytes_in);
      s.set("beats_out", n->stats.beats_out);
      s.set("beats_in", n->stats.beats_in);
      s.set("blocks_out", n->stats.blocks_out);
      s.set("blocks_in", n->stats.blocks_in);
      s.set("wall_waits", n->stats.waits);
    }
  });
  return out;
}

}  // namespace kumihimo
