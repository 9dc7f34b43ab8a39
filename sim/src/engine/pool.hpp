// SPDX-License-Identifier: Apache-2.0
//
// The thread pool that runs the actors of a window.
//
// Each thread has its own list (balanced by measured cost, longest first, so that an actor stays in
// one core's cache) and steals from the others when it is done. Which thread runs an actor does not
// affect any result. Threads wait by spinning, then by futex; the spin time adapts to its success.
// A window with little work is run by the caller alone.
#pragma once

#include <sched.h>

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/types.hpp"

namespace kumihimo {

class Actor;

class Pool {
 public:
  explicit Pool(unsigned threads);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  void set_actors(const std::vector<Actor*>& actors);
  // Runs every actor from `from` to `to`; the caller works too.
  void window(Ps from, Ps to);
  // Actor::run_ahead of every actor.
  void ahead(Ps now, Ps limit);
  unsigned threads() const { return threads_; }
  std::uint64_t windows() const { return number_; }

 private:
  // Waits until `word` differs from `value`; `sleepers` counts sleeping threads.
  struct Patience {
    double spins;
  };
  void wait_change(std::atomic<std::uint32_t>& word, std::uint32_t value,
                   std::atomic<std::uint32_t>& sleepers, Patience& patience);
  void round(Ps from, Ps to, bool ahead);
  void work(unsigned self);
  void balance();
  void worker(unsigned self, Patience patience);
  // Workers leave the caller's core: a woken thread is often put on its waker's core and then waits
  // there for milliseconds, which is longer than a short burst of traffic takes.
  void keep_away();

  unsigned threads_;
  double most_spins_;
  Patience patience_;
  bool alone_ = false;
  std::vector<Actor*> actors_;
  std::vector<std::vector<Actor*>> lists_;
  std::vector<std::thread> workers_;
  cpu_set_t allowed_{};
  bool own_cores_ = false;  // each thread has its own core
  int avoided_ = -1;
  std::uint64_t number_ = 0;  // of the window
  std::uint64_t round_ = 0;   // of windows and runs ahead; set before go_, as what follows
  Ps from_ = 0, to_ = 0;
  bool ahead_ = false;

  alignas(64) std::atomic<std::uint32_t> go_{0};
  std::atomic<std::uint32_t> sleepers_{0};
  std::atomic<bool> quit_{false};
  alignas(64) std::atomic<std::uint32_t> done_{0};
  std::atomic<std::uint32_t> waiters_{0};
  std::mutex error_mutex_;
  std::exception_ptr error_;
};

}  // namespace kumihimo
