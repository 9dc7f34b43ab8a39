// SPDX-License-Identifier: Apache-2.0
//
// Devices of an array and their failures; reading of chunks; what the array says of itself.
#include <algorithm>
#include <cerrno>
#include <utility>

#include "array_impl.hpp"

namespace kumihimo::storage {
namespace {

constexpr int kTries = 8;  // of a read that meets a rewrite
constexpr std::size_t kNotes = 256;

}  // namespace

Array::~Array() = default;

bool Array::readable(unsigned d) const {
  if (d >= devices_.size() || !devices_[d]->io || devices_[d]->offline) return false;
  const State s = super_.table[d].state;
  return s == State::kActive || s == State::kDraining;
}

bool Array::usable(unsigned d) const {
  return readable(d) && super_.table[d].state == State::kActive;
}

void Array::submit(unsigned d, Io io) {
  Device* device = nullptr;  // the array keeps it, also when it is no longer part of it
  std::uint64_t incarnation = 0;
  {
    const std::lock_guard lock(m_);
    device = devices_[d]->io.get();
    incarnation = devices_[d]->incarnation;
    ++devices_[d]->busy;
  }
  begin(device, d, incarnation, std::move(io), false);
}

// A chunk to the place that was picked for it, unless another device has that number by now.
void Array::submit_pick(const Placer::Pick& to, Slice data, Batch& batch, int* error) {
  batch.add();
  Io io;
  io.op = Op::kWrite;
  io.data = std::move(data);
  io.done = [&batch, error](IoResult r) {
    *error = r.error;
    batch.done();
  };
  Device* device = nullptr;
  {
    const std::lock_guard lock(m_);
    Dev& dev = *devices_[to.device];
    if (dev.incarnation == to.incarnation) {
      device = dev.io.get();
      io.offset = dev.data_offset + to.slot * chunk();
      ++dev.busy;
    }
  }
  begin(device, to.device, to.incarnation, std::move(io), true);
}

void Array::begin(Device* device, unsigned d, std::uint64_t incarnation, Io io, bool placed) {
  const double began = device ? device->now() : 0;
  auto user = std::move(io.done);
  const Op op = io.op;
  const std::uint64_t bytes = io.data.size;
  io.done = [this, d, incarnation, device, began, user = std::move(user), op, bytes,
             placed](IoResult r) {
    {
      std::unique_lock lock(m_);
      Dev& dev = *devices_[d];
      if (dev.incarnation == incarnation) {  // else nobody asks any more
        --dev.busy;
        const double end = device ? device->now() : 0;
        if (r.nth == 0) dev.each = (end - std::max(began, dev.last_done)) / r.together;
        dev.last_done = end;
        if (placed) placer_->served(d, r.error ? 0 : dev.each);
        // When it ended, not when it began: a flush in between does not cover it.
        if (op == Op::kWrite) dev.unflushed = true;
        if (r.error) {
          device_error(d, r.error, op);
        } else if (op == Op::kRead) {
          dev.count.read_bytes += bytes;
        } else if (op == Op::kWrite) {
          dev.count.written_bytes += bytes;
        }
      }
      if (placed) wake_space_waiter(lock);
    }
    user(r);
  };
  if (device) {
    device->submit(std::move(io));
  } else {
    io.finish(ENODEV);
  }
}

// Read errors of single sectors are read_chunk_at()'s.
void Array::device_error(unsigned d, int error, Op op) {
  Dev& dev = *devices_[d];
  if (error == ETIME) {
    ++dev.count.late;
  } else if (error == ETIMEDOUT) {
    ++dev.count.timeouts;
    drop_device(d, "does not answer");
  } else if (op == Op::kWrite && is_no_space(error)) {
    ++dev.count.no_space;
  } else if (op != Op::kRead) {
    ++dev.count.write_errors;
    drop_device(d, std::string("cannot be written: ") + std::strerror(error));
  } else if (error == ENODEV) {
    ++dev.count.read_errors;
    drop_device(d, "is gone");
  }
}

// Within the redundancy the array continues without the device, for good. Beyond it no state is
// persisted: the device, and those whose failure nobody knows yet, are left out only until the next
// start, and everything that was committed is there again then.
void Array::drop_device(unsigned d, const std::string& why) {
  if (!readable(d)) return;
  if (lost_devices() < p() && !needed(d)) return mark_failed(d, why);
  add_note("device " + std::to_string(d) + " (" + devices_[d]->io->name() + ") " + why +
           ": more than the redundancy covers, the array is suspended until a restart with all "
           "its disks");
  devices_[d]->offline = true;
  placer_->set_usable(d, false);
  for (const auto& [other, state] : newly_failed_) {
    super_.table[other].state = state;
    devices_[other]->offline = true;
  }
  newly_failed_.clear();
}

// Devices without which the array has to do: failed, missing, or offline until the next start.
unsigned Array::lost_devices() const {
  unsigned lost = 0;
  for (unsigned d = 0; d < devices_.size(); ++d) {
    lost += super_.table[d].state == State::kFailed ||
            (super_.table[d].state != State::kEmpty && !readable(d));
  }
  return lost;
}

// A stripe has no chunk to spare (it was written while too few devices had space and lacks some),
// or a record is on this device alone.
bool Array::needed(unsigned d) const {
  auto lost_without = [&](const Version& v) {
    unsigned left = 0, logs = 0;
    bool has = false, logged = false;
    for (const Place& x : v.places) {
      left += x.device() != d && readable(x.device());
      has |= x.device() == d;
    }
    for (const std::uint8_t x : v.replicas) {
      logs += x != d && readable(x);
      logged |= x == d;
    }
    return (v.mapped() && has && left < k()) || (v.seq && logged && logs == 0);
  };
  for (std::uint32_t l = 0; l < stripes(); ++l) {
    if (lost_without(version(l))) return true;
  }
  for (const auto& [l, versions] : superseded_) {
    if (std::any_of(versions.begin(), versions.end(), lost_without)) return true;
  }
  return false;
}

// Beyond the redundancy nothing new is written: the devices that are left would not hear of it if
// they start alone.
void Array::refuse_suspended() const {
  if (lost_devices() <= p()) return;
  throw StorageError("the array is suspended: " + std::to_string(lost_devices()) +
                     " devices are failed or missing, more than the redundancy of " +
                     std::to_string(p()) + " covers");
}

bool Array::any_offline() const {
  return std::any_of(devices_.begin(), devices_.end(),
                     [](const auto& dev) { return dev->offline; });
}

// Suspended, nothing is: a device that misses two changes would be refused as an old copy.
bool Array::must_publish() const {
  return (unpublished_ || !newly_failed_.empty()) && !any_offline();
}

void Array::require_all_online() const {
  for (unsigned d = 0; d < devices_.size(); ++d) {
    if (devices_[d]->offline) {
      throw StorageError("device " + std::to_string(d) + " does not work: restart the array");
    }
  }
}

// It is the device that the slot was picked on, and it still works.
bool Array::is_current(const Placer::Pick& pick) const {
  return readable(pick.device) && devices_[pick.device]->incarnation == pick.incarnation;
}

void Array::release_pick(const Placer::Pick& pick) {
  if (devices_[pick.device]->incarnation == pick.incarnation)
    placer_->release(pick.device, pick.slot);
}

void Array::mark_failed(unsigned d, const std::string& why) {
  State& s = super_.table[d].state;
  if (s != State::kActive && s != State::kDraining) return;
  add_note("device " + std::to_string(d) +
           (devices_[d]->io ? " (" + devices_[d]->io->name() + ") " : " ") + why +
           ": it is failed, the array goes on without it");
  newly_failed_.emplace_back(d, s);
  s = State::kFailed;
  placer_->set_usable(d, false);
}

// Lets one waiter try again; the lock is released while it runs.
void Array::wake_space_waiter(std::unique_lock<std::mutex>& lock) {
  ++space_ticket_;
  if (space_waiters_.empty()) return;
  const auto next = space_waiters_.front();
  space_waiters_.pop_front();
  lock.unlock();
  next.resume();
  lock.lock();
}

Array::Version Array::version(std::uint32_t logical) const {
  Version v;
  v.seq = seqs_[logical];
  v.mapping = mapping_[logical];
  v.replicas = replicas_[logical];
  if (v.mapped()) {
    const auto at = places_.begin() + static_cast<std::ptrdiff_t>(std::size_t{logical} * width());
    v.places.assign(at, at + width());
  }
  return v;
}

void Array::set_version(std::uint32_t logical, const Version& v) {
  seqs_[logical] = v.seq;
  mapping_[logical] = v.mapping;
  replicas_[logical] = v.replicas;
  for (std::size_t j = 0; j < v.places.size(); ++j) {
    places_[std::size_t{logical} * width() + j] = v.places[j];
  }
}

bool Array::mapped(std::uint32_t logical) {
  const std::lock_guard lock(m_);
  return mapping_.at(logical) != Mapping::kUnmapped;
}

std::uint64_t Array::version_number(std::uint32_t logical) {
  const std::lock_guard lock(m_);
  return seqs_.at(logical);
}

std::vector<Place> Array::places(std::uint32_t logical) {
  const std::lock_guard lock(m_);
  if (logical >= stripes()) throw StorageError("there is no such stripe");
  return version(logical).places;
}

// A chunk as the record says. A read that fails or gives other bytes is tried again: what is wrong
// may be the line or the moment, and mending costs more. `result` says how the last try ended.
Task<> Array::read_chunk_at(Place from, Slice room, bool elsewhere, IoResult* result) {
  const unsigned d = from.device();
  for (unsigned tries = 0;; ++tries) {
    Batch batch;
    batch.add();
    Io io;
    io.op = Op::kRead;
    io.offset = devices_[d]->data_offset + from.slot() * chunk();
    io.data = room;
    io.want_crc = true;
    io.elsewhere = elsewhere;
    io.done = [&batch, result](IoResult r) {
      *result = r;
      batch.done();
    };
    submit(d, std::move(io));
    co_await batch;
    const int error = result->error;
    const bool right = !error && result->crc == from.crc();
    if (right && tries == 0) co_return;
    const std::lock_guard lock(m_);
    DeviceStatus& count = devices_[d]->count;
    if (right) {
      ++count_.retried_reads;
      co_return;
    }
    if (error == ETIME || error == ETIMEDOUT || error == ENODEV) co_return;
    if (tries < read_retries_ && readable(d)) {
      ++count.retries;
      continue;
    }
    if (error) {
      ++count.read_errors;
      // Without redundancy a device that only has bad sectors is still the best there is.
      if (count.read_errors > read_error_limit_ && lost_devices() < p() && !needed(d)) {
        mark_failed(d, "has too many bad sectors");
      }
    } else {
      ++count.checksum_errors;
      result->error = EILSEQ;
    }
    co_return;
  }
}

Task<> Array::read_chunk(std::uint32_t logical, unsigned position, Slice* out) {
  if (logical >= stripes() || position >= k()) throw StorageError("a read past the end");
  for (int tries = 0; tries < kTries; ++tries) {
    Version v;
    unsigned at = position;
    bool direct = false;
    {
      const std::lock_guard lock(m_);
      v = version(logical);
      if (v.mapped() && k() == 1) {  // copies: the one whose device has least to do
        for (unsigned j = 1; j < width(); ++j) {
          const unsigned d = v.places[j].device(), best = v.places[at].device();
          if (readable(d) && (!readable(best) || devices_[d]->busy < devices_[best]->busy)) at = j;
        }
      }
      direct = v.mapped() && readable(v.places[at].device());
    }
    if (!v.mapped()) {
      if (v.mapping == Mapping::kLost) {
        throw LostError("stripe " + std::to_string(logical) + " is lost: its data or its latest " +
                        "record are on no disk that is left");
      }
      *out = Slice::zeros(chunk());
      co_return;
    }
    PriorRead prior;
    if (direct) {
      Slice room = Slice::make(chunk());
      IoResult result;
      co_await read_chunk_at(v.places[at], room, p() > 0, &result);
      if (!result.error) {
        *out = std::move(room);
        co_return;
      }
      const std::lock_guard lock(m_);
      if (seqs_[logical] != v.seq) continue;  // rewritten meanwhile
      prior = {static_cast<int>(at), result.error == ETIME};
    }
    Read read;
    std::exception_ptr problem;
    try {
      co_await reconstruct(logical, v, false, prior, &read);
    } catch (const StorageError&) {
      problem = std::current_exception();
    }
    {
      const std::lock_guard lock(m_);
      if (seqs_[logical] != v.seq) continue;
      ++(problem ? count_.lost_reads : count_.degraded_reads);
    }
    if (problem) std::rethrow_exception(problem);
    *out = read.chunk[position];
    // A bad chunk on a working device is repaired soon; those of a lost device by the rebuild.
    if (direct && !prior.late && !read_only_) {
      const std::lock_guard lock(m_);
      repair_pending_.insert(logical);
    }
    co_return;
  }
  throw StorageError("a stripe is rewritten faster than it can be read");
}

bool Array::is_suspended() {
  const std::lock_guard lock(m_);
  return lost_devices() > p();
}

bool Array::has_uncommitted() {
  const std::lock_guard lock(m_);
  return !pending_.empty() || unpublished_ || !newly_failed_.empty();
}

std::uint64_t Array::free_stripes() {
  const std::lock_guard lock(m_);
  return super_.physical - std::min(super_.physical, placer_->occupied());
}

unsigned Array::readable_chunks(const Version& v) const {
  return static_cast<unsigned>(std::count_if(v.places.begin(), v.places.end(),
                                             [&](const Place& x) { return readable(x.device()); }));
}

bool Array::is_lost(std::uint32_t logical) {
  const std::lock_guard lock(m_);
  if (mapping_.at(logical) != Mapping::kMapped) return mapping_[logical] == Mapping::kLost;
  const auto it = unreadable_.find(logical);
  if (it != unreadable_.end() && it->second == seqs_[logical]) return true;
  const Place* x = &places_[std::size_t{logical} * width()];
  return std::count_if(x, x + width(), [&](Place at) { return readable(at.device()); }) <
         static_cast<std::ptrdiff_t>(k());
}

std::vector<std::uint32_t> Array::lost_stripes() {
  std::vector<std::uint32_t> out;
  for (std::uint32_t l = 0; l < stripes(); ++l) {
    if (is_lost(l)) out.push_back(l);
  }
  return out;
}

void Array::add_note(std::string sentence) {
  notes_.push_back(std::move(sentence));
  if (notes_.size() <= kNotes) return;
  notes_.pop_front();
  ++notes_begun_;
}

void Array::note(std::string sentence) {
  const std::lock_guard lock(m_);
  add_note(std::move(sentence));
}

std::uint64_t Array::notes(std::uint64_t from, std::vector<std::string>* out) {
  const std::lock_guard lock(m_);
  for (std::uint64_t i = std::max(from, notes_begun_); i < notes_begun_ + notes_.size(); ++i) {
    out->push_back(notes_[i - notes_begun_]);
  }
  return notes_begun_ + notes_.size();
}

Counters Array::counters() {
  const std::lock_guard lock(m_);
  return count_;
}

std::vector<DeviceStatus> Array::status() {
  const std::lock_guard lock(m_);
  std::vector<DeviceStatus> out;
  for (unsigned d = 0; d < devices_.size(); ++d) {
    const Entry& e = super_.table[d];
    if (e.state == State::kEmpty) continue;
    DeviceStatus s = devices_[d]->count;
    s.index = d;
    s.name = devices_[d]->io ? devices_[d]->io->name() : "";
    s.uuid = text_of(e.id);
    s.state = e.state;
    s.present = devices_[d]->io != nullptr && !devices_[d]->offline;
    s.slots = e.slots;
    s.free = placer_->free_slots(d);
    s.read_kbs = e.read_kbs;
    s.write_kbs = e.write_kbs;
    s.chunks = devices_[d]->chunks;
    out.push_back(std::move(s));
  }
  return out;
}

}  // namespace kumihimo::storage
