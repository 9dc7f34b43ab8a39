// SPDX-License-Identifier: Apache-2.0
//
// Replay: the events of a recording in place of the outside world.
#include <sstream>

#include "base/hash.hpp"
#include "engine/drive.hpp"

namespace kumihimo {
namespace {

// A line of a description without the hash of the node's library.
std::string without_library(std::string line) {
  const std::string key = " library ";
  const std::size_t at = line.find(key);
  if (at != std::string::npos) line.erase(at, line.find(' ', at + key.size()) - at);
  return line;
}

// First difference between two descriptions of a cluster.
std::string first_difference(const std::string& recorded, const std::string& here,
                             bool other_libraries) {
  std::istringstream a(recorded), b(here);
  std::string la, lb;
  for (;;) {
    const bool more_a = static_cast<bool>(std::getline(a, la));
    const bool more_b = static_cast<bool>(std::getline(b, lb));
    if (!more_a && !more_b) return "";
    if (!more_a) la = "(nothing)";
    if (!more_b) lb = "(nothing)";
    if (other_libraries) {
      la = without_library(std::move(la));
      lb = without_library(std::move(lb));
    }
    if (la != lb) return "recorded: " + la + "; here: " + lb;
  }
}

bool is_setup(const Event& x) {
  if (const auto* r = std::get_if<RegisterEvent>(&x.what)) return r->setup;
  if (const auto* p = std::get_if<PinEvent>(&x.what)) return p->setup;
  if (const auto* m = std::get_if<MemoryEvent>(&x.what)) return m->setup;
  if (const auto* l = std::get_if<PlugEvent>(&x.what)) return l->setup;
  if (const auto* f = std::get_if<FlipEvent>(&x.what)) return f->setup;
  if (const auto* d = std::get_if<DiskEvent>(&x.what)) return d->setup;
  if (const auto* c = std::get_if<CableEvent>(&x.what)) return c->setup;
  return false;
}

}  // namespace

void Engine::apply(const Event& e) {
  if (recorder_) recorder_->add(e);
  if (const auto* f = std::get_if<FrameEvent>(&e.what)) {
    auto* endpoint = dynamic_cast<Endpoint*>(&actor(f->actor));
    if (!endpoint) throw Error("the recording gives a frame to '" + actor(f->actor).name() + "'");
    if (!endpoint->away()) endpoint->inject(f->data, std::max(f->at_ps, now_ps()));
  } else if (const auto* r = std::get_if<RegisterEvent>(&e.what)) {
    kumi_axil_op op{};
    op.t_ps = now_ps();
    op.tag = ++tag_;
    op.addr = r->address;
    op.data = r->data;
    op.strb = r->strobe;
    op.write = r->write;
    node(r->actor).axil_push(r->port, op);
  } else if (const auto* p = std::get_if<PinEvent>(&e.what)) {
    node(p->actor).set_pin(p->pin, p->words);
  } else if (const auto* m = std::get_if<MemoryEvent>(&e.what)) {
    apply(*m);
  } else if (const auto* l = std::get_if<PlugEvent>(&e.what)) {
    apply(*l);
  } else if (const auto* x = std::get_if<FlipEvent>(&e.what)) {
    apply(*x);
  } else if (const auto* d = std::get_if<DiskEvent>(&e.what)) {
    apply(*d);
  } else if (const auto* c = std::get_if<CableEvent>(&e.what)) {
    apply(*c);
  } else if (const auto* n = std::get_if<ResetEvent>(&e.what)) {
    apply(*n);
  }
}

// ---- recorded input ----------------------------------------------------------------------------

void Engine::begin_replay(const std::string& path, bool other_libraries) {
  check_open("replay", true);
  auto recorded = std::make_unique<Recorded>(path);
  RecordingReader& reader = recorded->reader;
  const std::string difference = first_difference(reader.topology(), topology(), other_libraries);
  if (!difference.empty()) {
    throw Error("this cluster is not the one of the recording (" + difference + ")");
  }
  const Drive drive(*this);
  replay_hosts(path);
  std::vector<Event> setup;
  std::optional<Event>& e = recorded->next = reader.next();
  for (; e && is_setup(*e); e = reader.next()) setup.push_back(std::move(*e));
  set_up(std::move(setup), false);
  recorded_ = std::move(recorded);
}

// Applies the events that are due; when the next one is.
Ps Engine::replay_events() {
  if (!recorded_) return kForever;
  std::optional<Event>& e = recorded_->next;
  for (; e && e->t_ps <= now_ps(); e = recorded_->reader.next()) {
    if (e->t_ps < now_ps()) throw Error("the recording goes back in time");
    const auto* check = std::get_if<CheckEvent>(&e->what);
    if (std::holds_alternative<HostEvent>(e->what)) continue;  // replay_hosts
    if (!check) {
      ++recorded_->events;
      apply(*e);
      continue;
    }
    if (recorder_ && !check->end) recorder_->add(*e);
    recorded_->checks.push_back({now_ps(), check->digest, ranked() ? 0 : digest_now(), {}});
    if (ranked()) recorded_->checks.back().parts = parts_digests();
  }
  return e ? e->t_ps : kForever;
}

std::vector<RecordedCheck> Engine::take_checks() {
  std::vector<RecordedCheck> out;
  call([&] {
    if (recorded_) out.swap(recorded_->checks);
  });
  return out;
}

RecordedInfo Engine::recorded() const {
  if (!recorded_) throw Error("nothing is being replayed");
  return {recorded_->events, !recorded_->next.has_value(), recorded_->reader.ended()};
}

void Engine::go_live() {
  if (!recorded_) throw Error("go_live: nothing is being replayed");
  call([&] {
    recorded_.reset();
    outside_ = true;
    for (Outside* o : outsides_) o->open(poller_);
  });
}

ReplayResult Engine::replay(const std::string& path, const Tick& tick, bool other_libraries) {
  if (ranked()) throw Error("replay: this engine holds a part of a cluster");
  const Drive drive(*this);
  begin_replay(path, other_libraries);
  ReplayResult result;
  bool stopped = false;
  const auto judge = [&] {
    for (const RecordedCheck& c : std::exchange(recorded_->checks, {})) {
      ++result.checks;
      result.expected = hex64(c.expected);
      if (c.digest == c.expected || !result.equal) continue;
      result.equal = false;
      result.differs_ps = c.t_ps;
    }
  };
  for (Ps next = replay_events(); next != kForever && !stopped; next = replay_events()) {
    advance_to(next, tick, &stopped);
    judge();
  }
  judge();
  result.events = recorded_->events;
  result.complete = recorded_->reader.ended() && !stopped;
  result.final_ps = now_ps();
  result.digest = hex64(digest_now());
  if (!result.equal) {
    note(Level::kError, "replay",
         "the replay differs from the recording at or before " + std::to_string(result.differs_ps) +
             " ps");
  } else if (!result.complete && !stopped) {
    note(Level::kWarning, "replay", "the recording has no end marker; replayed what is whole");
  }
  return result;
}

}  // namespace kumihimo
