// SPDX-License-Identifier: Apache-2.0
//
// Starting an array: the logs of its disks are read, and written again. Nothing is written before
// all checks have passed.
#include <algorithm>
#include <cerrno>
#include <utility>

#include "array_impl.hpp"

namespace kumihimo::storage {
namespace {

constexpr std::uint64_t kQueueBytes = 128U << 10;

}  // namespace

int transfer(const DevicePtr& device, Op op, std::uint64_t offset, Slice data,
             const std::function<void()>& pump) {
  int error = 0;
  auto once = [](DevicePtr to, Io io, int* result) -> Task<> {
    Batch batch;
    batch.add();
    io.done = [&batch, result](IoResult r) {
      *result = r.error;
      batch.done();
    };
    to->submit(std::move(io));
    co_await batch;
  };
  Io io;
  io.op = op;
  io.offset = offset;
  io.data = std::move(data);
  run(once(device, std::move(io), &error), pump);
  return error;
}

std::shared_ptr<Array> Array::open(const std::vector<DevicePtr>& devices,
                                   const OpenOptions& options) {
  std::shared_ptr<Array> a(new Array);
  a->assemble(devices, options);
  return a;
}

void Array::set_device(unsigned d, DevicePtr io, std::uint64_t data_offset) {
  Dev& dev = *devices_[d];
  dev.io = std::move(io);
  dev.incarnation = ++incarnations_;
  dev.owner = owner_of(super_.array, super_.table[d].id);
  dev.data_offset = data_offset;
}

void Array::assemble(const std::vector<DevicePtr>& devices, const OpenOptions& options) {
  if (devices.empty()) throw StorageError("no disks were given");
  pump_ = options.pump;
  read_only_ = options.read_only;
  read_error_limit_ = options.read_errors;
  read_retries_ = options.read_retries;
  const std::vector<Candidate> found = recognize(devices, pump_);
  const Members members = take_members(found, options);
  refuse_membership(members, options);
  // Small chunks in greater number: those that are next to each other go to a disk as one.
  const auto depth =
      options.depth ? options.depth : static_cast<unsigned>(std::max(2UL, kQueueBytes / chunk()));
  placer_ = std::make_unique<Placer>(width(), super_.policy == 1, depth, super_.physical, chunk());
  for (unsigned d = 0; d < devices_.size(); ++d) {
    const Entry& e = super_.table[d];
    placer_->set_device(d, e.slots, e.write_kbs);
    placer_->set_usable(d, usable(d));
  }
  for (const Candidate& f : found) {
    if (!f.healed) continue;
    ++devices_[f.super.index]->count.healed;
    note(f.device->name() + ": one copy of its superblock is damaged; the other one counts");
  }
  read_logs(members, options);
  if (options.force) {
    leave_behind(members);
  } else {
    refuse_missing(members.missing, options.salvage);
  }
  claim_slots();
  if (read_only_) return;
  if (options.force) run(start_logs());  // removed devices must not be named any more
  // Whoever missed the latest change hears of it before the next: starts that are cut off one after
  // the other must not leave a disk two events behind.
  for (const Candidate& f : found) {
    if (f.super.events == super_.events || options.force) continue;
    int error = 0;
    run(write_super(f.super.index, super_, &error));
    if (error)
      throw StorageError(f.device->name() + ": cannot be written: " + std::strerror(error));
  }
  for (const unsigned d : members.missing) {
    if (super_.table[d].state == State::kEmpty) continue;
    super_.table[d].state = State::kFailed;
    note("device " + std::to_string(d) + " is missing: the array goes on without it");
  }
  run(publish());  // from here on what is missing is stale
  run(start_logs());
  const std::lock_guard lock(m_);
  require_all_online();
}

// Reads the log of a device into the map. `proven`: stripes whose latest record is in the log of a
// device that would have heard of a later one. False: the log is damaged.
bool Array::read_log(unsigned d, bool trusted, std::vector<bool>* proven) {
  Dev& dev = *devices_[d];
  const std::uint32_t sectors = super_.table[d].half_sectors;
  Slice halves[2];
  std::optional<LogHead> heads[2];
  bool bad = false;
  for (unsigned h = 0; h < 2; ++h) {
    halves[h] = Slice::make(std::size_t{sectors} * kSector);
    const std::uint64_t at = kLogOffset + std::uint64_t{h} * sectors * kSector;
    if (transfer(dev.io, Op::kRead, at, halves[h], pump_)) {
      bad = true;
    } else {
      heads[h] = decode_head(halves[h].data, dev.owner);
    }
  }
  const unsigned h = heads[1] && (!heads[0] || heads[1]->generation > heads[0]->generation);
  if (!heads[h]) return false;
  const LogContent log = decode_log(halves[h].data, sectors, *heads[h], dev.owner, width());
  dev.generation = heads[h]->generation;
  dev.half = h;
  dev.next = log.end;
  seq_ = std::max(seq_, heads[h]->seq);
  bad |= log.damaged;
  for (const Record& r : log.records) {
    if (r.logical >= stripes() || !r.seq) throw StorageError(dev.io->name() + ": bad record");
    seq_ = std::max(seq_, r.seq);
    if (r.seq < seqs_[r.logical]) continue;
    Version v;
    v.seq = r.seq;
    v.mapping = r.mapping;
    if (v.mapped()) v.places = r.places;
    if (r.seq == seqs_[r.logical]) {
      v.replicas = replicas_[r.logical];
    } else {
      (*proven)[r.logical] = false;
    }
    (*proven)[r.logical] = (*proven)[r.logical] || (trusted && !bad);
    for (auto& x : v.replicas) {
      if (x == d) break;
      if (x == kAbsent) {
        x = static_cast<std::uint8_t>(d);
        break;
      }
    }
    set_version(r.logical, v);
  }
  return !bad;
}

void Array::read_logs(const Members& members, const OpenOptions& options) {
  seqs_.assign(stripes(), 0);
  mapping_.assign(stripes(), Mapping::kUnmapped);
  is_pending_.assign(stripes(), false);
  places_.assign(std::size_t{stripes()} * width(), {});
  replicas_.assign(stripes(), {kAbsent, kAbsent, kAbsent});
  std::vector<bool> proven(stripes(), false);
  std::string damaged;
  // A version that was written when a device failed may have one log replica less.
  std::size_t lost = members.gone() + (members.missing.empty() ? 0 : members.taken_in.size());
  for (unsigned d = 0; d < devices_.size(); ++d) {
    Dev& dev = *devices_[d];
    if (!dev.io) continue;
    if (members.is_in(members.old, d)) {
      ++lost;
      continue;
    }
    // A device that leaves, or has failed, does not hear of new versions.
    const bool trusted = super_.table[d].state == State::kActive &&
                         !members.is_in(members.taken_in, d) && (!members.few || options.force);
    if (read_log(d, trusted, &proven)) continue;
    ++lost;
    ++dev.count.healed;
    damaged += (damaged.empty() ? "" : ", ") + dev.io->name();
  }
  // A record may be on those alone that cannot be asked: what is not proven may be an old version.
  const bool maybe_old = members.few && !members.missing.empty() && !options.force;
  if (lost >= super_.replicas || maybe_old) {
    if (!damaged.empty() && !options.salvage && !options.force) {
      throw StorageError(damaged +
                         ": refused, the log is damaged and its other copies are not here");
    }
    if (!options.force) read_only_ = true;
    for (std::uint32_t l = 0; l < stripes(); ++l) {
      if (!proven[l]) mapping_[l] = Mapping::kLost;
    }
  }
  if (damaged.empty()) return;
  note(damaged + ": the log is damaged; " +
       (read_only_ ? "its records come from other disks"
                   : "it was written again from those of other disks"));
}

// By force: what is missing beyond the redundancy is removed, and what cannot be read without it is
// lost from now on.
void Array::leave_behind(const Members& members) {
  const bool removed = members.gone() > p();
  if (removed) {
    for (const auto* list : {&members.missing, &members.failed}) {
      for (const unsigned d : *list) {
        super_.table[d] = Entry{};
        note("device " + std::to_string(d) + " is removed: it is not here");
      }
    }
  }
  unsigned here = 0;
  for (unsigned d = 0; d < devices_.size(); ++d) here += usable(d);
  if (here < k()) {
    throw StorageError("the devices that are here are too few for a stripe of " +
                       std::to_string(k()) + " chunks; `kumi storage serve --force` reads them");
  }
  for (std::uint32_t l = 0; l < stripes(); ++l) {
    Version v = version(l);
    bool changed = v.mapping == Mapping::kLost;
    for (Place& x : v.places) {
      const bool gone = x.device() != kAbsent && super_.table.at(x.device()).state == State::kEmpty;
      if (gone) x = Place::make(x.crc(), 0, kAbsent);
      changed |= gone;
    }
    if (v.mapped() && readable_chunks(v) < k()) {
      v.mapping = Mapping::kLost;
      v.places.clear();
      changed = true;
    }
    if (!changed) continue;
    v.seq = ++seq_;
    set_version(l, v);
  }
}

// Marks the slots in use.
void Array::claim_slots() {
  for (std::uint32_t l = 0; l < stripes(); ++l) {
    const Version v = version(l);
    if (!v.mapped()) continue;
    for (const Place& x : v.places) {
      if (x.device() == kAbsent) continue;
      if (x.device() >= devices_.size()) throw StorageError("a record names an unknown device");
      // A number that was reused cannot mean the forgotten device: no log names that any more.
      if (!placer_->claim(x.device(), x.slot())) {
        throw StorageError("device " + std::to_string(x.device()) + ", slot " +
                           std::to_string(x.slot()) +
                           ": two stripes are said to be there, so one of the disks is an old "
                           "copy; leave out the one that was copied, and start degraded");
      }
      ++devices_[x.device()]->chunks;
    }
    placer_->stripe_claimed();
  }
}

// Stripes that were written while too few devices had space have no chunk to spare.
void Array::refuse_missing(const std::vector<unsigned>& missing, bool salvage) {
  std::uint32_t lost = 0;
  for (std::uint32_t l = 0; l < stripes() && !missing.empty(); ++l) {
    const Version v = version(l);
    unsigned here = 0, away = 0;
    for (const Place& x : v.places) {
      here += readable(x.device());
      away += std::find(missing.begin(), missing.end(), x.device()) != missing.end();
    }
    lost += v.mapped() && here < k() && here + away >= k();
  }
  if (lost == 0) return;
  if (!salvage) {
    throw StorageError(list_of(missing, "missing") + ": " + std::to_string(lost) +
                       " stripes lack redundancy and need it; nothing was changed");
  }
  read_only_ = true;
}

// All logs restart with what was found, so that nothing behind their ends can ever come back,
// and every record has all its holders again.
Task<> Array::start_logs() {
  std::vector<std::vector<Record>> of(devices_.size());
  {
    const std::lock_guard lock(m_);
    for (std::uint32_t l = 0; l < stripes(); ++l) {
      Version v = version(l);
      if (!v.seq) continue;
      choose_replicas(v, {});
      set_version(l, v);
      for (const std::uint8_t d : v.replicas) {
        if (d != kAbsent) of[d].push_back(v.record(l));
      }
    }
  }
  std::vector<int> errors(devices_.size(), 0);
  // One after the other: a disk that loses power in the middle leaves the others' logs whole.
  for (unsigned d = 0; d < devices_.size(); ++d) {
    if (!readable(d)) continue;
    co_await checkpoint(d, std::move(of[d]), &errors[d]);
    if (errors[d]) {
      throw StorageError(devices_[d]->io->name() +
                         ": its log cannot be written: " + std::strerror(errors[d]));
    }
  }
}

// The superblock of one of the devices.
Super Array::super_of(unsigned d, Super super) const {
  super.index = static_cast<std::uint8_t>(d);
  super.device = super.table[d].id;
  super.size = super.table[d].size;
  super.slots = super.table[d].slots;
  super.half_sectors = super.table[d].half_sectors;
  super.data_offset = devices_[d]->data_offset;
  return super;
}

Task<> Array::write_super(unsigned d, Super super, int* error) {
  super = super_of(d, std::move(super));
  const auto bytes = encode(super);
  Slice block = Slice::make(kSuperBytes);
  std::memcpy(block.data, bytes.data(), kSuperBytes);
  for (const std::uint64_t at : {std::uint64_t{0}, super.size - kSuperBytes}) {
    co_await write_device(d, at, block, error);
    if (!*error) co_await flush_device(d, error);
    if (*error) co_return;
  }
}

// Tells all devices the state of the array; again when one of them fails under it.
Task<> Array::publish() {
  bool again = true;
  while (again) {
    Super now;
    std::vector<unsigned> to;
    {
      const std::lock_guard lock(m_);
      unpublished_ = false;
      newly_failed_.clear();
      ++super_.events;
      now = super_;
      for (unsigned d = 0; d < devices_.size(); ++d) {
        if (readable(d)) to.push_back(d);
      }
      if (to.empty()) throw StorageError("no device is left");
    }
    std::vector<int> errors(to.size(), 0);
    Batch batch;
    for (std::size_t i = 0; i < to.size(); ++i) start(batch, write_super(to[i], now, &errors[i]));
    co_await batch;
    const std::lock_guard lock(m_);
    // Without space for its superblock a device cannot be a member.
    for (std::size_t i = 0; i < to.size(); ++i) {
      if (is_no_space(errors[i])) drop_device(to[i], "has no space for its superblock");
    }
    again = (unpublished_ || !newly_failed_.empty()) && !any_offline();
    if (!again && !any_offline()) heard_events_ = now.events;
  }
}

}  // namespace kumihimo::storage
