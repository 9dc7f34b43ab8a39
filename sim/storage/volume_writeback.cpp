// SPDX-License-Identifier: Apache-2.0
//
// Gathered writes on their way to the devices: behind the answers, when memory is short, for a
// flush, and once they are old.
#include <chrono>
#include <utility>

#include "volume_impl.hpp"

namespace kumihimo::storage {

using Seconds = std::chrono::duration<double>;
using Clock = std::chrono::steady_clock;

namespace {

constexpr std::size_t kLarge = 128U << 10;                  // bytes of a request
constexpr std::size_t kStartBytes = std::size_t{16} << 20;  // gathered of large ones

}  // namespace

// A gathered stripe to the devices; also one that somebody is writing already and that has changed.
Task<> Volume::write_one(std::uint32_t logical) {
  struct Written {
    Volume& v;
    Dirty& d;
    bool await_ready() const noexcept { return false; }
    bool await_suspend(std::coroutine_handle<> h) {
      const std::lock_guard lock(v.m_);
      if (!d.writing) return false;
      d.waiting.push_back(h);
      return true;
    }
    void await_resume() const noexcept {}
  };
  DirtyPtr d;
  LeasePtr lease;
  std::uint64_t changes = 0;
  std::vector<Slice> chunks;
  std::vector<std::uint32_t> crc;
  std::exception_ptr problem;
  std::vector<std::coroutine_handle<>> next;
  while (true) {
    bool writing = false;
    {
      Hold hold(*this, {logical}, true);
      co_await hold.take();
      d = find(logical);
      if (!d) co_return;
      bool is_lost = false;
      try {
        co_await complete(logical, *d);
      } catch (const LostError&) {
        problem = std::current_exception();
        is_lost = array_->is_lost(logical) && !array_->is_suspended();
      } catch (...) {
        problem = std::current_exception();
      }
      const std::lock_guard lock(m_);
      if (!dirty_.contains(logical)) co_return;  // a write that was under way has just ended
      writing = d->writing;
      if (!writing && is_lost) {
        drop(logical, problem);
        next = take_full();
        d = nullptr;
      } else if (!writing) {
        d->writing = true;
        unqueue(*d);
        changes = d->changes;
        lease = d->lease;
        chunks = cut(d->data);
        crc = d->crc;
      }
    }
    if (!writing) break;
    Written written{*this, *d};
    co_await written;
  }
  if (!d) {
    for (const auto h : next) h.resume();
    co_return;
  }
  try {
    if (!problem) co_await array_->write_stripe(logical, std::move(chunks), std::move(crc));
  } catch (...) {
    problem = std::current_exception();
  }
  chunks.clear();
  lease.reset();
  {
    const std::lock_guard lock(m_);
    d->writing = false;
    if (!problem) uncommitted_ = std::min(uncommitted_, d->place->period);
    next.swap(d->waiting);
    if (!problem && d->changes == changes) {
      erase(logical);
    } else {
      queue_up(*d);
    }
    if (problem) failed(problem);
    if (problem || bytes_ <= most_bytes_) {
      const auto full = take_full();
      next.insert(next.end(), full.begin(), full.end());
    } else if (!full_.empty()) {
      kick();
    }
  }
  for (const auto h : next) h.resume();
  if (problem) std::rethrow_exception(problem);
  if (array_->short_of_space() && maintainer_.joinable() && !commit_early_.exchange(true)) {
    const std::lock_guard lock(thread_m_);
    wake_.notify_all();
  }
}

// Stays known until a flush has succeeded; whoever waits for room hears of it.
void Volume::failed(const std::exception_ptr& problem) {
  ++failures_;
  try {
    std::rethrow_exception(problem);
  } catch (const NoSpaceError& e) {
    no_space_ = true;
    write_problem_ = e.what();
  } catch (const std::exception& e) {
    write_problem_ = e.what();
  }
}

// Part of a stripe whose rest is lost: it can be stored nowhere.
void Volume::drop(std::uint32_t logical, const std::exception_ptr& problem) {
  try {
    std::rethrow_exception(problem);
  } catch (const std::exception& e) {
    const std::uint64_t stripe = array_->stripe_bytes();
    dropped_problem_ = "what was written to a part of bytes " + std::to_string(logical * stripe) +
                       "+" + std::to_string(stripe) + " could not be stored: " + e.what();
  }
  ++dropped_;
  array_->note(dropped_problem_);
  erase(logical);
}

std::uint64_t Volume::dropped() {
  const std::lock_guard lock(m_);
  return dropped_;
}

void Volume::throw_dropped(std::uint64_t* seen) {
  const std::lock_guard lock(m_);
  if (std::exchange(*seen, dropped_) != dropped_) throw LostError(dropped_problem_);
}

std::vector<std::coroutine_handle<>> Volume::take_full() { return std::exchange(full_, {}); }

// While the devices' file systems are full, a write would only fill the memory.
void Volume::refuse_full() {
  if (!no_space_) return;
  const std::lock_guard lock(m_);
  if (no_space_) throw NoSpaceError(write_problem_);
}

Task<> Volume::write_some(const std::vector<std::uint32_t>* logicals,
                          std::atomic<std::size_t>* next) {
  std::exception_ptr problem;
  while (true) {
    const std::size_t i = next->fetch_add(1);
    if (i >= logicals->size()) break;
    // One that cannot be written keeps no other from it.
    try {
      co_await write_one((*logicals)[i]);
    } catch (...) {
      problem = std::current_exception();
    }
  }
  if (problem) std::rethrow_exception(problem);
}

Task<> Volume::write_out(std::vector<std::uint32_t> logicals) {
  std::vector<std::exception_ptr> problems(std::min(most_workers_, logicals.size()));
  std::atomic<std::size_t> next{0};
  Batch batch;
  for (std::exception_ptr& problem : problems) start(batch, write_some(&logicals, &next), &problem);
  co_await batch;
  throw_first(problems);
}

// What to write next: the oldest, but rather one that is full, for that costs no read.
std::optional<std::uint32_t> Volume::oldest() {
  constexpr int kLook = 32;
  if (queue_.empty()) return std::nullopt;
  auto best = queue_.begin();
  int looked = 0;
  for (auto it = queue_.begin(); it != queue_.end() && looked < kLook; ++it, ++looked) {
    if (dirty_[it->logical]->missing) continue;
    best = it;
    break;
  }
  const std::uint32_t logical = best->logical;
  unqueue(*dirty_[logical]);
  return logical;
}

// After a request of so many bytes. What comes in large pieces is written soon, while it is in the
// processor's caches, for there will be more of it. Small pieces come to the same places again.
void Volume::drain(std::uint64_t length) {
  std::size_t start = most_bytes_ / 4 * 3;
  if (length >= kLarge) start = std::min(start, kStartBytes);
  if (bytes_ <= start || !drainer_.joinable()) return;
  const std::lock_guard lock(m_);
  leave_ = workers_ || kicked_ ? std::min(leave_, start / 2) : start / 2;
  kick();
}

void Volume::kick() {
  if (kicked_ || workers_ >= most_workers_ || queue_.empty()) return;
  kicked_ = true;
  drain_wake_.notify_all();
}

// Waits while the memory is full.
Task<> Volume::room() {
  struct Room {
    Volume& v;
    std::uint64_t failures;
    bool await_ready() const noexcept { return false; }
    bool await_suspend(std::coroutine_handle<> h) {
      const std::lock_guard lock(v.m_);
      if (v.bytes_ <= v.most_bytes_ || v.failures_ != failures) return false;
      v.leave_ = std::min(v.leave_, v.most_bytes_ / 2);
      v.kick();
      v.full_.push_back(h);
      return true;
    }
    void await_resume() const noexcept {}
  };
  if (bytes_ <= most_bytes_) co_return;
  if (!drainer_.joinable()) {
    // A quarter; all, if the rest keeps the memory of what is written.
    for (const std::size_t count : {most_bytes_ / 4 / array_->stripe_bytes() + 1, SIZE_MAX}) {
      std::vector<std::uint32_t> out;
      {
        const std::lock_guard lock(m_);
        while (out.size() < count) {
          const auto logical = oldest();
          if (!logical) break;
          out.push_back(*logical);
        }
      }
      co_await write_out(std::move(out));
      if (bytes_ <= most_bytes_) co_return;
    }
    co_return;
  }
  std::uint64_t failures = 0;
  {
    const std::lock_guard lock(m_);
    failures = failures_;
  }
  while (true) {
    Room wait{*this, failures};
    co_await wait;
    refuse_full();
    const std::lock_guard lock(m_);
    if (bytes_ <= most_bytes_) co_return;
    if (failures_ != failures) throw StorageError(write_problem_);
  }
}

// One of several that write side by side, so that one that waits for a slow device holds up no
// other.
Task<> Volume::drain_some() {
  while (true) {
    std::optional<std::uint32_t> logical;
    {
      const std::lock_guard lock(m_);
      if (stop_drain_ || bytes_ <= leave_) co_return;
      logical = oldest();
    }
    if (!logical) co_return;
    co_await write_one(*logical);
  }
}

void Volume::drain_loop() {
  std::unique_lock lock(m_);
  while (true) {
    drain_wake_.wait(lock, [&] { return stop_drain_ || kicked_; });
    if (stop_drain_) return;
    kicked_ = false;
    const std::size_t more = std::min(most_workers_ - workers_, queue_.size());
    workers_ += more;
    lock.unlock();
    for (std::size_t i = 0; i < more; ++i) {
      spawn(drain_some(), [this](const std::exception_ptr&) {
        const std::lock_guard inner(m_);
        if (--workers_ == 0) drain_wake_.notify_all();
      });
    }
    lock.lock();
  }
}

Task<> Volume::flush_task(std::uint64_t* seen) {
  co_await flush_older(kAll);
  throw_dropped(seen);
}

// What came before that period.
Task<> Volume::flush_older(std::uint64_t period) {
  std::vector<std::uint32_t> out;
  std::uint64_t failures = 0;
  bool any = period == kAll;
  {
    const std::lock_guard lock(m_);
    for (const Entry& one : queue_) {
      if (one.period >= period) break;
      out.push_back(one.logical);
    }
    for (const Entry& one : writing_) {
      if (one.period < period) out.push_back(one.logical);
    }
    any |= !out.empty() || uncommitted_ < period;
    failures = failures_;
  }
  if (!any) co_return;
  co_await write_and_commit(std::move(out));
  const std::lock_guard lock(m_);
  if (period != kAll || failures != failures_) co_return;
  write_problem_.clear();
  no_space_ = false;
}

Task<> Volume::flush_range_task(std::uint64_t offset, std::uint64_t length, std::uint64_t* seen) {
  co_await write_and_commit(logicals_of(parts(offset, length)));
  throw_dropped(seen);
}

// A stripe that cannot be written keeps no other from being durable; the error comes afterwards.
Task<> Volume::write_and_commit(std::vector<std::uint32_t> logicals) {
  std::exception_ptr problem;
  try {
    co_await write_out(std::move(logicals));
  } catch (...) {
    problem = std::current_exception();
  }
  co_await commit();
  if (problem) std::rethrow_exception(problem);
}

Task<> Volume::commit() {
  std::uint64_t oldest = kAll;
  {
    const std::lock_guard lock(m_);
    std::swap(oldest, uncommitted_);
  }
  try {
    co_await array_->commit();
  } catch (...) {
    const std::lock_guard lock(m_);
    uncommitted_ = std::min(uncommitted_, oldest);
    failed(std::current_exception());
    throw;
  }
}

VolumeStatus Volume::status() {
  const std::lock_guard lock(m_);
  return {bytes_, write_problem_, dropped_, dropped_problem_};
}

// What has come before the period that has just ended.
Task<> Volume::flush_old() {
  const bool work = array_->has_uncommitted();
  std::uint64_t ended = 0;
  bool all = false;
  {
    const std::lock_guard lock(m_);
    ended = period_++;
    all = !write_problem_.empty();
    if (work) uncommitted_ = std::min(uncommitted_, ended);  // also what does not come from here
  }
  co_await flush_older(all ? kAll : ended);
}

// Twice in the time in which all must be safe, each time only what came before the period that has
// just ended: the rest need not be safe before the next time, and until then requests may change it
// again. To write all would take the processor from requests for work that is done twice.
void Volume::maintain() {
  const auto period = std::chrono::duration_cast<Clock::duration>(Seconds(commit_s_ / 2));
  auto due = Clock::now() + period;
  std::unique_lock lock(thread_m_);
  while (true) {
    wake_.wait_until(lock, due, [&] { return stop_ || commit_early_; });
    if (stop_) return;
    lock.unlock();
    const bool early = Clock::now() < due;
    try {
      if (early) {
        array_->run(commit());
      } else {
        due = Clock::now() + period;
        array_->run(array_->repair_pending());
        array_->run(flush_old());
      }
    } catch (const std::exception&) {
      // What is not safe stays in hand, so a client's own flush ends with the same error.
      const std::lock_guard inner(m_);
      failed(std::current_exception());
    }
    if (early) commit_early_ = false;
    lock.lock();
  }
}

}  // namespace kumihimo::storage
