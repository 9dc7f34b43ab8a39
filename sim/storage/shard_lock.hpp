// SPDX-License-Identifier: Apache-2.0
//
// A lock of coroutines, for one alone or for many together, first come, first served. Whoever lets
// go resumes the next ones on its own thread.
#pragma once

#include <coroutine>
#include <deque>
#include <mutex>
#include <vector>

namespace kumihimo::storage {

class ShardLock {
 public:
  struct Turn {
    ShardLock& lock;
    bool alone;
    bool await_ready() const noexcept { return false; }
    bool await_suspend(std::coroutine_handle<> h) {
      const std::lock_guard guard(lock.m_);
      if (lock.waiting_.empty() && lock.fits(alone)) {
        lock.take(alone);
        return false;
      }
      lock.waiting_.push_back({h, alone});
      return true;
    }
    void await_resume() const noexcept {}
  };
  Turn wait(bool alone) { return {*this, alone}; }

  bool try_alone() {
    const std::lock_guard guard(m_);
    if (!waiting_.empty() || !fits(true)) return false;
    take(true);
    return true;
  }

  void release(bool alone) {
    std::vector<std::coroutine_handle<>> next;
    {
      const std::lock_guard guard(m_);
      if (alone) {
        writer_ = false;
      } else {
        --readers_;
      }
      while (!waiting_.empty() && fits(waiting_.front().alone)) {
        take(waiting_.front().alone);
        next.push_back(waiting_.front().handle);
        waiting_.pop_front();
      }
    }
    go_on(next);
  }

 private:
  struct Waiter {
    std::coroutine_handle<> handle;
    bool alone;
  };

  bool fits(bool alone) const { return alone ? !writer_ && readers_ == 0 : !writer_; }
  void take(bool alone) {
    if (alone) {
      writer_ = true;
    } else {
      ++readers_;
    }
  }

  // One that goes on may let go in turn: a row, not a pile, so that the stack does not grow.
  static void go_on(const std::vector<std::coroutine_handle<>>& some) {
    static thread_local std::deque<std::coroutine_handle<>>* row = nullptr;
    if (row) {
      row->insert(row->end(), some.begin(), some.end());
      return;
    }
    std::deque<std::coroutine_handle<>> own(some.begin(), some.end());
    row = &own;
    while (!own.empty()) {
      const auto h = own.front();
      own.pop_front();
      h.resume();
    }
    row = nullptr;
  }

  std::mutex m_;
  unsigned readers_ = 0;
  bool writer_ = false;
  std::deque<Waiter> waiting_;
};

}  // namespace kumihimo::storage
