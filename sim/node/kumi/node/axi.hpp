// SPDX-License-Identifier: Apache-2.0
//
// The memory at the other end of a node's AXI4 master (ARM IHI 0022E, chapters A3 and A5).
//
// Reads sample the memory when their address is taken; writes take effect when their answer is
// offered. Of all orders that AXI allows this one forgives least: a master that does not wait for B
// meets old data. Bursts of one id are answered in order; bursts of different ids in order as well,
// unless KUMI_MEM_REORDER. Write data may come before its address.
//
// A burst is answered mem_latency_ps (and up to mem_jitter_ps more) after its address, a write
// after its last data. With mem_ps_per_byte each direction moves no more than that; ready of W goes
// low when more than kBufferBytes of writes wait for it.
//
// A beat beyond the end of the memory answers DECERR, one that touches a faulty byte SLVERR; such
// read beats are zeros, and a write burst with such a beat changes nothing. Exclusive accesses are
// ordinary ones (never EXOKAY). Broken rules are counted, and the first of each kind is told.
// Traits: kBits, kAddrBits, kIdBits (0: no ids) and the accessors of the signals.
#pragma once

#include <algorithm>
#include <cstdio>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "kumi/node/axi_burst.hpp"
#include "kumi/node/memory.hpp"
#include "kumi/node/messages.hpp"
#include "kumi/node/stream.hpp"

namespace kumi::node {

template <class Model, unsigned Index, unsigned Clock, class T>
class AxiPort {
 public:
  static constexpr unsigned kIndex = Index;
  static constexpr unsigned kClock = Clock;
  static constexpr bool kAxil = false;
  static constexpr unsigned kBytes = T::kBits / 8;
  static constexpr size_t kMostBursts = 256;  // that are taken and not answered, each direction
  static constexpr size_t kMostEarly = 16;    // bursts of write data without their address
  static constexpr unsigned kBufferBytes = 4096;

  Memory& memory() { return memory_; }
  const Memory& memory() const { return memory_; }

  void close(Model& m) {
    T::awready(m) = 0;
    T::wready(m) = 0;
    T::arready(m) = 0;
    T::bvalid(m) = 0;
    T::rvalid(m) = 0;
    aw_ready_ = w_ready_ = ar_ready_ = b_valid_ = r_valid_ = b_shown_ = r_shown_ = false;
    held_aw_ = held_ar_ = held_w_ = false;
    reads_.clear();
    addresses_.clear();
    data_.clear();
    answers_.clear();
    active_ = kNone;
  }

  void begin(kumi_port& p) {
    if (p.cfg.seed != seed_) {
      seed_ = p.cfg.seed;
      rng_ = Rng(seed_ ^ 0x4158);
    }
    size_ = p.cfg.mem_size != 0 ? p.cfg.mem_size : uint64_t{1} << 32;
  }

  void drive(Model& m, kumi_port& p, uint64_t t) {
    const auto ready = [&](bool room) {
      return room && (p.cfg.tx_stall == 0 || !rng_.chance(p.cfg.tx_stall));
    };
    const uint64_t slack = static_cast<uint64_t>(kBufferBytes * p.cfg.mem_ps_per_byte);
    aw_ready_ = ready(addresses_.size() + answers_.size() < kMostBursts);
    w_ready_ = ready(data_.size() < addresses_.size() + kMostEarly &&
                     (slack == 0 || meter(p, true).free_ps() <= t + slack));
    ar_ready_ = ready(reads_.size() < kMostBursts);
    T::awready(m) = aw_ready_;
    T::wready(m) = w_ready_;
    T::arready(m) = ar_ready_;
    if (!b_valid_ && (b_shown_ || !answers_.empty())) drive_b(m, p, t);
    if (!r_valid_ && (r_shown_ || !reads_.empty())) drive_r(m, p, t);
  }

  bool sample(Model& m, kumi_port& p, uint64_t t) {
    bool moved = sample_aw(m, p, t);
    moved |= sample_w(m, p, t);
    moved |= sample_ar(m, p, t);
    if (b_valid_) {
      if (T::bready(m)) {
        b_valid_ = false;
        moved = true;
      } else {
        ++p.stats.rx_wait;
      }
    }
    if (r_valid_) {
      if (T::rready(m)) {
        r_valid_ = false;
        moved = true;
        took_r(p);
      } else {
        ++p.stats.rx_wait;
      }
    }
    // What waits for its latency is work under way.
    return moved || !reads_.empty() || !answers_.empty() || !addresses_.empty();
  }

 private:
  static constexpr size_t kNone = ~size_t{0};

  struct Read {
    AxiBurst burst;
    uint64_t ready_ps = 0;
    uint32_t beat = 0;
    bool error = false;
    std::vector<uint8_t> data;    // a bus word a beat
    std::vector<uint8_t> answer;  // a response a beat
  };
  struct WriteAddress {
    AxiBurst burst;
  };
  struct WriteData {
    uint32_t beats = 0;
    bool complete = false;
    std::vector<uint8_t> data;
    std::vector<uint64_t> strobes;
  };
  struct Answer {
    AxiBurst burst;
    WriteData data;
    uint64_t ready_ps = 0;
  };
  struct Address {
    uint64_t addr, id, len, size, type;
    bool operator==(const Address&) const = default;
  };

  AxiMeter& meter(kumi_port& p, bool write) {
    return meters_[write && (p.cfg.mem_flags & KUMI_MEM_SHARED) == 0 ? 1 : 0];
  }

  void broken(kumi_port& p, AxiRule rule, uint64_t addr) {
    ++p.stats.protocol_errors;
    if ((told_ >> rule & 1) != 0) return;
    told_ |= 1u << rule;
    if (Messages* messages = Messages::current()) {
      char where[32];
      std::snprintf(where, sizeof where, "0x%llx", static_cast<unsigned long long>(addr));
      messages->print((std::string("%Warning: AXI port ") + T::kName + ": " + axi_rule_text(rule) +
                       " (address " + where + ")\n")
                          .c_str());
    }
  }

  // ---- addresses ----

  AxiBurst checked(kumi_port& p, const Address& a) {
    AxiBurst b;
    b.addr = a.addr;
    b.id = static_cast<uint32_t>(a.id);
    b.beats = static_cast<uint32_t>(a.len) + 1;
    b.beat_bytes = 1u << a.size;
    b.type = static_cast<uint32_t>(a.type);
    if (b.beat_bytes > kBytes) {
      broken(p, kAxiSize, a.addr);
      b.beat_bytes = kBytes;
    }
    if (b.type == 3) {
      broken(p, kAxiType, a.addr);
      b.type = 1;
    }
    if (b.type == 0 && b.beats > 16) broken(p, kAxiLength, a.addr);
    if (b.type == 2) {
      if (b.beats != 2 && b.beats != 4 && b.beats != 8 && b.beats != 16) {
        broken(p, kAxiLength, a.addr);
        b.type = 1;
      } else if (a.addr % b.beat_bytes != 0) {
        broken(p, kAxiWrapStart, a.addr);
      }
    }
    if (b.type == 1) {
      const uint64_t last = b.beat_addr(b.beats - 1) + (b.beats > 1 ? b.beat_bytes - 1 : 0);
      if (a.addr / Memory::kPage != last / Memory::kPage) broken(p, kAxiBoundary, a.addr);
    }
    return b;
  }

  // Of the library's own memory.
  uint8_t answer_of(uint64_t addr, uint32_t n) const {
    if (addr >= size_ || n > size_ - addr) return 3;
    return memory_.faulty(addr, n) ? 2 : 0;
  }

  uint8_t read_bytes(const kumi_port& p, uint64_t addr, uint8_t* to, uint32_t n) const {
    if (p.host != nullptr) {
      return static_cast<uint8_t>(p.host(p.host_ctx, KUMI_HOST_READ, addr, to, n));
    }
    const uint8_t answer = answer_of(addr, n);
    if (answer == 0) {
      memory_.read(addr, to, n);
    } else {
      std::memset(to, 0, n);
    }
    return answer;
  }

  uint8_t check_bytes(const kumi_port& p, uint64_t addr, uint32_t n) const {
    if (p.host == nullptr) return answer_of(addr, n);
    return static_cast<uint8_t>(p.host(p.host_ctx, KUMI_HOST_CHECK, addr, nullptr, n));
  }

  void write_bytes(const kumi_port& p, uint64_t addr, const uint8_t* from, uint32_t n) {
    if (p.host != nullptr) {
      p.host(p.host_ctx, KUMI_HOST_WRITE, addr, const_cast<uint8_t*>(from), n);
    } else {
      memory_.write(addr, from, n);
    }
  }

  uint64_t due(kumi_port& p, uint64_t t) {
    const uint64_t jitter = p.cfg.mem_jitter_ps;
    return t + p.cfg.mem_latency_ps + (jitter != 0 ? rng_.next() % (jitter + 1) : 0);
  }

  static Address write_address(Model& m) {
    Address a{get_u64<T::kAddrBits>(T::awaddr(m)), 0, T::awlen(m), T::awsize(m), T::awburst(m)};
    if constexpr (T::kIdBits != 0) a.id = T::awid(m);
    return a;
  }
  static Address read_address(Model& m) {
    Address a{get_u64<T::kAddrBits>(T::araddr(m)), 0, T::arlen(m), T::arsize(m), T::arburst(m)};
    if constexpr (T::kIdBits != 0) a.id = T::arid(m);
    return a;
  }

  bool sample_aw(Model& m, kumi_port& p, uint64_t t) {
    const bool valid = T::awvalid(m);
    if (!valid && !held_aw_) return false;
    const Address a = write_address(m);
    if (held_aw_ && (!valid || a != aw_)) broken(p, kAxiWithdrawn, aw_.addr);
    held_aw_ = valid && !aw_ready_;
    aw_ = a;
    if (!valid || !aw_ready_) return false;
    addresses_.push_back({checked(p, a)});
    match(p, t);
    return true;
  }

  bool sample_ar(Model& m, kumi_port& p, uint64_t t) {
    const bool valid = T::arvalid(m);
    if (!valid && !held_ar_) return false;
    const Address a = read_address(m);
    if (held_ar_ && (!valid || a != ar_)) broken(p, kAxiWithdrawn, ar_.addr);
    held_ar_ = valid && !ar_ready_;
    ar_ = a;
    if (!valid || !ar_ready_) return false;
    Read r;
    r.burst = checked(p, a);
    r.ready_ps = due(p, t);
    r.data = buffer(size_t{r.burst.beats} * kBytes);
    r.answer.resize(r.burst.beats);
    for (uint32_t i = 0; i < r.burst.beats; ++i) {
      const uint64_t addr = r.burst.beat_addr(i);
      const uint32_t n = r.burst.beat_length(i);
      uint8_t* word = r.data.data() + size_t{i} * kBytes;
      const auto lane = static_cast<uint32_t>(addr % kBytes);
      if (seed_ != 0 && n < kBytes) {  // nobody may rely on the bytes beside those addressed
        for (unsigned k = 0; k < kBytes; ++k) word[k] = static_cast<uint8_t>(rng_.next());
      } else {
        std::memset(word, 0, kBytes);
      }
      r.answer[i] = read_bytes(p, addr, word + lane, n);
      r.error |= r.answer[i] != 0;
    }
    if (r.error) ++p.stats.tx_bad;
    reads_.push_back(std::move(r));
    return true;
  }

  // ---- write data ----

  bool sample_w(Model& m, kumi_port& p, uint64_t t) {
    const bool valid = T::wvalid(m);
    if (!valid && !held_w_) return false;
    uint8_t word[KUMI_BEAT_BYTES];
    get_bytes<T::kBits>(T::wdata(m), word);
    const uint64_t strobe = get_u64<kBytes>(T::wstrb(m));
    const bool last = T::wlast(m);
    if (held_w_) {
      bool same = valid && strobe == w_strobe_ && last == w_last_;
      for (unsigned i = 0; i < kBytes && same; ++i) {
        same = (strobe >> i & 1) == 0 || word[i] == w_word_[i];
      }
      if (!same) broken(p, kAxiWithdrawn, addresses_.empty() ? 0 : addresses_.front().burst.addr);
    }
    held_w_ = valid && !w_ready_;
    if (held_w_) {
      std::memcpy(w_word_, word, kBytes);
      w_strobe_ = strobe;
      w_last_ = last;
    }
    if (!valid || !w_ready_) return false;
    if (data_.empty() || data_.back().complete) {
      data_.emplace_back();
      data_.back().data = buffer(0);
    }
    WriteData& d = data_.back();
    d.data.insert(d.data.end(), word, word + kBytes);
    d.strobes.push_back(strobe);
    ++d.beats;
    d.complete = last || d.beats == 256;
    // A master that forgets WLAST must not shift everything that follows.
    if (data_.size() <= addresses_.size() && d.beats == addresses_[data_.size() - 1].burst.beats) {
      if (!last) broken(p, kAxiLast, addresses_[data_.size() - 1].burst.addr);
      d.complete = true;
    }
    ++p.stats.tx_beats;
    p.stats.tx_bytes += static_cast<unsigned>(__builtin_popcountll(strobe));
    match(p, t);
    return true;
  }

  // Joins an address with its data once both are whole.
  void match(kumi_port& p, uint64_t t) {
    while (!addresses_.empty() && !data_.empty() && data_.front().complete) {
      Answer a;
      a.burst = addresses_.front().burst;
      a.data = std::move(data_.front());
      addresses_.pop_front();
      data_.pop_front();
      if (a.data.beats != a.burst.beats) {
        broken(p, kAxiLast, a.burst.addr);
        a.data.data.resize(size_t{a.burst.beats} * kBytes);
        a.data.strobes.resize(a.burst.beats);
      }
      a.ready_ps = due(p, t);
      if (p.cfg.mem_ps_per_byte > 0) {
        const double cost = a.burst.beats * double{p.cfg.mem_ps_per_byte} * a.burst.beat_bytes;
        a.ready_ps = std::max(a.ready_ps, meter(p, true).take(t, cost));
      }
      for (uint32_t i = 0; i < a.burst.beats; ++i) {
        const auto lane = static_cast<uint32_t>(a.burst.beat_addr(i) % kBytes);
        const uint64_t lanes = (~uint64_t{0} >> (64 - a.burst.beat_length(i))) << lane;
        if ((a.data.strobes[i] & ~lanes) != 0) {
          broken(p, kAxiStrobe, a.burst.addr);
          a.data.strobes[i] &= lanes;
        }
      }
      answers_.push_back(std::move(a));
      ++p.stats.tx_frames;
    }
  }

  // Writes the burst; the response.
  uint8_t commit(const kumi_port& p, const Answer& a) {
    for (uint32_t i = 0; i < a.burst.beats; ++i) {
      const uint8_t answer = check_bytes(p, a.burst.beat_addr(i), a.burst.beat_length(i));
      if (answer != 0) return answer;
    }
    for (uint32_t i = 0; i < a.burst.beats; ++i) {
      const uint64_t addr = a.burst.beat_addr(i);
      const uint64_t base = addr - addr % kBytes;
      const uint8_t* word = a.data.data.data() + size_t{i} * kBytes;
      uint64_t strobe = a.data.strobes[i];
      while (strobe != 0) {  // runs of strobed bytes
        const auto from = static_cast<unsigned>(__builtin_ctzll(strobe));
        const uint64_t rest = ~(strobe >> from);
        const unsigned n = rest == 0 ? 64 : static_cast<unsigned>(__builtin_ctzll(rest));
        write_bytes(p, base + from, word + from, n);
        if (from + n >= 64) break;
        strobe &= ~uint64_t{0} << (from + n);
      }
    }
    return 0;
  }

  // ---- answers ----

  // Which of the waiting bursts goes next: the first, or with REORDER any that is due and the first
  // of its id.
  template <class Queue>
  size_t pick(const kumi_port& p, const Queue& queue, uint64_t t) {
    if (queue.empty()) return kNone;
    if ((p.cfg.mem_flags & KUMI_MEM_REORDER) == 0) return queue.front().ready_ps <= t ? 0 : kNone;
    uint64_t seen[4] = {};
    size_t chosen = kNone;
    uint64_t candidates = 0;
    for (size_t i = 0; i < queue.size(); ++i) {
      const uint32_t id = queue[i].burst.id & 0xff;
      if ((seen[id / 64] >> id % 64 & 1) != 0) continue;
      seen[id / 64] |= uint64_t{1} << id % 64;
      if (queue[i].ready_ps <= t && rng_.next() % ++candidates == 0) chosen = i;
    }
    return chosen;
  }

  bool held_back(const kumi_port& p) { return p.cfg.rx_stall != 0 && rng_.chance(p.cfg.rx_stall); }

  void drive_b(Model& m, kumi_port& p, uint64_t t) {
    const size_t i = pick(p, answers_, t);
    if (i == kNone || held_back(p)) {
      T::bvalid(m) = 0;
      b_shown_ = false;
      return;
    }
    const uint8_t answer = commit(p, answers_[i]);
    if (answer != 0) ++p.stats.tx_bad;
    T::bresp(m) = answer;
    if constexpr (T::kIdBits != 0) T::bid(m) = answers_[i].burst.id;
    T::bvalid(m) = 1;
    b_valid_ = b_shown_ = true;
    spare_.push_back(std::move(answers_[i].data.data));
    answers_.erase(answers_.begin() + static_cast<std::ptrdiff_t>(i));
  }

  void drive_r(Model& m, kumi_port& p, uint64_t t) {
    const bool alternate = (p.cfg.mem_flags & KUMI_MEM_INTERLEAVE) != 0;
    if (active_ == kNone || alternate) active_ = pick(p, reads_, t);
    bool offer = active_ != kNone && !held_back(p);
    if (offer && p.cfg.mem_ps_per_byte > 0) {
      const Read& r = reads_[active_];
      const double cost = r.burst.beat_bytes * double{p.cfg.mem_ps_per_byte};
      AxiMeter& limit = meter(p, false);
      offer = limit.end(r.ready_ps, cost) <= t;
      if (offer) limit.take(r.ready_ps, cost);
    }
    if (!offer) {
      T::rvalid(m) = 0;
      r_shown_ = false;
      return;
    }
    const Read& r = reads_[active_];
    put_bytes<T::kBits>(T::rdata(m), r.data.data() + size_t{r.beat} * kBytes);
    T::rresp(m) = r.answer[r.beat];
    T::rlast(m) = r.beat + 1 == r.burst.beats;
    if constexpr (T::kIdBits != 0) T::rid(m) = r.burst.id;
    T::rvalid(m) = 1;
    r_valid_ = r_shown_ = true;
  }

  void took_r(kumi_port& p) {
    Read& r = reads_[active_];
    ++p.stats.rx_beats;
    p.stats.rx_bytes += r.burst.beat_length(r.beat);
    if (++r.beat != r.burst.beats) return;
    ++p.stats.rx_frames;
    spare_.push_back(std::move(r.data));
    reads_.erase(reads_.begin() + static_cast<std::ptrdiff_t>(active_));
    active_ = kNone;
  }

  std::vector<uint8_t> buffer(size_t bytes) {
    std::vector<uint8_t> b;
    if (!spare_.empty()) {
      b = std::move(spare_.back());
      spare_.pop_back();
    }
    b.resize(bytes);
    return b;
  }

  Memory memory_;
  uint64_t size_ = uint64_t{1} << 32;
  std::deque<Read> reads_;
  std::deque<WriteAddress> addresses_;
  std::deque<WriteData> data_;
  std::deque<Answer> answers_;
  std::vector<std::vector<uint8_t>> spare_;
  size_t active_ = kNone;  // the read whose beat is on offer, or that has begun
  AxiMeter meters_[2];     // reads (and writes when shared), writes
  bool aw_ready_ = false, w_ready_ = false, ar_ready_ = false;
  bool b_valid_ = false, r_valid_ = false;  // on offer
  bool b_shown_ = false, r_shown_ = false;  // the model's valid is high
  bool held_aw_ = false, held_ar_ = false, held_w_ = false;
  Address aw_{}, ar_{};
  uint8_t w_word_[KUMI_BEAT_BYTES] = {};
  uint64_t w_strobe_ = 0;
  bool w_last_ = false;
  uint32_t told_ = 0;
  uint64_t seed_ = 0;
  Rng rng_;
};

}  // namespace kumi::node
