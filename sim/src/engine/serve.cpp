// SPDX-License-Identifier: Apache-2.0
//
// Running with the wall clock: free-running while there is traffic, asleep otherwise.
#include <algorithm>

#include "engine/drive.hpp"

namespace kumihimo {
namespace {

using namespace std::chrono_literals;
constexpr int kTrickleMs = 10;  // interval at which time advances while asleep

}  // namespace

// However a serve ends, no node stays ahead of the cluster.
struct Engine::Settled {
  explicit Settled(Engine& e) : engine(e) {}
  ~Settled() {
    try {
      engine.settle();
    } catch (...) {  // what failed is reported by whoever drives next
    }
  }
  Settled(const Settled&) = delete;
  Settled& operator=(const Settled&) = delete;
  Engine& engine;
};

void Engine::inject(Endpoint& e, Bytes frame, Ps at) {
  if (recorder_) {
    const auto id = names_.at(e.name());
    recorder_->add({now_ps(), FrameEvent{at, id, frame}});
  }
  if (!e.away()) e.inject(std::move(frame), std::max(at, now_ps()));
}

// Handles input from outside, waiting up to timeout_ms for it.
void Engine::poll(int timeout_ms, bool* woken) {
  const Ps now = now_ps();
  const Ps at = std::max(now, delivered_);
  const Outside::Inject take = [&](Endpoint& e, Bytes frame) { inject(e, std::move(frame), at); };
  for (const epoll_event& e : poller_.wait(timeout_ms, woken)) {
    if (woken) *woken = true;
    static_cast<Outside*>(e.data.ptr)->ready(e.events, now, take);
  }
  for (Outside* o : outsides_) {
    if (o->pending()) o->ready(0, now, take);
  }
}

// Nothing in flight, and no actor has work.
bool Engine::quiet() const {
  for (const auto& c : cables_) {
    if (c->link[0]->busy() || c->link[1]->busy()) return false;
  }
  const Ps now = now_ps();
  for (const auto& c : lane_cables_) {
    if (c->link[0]->busy(now) || (c->link[1] && c->link[1]->busy(now))) return false;
  }
  for (const JoinedDisk& d : disks_) {
    if (!away(d) && !d.disk->quiet(now)) return false;
  }
  return std::all_of(actors_.begin(), actors_.end(),
                     [&](const auto& a) { return a->away() || a->quiet(now); });
}

std::string Engine::serve(const ServeOptions& options, const Tick& tick) {
  check_open("serve", false);
  if (ranked()) throw Error("serve: this engine holds a part of a cluster");
  const Drive drive(*this);
  const Settled settled(*this);
  const auto wall0 = Clock::now();
  const Ps virtual0 = now_ps();
  // Limit of virtual time, from wall time, while idle.
  const auto allowance = [&] {
    const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - wall0);
    return virtual0 + static_cast<Ps>(ns.count()) * 1000;
  };
  // Asleep and advancing in turn, so that this share of the wall time is simulated.
  const double share = std::clamp(options.idle_share, 0.001, 0.999);
  const auto advance = std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double, std::milli>(kTrickleMs * share / (1 - share)));
  while (now_ps() < options.until_ps) {
    if (tick_due(tick, options.until_ps)) return "stopped";
    if (have_calls_.load(std::memory_order_acquire)) run_calls();
    poll(0, nullptr);
    if (!failure_.empty()) return "failed: " + failure_;
    if (!quiet()) {
      step(early_stop(options.until_ps));
      deliver_early(options.until_ps);
      continue;
    }
    if (!options.sleep_when_idle && now_ps() < allowance()) {
      step(options.until_ps);
      continue;
    }
    // Idle: flush captures and recordings, let the nodes run ahead, then sleep until an event.
    if (Clock::now() >= next_flush_) {
      housekeeping(false);
      if (!quiet()) continue;
    }
    run_ahead(options.until_ps);
    const auto asleep = Clock::now();
    bool woken = false;
    ++sleeps_;
    poll(kTrickleMs, &woken);
    const auto awake = Clock::now();
    idle_ += awake - asleep;
    if (woken) continue;
    while (now_ps() < std::min(allowance(), options.until_ps) && quiet() &&
           Clock::now() - awake < advance && failure_.empty()) {
      step(std::min(allowance(), options.until_ps));
      if (have_calls_.load(std::memory_order_acquire)) break;
    }
  }
  return "until";
}

}  // namespace kumihimo
