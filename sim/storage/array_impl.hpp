// SPDX-License-Identifier: Apache-2.0
//
// Parts of the array that only its own files need.
#pragma once

#include <algorithm>
#include <cerrno>

#include "array.hpp"

namespace kumihimo::storage {

struct Array::Dev {
  DevicePtr io;                   // null: not here
  std::uint64_t incarnation = 0;  // another one for each device that gets this number
  std::uint32_t owner = 0;
  std::uint32_t generation = 0, half = 0, next = 0;  // log
  std::uint64_t data_offset = 0;
  bool offline = false;    // failed, and only this program knows
  bool unflushed = false;  // a write has ended that no flush has begun after
  double each = 0;         // seconds of one of the operations that ended together
  unsigned busy = 0;       // operations under way
  double last_done = 0;    // when the latest ended
  DeviceStatus count;      // counters only
  std::uint64_t chunks = 0;
};

// A disk whose superblock is right.
struct Array::Candidate {
  DevicePtr device;
  Super super;
  std::uint64_t log_events = 0;  // that all devices knew of when its log was begun
  bool healed = false;           // one copy of the superblock is bad
};

// How the devices that are here differ from those of the table; by number.
struct Array::Members {
  std::vector<unsigned> missing;   // active or draining, and not here
  std::vector<unsigned> failed;    // and not taken in again
  std::vector<unsigned> taken_in;  // by force, although failed
  std::vector<unsigned> old;       // by force, although their log is an old one
  bool few = false;                // the others may have gone on without those that are here

  bool is_in(const std::vector<unsigned>& list, unsigned d) const {
    return std::find(list.begin(), list.end(), d) != list.end();
  }
  std::size_t gone() const { return missing.size() + failed.size(); }
};

// Lock of a logical stripe while it is written or repaired; the next waiter resumes when it is let
// go.
class Array::StripeLock {
 public:
  StripeLock(Array& a, std::uint32_t logical) : a_(a), logical_(logical) {}
  StripeLock(const StripeLock&) = delete;
  StripeLock& operator=(const StripeLock&) = delete;
  ~StripeLock() {
    if (!held_) return;
    std::coroutine_handle<> next;
    {
      const std::lock_guard lock(a_.m_);
      const auto it = a_.locks_.find(logical_);
      if (it->second.empty()) {
        a_.locks_.erase(it);
      } else {
        next = it->second.front();
        it->second.pop_front();
      }
    }
    if (next) next.resume();
  }
  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> h) {
    const std::lock_guard lock(a_.m_);
    held_ = true;
    const auto [it, fresh] = a_.locks_.try_emplace(logical_);
    if (fresh) return false;
    it->second.push_back(h);
    return true;
  }
  void await_resume() const noexcept {}

 private:
  Array& a_;
  std::uint32_t logical_;
  bool held_ = false;
};

// One operation on a device that is not part of an array yet; waits for it and returns its error.
int transfer(const DevicePtr& device, Op op, std::uint64_t offset, Slice data,
             const std::function<void()>& pump);

// Collects a task in a batch, and what it throws.
inline void start(Batch& batch, Task<> task, std::exception_ptr* problem = nullptr) {
  batch.add();
  spawn(std::move(task), [&batch, problem](std::exception_ptr e) {
    if (e && problem) *problem = e;
    batch.done();
  });
}

inline void throw_first(const std::vector<std::exception_ptr>& problems) {
  for (const auto& problem : problems) {
    if (problem) std::rethrow_exception(problem);
  }
}

// The file system of a device is full, or its owner's share of it: the device works.
inline bool is_no_space(int error) { return error == ENOSPC || error == EDQUOT; }

// "device 1, 2 missing"
inline std::string list_of(const std::vector<unsigned>& devices, const char* what) {
  std::string list;
  for (const unsigned d : devices) list += (list.empty() ? "device " : ", ") + std::to_string(d);
  return list.empty() ? list : list + " " + what;
}

}  // namespace kumihimo::storage
