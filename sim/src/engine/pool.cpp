// SPDX-License-Identifier: Apache-2.0
#include "engine/pool.hpp"

#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <climits>

#include "net/actor.hpp"

namespace kumihimo {
namespace {

constexpr double kMostSpinNs = 100e3;
constexpr double kLeastSpinNs = 1e3;
constexpr double kAloneNs = 15e3;          // shorter windows are not worth a barrier
constexpr double kBesideNs = 5e3;          // nor is less work beside the longest actor
constexpr std::uint64_t kRebalance = 512;  // windows

void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t value) {
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAIT_PRIVATE, value, nullptr,
          nullptr, 0);
}

void futex_wake(std::atomic<std::uint32_t>& word) {
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAKE_PRIVATE, INT_MAX, nullptr,
          nullptr, 0);
}

void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#else
  std::atomic_signal_fence(std::memory_order_seq_cst);
#endif
}

double now_ns() {
  return std::chrono::duration<double, std::nano>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

Pool::Pool(unsigned threads) : threads_(std::max(1u, threads)) {
  const double t0 = now_ns();
  for (int i = 0; i < 1000; ++i) relax();
  const double spin_ns = std::max(1.0, (now_ns() - t0) / 1000);
  if (sched_getaffinity(0, sizeof allowed_, &allowed_) == 0) {
    own_cores_ = threads_ <= static_cast<unsigned>(CPU_COUNT(&allowed_));
  }
  // Spinning helps only if every thread has its own core.
  most_spins_ = own_cores_ ? kMostSpinNs / spin_ns : 0;
  patience_.spins = most_spins_ / 4;
}

Pool::~Pool() {
  quit_.store(true);
  go_.fetch_add(1);
  futex_wake(go_);
  for (std::thread& t : workers_) t.join();
}

void Pool::set_actors(const std::vector<Actor*>& actors) {
  actors_ = actors;
  threads_ = std::min<unsigned>(threads_, std::max<std::size_t>(1, actors_.size()));
  balance();
  // One copy per thread: the caller changes its own as soon as the first window runs.
  for (unsigned i = 1; i < threads_; ++i) {
    workers_.emplace_back([this, i, patience = patience_] { worker(i, patience); });
  }
}

// Longest first, each to the least loaded thread.
void Pool::balance() {
  std::vector<Actor*> order = actors_;
  std::stable_sort(order.begin(), order.end(),
                   [](const Actor* a, const Actor* b) { return a->cost_ns > b->cost_ns; });
  lists_.assign(threads_, {});
  std::vector<double> load(threads_, 0.0);
  for (Actor* a : order) {
    const auto least = std::min_element(load.begin(), load.end()) - load.begin();
    lists_[static_cast<std::size_t>(least)].push_back(a);
    load[static_cast<std::size_t>(least)] += a->cost_ns + 1;
  }
}

void Pool::work(unsigned self) {
  const std::uint64_t round = round_;
  const unsigned parity = number_ & 1;
  for (unsigned k = 0; k < threads_; ++k) {
    for (Actor* a : lists_[(self + k) % threads_]) {
      if (a->claimed.load(std::memory_order_relaxed) == round) continue;
      if (a->claimed.exchange(round, std::memory_order_acq_rel) == round) continue;
      const double t0 = now_ns();
      try {
        if (ahead_) {
          a->run_ahead(from_, to_);
        } else {
          a->step(from_, to_, parity);
        }
      } catch (...) {
        const std::lock_guard lock(error_mutex_);
        if (!error_) error_ = std::current_exception();
      }
      if (!ahead_) a->cost_ns += (now_ns() - t0 - a->cost_ns) / 16;
    }
  }
}

void Pool::wait_change(std::atomic<std::uint32_t>& word, std::uint32_t value,
                       std::atomic<std::uint32_t>& sleepers, Patience& patience) {
  for (double spun = 0; spun < patience.spins; ++spun) {
    if (word.load(std::memory_order_acquire) != value) {
      if (spun > 0) patience.spins = std::min(most_spins_, patience.spins * 1.125);
      return;
    }
    relax();
  }
  patience.spins = std::max(patience.spins * 0.75,
                            std::min(most_spins_, most_spins_ * kLeastSpinNs / kMostSpinNs));
  while (word.load() == value) {
    sleepers.fetch_add(1);
    if (word.load() == value) futex_wait(word, value);
    sleepers.fetch_sub(1);
  }
}

void Pool::worker(unsigned self, Patience patience) {
  for (std::uint32_t seen = 0;; ++seen) {
    wait_change(go_, seen, sleepers_, patience);
    if (quit_.load()) return;
    work(self);
    if (done_.fetch_add(1) + 2 == threads_ && waiters_.load()) futex_wake(done_);
  }
}

void Pool::keep_away() {
  const int cpu = own_cores_ ? sched_getcpu() : -1;
  if (cpu < 0 || cpu == avoided_) return;
  cpu_set_t others = allowed_;
  CPU_CLR(static_cast<unsigned>(cpu), &others);
  for (std::thread& t : workers_) pthread_setaffinity_np(t.native_handle(), sizeof others, &others);
  avoided_ = cpu;
}

void Pool::window(Ps from, Ps to) {
  ++number_;
  if (threads_ > 1 && number_ % kRebalance == 16) balance();
  if (number_ % 16 == 1) {
    double total = 0, longest = 0;
    for (const Actor* a : actors_) {
      total += a->cost_ns;
      longest = std::max(longest, a->cost_ns);
    }
    alone_ = threads_ == 1 || total < kAloneNs || total - longest < kBesideNs;
  }
  round(from, to, false);
}

void Pool::ahead(Ps now, Ps limit) { round(now, limit, true); }

void Pool::round(Ps from, Ps to, bool ahead) {
  ++round_;
  from_ = from;
  to_ = to;
  ahead_ = ahead;
  if (alone_) {
    work(0);
  } else {
    done_.store(0);
    go_.fetch_add(1);
    if (sleepers_.load()) {
      keep_away();
      futex_wake(go_);
    }
    work(0);
    for (std::uint32_t d; (d = done_.load(std::memory_order_acquire)) + 1 < threads_;) {
      wait_change(done_, d, waiters_, patience_);
    }
  }
  if (error_) {
    const std::exception_ptr e = std::exchange(error_, nullptr);
    std::rethrow_exception(e);
  }
}

}  // namespace kumihimo
