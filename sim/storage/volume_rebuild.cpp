// SPDX-License-Identifier: Apache-2.0
//
// Rebuilds and scrubs in the background.
#include <chrono>
#include <utility>

#include "volume_impl.hpp"

namespace kumihimo::storage {

using Seconds = std::chrono::duration<double>;
using Clock = std::chrono::steady_clock;

void Volume::start_rebuild(bool verify, double limit_mbs) {
  stop_rebuild();
  const std::lock_guard lock(thread_m_);
  stop_rebuild_ = false;
  rebuild_status_ = {true, verify, 0, array_->stripes(), ""};
  rebuilder_ = std::thread([this, verify, limit_mbs] { rebuild(verify, limit_mbs); });
}

void Volume::rebuild(bool verify, double limit_mbs) {
  constexpr std::uint32_t kStep = 64;
  constexpr unsigned kAtOnce = 8;
  const auto began = Clock::now();
  const std::uint32_t total = array_->stripes();
  std::uint64_t bytes = 0;
  std::string problem;
  for (std::uint32_t at = 0; at < total; at += kStep) {
    {
      const std::lock_guard lock(thread_m_);
      rebuild_status_.done = at;
      if (stop_rebuild_) break;
    }
    try {
      const std::uint64_t before = array_->counters().repaired;
      array_->run(array_->repair_range(at, at + kStep, kAtOnce, verify));
      bytes += (array_->counters().repaired - before) * array_->chunk();
      if (verify) bytes += kStep * array_->stripe_bytes();
    } catch (const StorageError& e) {
      if (problem.empty()) problem = e.what();
    }
    if (limit_mbs > 0) {
      const auto until = began + std::chrono::duration_cast<Clock::duration>(
                                     Seconds(static_cast<double>(bytes) / (limit_mbs * 1e6)));
      std::unique_lock lock(thread_m_);
      wake_.wait_until(lock, until, [&] { return stop_rebuild_; });
    }
  }
  try {
    if (verify) array_->run(array_->scrub_metadata());
    array_->run(array_->finish_rebuild());
  } catch (const StorageError& e) {
    if (problem.empty()) problem = e.what();
  }
  const std::lock_guard lock(thread_m_);
  rebuild_status_.running = false;
  if (!stop_rebuild_) rebuild_status_.done = total;
  rebuild_status_.problem = problem;
}

void Volume::stop_rebuild() {
  {
    const std::lock_guard lock(thread_m_);
    stop_rebuild_ = true;
    wake_.notify_all();
  }
  wait_rebuild();
}

void Volume::wait_rebuild() {
  if (rebuilder_.joinable()) rebuilder_.join();
}

RebuildStatus Volume::rebuild_status() {
  const std::lock_guard lock(thread_m_);
  return rebuild_status_;
}

}  // namespace kumihimo::storage
