// SPDX-License-Identifier: Apache-2.0
//
// Queue of beats from the sending to the receiving actor.
//
// Both ends may work in the same window on different threads. The producer appends without limit
// and publishes its count at the end of its window into one of two slots (double buffering by
// window parity); the consumer opens the slot of the previous window and sees nothing newer. The
// barrier between windows is the only synchronisation, so neither end ever waits for the other.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "kumi/abi.h"

namespace kumihimo {

class BeatQueue {
 public:
  BeatQueue() : tail_(new Chunk), head_(tail_) {}
  ~BeatQueue() {
    for (Chunk* c = head_; c;) {
      Chunk* next = c->next;
      delete c;
      c = next;
    }
    delete spare_.load();
  }
  BeatQueue(const BeatQueue&) = delete;
  BeatQueue& operator=(const BeatQueue&) = delete;

  // Producer: appends a beat for the caller to fill.
  kumi_beat& push() {
    if (tail_at_ == kBeats) grow();
    ++pushed_;
    return tail_->beats[tail_at_++];
  }
  void publish(unsigned parity) { published_[parity & 1] = pushed_; }

  // Consumer.
  void open(unsigned parity) { visible_ = published_[(parity & 1) ^ 1]; }
  const kumi_beat* front() {
    if (popped_ == visible_) return nullptr;
    if (head_at_ == kBeats) advance();
    return &head_->beats[head_at_];
  }
  void pop() {
    ++popped_;
    ++head_at_;
  }

  // Between windows only. `first_end`: time of the first beat that ends a frame, kNone if there is
  // none among the next `most`.
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  std::uint64_t in_flight() const { return pushed_ - popped_; }
  std::uint64_t first_end(unsigned most) const {
    const Chunk* c = head_;
    unsigned at = head_at_;
    for (std::uint64_t n = std::min<std::uint64_t>(in_flight(), most); n; --n, ++at) {
      if (at == kBeats) {
        c = c->next;
        at = 0;
      }
      if (c->beats[at].flags & KUMI_LAST) return c->beats[at].t_ps;
    }
    return kNone;
  }

 private:
  static constexpr unsigned kBeats = 63;
  struct Chunk {
    Chunk* next = nullptr;
    kumi_beat beats[kBeats];
  };

  void grow() {
    Chunk* c = spare_.exchange(nullptr, std::memory_order_acquire);
    if (!c) c = new Chunk;
    c->next = nullptr;
    tail_->next = c;
    tail_ = c;
    tail_at_ = 0;
  }
  void advance() {
    Chunk* done = head_;
    head_ = done->next;
    head_at_ = 0;
    delete spare_.exchange(done, std::memory_order_acq_rel);
  }

  alignas(64) Chunk* tail_;
  unsigned tail_at_ = 0;
  std::uint64_t pushed_ = 0;
  alignas(64) Chunk* head_;
  unsigned head_at_ = 0;
  std::uint64_t popped_ = 0;
  std::uint64_t visible_ = 0;
  alignas(64) std::uint64_t published_[2] = {0, 0};
  std::atomic<Chunk*> spare_{nullptr};
};

}  // namespace kumihimo
