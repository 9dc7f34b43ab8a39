// SPDX-License-Identifier: Apache-2.0
#include "volume.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "array_impl.hpp"

namespace kumihimo::storage {

using Seconds = std::chrono::duration<double>;
using Clock = std::chrono::steady_clock;

// Locks the shards of the stripes of a request, in order, so that requests never wait in a ring.
class Volume::Hold {
 public:
  Hold(Volume& v, const std::vector<std::uint32_t>& logicals, bool alone) : v_(v), alone_(alone) {
    for (const std::uint32_t l : logicals) shards_.push_back(l % kShards);
    std::sort(shards_.begin(), shards_.end());
    shards_.erase(std::unique(shards_.begin(), shards_.end()), shards_.end());
  }
  ~Hold() {
    while (held_) v_.shards_[shards_[--held_]].release(alone_);
  }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

  Task<> take() {
    for (; held_ < shards_.size(); ++held_) co_await v_.shards_[shards_[held_]].wait(alone_);
  }

 private:
  Volume& v_;
  bool alone_;
  std::vector<std::size_t> shards_;
  std::size_t held_ = 0;
};

namespace {

std::vector<std::uint32_t> logicals_of(const auto& parts) {
  std::vector<std::uint32_t> out;
  for (const auto& p : parts) out.push_back(p.logical);
  return out;
}

}  // namespace

Volume::Volume(std::shared_ptr<Array> array, std::size_t cache_bytes, double commit_s)
    : array_(std::move(array)),
      most_dirty_(std::max<std::size_t>(4, cache_bytes / array_->stripe_bytes())),
      commit_s_(commit_s) {
  if (commit_s_ > 0) maintainer_ = std::thread([this] { maintain(); });
}

Volume::~Volume() {
  stop_rebuild();
  {
    const std::lock_guard lock(thread_m_);
    stop_ = true;
    wake_.notify_all();
  }
  if (maintainer_.joinable()) maintainer_.join();
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

std::shared_ptr<Volume::Dirty> Volume::find(std::uint32_t logical) {
  const std::lock_guard lock(m_);
  const auto it = dirty_.find(logical);
  return it == dirty_.end() ? nullptr : it->second;
}

void Volume::drop(std::uint32_t logical) {
  const std::lock_guard lock(m_);
  if (dirty_.erase(logical)) age_.remove(logical);
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
    std::string problem;
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
    if (d && d->count == d->valid.size()) {
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
    if (!piece.problem.empty()) throw StorageError(piece.problem);
    if (piece.fresh && piece.length < chunk && !find(piece.logical)) {
      keep(piece.logical, piece.position, piece.chunk);
    }
    const auto d = find(piece.logical);
    if (d && d->count < d->valid.size()) {
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
  if (d.count == d.valid.size()) co_return;
  const std::size_t per_chunk = array_->chunk() / kSector;
  std::vector<Slice> chunks(array_->k());
  std::vector<std::string> problems(array_->k());
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
  for (const std::string& problem : problems) {
    if (!problem.empty()) throw StorageError(problem);
  }
  for (std::size_t s = 0; s < d.valid.size(); ++s) {
    if (d.valid[s]) continue;
    std::memcpy(d.data.data + s * kSector, chunks[s / per_chunk].data + s % per_chunk * kSector,
                kSector);
    d.valid[s] = true;
  }
  d.count = d.valid.size();
}

// Part of a stripe into memory; its lock is held.
Task<> Volume::put(Part part, const std::uint8_t* data) {
  std::shared_ptr<Dirty> d = find(part.logical);
  if (!d) {
    d = std::make_shared<Dirty>();
    d->data = Slice::make(array_->stripe_bytes());
    d->valid.assign(array_->stripe_bytes() / kSector, false);
    if (!array_->mapped(part.logical)) {
      std::memset(d->data.data, 0, d->data.size);
      d->valid.assign(d->valid.size(), true);
      d->count = d->valid.size();
    }
    const std::lock_guard lock(m_);
    dirty_[part.logical] = d;
    age_.push_back(part.logical);
  }
  const std::uint64_t end = part.at + part.length;
  const bool whole = part.at % kSector == 0 && end % kSector == 0;
  if (!whole) co_await complete(part.logical, *d);
  std::memcpy(d->data.data + part.at, data, part.length);
  for (std::uint64_t s = part.at / kSector; s < (end + kSector - 1) / kSector; ++s) {
    d->count += !d->valid[s];
    d->valid[s] = true;
  }
}

Task<> Volume::write_parallel(std::vector<std::pair<std::uint32_t, std::vector<Slice>>> stripes) {
  std::vector<std::string> problems(stripes.size());
  Batch batch;
  for (std::size_t i = 0; i < stripes.size(); ++i) {
    start(batch, array_->write_stripe(stripes[i].first, std::move(stripes[i].second)),
          &problems[i]);
  }
  co_await batch;
  for (const std::string& problem : problems) {
    if (!problem.empty()) throw StorageError(problem);
  }
}

Task<> Volume::write_task(std::uint64_t offset, Slice data) {
  check(offset, data.size);
  const auto wanted = parts(offset, data.size);
  {
    Hold hold(*this, logicals_of(wanted), true);
    co_await hold.take();
    std::vector<std::pair<std::uint32_t, std::vector<Slice>>> whole;
    std::uint64_t at = 0;
    for (const Part& part : wanted) {
      if (part.length == array_->stripe_bytes()) {
        whole.emplace_back(part.logical, cut(data.sub(at, part.length)));
      } else {
        co_await put(part, data.data + at);
      }
      at += part.length;
    }
    if (!whole.empty()) {
      std::vector<std::uint32_t> logicals;
      for (const auto& w : whole) logicals.push_back(w.first);
      co_await write_parallel(std::move(whole));
      for (const std::uint32_t l : logicals) drop(l);
    }
  }
  co_await make_room();
}

Task<> Volume::zero_task(std::uint64_t offset, std::uint64_t length, bool exact) {
  check(offset, length);
  const auto wanted = parts(offset, length);
  {
    Hold hold(*this, logicals_of(wanted), true);
    co_await hold.take();
    std::vector<std::uint8_t> nothing(array_->stripe_bytes(), 0);
    for (const Part& part : wanted) {
      if (part.length == array_->stripe_bytes()) {
        co_await array_->unmap(part.logical);
        drop(part.logical);
      } else if (exact && (find(part.logical) || array_->mapped(part.logical))) {
        co_await put(part, nothing.data());
      }
    }
  }
  co_await make_room();
}

// Gathered stripes to the devices. Each is locked again: it may be gone or changed meanwhile.
Task<> Volume::write_out(std::vector<std::uint32_t> logicals) {
  constexpr std::size_t kAtOnce = 32;
  for (std::size_t at = 0; at < logicals.size(); at += kAtOnce) {
    const std::vector<std::uint32_t> some(
        logicals.begin() + static_cast<std::ptrdiff_t>(at),
        logicals.begin() + static_cast<std::ptrdiff_t>(std::min(logicals.size(), at + kAtOnce)));
    Hold hold(*this, some, true);
    co_await hold.take();
    std::vector<std::pair<std::uint32_t, std::vector<Slice>>> whole;
    std::vector<std::shared_ptr<Dirty>> kept;
    for (const std::uint32_t l : some) {
      const auto d = find(l);
      if (!d) continue;
      co_await complete(l, *d);
      whole.emplace_back(l, cut(d->data));
      kept.push_back(d);
    }
    co_await write_parallel(std::move(whole));
    for (const std::uint32_t l : some) drop(l);
  }
}

Task<> Volume::make_room() {
  std::vector<std::uint32_t> out;
  {
    const std::lock_guard lock(m_);
    if (dirty_.size() <= most_dirty_) co_return;
    // Full ones first: they cost no read.
    const std::size_t most = std::max<std::size_t>(1, most_dirty_ / 4);
    for (const std::uint32_t l : age_) {
      const Dirty& d = *dirty_[l];
      if (d.count == d.valid.size() && out.size() < most) out.push_back(l);
    }
    for (const std::uint32_t l : age_) {
      if (out.size() >= most) break;
      if (std::find(out.begin(), out.end(), l) == out.end()) out.push_back(l);
    }
  }
  co_await write_out(std::move(out));
}

Task<> Volume::flush_task() {
  std::vector<std::uint32_t> out;
  {
    const std::lock_guard lock(m_);
    out.assign(age_.begin(), age_.end());
  }
  co_await write_out(std::move(out));
  co_await array_->commit();
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

void Volume::flush() { array_->run(flush_task()); }

std::vector<Extent> Volume::extents(std::uint64_t offset, std::uint64_t length) {
  check(offset, length);
  std::vector<Extent> out;
  for (const Part& part : parts(offset, length)) {
    const bool data = find(part.logical) || array_->mapped(part.logical);
    if (!out.empty() && out.back().data == data) {
      out.back().length += part.length;
    } else {
      out.push_back({part.length, data});
    }
  }
  return out;
}

void Volume::maintain() {
  std::unique_lock lock(thread_m_);
  while (!stop_) {
    wake_.wait_for(lock, Seconds(commit_s_), [&] { return stop_; });
    if (stop_) return;
    lock.unlock();
    try {
      array_->run(array_->heal_wanted());
      bool any = array_->work_to_commit();
      {
        const std::lock_guard inner(m_);
        any |= !dirty_.empty();
      }
      if (any) flush();
    } catch (const StorageError&) {
      // The same error reaches the client with its own flush.
    }
    lock.lock();
  }
}

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
      array_->run(array_->heal_range(at, at + kStep, kAtOnce, verify));
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
