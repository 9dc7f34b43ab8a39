// SPDX-License-Identifier: Apache-2.0
//
// Requests to a volume: what they read, and what they gather (volume_writeback.cpp writes that).
#include <algorithm>
#include <utility>

#include "volume_impl.hpp"

namespace kumihimo::storage {

namespace {

constexpr std::size_t kWriteBytes = std::size_t{8} << 20;  // on their way to the devices at once

}  // namespace

Volume::Volume(std::shared_ptr<Array> array, std::size_t cache_bytes, double commit_s)
    : array_(std::move(array)),
      most_bytes_(std::max<std::size_t>(4 * array_->stripe_bytes(), cache_bytes)),
      most_workers_(std::clamp<std::size_t>(kWriteBytes / array_->stripe_bytes(), 8, 512)),
      commit_s_(commit_s) {
  if (commit_s_ <= 0) return;
  maintainer_ = std::thread([this] { maintain(); });
  drainer_ = std::thread([this] { drain_loop(); });
}

Volume::~Volume() {
  stop_rebuild();
  {
    const std::lock_guard lock(thread_m_);
    stop_ = true;
    wake_.notify_all();
  }
  if (maintainer_.joinable()) maintainer_.join();
  {
    const std::lock_guard lock(m_);
    stop_drain_ = true;
    drain_wake_.notify_all();
  }
  if (drainer_.joinable()) drainer_.join();
  std::unique_lock lock(m_);
  drain_wake_.wait(lock, [&] { return workers_ == 0; });
}

void Volume::check(std::uint64_t offset, std::uint64_t length) const {
  if (offset > size() || length > size() - offset) throw StorageError("past the end of the volume");
}

std::vector<Volume::Part> Volume::parts(std::uint64_t offset, std::uint64_t length) const {
  std::vector<Part> out;
  const std::uint64_t stripe = array_->stripe_bytes();
  while (length) {
    const std::uint64_t at = offset % stripe, n = std::min(length, stripe - at);
    out.push_back({static_cast<std::uint32_t>(offset / stripe), at, n});
    offset += n;
    length -= n;
  }
  return out;
}

Volume::DirtyPtr Volume::find(std::uint32_t logical) {
  const std::lock_guard lock(m_);
  const auto it = dirty_.find(logical);
  return it == dirty_.end() ? nullptr : it->second;
}

void Volume::queue_new(std::uint32_t logical, Dirty& d) {
  d.place = writing_.insert(writing_.end(), {logical, 0});
  queue_up(d);
}

void Volume::queue_up(Dirty& d) {
  if (d.queued) return;
  d.place->period = period_;
  queue_.splice(queue_.end(), writing_, d.place);
  d.queued = true;
}

void Volume::unqueue(Dirty& d) {
  if (!d.queued) return;
  writing_.splice(writing_.end(), queue_, d.place);
  d.queued = false;
}

void Volume::erase(std::uint32_t logical) {
  const auto it = dirty_.find(logical);
  if (it == dirty_.end()) return;
  Dirty& d = *it->second;
  (d.queued ? queue_ : writing_).erase(d.place);
  d.lease.reset();  // a reader may still have the bytes for a moment
  dirty_.erase(it);
}

// Those that are on their way to the devices stay as they are.
void Volume::copy(Dirty& d) {
  const Slice copy = Slice::make(d.data.size);
  std::memcpy(copy.data, d.data.data, d.data.size);
  d.data = copy;
  const auto lease = std::make_shared<Lease>(*this, copy.size);
  const std::lock_guard lock(m_);
  d.lease = lease;
}

std::vector<Slice> Volume::cut(const Slice& stripe) const {
  std::vector<Slice> out;
  for (unsigned j = 0; j < array_->k(); ++j) {
    out.push_back(stripe.sub(j * array_->chunk(), array_->chunk()));
  }
  return out;
}

Task<> Volume::read_task(std::uint64_t offset, std::uint64_t length, std::vector<Slice>* out) {
  check(offset, length);
  const auto wanted = parts(offset, length);
  Hold hold(*this, logicals_of(wanted), false);
  co_await hold.take();
  struct Piece {
    std::uint32_t logical;
    unsigned position;
    std::uint64_t at, length;
    Slice chunk;
    std::exception_ptr problem;
    bool fresh = false;
  };
  std::vector<Piece> pieces;
  const std::uint64_t chunk = array_->chunk();
  for (const Part& part : wanted) {
    for (std::uint64_t at = part.at; at < part.at + part.length;) {
      const std::uint64_t n = std::min(part.at + part.length - at, chunk - at % chunk);
      pieces.push_back(
          {part.logical, static_cast<unsigned>(at / chunk), at % chunk, n, {}, {}, false});
      at += n;
    }
  }
  Batch batch;
  for (Piece& piece : pieces) {
    const auto d = find(piece.logical);
    if (d && d->missing == 0) {
      // A copy: the stripe in memory changes with the next write.
      piece.chunk = Slice::make(chunk);
      std::memcpy(piece.chunk.data + piece.at, d->data.data + piece.position * chunk + piece.at,
                  piece.length);
      continue;
    }
    if (piece.length < chunk && !d && cached(piece.logical, piece.position, &piece.chunk)) continue;
    piece.fresh = true;
    start(batch, array_->read_chunk(piece.logical, piece.position, &piece.chunk), &piece.problem);
  }
  co_await batch;
  for (Piece& piece : pieces) {
    if (piece.problem) std::rethrow_exception(piece.problem);
    if (piece.fresh && piece.length < chunk && !find(piece.logical)) {
      keep(piece.logical, piece.position, piece.chunk);
    }
    const auto d = find(piece.logical);
    if (d && d->missing) {
      for (std::uint64_t s = piece.at / kSector; s * kSector < piece.at + piece.length; ++s) {
        const std::uint64_t in_stripe = piece.position * chunk + s * kSector;
        if (d->valid[in_stripe / kSector]) {
          std::memcpy(piece.chunk.data + s * kSector, d->data.data + in_stripe, kSector);
        }
      }
    }
    out->push_back(piece.chunk.sub(piece.at, piece.length));
  }
}

bool Volume::cached(std::uint32_t logical, unsigned position, Slice* out) {
  const std::uint64_t version = array_->version_number(logical);
  const std::lock_guard lock(m_);
  for (auto it = cached_.begin(); it != cached_.end(); ++it) {
    if (it->logical != logical || it->position != position) continue;
    if (it->version != version) {
      cached_.erase(it);
      return false;
    }
    *out = it->chunk;
    cached_.splice(cached_.begin(), cached_, it);
    return true;
  }
  return false;
}

// A version's bytes never change, so the chunk is right as long as its number is the current one.
void Volume::keep(std::uint32_t logical, unsigned position, const Slice& chunk) {
  constexpr std::size_t kMost = 64;
  const std::uint64_t version = array_->version_number(logical);
  const std::lock_guard lock(m_);
  cached_.push_front({logical, position, version, chunk});
  if (cached_.size() > kMost) cached_.pop_back();
}

// Reads what a gathered stripe does not have yet; its lock is held.
Task<> Volume::complete(std::uint32_t logical, Dirty& d) {
  if (d.missing == 0) co_return;
  const std::size_t per_chunk = array_->chunk() / kSector;
  std::vector<Slice> chunks(array_->k());
  std::vector<std::exception_ptr> problems(array_->k());
  Batch batch;
  for (unsigned j = 0; j < array_->k(); ++j) {
    const auto from = d.valid.begin() + static_cast<std::ptrdiff_t>(j * per_chunk);
    if (std::find(from, from + static_cast<std::ptrdiff_t>(per_chunk), false) ==
        from + static_cast<std::ptrdiff_t>(per_chunk)) {
      continue;
    }
    start(batch, array_->read_chunk(logical, j, &chunks[j]), &problems[j]);
  }
  co_await batch;
  throw_first(problems);
  for (std::size_t s = 0; s < d.valid.size(); ++s) {
    if (d.valid[s]) continue;
    std::memcpy(d.data.data + s * kSector, chunks[s / per_chunk].data + s % per_chunk * kSector,
                kSector);
  }
  d.missing = 0;
}

// What is gathered of a stripe, or a new one of which nothing is known; its lock is held, and its
// bytes will change. That is noted where it is found: a write that ends then would forget it.
Volume::DirtyPtr Volume::obtain(std::uint32_t logical) {
  DirtyPtr d;
  bool shared = false;
  {
    const std::lock_guard lock(m_);
    const auto it = dirty_.find(logical);
    if (it != dirty_.end()) {
      d = it->second;
      shared = d->writing;
      ++d->changes;
      d->crc.clear();
    }
  }
  if (shared) copy(*d);
  if (d) return d;
  if (array_->is_lost(logical)) {
    throw LostError("stripe " + std::to_string(logical) + " is lost: it can only be written whole");
  }
  d = std::make_shared<Dirty>();
  d->data = Slice::make(array_->stripe_bytes());
  d->lease = std::make_shared<Lease>(*this, d->data.size);
  if (array_->mapped(logical)) {
    d->missing = array_->stripe_bytes() / kSector;
    d->valid.assign(d->missing, false);
  } else {
    std::memset(d->data.data, 0, d->data.size);
  }
  const std::lock_guard lock(m_);
  dirty_[logical] = d;
  queue_new(logical, *d);
  return d;
}

// Part of a stripe into memory; its lock is held. False if the rest of a sector must be read first.
bool Volume::put_now(Part part, const std::uint8_t* data) {
  const DirtyPtr d = obtain(part.logical);
  const std::uint64_t end = part.at + part.length;
  const bool whole = part.at % kSector == 0 && end % kSector == 0;
  if (!whole && d->missing) return false;
  std::memcpy(d->data.data + part.at, data, part.length);
  if (d->missing == 0) return true;
  std::size_t fresh = 0;
  for (std::uint64_t s = part.at / kSector; s < end / kSector; ++s) {
    fresh += !d->valid[s];
    d->valid[s] = true;
  }
  d->missing -= fresh;
  return true;
}

Task<> Volume::put(Part part, const std::uint8_t* data) {
  if (put_now(part, data)) co_return;
  const DirtyPtr d = find(part.logical);
  try {
    co_await complete(part.logical, *d);
  } catch (...) {
    // Nothing was gathered yet: it must not stay behind and fail with every flush.
    const std::lock_guard lock(m_);
    if (d->missing == d->valid.size()) erase(part.logical);
    throw;
  }
  put_now(part, data);
}

// A whole stripe; its lock is held.
void Volume::put_whole(std::uint32_t logical, Slice data, const LeasePtr& lease,
                       std::vector<std::uint32_t> crc) {
  LeasePtr before;  // ends outside of the lock
  const std::lock_guard lock(m_);
  DirtyPtr& d = dirty_[logical];
  if (d) {
    ++d->changes;
    before = std::move(d->lease);
  } else {
    d = std::make_shared<Dirty>();
    queue_new(logical, *d);
  }
  d->data = std::move(data);
  d->lease = lease;
  d->crc = std::move(crc);
  d->missing = 0;
}

Task<> Volume::write_task(std::uint64_t offset, Slice data, std::vector<std::uint32_t> crc) {
  check(offset, data.size);
  refuse_full();
  co_await room();
  const auto wanted = parts(offset, data.size);
  std::vector<std::uint32_t> whole;
  {
    Hold hold(*this, logicals_of(wanted), true);
    co_await hold.take();
    LeasePtr lease;
    std::uint64_t at = 0;
    for (const Part& part : wanted) {
      if (part.length == array_->stripe_bytes()) {
        if (!lease) lease = std::make_shared<Lease>(*this, data.size);
        std::vector<std::uint32_t> known;
        if (!crc.empty()) {
          const std::uint64_t chunk = array_->chunk();
          const auto first =
              crc.begin() +
              static_cast<std::ptrdiff_t>((offset + at) / chunk - (offset + chunk - 1) / chunk);
          known.assign(first, first + array_->k());
        }
        put_whole(part.logical, data.sub(at, part.length), lease, std::move(known));
        whole.push_back(part.logical);
      } else {
        co_await put(part, data.data + at);
      }
      at += part.length;
    }
  }
  if (!drainer_.joinable()) co_await write_out(std::move(whole));
  drain(data.size);
}

bool Volume::write_at_once(std::uint64_t offset, const Slice& data) {
  const std::uint64_t stripe = array_->stripe_bytes(), at = offset % stripe;
  if (data.size == 0 || at + data.size > stripe || bytes_ > most_bytes_ || no_space_) return false;
  check(offset, data.size);
  const auto logical = static_cast<std::uint32_t>(offset / stripe);
  ShardLock& shard = shards_[logical % kShards];
  if (!shard.try_alone()) return false;
  bool done = true;
  if (data.size == stripe) {
    put_whole(logical, data, std::make_shared<Lease>(*this, data.size), {});
  } else if (find(logical) || !array_->is_lost(logical)) {
    done = put_now({logical, at, data.size}, data.data);
  } else {
    done = false;
  }
  shard.release(true);
  if (done) drain(data.size);
  return done;
}

Task<> Volume::zero_task(std::uint64_t offset, std::uint64_t length, bool exact) {
  check(offset, length);
  refuse_full();
  co_await room();
  const auto wanted = parts(offset, length);
  {
    Hold hold(*this, logicals_of(wanted), true);
    co_await hold.take();
    const Slice nothing = Slice::zeros(array_->stripe_bytes());
    for (const Part& part : wanted) {
      if (part.length == array_->stripe_bytes()) {
        bool writing = false;
        {
          const std::lock_guard lock(m_);
          const auto it = dirty_.find(part.logical);
          writing = it != dirty_.end() && it->second->writing;
          if (!writing) erase(part.logical);
        }
        // A write that is under way would come after the unmapping.
        if (writing) {
          put_whole(part.logical, nothing, std::make_shared<Lease>(*this, nothing.size), {});
        } else {
          co_await array_->unmap(part.logical);
        }
      } else if (exact && (find(part.logical) || array_->mapped(part.logical))) {
        co_await put(part, nothing.data);
      }
    }
  }
  drain(length);
}

std::vector<Slice> Volume::read(std::uint64_t offset, std::uint64_t length) {
  std::vector<Slice> out;
  array_->run(read_task(offset, length, &out));
  return out;
}

void Volume::write(std::uint64_t offset, const Slice& data) {
  array_->run(write_task(offset, data));
}

void Volume::zero(std::uint64_t offset, std::uint64_t length, bool exact) {
  array_->run(zero_task(offset, length, exact));
}

void Volume::flush() { array_->run(flush_task(&flush_seen_)); }

std::vector<Extent> Volume::extents(std::uint64_t offset, std::uint64_t length) {
  check(offset, length);
  std::vector<Extent> out;
  for (const Part& part : parts(offset, length)) {
    const bool whole = find(part.logical) != nullptr;
    const bool data = whole || array_->mapped(part.logical);
    const bool lost = !whole && array_->is_lost(part.logical);
    if (!out.empty() && out.back().data == data && out.back().lost == lost) {
      out.back().length += part.length;
    } else {
      out.push_back({part.length, data, lost});
    }
  }
  return out;
}

}  // namespace kumihimo::storage
