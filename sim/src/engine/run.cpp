// SPDX-License-Identifier: Apache-2.0
//
// Windows, and the work between them.
#include <algorithm>

#include "engine/drive.hpp"

namespace kumihimo {
namespace {

using namespace std::chrono_literals;
constexpr auto kTickEvery = 50ms;
constexpr auto kFlushEvery = 100ms;
constexpr auto kCheckEvery = 1s;
constexpr auto kTendEvery = 200ms;

}  // namespace

Engine::Drive::Drive(Engine& engine, Kind kind) : engine_(engine) {
  std::unique_lock lock(engine.mutex_);
  if (engine.driving_ && engine.driver_ == std::this_thread::get_id()) {
    nested_ = true;
    return;
  }
  if (kind == Kind::kRun) {
    engine.changed_.wait(lock, [&] { return !engine.driving_ || !engine.driver_is_call_; });
    if (engine.driving_) throw Error("the engine is being run by another thread");
  } else if (engine.driving_) {
    owns_ = false;
    return;
  }
  engine.driving_ = true;
  engine.driver_is_call_ = kind == Kind::kCall;
  engine.driver_ = std::this_thread::get_id();
  engine.drive_began_ = Clock::now();
  engine.next_tick_ = engine.drive_began_ + kTickEvery;
}

Engine::Drive::~Drive() {
  if (nested_ || !owns_) return;
  for (;;) {
    engine_.run_calls();
    const std::lock_guard lock(engine_.mutex_);
    if (!engine_.calls_.empty()) continue;
    engine_.driving_ = false;
    // A stop during a driving call is meant for the waiting run.
    if (!engine_.driver_is_call_) engine_.stop_.store(false);
    engine_.busy_ += Clock::now() - engine_.drive_began_;
    break;
  }
  engine_.changed_.notify_all();
}

// One window, at most to `limit`.
void Engine::step(Ps limit) {
  const Ps now = now_.load(std::memory_order_relaxed);
  Ps to = std::min(now + stride_, limit);
  for (const TraceWindow& t : traces_) {
    if (t.from > now) to = std::min(to, t.from);
    if (t.to > now) to = std::min(to, t.to);
  }
  for (const ResetEvent& r : resets_) to = std::min(to, r.at_ps);
  // The outside world gets a frame as soon as it has arrived.
  for (const External* e : externals_) {
    const Link* in = e->ports()[0].in;
    const Ps end = in && outside_ ? in->next_end() : kForever;
    if (end >= now && end < to) to = end + 1;
  }
  if (to <= now) return;
  pool_->window(now, to);
  now_.store(to, std::memory_order_relaxed);
  ++windows_;
  if (!neighbours_.empty()) meet_neighbours();
  after_window();
  if (!traces_.empty()) apply_traces();
  if (!resets_.empty()) apply_resets();
  tend_hosts(to);  // after a reset, as in a replay: registers of this time are the new instance's
}

void Engine::after_window() {
  const Ps now = now_ps();
  for (Script* s : scripts_) s->collect();
  for (External* e : externals_) e->deliver(now);
  for (NodeActor* n : nodes_) {
    if (n->axil_done().empty()) continue;
    const std::lock_guard lock(mutex_);
    for (const kumi_axil_op& op : n->axil_done()) {
      const auto it = waits_.find(op.tag);
      if (it == waits_.end()) continue;
      it->second->op = op;
      it->second->done = true;
      waits_.erase(it);
    }
    n->axil_done().clear();
    changed_.notify_all();
  }
  // Frames of other ranks may be earlier.
  for (auto& c : captures_) c->collect(ranked() ? 0 : now);
  take_messages();
  if (!failure_.empty()) return;
  for (const NodeActor* n : nodes_) {
    const std::string why = n->failure();
    if (!why.empty()) failure_ = "node '" + n->name() + "' failed: " + why;
  }
}

void Engine::take_messages() {
  for (auto& a : actors_) {
    for (Message& m : a->pending_log()) messages_.add(std::move(m));
    a->pending_log().clear();
  }
  for (auto& h : hosts_) {
    for (Message& m : h->pending_log()) messages_.add(std::move(m));
    h->pending_log().clear();
  }
}

void Engine::apply_traces() {
  const Ps now = now_ps();
  for (const TraceWindow& t : traces_) {
    if (t.from == now) node(t.node).trace(true);
    if (t.to == now) node(t.node).trace(false);
  }
  std::erase_if(traces_, [&](const TraceWindow& t) { return t.to <= now; });
}

void Engine::apply_resets() {
  const Ps now = now_ps();
  for (const ResetEvent& r : resets_) {
    if (r.at_ps > now) continue;
    node(r.actor).restart(now);
    for (auto& h : hosts_) {
      if (h->node() == r.actor && outside_ && !away(*h)) h->node_reset(now);
    }
  }
  std::erase_if(resets_, [&](const ResetEvent& r) { return r.at_ps <= now; });
}

void Engine::note(Level level, const std::string& source, const std::string& text) {
  messages_.add({level, now_ps(), source, text});
}

bool Engine::tick_due(const Tick& tick, Ps end) {
  if (stop_.load(std::memory_order_relaxed)) return true;
  const auto now = Clock::now();
  if (now < next_tick_) return false;
  housekeeping(false);
  bool stop = tick && tick(now_ps(), end);
  next_tick_ = Clock::now() + kTickEvery;
  return stop;
}

// Flushes, digest checks, reconnects: by wall time, without effect on the run.
void Engine::housekeeping(bool force) {
  const auto now = Clock::now();
  if (outside_ && (force || now >= next_tend_)) {
    for (Outside* o : outsides_) o->tend(now_ps());
    next_tend_ = now + kTendEvery;
  }
  if (recorder_ && !recorded_ && !ranked() && (force || now >= next_check_)) {
    settle();
    recorder_->add({now_ps(), CheckEvent{digest_now(), false}});
    next_check_ = now + kCheckEvery;
  }
  if (recorder_ && !recorded_ && ranked() && force && !told_.empty()) {
    recorder_->add({now_ps(), CheckEvent{digest_now(), false}});
  }
  if (force || now >= next_flush_) {
    if (recorder_) recorder_->flush();
    for (auto& c : captures_) c->flush();
    next_flush_ = now + kFlushEvery;
  }
  check_writers();
}

void Engine::check_writers() {
  for (const JoinedDisk& d : disks_) {
    const std::string trouble = d.disk->take_trouble();
    if (!trouble.empty()) note(Level::kError, d.disk->name(), trouble);
  }
  if (recorder_ && recorder_->file().failed() && !recorder_->reported) {
    recorder_->reported = true;
    note(Level::kError, "recording",
         "recording to " + recorder_->file().path() + " stopped: " + recorder_->file().error() +
             "; the run goes on");
  }
  for (auto& c : captures_) {
    if (!c->file().failed() || c->reported) continue;
    c->reported = true;
    note(Level::kError, "capture",
         "capture to " + c->file().path() + " stopped: " + c->file().error() + "; the run goes on");
  }
}

void Engine::advance_to(Ps end, const Tick& tick, bool* stopped) {
  while (now_ps() < end) {
    if (tick_due(tick, end)) {
      *stopped = true;
      return;
    }
    if (have_calls_.load(std::memory_order_acquire)) run_calls();
    if (outside_ && !outsides_.empty()) poll(0, nullptr);
    if (!failure_.empty()) throw Error(failure_);
    step(std::min(end, replay_events()));
  }
  replay_events();
  if (!failure_.empty()) throw Error(failure_);
}

std::string Engine::run(Ps duration, const Tick& tick) {
  check_open("run", false);
  const Drive drive(*this);
  const Ps now = now_ps();
  if (duration > kForever - now) throw Error("run: virtual time would pass its limit");
  bool stopped = false;
  advance_to(now + duration, tick, &stopped);
  check_writers();
  return stopped ? "stopped" : "done";
}

void Engine::stop() {
  stop_.store(true);
  poller_.wake();
}

void Engine::finish() {
  check_open("finish", false);
  const Drive drive(*this);
  for (NodeActor* n : nodes_) n->finish();
  take_messages();
}

void Engine::complete_files() {
  if (closed_) return;
  const Drive drive(*this);
  end_files();
}

void Engine::end_files() {
  if (recorder_ && started_) {
    // Of a run whose ranks ended apart there is no digest, and the recording stays open-ended.
    if (!ranked() || !told_.empty()) recorder_->add({now_ps(), CheckEvent{digest_now(), true}});
    recorder_->close();
  }
  for (auto& c : captures_) c->finish();
  check_writers();
}

void Engine::close() {
  if (closed_) return;
  const Drive drive(*this);
  closed_ = true;
  pool_.reset();
  for (Outside* o : outsides_) o->shut();
  end_files();
}

}  // namespace kumihimo
