// SPDX-License-Identifier: Apache-2.0
//
// Writing of stripes: parity, placement, retries when devices fail, the new version in the map.
#include <algorithm>
#include <cerrno>
#include <utility>

#include "array_impl.hpp"
#include "parity.hpp"

namespace kumihimo::storage {
namespace {

constexpr int kTries = 8;  // of a write whose devices fail under it

}  // namespace

// Waits for queue space and takes devices and slots for a stripe.
Task<> Array::place_stripe(unsigned least, std::vector<Placer::Pick>* picks,
                           std::vector<unsigned>* recent) {
  struct Room {
    Array& a;
    std::uint64_t ticket;
    bool await_ready() const noexcept { return false; }
    bool await_suspend(std::coroutine_handle<> h) {
      const std::lock_guard lock(a.m_);
      if (a.space_ticket_ != ticket) return false;  // something ended in between
      a.space_waiters_.push_back(h);
      return true;
    }
    void await_resume() const noexcept {}
  };
  int empty = 0;
  while (true) {
    std::uint64_t ticket = 0;
    bool full = false, freeable = false, wait = false;
    {
      std::unique_lock lock(m_);
      ticket = space_ticket_;
      full = placer_->occupied() >= super_.physical;
      freeable = !to_free_.empty() || committing_;
      // A commit that is under way frees what there is; another one would have less to free.
      wait = committing_ || (!freeable && in_flight_ > 0);
      short_ = to_free_.size() > super_.physical - std::min(super_.physical, placer_->occupied());
      if (!full) {
        const auto outcome = placer_->pick_stripe(least, *picks);
        if (outcome == Placer::Outcome::kPicked) {
          for (Placer::Pick& pick : *picks) pick.incarnation = devices_[pick.device]->incarnation;
          *recent = placer_->recent();
          ++in_flight_;
          wake_space_waiter(lock);  // there may be space for another
          co_return;
        }
        full = outcome == Placer::Outcome::kNoSpace;
      }
    }
    if (!full || wait) {
      Room room{*this, ticket};
      co_await room;
      continue;
    }
    if (!freeable && ++empty > 2) throw StorageError("the devices have no room for a stripe");
    co_await commit();
  }
}

Task<> Array::write_stripe(std::uint32_t logical, std::vector<Slice> data,
                           std::vector<std::uint32_t> crc) {
  if (read_only_) throw StorageError("the array was opened for reading only");
  if (logical >= stripes() || data.size() != k()) throw StorageError("a write past the end");
  StripeLock guard(*this, logical);
  co_await guard;
  co_await write_locked(logical, std::move(data), std::move(crc));
}

Task<> Array::write_locked(std::uint32_t logical, std::vector<Slice> data,
                           std::vector<std::uint32_t> crc) {
  std::vector<Slice> chunks = std::move(data);
  if (k() == 1) {
    while (chunks.size() < width()) chunks.push_back(chunks[0]);  // copies
  } else if (p() > 0) {
    std::vector<const std::uint8_t*> in;
    for (const Slice& s : chunks) in.push_back(s.data);
    for (unsigned c = 0; c < p(); ++c) chunks.push_back(Slice::make(chunk()));
    make_checks(in, chunks[k()].data, p() > 1 ? chunks[k() + 1].data : nullptr, chunk());
  }
  for (std::size_t j = crc.size(); j < chunks.size(); ++j) {
    crc.push_back(k() == 1 && j > 0 ? crc[0] : crc32c(chunks[j].data, chunk()));
  }
  for (int tries = 0; tries < kTries; ++tries) {
    {
      const std::lock_guard lock(m_);
      refuse_suspended();
    }
    std::vector<Placer::Pick> picks;
    std::vector<unsigned> recent;
    co_await place_stripe(k(), &picks, &recent);
    std::vector<int> errors(picks.size(), 0);
    Batch batch;
    for (std::size_t j = 0; j < picks.size(); ++j) {
      submit_pick(picks[j], chunks[j], batch, &errors[j]);
    }
    co_await batch;
    std::unique_lock lock(m_);
    const auto full = std::find_if(errors.begin(), errors.end(), is_no_space) - errors.begin();
    if (full < std::ssize(errors)) {
      const unsigned d = picks[static_cast<std::size_t>(full)].device;
      for (const auto& pick : picks) release_pick(pick);
      placer_->stripe_released();
      --in_flight_;
      wake_space_waiter(lock);
      throw NoSpaceError("the file of device " + std::to_string(d) +
                         " has no space left for a stripe");
    }
    // A device that failed meanwhile has no part in the stripe: a rebuild that did not see
    // the stripe yet may have ended, and the device may be forgotten.
    auto there = [&](std::size_t j) {
      return j < picks.size() && !errors[j] && is_current(picks[j]);
    };
    std::size_t good = 0;
    for (std::size_t j = 0; j < picks.size(); ++j) good += there(j);
    if (good >= k()) {
      std::vector<Place> places;
      for (std::size_t j = 0; j < width(); ++j) {
        places.push_back(there(j) ? Place::make(crc[j], picks[j].slot, picks[j].device)
                                  : Place::make(crc[j], 0, kAbsent));
        if (j < picks.size() && !there(j)) release_pick(picks[j]);
      }
      ++count_.stripes_written;
      count_.degraded_writes += good < width();
      install(logical, Mapping::kMapped, std::move(places), recent);
    } else {
      for (const auto& pick : picks) release_pick(pick);
      placer_->stripe_released();
    }
    --in_flight_;
    wake_space_waiter(lock);
    if (good >= k()) co_return;
  }
  throw StorageError("a stripe could not be written: too many devices fail");
}

Task<> Array::unmap(std::uint32_t logical) {
  if (read_only_) throw StorageError("the array was opened for reading only");
  if (logical >= stripes()) throw StorageError("a write past the end");
  StripeLock guard(*this, logical);
  co_await guard;
  const std::lock_guard lock(m_);
  refuse_suspended();
  if (mapping_[logical] != Mapping::kUnmapped) install(logical, Mapping::kUnmapped, {}, {});
}

// Makes a version the current one. What it replaces stays on the disks until the next commit.
void Array::install(std::uint32_t logical, Mapping mapping, std::vector<Place> places,
                    const std::vector<unsigned>& recent) {
  Version old = version(logical);
  Version v;
  v.seq = ++seq_;
  v.mapping = mapping;
  v.places = std::move(places);
  v.replicas = old.replicas;  // those who know the version that it ends
  choose_replicas(v, recent);
  for (const Place& x : v.places) {
    if (x.device() != kAbsent) ++devices_[x.device()]->chunks;
  }
  if (old.mapped()) {
    for (const Place& x : old.places) {
      if (x.device() != kAbsent) --devices_[x.device()]->chunks;
    }
    to_free_.push_back(old.places);
  }
  if (old.seq) superseded_[logical].push_back(std::move(old));
  set_version(logical, v);
  unreadable_.erase(logical);
  if (!is_pending_[logical]) {
    is_pending_[logical] = true;
    pending_.push_back(logical);
  }
}

}  // namespace kumihimo::storage
