// SPDX-License-Identifier: Apache-2.0
#include "crossbar.hpp"

namespace kumihimo::link_model {

void Crossbar::step(const FrameTimer& timer, const std::array<Word, kLinks>& in,
                    const std::array<BestEffort::LinkOut, kLinks>& be) {
  word_ = false;
  for (const Word& w : x_) word_ = word_ || w.kind != WordKind::kEmpty;
  for (unsigned o = 0; o < kPorts; ++o) {
    counters[o].step(circuit_x_[o], x_[o].kind == WordKind::kData, x_entry_.out[o].owner);
    if (o < kLocals) deliver(o);
  }
  cross(timer, in, be);
  x_entry_ = t_;
  t_ = c_;
  c_ = b_;
  b_ = tables.at(timer.bank(), timer.pos());
  run_t_ = run_c_;
  run_c_ = run_b_;
  run_b_ = timer.run();
}

void Crossbar::deliver(unsigned o) {
  const bool comes = circuit_x_[o] && x_[o].kind == WordKind::kData;
  lost_[o] = false;
  for (unsigned c = 0; c < channels_; ++c) {
    Sink& sink = sinks_[o * channels_ + c];
    const bool push = comes && x_entry_.out[o].owner == c, room = sink.depth != kSinkDepth;
    const bool take = sink.depth != 0 && !sink.shown;
    lost_[o] = lost_[o] || (push && !room);
    sink.depth += static_cast<unsigned>(push && room) - static_cast<unsigned>(take);
    sink.shown = sink.shown || take;
  }
}

void Crossbar::cross(const FrameTimer& timer, const std::array<Word, kLinks>& in,
                     const std::array<BestEffort::LinkOut, kLinks>& be) {
  const bool crosses_now = crosses(timer), slot = timer.slot_t();
  std::array<bool, kPorts> used{};
  for (unsigned o = 0; o < kPorts; ++o) {
    const OutEntry& entry = t_.out[o];
    const bool open = crosses_now && (o < kLocals || slot) && entry.kind == Take::kCircuit;
    circuit_x_[o] = open;
    Word word;
    if (open && entry.src < kPorts) used[entry.src] = true;
    if (entry.src >= kLocals && entry.src < kPorts) word.data = in[entry.src - kLocals].data;
    if (open && entry.src >= kLocals && entry.src < kPorts &&
        in[entry.src - kLocals].kind == WordKind::kData) {
      word.kind = WordKind::kData;
    }
    if (o >= kLocals && be[o - kLocals].take) word = be[o - kLocals].word;
    x_[o] = word;
  }
  for (unsigned l = 0; l < kLinks; ++l) {
    const unsigned p = kLocals + l;
    const WordKind kind = in[l].kind;
    stray_[p] = run_t_ && kind != WordKind::kEmpty && !be_in(l, timer) &&
                !(used[p] && kind == WordKind::kData);
  }
}

}  // namespace kumihimo::link_model
