// SPDX-License-Identifier: Apache-2.0
//
// Coroutines of the array. The same code runs on threads with files, inline with memory, and in
// virtual time with modelled disks: only who completes an operation differs.
//
// Task<T>: starts when it is awaited; continues on the thread that completed what it waited for.
// Batch: several operations started together; awaiting it waits for all of them.
// run(): waits for a task from ordinary code. spawn(): lets it run by itself.
#pragma once

#include <atomic>
#include <condition_variable>
#include <coroutine>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

namespace kumihimo::storage {

namespace detail {

// A child that completes at once must not resume its parent from inside: long loops of such
// children would grow the stack. Whoever comes second, the child's end or the parent's suspension,
// lets the parent go on.
struct PromiseBase {
  std::coroutine_handle<> parent;
  std::atomic<bool> second{false};
  std::exception_ptr problem;

  struct Final {
    bool await_ready() const noexcept { return false; }
    template <class P>
    void await_suspend(std::coroutine_handle<P> self) const noexcept {
      PromiseBase& p = self.promise();
      const auto parent = p.parent;
      if (p.second.exchange(true, std::memory_order_acq_rel)) parent.resume();
    }
    void await_resume() const noexcept {}
  };
  std::suspend_always initial_suspend() noexcept { return {}; }
  Final final_suspend() noexcept { return {}; }
  void unhandled_exception() { problem = std::current_exception(); }
};

template <class T>
struct Promise : PromiseBase {
  std::optional<T> value;
  auto get_return_object() { return std::coroutine_handle<Promise>::from_promise(*this); }
  void return_value(T v) { value.emplace(std::move(v)); }
  T take() {
    if (problem) std::rethrow_exception(problem);
    return std::move(*value);
  }
};

template <>
struct Promise<void> : PromiseBase {
  auto get_return_object() { return std::coroutine_handle<Promise>::from_promise(*this); }
  void return_void() {}
  void take() {
    if (problem) std::rethrow_exception(problem);
  }
};

}  // namespace detail

template <class T = void>
class [[nodiscard]] Task {
 public:
  using promise_type = detail::Promise<T>;
  using Handle = std::coroutine_handle<promise_type>;
  Task(Handle h) : h_(h) {}  // NOLINT: what a coroutine returns
  Task(Task&& other) noexcept : h_(std::exchange(other.h_, nullptr)) {}
  Task& operator=(Task&&) = delete;
  ~Task() {
    if (h_) h_.destroy();
  }
  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> parent) {
    auto& p = h_.promise();
    p.parent = parent;
    h_.resume();
    return !p.second.exchange(true, std::memory_order_acq_rel);
  }
  T await_resume() { return h_.promise().take(); }

 private:
  Handle h_;
};

// Counts operations under way; one owner awaits it once.
class Batch {
 public:
  Batch() = default;
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;
  void add() { left_.fetch_add(1, std::memory_order_relaxed); }
  void done() {
    if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) waiter_.resume();
  }
  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> waiter) {
    waiter_ = waiter;
    return left_.fetch_sub(1, std::memory_order_acq_rel) != 1;
  }
  void await_resume() const noexcept {}

 private:
  std::atomic<int> left_{1};  // one for the owner
  std::coroutine_handle<> waiter_;
};

namespace detail {

struct Detached {
  struct promise_type {
    Detached get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};

template <class Task_, class Done>
Detached detach(Task_ task, Done done) {
  std::exception_ptr problem;
  try {
    // Gone before anybody hears of the end: what it holds may be closed by then.
    Task_ inner = std::move(task);
    co_await inner;
  } catch (...) {
    problem = std::current_exception();
  }
  done(problem);
}

}  // namespace detail

// Runs a task by itself; `done` gets what it threw, or null.
template <class Done>
void spawn(Task<void> task, Done done) {
  detail::detach(std::move(task), std::move(done));
}

// Waits for a task. `pump` makes virtual time go on; without it other threads complete operations.
inline void run(Task<void> task, const std::function<void()>& pump = {}) {
  struct State {
    std::mutex m;
    std::condition_variable cv;
    bool over = false;
    std::exception_ptr problem;
  } state;
  spawn(std::move(task), [&state](std::exception_ptr problem) {
    const std::lock_guard lock(state.m);
    state.problem = problem;
    state.over = true;
    state.cv.notify_all();
  });
  if (pump) {
    while (!state.over) pump();
  } else {
    std::unique_lock lock(state.m);
    state.cv.wait(lock, [&] { return state.over; });
  }
  if (state.problem) std::rethrow_exception(state.problem);
}

}  // namespace kumihimo::storage
