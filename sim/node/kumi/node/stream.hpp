// SPDX-License-Identifier: Apache-2.0
//
// The engine's end of a stream port (AXI4-Stream, ARM IHI 0051A), both ways.
//
// Toward the node (StreamRx): pieces of frames wait in a queue with their arrival times. They are
//   re-packed to beats of the port's width; a beat is offered at the first clock edge at or after
//   the arrival of its last byte. With a byte limit, pieces pass an admission stage in the order of
//   arrival, which drops frames that do not fit.
// From the node (StreamTx): beats are taken while ready is high. With a line rate the port is
//   serialised: a beat's time stamp is the end of its last byte on the line, and ready goes low
//   while a full beat still waits for the line. Frames are followed by frame_overhead bytes of
//   silence.
//
// A trait class T, generated for each direction of each port, names the model's signals:
//   kBits, kEth, kHasKeep, kHasLast, kUserBits, kIdBits, kDestBits and the accessors data(m),
//   keep(m), valid(m), ready(m), last(m), user(m), id(m), dest(m).
#pragma once

#include "kumi/abi.h"
#include "kumi/node/signal.hpp"

namespace kumi::node {

inline constexpr uint64_t kNever = ~uint64_t{0};

struct NoDirection {};

template <class T, class Model>
class StreamRx {
 public:
  static constexpr unsigned kBytes = T::kBits / 8;

  StreamRx() = default;
  StreamRx(const StreamRx&) = delete;
  StreamRx& operator=(const StreamRx&) = delete;
  ~StreamRx() { free(admitted_.buf); }

  void close(Model& m) {
    T::valid(m) = 0;
    shown_ = false;
  }

  // The configuration and the queue may have changed since the last run.
  void begin(kumi_port& p) {
    if (p.cfg.seed != seed_) {
      seed_ = p.cfg.seed;
      rng_ = Rng(seed_ ^ 0x5278);
    }
    if (p.cfg.rx_limit_bytes == 0 && kumi_queue_size(&admitted_) != 0) unlimit(p);
    if (next_ps_ == kNever) plan(p);
    if (p.cfg.rx_limit_bytes != 0) refresh_admission(p);
  }

  void drive(Model& m, kumi_port& p, uint64_t t) {
    if (next_admission_ps_ <= t) admit(p, t);
    if (valid_) return;
    if (next_ps_ <= t && (p.cfg.rx_stall == 0 || !rng_.chance(p.cfg.rx_stall))) {
      offer(m);
    } else if (shown_) {
      T::valid(m) = 0;
      shown_ = false;
    }
  }

  // Returns true if a beat moved.
  bool sample(Model& m, kumi_port& p) {
    if (!valid_) return false;
    if (!T::ready(m)) {
      ++p.stats.rx_wait;
      return false;
    }
    ++p.stats.rx_beats;
    p.stats.rx_bytes += length_;
    if (last_) ++p.stats.rx_frames;
    waiting_ -= length_ < waiting_ ? length_ : waiting_;
    valid_ = false;
    length_ = 0;
    plan(p);
    return true;
  }

 private:
  kumi_queue& source(kumi_port& p) { return p.cfg.rx_limit_bytes != 0 ? admitted_ : p.rx; }

  // Builds the next beat out of the waiting pieces; next_ps_ is the arrival of its last byte.
  void plan(kumi_port& p) {
    kumi_queue& q = source(p);
    while (kumi_queue_size(&q) != 0) {
      const kumi_beat& piece = *kumi_queue_front(&q);
      if (length_ == 0 && offset_ == 0 && piece.len == kBytes) {
        std::memcpy(beat_, piece.data, kBytes);
        finish(p, q, piece, piece.t_ps, true, kBytes);
        return;
      }
      const unsigned room = kBytes - length_;
      const unsigned left = piece.len - offset_;
      const unsigned take = left < room ? left : room;
      std::memcpy(beat_ + length_, piece.data + offset_, take);
      offset_ += take;
      const bool emptied = offset_ == piece.len;
      uint64_t t = piece.t_ps;
      if (!emptied && p.cfg.ps_per_byte > 0) {
        const auto rest = static_cast<uint64_t>((piece.len - offset_) * p.cfg.ps_per_byte);
        t = rest < t ? t - rest : 0;
      }
      const unsigned length = length_ + take;
      if (length == kBytes || (emptied && (piece.flags & KUMI_LAST) != 0)) {
        finish(p, q, piece, t, emptied, length);
        return;
      }
      length_ = length;
      if (emptied) {
        offset_ = 0;
        kumi_queue_pop(&q);
      }
    }
    next_ps_ = kNever;
  }

  void finish(kumi_port& p, kumi_queue& q, const kumi_beat& piece, uint64_t t, bool emptied,
              unsigned length) {
    last_ = emptied && (piece.flags & KUMI_LAST) != 0;
    user_ = piece.user;
    id_ = piece.id;
    dest_ = piece.dest;
    bad_ = last_ && (piece.flags & KUMI_BAD) != 0;
    length_ = length;
    next_ps_ = t;
    if (length == 0) {  // a stream cannot carry an empty frame: show a byte and call it bad
      ++p.stats.protocol_errors;
      beat_[0] = 0;
      length_ = 1;
      bad_ = true;
    }
    if (emptied) {
      offset_ = 0;
      kumi_queue_pop(&q);
    }
  }

  void offer(Model& m) {
    valid_ = true;
    shown_ = true;
    next_ps_ = 0;
    if (seed_ != 0 && length_ < kBytes) {  // nobody may rely on the bytes behind the end
      for (unsigned i = length_; i < kBytes; ++i) beat_[i] = static_cast<uint8_t>(rng_.next());
    }
    put_bytes<T::kBits>(T::data(m), beat_);
    if constexpr (T::kHasKeep) put_u64<kBytes>(T::keep(m), ~uint64_t{0} >> (64 - length_));
    if constexpr (T::kHasLast) T::last(m) = last_;
    if constexpr (T::kUserBits != 0) {
      uint64_t user = user_;
      if (last_) user = T::kEth ? uint64_t{bad_} : user | uint64_t{bad_};
      put_u64<T::kUserBits>(T::user(m), user);
    }
    if constexpr (T::kIdBits != 0) put_u64<T::kIdBits>(T::id(m), id_);
    if constexpr (T::kDestBits != 0) put_u64<T::kDestBits>(T::dest(m), dest_);
    T::valid(m) = 1;
  }

  // ---- admission: only with rx_limit_bytes ----

  void refresh_admission(kumi_port& p) {
    next_admission_ps_ = kumi_queue_size(&p.rx) != 0 ? kumi_queue_front(&p.rx)->t_ps : kNever;
  }

  void admit(kumi_port& p, uint64_t t) {
    while (kumi_queue_size(&p.rx) != 0 && kumi_queue_front(&p.rx)->t_ps <= t) {
      const kumi_beat& piece = *kumi_queue_front(&p.rx);
      const bool last = (piece.flags & KUMI_LAST) != 0;
      if (!dropping_ && waiting_ + piece.len > p.cfg.rx_limit_bytes) overflow(p, piece);
      if (!dropping_) {
        if (!frame_open_) frame_head_ = admitted_.tail;
        frame_open_ = !last;
        waiting_ += piece.len;
        *kumi_queue_push(&admitted_) = piece;
      } else if (last) {
        dropping_ = false;
      }
      kumi_queue_pop(&p.rx);
    }
    refresh_admission(p);
    if (next_ps_ == kNever) plan(p);
  }

  // The frame that does not fit goes as a whole, unless its head has already left the queue: then
  // it is cut short and marked bad.
  void overflow(kumi_port& p, const kumi_beat& piece) {
    ++p.stats.rx_overflow;
    dropping_ = true;
    if (!frame_open_) return;
    frame_open_ = false;
    if (admitted_.head <= frame_head_ && (admitted_.head != frame_head_ || offset_ == 0)) {
      while (admitted_.tail != frame_head_) {
        --admitted_.tail;
        waiting_ -= admitted_.buf[admitted_.tail & (admitted_.cap - 1)].len;
      }
      return;
    }
    kumi_beat& cut = *kumi_queue_push(&admitted_);
    cut = piece;
    cut.len = 1;
    cut.flags = KUMI_LAST | KUMI_BAD;
    ++waiting_;
  }

  // The limit was taken away: what was admitted goes back to the head of the queue.
  void unlimit(kumi_port& p) {
    kumi_queue merged{};
    for (kumi_queue* q : {&admitted_, &p.rx}) {
      for (; kumi_queue_size(q) != 0; kumi_queue_pop(q)) {
        *kumi_queue_push(&merged) = *kumi_queue_front(q);
      }
    }
    free(p.rx.buf);
    p.rx = merged;
    next_admission_ps_ = kNever;
  }

  uint64_t next_ps_ = kNever;            // arrival of the planned beat; 0 while it is on offer
  uint64_t next_admission_ps_ = kNever;  // arrival of the next piece to admit
  bool valid_ = false;                   // a beat is on offer
  bool shown_ = false;                   // the model's valid is high
  bool last_ = false;
  bool bad_ = false;
  bool frame_open_ = false;
  bool dropping_ = false;
  unsigned length_ = 0;  // bytes gathered in beat_
  unsigned offset_ = 0;  // bytes used of the front piece
  uint32_t dest_ = 0;
  uint16_t id_ = 0;
  uint64_t user_ = 0;
  uint64_t waiting_ = 0;  // bytes admitted and not yet taken
  uint64_t frame_head_ = 0;
  kumi_queue admitted_{};
  uint64_t seed_ = 0;
  Rng rng_;
  alignas(8) uint8_t beat_[KUMI_BEAT_BYTES] = {};
};

template <class T, class Model>
class StreamTx {
 public:
  static constexpr unsigned kBytes = T::kBits / 8;

  void close(Model& m) {
    T::ready(m) = 0;
    ready_ = false;
    held_ = false;
  }

  void begin(kumi_port& p) {
    if (p.cfg.seed != seed_) {
      seed_ = p.cfg.seed;
      rng_ = Rng(seed_ ^ 0x5478);
    }
    slack_ps_ = T::kEth ? static_cast<uint64_t>(kBytes * p.cfg.ps_per_byte) : 0;
  }

  void drive(Model& m, kumi_port& p, uint64_t t) {
    bool ready = true;
    if constexpr (T::kEth) ready = slack_ps_ == 0 || line_free_ps_ < t + slack_ps_;
    if (p.cfg.tx_stall != 0 && rng_.chance(p.cfg.tx_stall)) ready = false;
    ready_ = ready;
    T::ready(m) = ready;
  }

  bool sample(Model& m, kumi_port& p, uint64_t t) {
    const bool valid = T::valid(m);
    if (held_) [[unlikely]]
      check_held(m, p, valid);
    if (!valid) {
      if (inside_ && ready_) ++p.stats.tx_gap;
      return false;
    }
    if (!ready_) {
      if (!held_) hold(m);
      return false;
    }
    held_ = false;
    take(m, p, t);
    return true;
  }

 private:
  void take(Model& m, kumi_port& p, uint64_t t) {
    kumi_beat& b = *kumi_queue_push(&p.tx);
    get_bytes<T::kBits>(T::data(m), b.data);
    bool last = true;
    if constexpr (T::kHasLast) last = T::last(m);
    unsigned length = kBytes;
    if constexpr (T::kHasKeep) {
      const uint64_t keep = get_u64<kBytes>(T::keep(m));
      if (keep != kMask<kBytes>) {
        const uint64_t hole = keep & (keep + 1);
        if (hole != 0 || keep == 0 || !last) ++p.stats.protocol_errors;
        length = hole == 0 ? static_cast<unsigned>(__builtin_popcountll(keep))
                           : 64u - static_cast<unsigned>(__builtin_clzll(keep));
      }
    }
    b.len = static_cast<uint8_t>(length);
    b.user = 0;
    b.id = 0;
    b.dest = 0;
    if constexpr (T::kUserBits != 0) b.user = get_u64<T::kUserBits>(T::user(m));
    if constexpr (T::kIdBits != 0) b.id = static_cast<uint16_t>(get_u64<T::kIdBits>(T::id(m)));
    if constexpr (T::kDestBits != 0)
      b.dest = static_cast<uint32_t>(get_u64<T::kDestBits>(T::dest(m)));
    unsigned flags = inside_ ? 0u : unsigned{KUMI_FIRST};
    if (last) flags |= KUMI_LAST;
    if (last && (b.user & 1) != 0) {
      flags |= KUMI_BAD;
      ++p.stats.tx_bad;
    }
    b.flags = static_cast<uint8_t>(flags);
    b.t_ps = t;
    if constexpr (T::kEth) {
      if (slack_ps_ != 0) {
        if (line_free_ps_ < t) {
          line_free_ps_ = t;
          line_fraction_ = 0;
        }
        occupy(length, p.cfg.ps_per_byte);
        b.t_ps = line_free_ps_;
        if (last) occupy(p.cfg.frame_overhead, p.cfg.ps_per_byte);
      }
    }
    ++p.stats.tx_beats;
    p.stats.tx_bytes += length;
    if (last) ++p.stats.tx_frames;
    inside_ = !last;
  }

  void occupy(unsigned bytes, double ps_per_byte) {
    line_fraction_ += bytes * ps_per_byte;
    const auto whole = static_cast<uint64_t>(line_fraction_);
    line_fraction_ -= static_cast<double>(whole);
    line_free_ps_ += whole;
  }

  // While valid waits for ready nothing of the beat may change (IHI 0051A, 2.2.1).
  void hold(Model& m) {
    held_ = true;
    image(m, held_beat_);
  }

  void check_held(Model& m, kumi_port& p, bool valid) {
    Image now;
    if (valid) image(m, now);
    if (!valid || std::memcmp(&now, &held_beat_, sizeof now) != 0) {
      ++p.stats.protocol_errors;
      held_ = false;
    }
  }

  struct Image {
    uint64_t keep, user, id, dest, last;
    uint8_t data[KUMI_BEAT_BYTES];
  };

  void image(Model& m, Image& out) {
    std::memset(&out, 0, sizeof out);
    get_bytes<T::kBits>(T::data(m), out.data);
    if constexpr (T::kHasKeep) {
      out.keep = get_u64<kBytes>(T::keep(m));
      for (unsigned i = 0; i < kBytes; ++i) {  // bytes without keep carry nothing
        if ((out.keep >> i & 1) == 0) out.data[i] = 0;
      }
    }
    if constexpr (T::kHasLast) out.last = T::last(m);
    if constexpr (T::kUserBits != 0) out.user = get_u64<T::kUserBits>(T::user(m));
    if constexpr (T::kIdBits != 0) out.id = get_u64<T::kIdBits>(T::id(m));
    if constexpr (T::kDestBits != 0) out.dest = get_u64<T::kDestBits>(T::dest(m));
  }

  bool ready_ = false;
  bool inside_ = false;
  bool held_ = false;
  uint64_t slack_ps_ = 0;
  uint64_t line_free_ps_ = 0;
  double line_fraction_ = 0;
  uint64_t seed_ = 0;
  Rng rng_;
  Image held_beat_{};
};

// A port with one or both directions. Index: place in the design's port table; Clock: place in its
// clock table.
template <class Model, unsigned Index, unsigned Clock, class RxT, class TxT>
class StreamPort {
  static constexpr bool kHasRx = !std::is_same_v<RxT, NoDirection>;
  static constexpr bool kHasTx = !std::is_same_v<TxT, NoDirection>;
  struct Empty {};

 public:
  static constexpr unsigned kIndex = Index;
  static constexpr unsigned kClock = Clock;
  static constexpr bool kAxil = false;

  void close(Model& m) {
    if constexpr (kHasRx) rx_.close(m);
    if constexpr (kHasTx) tx_.close(m);
  }
  void begin(kumi_port& p) {
    if constexpr (kHasRx) rx_.begin(p);
    if constexpr (kHasTx) tx_.begin(p);
  }
  void drive(Model& m, kumi_port& p, uint64_t t) {
    if constexpr (kHasRx) rx_.drive(m, p, t);
    if constexpr (kHasTx) tx_.drive(m, p, t);
  }
  bool sample(Model& m, kumi_port& p, uint64_t t) {
    bool moved = false;
    if constexpr (kHasRx) moved = rx_.sample(m, p);
    if constexpr (kHasTx) moved |= tx_.sample(m, p, t);
    return moved;
  }

 private:
  std::conditional_t<kHasRx, StreamRx<RxT, Model>, Empty> rx_;
  std::conditional_t<kHasTx, StreamTx<TxT, Model>, Empty> tx_;
};

}  // namespace kumi::node
