// SPDX-License-Identifier: Apache-2.0
#include "switch.hpp"

namespace kumihimo::link_model {

std::uint32_t Switch::events(unsigned p) const {
  std::uint32_t ev = 0;
  const auto set = [&](unsigned at, bool on) { ev |= static_cast<std::uint32_t>(on) << at; };
  set(0, crossbar.lost(p));
  set(1, crossbar.stray(p));
  set(5, best.broken(p));
  set(6, best.unrouted(p));
  set(7, best.full(p));
  if (p >= kLocals) {
    const LinkPort& link = ports[p - kLocals];
    set(0, link.unsent());
    set(2, link.bad_crc());
    set(3, link.align().ev_bad);
    set(4, link.slipped());
  }
  return ev;
}

// The link that is followed: its offset is zero.
FrameTimer::Sync Switch::sync(std::array<LinkConfig, kLinks>& config) const {
  FrameTimer::Sync sync;
  sync.on = control.follow;
  const unsigned l = control.follow_port - kLocals;
  if (control.follow_port < kLocals || l >= kLinks) return sync;
  sync.mark = ports[l].mark();
  sync.lost = !lanes[l].status().up;
  sync.away = ports[l].mark_away();
  if (control.follow) config[l] = {true, 0};
  return sync;
}

void Switch::step(const std::array<Line, kLinks>& in) {
  control.observe(*this);
  const Time time = timer.time();
  const Frame frame = timer.frame(control.margin);
  std::array<LinkConfig, kLinks> config = control.links;
  const FrameTimer::Sync followed = sync(config);

  for (unsigned p = 0; p < kPorts; ++p) counters[p].step(events(p));
  for (unsigned l = 0; l < kLinks; ++l) lane_counters[l].step(lanes[l].events());

  std::array<Word, kLinks> words;
  std::array<BestEffort::LinkIn, kLinks> be_in;
  std::array<BestEffort::LinkOut, kLinks> be_out;
  std::array<Word, kLinks> out;
  std::array<bool, kLinks> open, xoff;
  for (unsigned l = 0; l < kLinks; ++l) {
    words[l] = ports[l].in();
    out[l] = crossbar.out(l);
    open[l] = best.open(l);
    xoff[l] = best.xoff(l);
    be_in[l] = {crossbar.be_in(l, timer), ports[l].align().locked(), crossbar.be_slot(l, timer),
                ports[l].xoff_seen(), words[l]};
    be_out[l] = best.leaving(l, be_in[l]);
  }

  crossbar.step(timer, words, be_out);
  best.step(control.board, be_in);
  for (unsigned l = 0; l < kLinks; ++l) {
    const Block sent = ports[l].send(time, out[l], open[l], xoff[l]);
    const Block rx = lanes[l].rx();
    const bool up = lanes[l].status().up, take = lanes[l].take();
    ports[l].step(time, frame, config[l], out[l], sent, take, rx, up);
    const LanesControl& set = lanes_control[l];
    lanes[l].step(in[l].data, in[l].head, sent, time.last_x, set.retrain, (set.lanes & 1) != 0);
  }
  const Control::Swap swap = control.swap();
  control.step(*this);
  for (LanesControl& set : lanes_control) set.retrain = false;
  timer.step(swap.now, swap.slots, swap.guard, control.margin, followed);
}

}  // namespace kumihimo::link_model
