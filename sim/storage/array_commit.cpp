// SPDX-License-Identifier: Apache-2.0
//
// Commits: chunks are flushed, then their records are written and flushed, then the slots of the
// versions before are free. A device's log moves to its other half when it is full.
#include <algorithm>
#include <cerrno>
#include <set>
#include <utility>

#include "array_impl.hpp"

namespace kumihimo::storage {
namespace {

Slice slice_of(const std::vector<std::uint8_t>& bytes) {
  Slice s = Slice::make(bytes.size());
  std::memcpy(s.data, bytes.data(), bytes.size());
  return s;
}

}  // namespace

Task<> Array::write_device(unsigned d, std::uint64_t offset, Slice data, int* error) {
  Batch batch;
  batch.add();
  Io io;
  io.op = Op::kWrite;
  io.offset = offset;
  io.data = std::move(data);
  io.done = [&batch, error](IoResult r) {
    *error = r.error;
    batch.done();
  };
  submit(d, std::move(io));
  co_await batch;
}

Task<> Array::flush_device(unsigned d, int* error) {
  Batch batch;
  batch.add();
  Io io;
  io.op = Op::kFlush;
  io.done = [&batch, error](IoResult r) {
    *error = r.error;
    batch.done();
  };
  submit(d, std::move(io));
  co_await batch;
}

// Those that have a record of the stripe already, so that what any device says of it is the latest;
// then members from the last position down, devices picked recently, the lowest numbers.
void Array::choose_replicas(Version& v, const std::vector<unsigned>& recent) const {
  std::array<std::uint8_t, 3> chosen{kAbsent, kAbsent, kAbsent};
  std::size_t n = 0;
  auto take = [&](unsigned d) {
    if (n >= super_.replicas || !usable(d)) return;
    if (std::find(chosen.begin(), chosen.end(), d) != chosen.end()) return;
    chosen[n++] = static_cast<std::uint8_t>(d);
  };
  for (const std::uint8_t d : v.replicas) take(d);
  for (std::size_t j = v.places.size(); j-- > 0;) take(v.places[j].device());
  for (const unsigned d : recent) take(d);
  for (unsigned d = 0; d < devices_.size(); ++d) take(d);
  v.replicas = chosen;
}

// Everything that was written before is safe when this returns. Callers that come while a commit
// runs share the next one.
Task<> Array::commit() {
  struct CommitTurn {
    Array& a;
    std::uint64_t until;
    bool await_ready() const noexcept { return false; }
    bool await_suspend(std::coroutine_handle<> h) {
      const std::lock_guard lock(a.m_);
      if (!a.committing_ || a.commits_ended_ >= until) return false;
      a.commit_waiters_.push_back(h);
      return true;
    }
    void await_resume() const noexcept {}
  };
  if (read_only_) co_return;
  std::uint64_t until = 0;
  {
    const std::lock_guard lock(m_);
    until = commits_begun_ + 1;
  }
  while (true) {
    bool mine = false;
    {
      const std::lock_guard lock(m_);
      if (commits_ended_ >= until) {
        if (commit_problem_) std::rethrow_exception(commit_problem_);
        co_return;
      }
      if (!committing_) {
        mine = committing_ = true;
        ++commits_begun_;
      }
    }
    if (!mine) {
      CommitTurn commit_turn{*this, until};
      co_await commit_turn;
      continue;
    }
    std::exception_ptr problem;
    try {
      co_await commit_once();
    } catch (const std::exception&) {
      problem = std::current_exception();
    }
    std::vector<std::coroutine_handle<>> waiters;
    {
      std::unique_lock lock(m_);
      committing_ = false;
      commits_ended_ = commits_begun_;
      commit_problem_ = problem;
      waiters.swap(commit_waiters_);
      wake_space_waiter(lock);
    }
    for (const auto w : waiters) w.resume();
    if (problem) std::rethrow_exception(problem);
    co_return;
  }
}

Task<> Array::commit_once() {
  std::vector<std::uint32_t> logicals;
  std::vector<std::vector<Place>> freed;
  std::vector<unsigned> flushed;
  std::map<std::uint32_t, Version> todo;
  std::uint64_t limit = 0;
  bool announce = false;
  // What this commit does not make safe stays in hand for the next one.
  struct Unfinished {
    Array& a;
    std::vector<std::uint32_t>& logicals;
    std::vector<std::vector<Place>>& freed;
    ~Unfinished() {
      const std::lock_guard lock(a.m_);
      for (const std::uint32_t l : logicals) {
        if (a.is_pending_[l]) continue;
        a.is_pending_[l] = true;
        a.pending_.push_back(l);
      }
      for (auto& places : freed) a.to_free_.push_back(std::move(places));
    }
  } unfinished{*this, logicals, freed};
  {
    const std::lock_guard lock(m_);
    logicals.swap(pending_);
    freed.swap(to_free_);
    for (const std::uint32_t l : logicals) {
      is_pending_[l] = false;
      todo.emplace(l, version(l));
    }
    limit = seq_;
    announce = must_publish();
    for (unsigned d = 0; d < devices_.size(); ++d) {
      if (readable(d) && devices_[d]->unflushed) {
        devices_[d]->unflushed = false;
        flushed.push_back(d);
      }
    }
  }
  // A failed device must be known as stale before a stripe counts that it has no part in.
  if (announce) co_await publish();
  {
    std::vector<int> errors(flushed.size(), 0);
    Batch batch;
    for (std::size_t i = 0; i < flushed.size(); ++i) {
      start(batch, flush_device(flushed[i], &errors[i]));
    }
    co_await batch;
  }
  // A stripe that has lost more chunks than it can do without gets no record: the version before is
  // not replaced by one that is not there.
  {
    const std::lock_guard lock(m_);
    unrecordable_.clear();
    std::erase_if(todo, [&](const auto& item) {
      const Version& v = item.second;
      if (!v.mapped() || readable_chunks(v) >= k()) return false;
      unrecordable_.insert(item.first);
      return true;
    });
  }
  const bool records = !todo.empty();
  co_await write_records(&todo, limit);
  {
    const std::lock_guard lock(m_);
    announce = must_publish();
  }
  if (announce) co_await publish();
  std::unique_lock lock(m_);
  if (unrecordable_.empty()) {
    for (const auto& places : freed) {
      for (const Place& x : places) {
        if (x.device() != kAbsent) placer_->release(x.device(), x.slot());
      }
      placer_->stripe_released();
    }
    freed.clear();
    short_ = false;
  }
  std::erase_if(logicals, [&](std::uint32_t l) { return !unrecordable_.contains(l); });
  std::size_t lost = unrecordable_.size();
  for (const auto& [l, v] : todo) {
    const auto it = superseded_.find(l);
    if (it != superseded_.end()) {
      std::erase_if(it->second, [&](const Version& old) { return old.seq < v.seq; });
      if (it->second.empty()) superseded_.erase(it);
    }
    lost += v.mapped() && readable_chunks(v) < k();
  }
  ++count_.commits;
  if (lost) throw StorageError("too many devices failed before the data was safe");
  // Devices that have not heard of it would take an older version for the latest.
  unheard_ |= records && lost_devices() > p();
  if (unheard_) refuse_suspended();
  const Metadata wanted = std::exchange(metadata_, Metadata::kLeave);
  lock.unlock();
  if (wanted != Metadata::kLeave) co_await check_metadata(wanted == Metadata::kRewrite, limit);
}

// Records go to the logs of their replicas; one whose replicas all failed gets others. Throws
// NoSpaceError if one that works has no space: it must hear of each version.
Task<> Array::write_records(std::map<std::uint32_t, Version>* todo, std::uint64_t limit) {
  std::map<std::uint32_t, Version> left = *todo;
  while (!left.empty()) {
    std::map<unsigned, std::vector<Record>> of;
    {
      const std::lock_guard lock(m_);
      for (auto& [l, v] : left) {
        const bool any = std::any_of(v.replicas.begin(), v.replicas.end(),
                                     [&](std::uint8_t d) { return readable(d); });
        if (!any) {
          choose_replicas(v, {});
          (*todo)[l] = v;
          if (seqs_[l] == v.seq) replicas_[l] = v.replicas;
        }
        bool placed = false;
        for (const std::uint8_t d : v.replicas) {
          if (!readable(d)) continue;
          of[d].push_back(v.record(l));
          placed = true;
        }
        if (!placed) throw StorageError("no device is left that could hold the log");
      }
    }
    std::vector<int> errors(of.size(), 0);
    std::vector<unsigned> order;
    Batch batch;
    for (auto& [d, records] : of) {
      int* error = &errors[order.size()];
      order.push_back(d);
      start(batch, log_device(d, std::move(records), limit, error));
    }
    co_await batch;
    std::set<unsigned> good;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (is_no_space(errors[i])) {
        throw NoSpaceError("the file of device " + std::to_string(order[i]) +
                           " has no space left for its log");
      }
      if (!errors[i]) good.insert(order[i]);
    }
    std::erase_if(left, [&](const auto& item) {
      const auto& h = item.second.replicas;
      return std::any_of(h.begin(), h.end(), [&](std::uint8_t d) { return good.contains(d); });
    });
  }
}

// Everything that a device holds and that is safe: versions not newer than this commit.
std::vector<Record> Array::held_records(unsigned d, std::uint64_t limit) {
  std::vector<Record> out;
  auto keep = [&](std::uint32_t l, const Version& v) {
    const bool held = std::find(v.replicas.begin(), v.replicas.end(), d) != v.replicas.end();
    if (held && v.seq && v.seq <= limit) out.push_back(v.record(l));
  };
  for (std::uint32_t l = 0; l < stripes(); ++l) {
    if (!unrecordable_.contains(l)) keep(l, version(l));
  }
  for (const auto& [l, versions] : superseded_) {
    for (const Version& v : versions) keep(l, v);
  }
  return out;
}

// Appends records to a device's log, or moves the log when they do not fit.
Task<> Array::log_device(unsigned d, std::vector<Record> records, std::uint64_t limit, int* error) {
  const std::size_t r = records_a_sector(width());
  const std::size_t sectors = (records.size() + r - 1) / r;
  Dev& dev = *devices_[d];
  const std::uint32_t half_sectors = super_.table[d].half_sectors;
  if (dev.next + sectors <= half_sectors) {
    const auto bytes = encode_records(records, width(), dev.owner, dev.generation, dev.next);
    const std::uint64_t at =
        kLogOffset + (std::uint64_t{dev.half} * half_sectors + dev.next) * kSector;
    const std::uint32_t before = dev.next;
    dev.next += static_cast<std::uint32_t>(sectors);
    co_await write_device(d, at, slice_of(bytes), error);
    if (is_no_space(*error)) dev.next = before;  // the log goes on where it ended
  } else {
    std::set<std::uint64_t> now;
    for (const Record& record : records) now.insert(record.seq);
    std::vector<Record> all;
    {
      const std::lock_guard lock(m_);
      all = held_records(d, limit);
      ++count_.checkpoints;
    }
    std::erase_if(all, [&](const Record& record) { return now.contains(record.seq); });
    all.insert(all.end(), records.begin(), records.end());
    co_await checkpoint(d, std::move(all), error);
  }
  if (*error) co_return;
  {
    const std::lock_guard lock(m_);
    dev.unflushed = false;
  }
  co_await flush_device(d, error);
}

Task<> Array::checkpoint(unsigned d, std::vector<Record> records, int* error) {
  Dev& dev = *devices_[d];
  const std::uint32_t half_sectors = super_.table[d].half_sectors;
  const std::uint32_t half = dev.half ^ 1;
  const std::uint32_t generation = dev.generation + 1;
  std::sort(records.begin(), records.end(),
            [](const Record& a, const Record& b) { return a.seq < b.seq; });
  const auto bytes = encode_records(records, width(), dev.owner, generation, 1);
  const auto sectors = static_cast<std::uint32_t>(bytes.size() / kSector);
  if (1 + sectors > half_sectors) {
    *error = EOVERFLOW;
    const std::lock_guard lock(m_);
    drop_device(d, "has a log that is too small");
    co_return;
  }
  const std::uint64_t base = kLogOffset + std::uint64_t{half} * half_sectors * kSector;
  const std::uint64_t old = kLogOffset + std::uint64_t{dev.half} * half_sectors * kSector;
  if (sectors) co_await write_device(d, base + kSector, slice_of(bytes), error);
  if (!*error) co_await flush_device(d, error);
  if (*error) co_return;
  LogHead begun{generation, sectors, 0, 0};
  {
    const std::lock_guard lock(m_);
    begun.seq = seq_;
    begun.events = heard_events_;
  }
  const auto head = encode_head(dev.owner, begun);
  co_await write_device(d, base, slice_of(head), error);
  if (!*error) co_await flush_device(d, error);
  if (*error) co_return;
  co_await write_device(d, old, Slice::zeros(kSector), error);
  dev.half = half;
  dev.generation = generation;
  dev.next = 1 + sectors;
}

}  // namespace kumihimo::storage
