// SPDX-License-Identifier: Apache-2.0
//
// Recognising the disks of an array and reading their logs. Nothing is written before all checks
// have passed.
#include <algorithm>
#include <cerrno>
#include <utility>

#include "array_impl.hpp"

namespace kumihimo::storage {
namespace {

constexpr std::uint64_t kQueueBytes = 128U << 10;

struct Candidate {
  DevicePtr device;
  Super super;
};

std::uint64_t usable_size(const DevicePtr& device) { return device->size() / 4096 * 4096; }

// Both copies of the superblock; the better one. Throws what is wrong with the disk.
Super read_superblock(const DevicePtr& device, const std::function<void()>& pump) {
  const std::string name = device->name();
  if (device->size() < kLogOffset + 2 * kSuperBytes) {
    throw StorageError(name + ": refused, it is too small for a disk of an array");
  }
  Slice bytes = Slice::make(kSuperBytes);
  std::optional<Super> best;
  bool magic = false;
  std::string why;
  for (const std::uint64_t at : {std::uint64_t{0}, usable_size(device) - kSuperBytes}) {
    const int error = transfer(device, Op::kRead, at, bytes, pump);
    if (error) {
      why = std::string("its superblock cannot be read: ") + std::strerror(error);
      continue;
    }
    Decoded d = decode_super(bytes.data);
    if (d.super && (!best || d.super->events > best->events)) best = std::move(d.super);
    if (d.magic || !magic) why = d.why.empty() ? why : d.why;
    magic |= d.magic;
  }
  if (!best) throw StorageError(name + ": refused, " + why);
  if (usable_size(device) < best->size) {
    throw StorageError(name + ": refused, it was cut: " + std::to_string(device->size()) +
                       " bytes, the array knows " + std::to_string(best->size));
  }
  return *best;
}

// "device 1, 2 missing"
std::string list_of(const std::vector<unsigned>& devices, const char* what) {
  std::string list;
  for (const unsigned d : devices) list += (list.empty() ? "device " : ", ") + std::to_string(d);
  return list.empty() ? list : list + " " + what;
}

// The table's bytes: what devices with the same count of events must agree on.
std::vector<std::uint8_t> table_of(const Super& s) {
  const auto bytes = encode(s);
  return {bytes.begin() + 512, bytes.end()};
}

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
  std::vector<Candidate> found;
  for (const DevicePtr& d : devices) found.push_back({d, read_superblock(d, pump_)});
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (found[i].super.array != found[j].super.array) {
        throw StorageError(found[i].device->name() + ": refused, it belongs to array " +
                           text_of(found[i].super.array) + ", " + found[j].device->name() + " to " +
                           text_of(found[j].super.array));
      }
      const bool same_events = found[i].super.events == found[j].super.events;
      if (same_events && table_of(found[i].super) != table_of(found[j].super)) {
        throw StorageError(found[i].device->name() + ": refused, it and " +
                           found[j].device->name() +
                           " were each written without the other; leave one of them out");
      }
      if (found[i].super.device == found[j].super.device) {
        throw StorageError(found[i].device->name() + ": refused, it is a copy of " +
                           found[j].device->name());
      }
    }
  }
  const auto newest = std::max_element(
      found.begin(), found.end(),
      [](const auto& a, const auto& b) { return a.super.events < b.super.events; });
  super_ = newest->super;
  super_.table.reserve(kMaxDevices);
  devices_.reserve(kMaxDevices);
  for (std::size_t d = 0; d < super_.table.size(); ++d) devices_.push_back(std::make_unique<Dev>());
  for (const Candidate& f : found) {
    const unsigned d = f.super.index;
    const std::string name = f.device->name();
    const bool known = d < super_.table.size() && super_.table[d].id == f.super.device &&
                       super_.table[d].state != State::kEmpty;
    if (!known) throw StorageError(name + ": refused, the array no longer has it (removed)");
    if (super_.table[d].state == State::kFailed) {
      // Each says the other is out: both were written alone.
      const auto& theirs = f.super.table;
      const unsigned n = newest->super.index;
      if (n < theirs.size() && theirs[n].state == State::kFailed) {
        throw StorageError(name + ": refused, it and " + newest->device->name() +
                           " were each written without the other; leave one of them out");
      }
      throw StorageError(name + ": refused, it is stale: the array went on without it");
    }
    if (f.super.events + 1 < super_.events) {
      throw StorageError(name + ": refused, it is an old copy (" + std::to_string(f.super.events) +
                         " events, the array has " + std::to_string(super_.events) + ")");
    }
    set_device(d, f.device, f.super.data_offset);
  }
  std::vector<unsigned> missing, failed;
  for (unsigned d = 0; d < super_.table.size(); ++d) {
    const State s = super_.table[d].state;
    if ((s == State::kActive || s == State::kDraining) && !devices_[d]->io) missing.push_back(d);
    if (s == State::kFailed) failed.push_back(d);
  }
  if (missing.size() + failed.size() > p()) {
    if (!options.salvage) {
      throw StorageError(list_of(missing, "missing") +
                         (missing.empty() || failed.empty() ? "" : ", ") +
                         list_of(failed, "failed") + ": more than the redundancy of " +
                         std::to_string(p()) + " covers; nothing was changed");
    }
    read_only_ = true;
  } else if (!missing.empty()) {
    const std::string what = list_of(missing, "missing");
    if (!options.degraded && !options.salvage) {
      throw StorageError(what + ": a degraded start must be asked for (--degraded)");
    }
    // Those that are here do not know whether the others went on without them.
    if (found.size() + failed.size() <= p() && !options.salvage) {
      throw StorageError(
          what + ": the array may have gone on without the devices that are here, " +
          "which are at most as many as its redundancy; start on them all the same " +
          "with --force");
    }
  }
  // Small chunks in greater number: those that are next to each other go to a disk as one.
  const auto depth =
      options.depth ? options.depth : static_cast<unsigned>(std::max(2UL, kQueueBytes / chunk()));
  placer_ = std::make_unique<Placer>(width(), super_.policy == 1, depth, super_.physical, chunk());
  for (unsigned d = 0; d < devices_.size(); ++d) {
    const Entry& e = super_.table[d];
    placer_->set_device(d, e.slots, e.write_kbs);
    placer_->set_usable(d, usable(d));
  }
  read_logs(static_cast<unsigned>(missing.size() + failed.size()), options.salvage);
  refuse_missing(missing, options.salvage);
  if (read_only_) return;
  // Whoever missed the latest change hears of it before the next: starts that are cut off one after
  // the other must not leave a disk two events behind.
  for (const Candidate& f : found) {
    if (f.super.events == super_.events) continue;
    int error = 0;
    run(write_super(f.super.index, super_, &error));
    if (error)
      throw StorageError(f.device->name() + ": cannot be written: " + std::strerror(error));
  }
  for (const unsigned d : missing) super_.table[d].state = State::kFailed;
  run(publish());  // from here on what is missing is stale
  run(start_logs());
  const std::lock_guard lock(m_);
  require_all_online();
}

void Array::read_logs(unsigned missing, bool salvage) {
  seqs_.assign(stripes(), 0);
  mapped_.assign(stripes(), false);
  is_pending_.assign(stripes(), false);
  places_.assign(std::size_t{stripes()} * width(), {});
  replicas_.assign(stripes(), {kAbsent, kAbsent, kAbsent});
  std::string damaged;
  unsigned lost = missing;
  for (unsigned d = 0; d < devices_.size(); ++d) {
    Dev& dev = *devices_[d];
    if (!dev.io) continue;
    const std::uint32_t sectors = super_.table[d].half_sectors;
    std::vector<std::uint8_t> halves[2];
    std::optional<LogHead> heads[2];
    bool bad = false;
    for (unsigned h = 0; h < 2; ++h) {
      Slice s = Slice::make(std::size_t{sectors} * kSector);
      const std::uint64_t at = kLogOffset + std::uint64_t{h} * sectors * kSector;
      if (transfer(dev.io, Op::kRead, at, s, pump_)) {
        bad = true;
        continue;
      }
      halves[h].assign(s.data, s.data + s.size);
      heads[h] = decode_head(s.data, dev.owner);
    }
    const unsigned h = heads[1] && (!heads[0] || heads[1]->generation > heads[0]->generation);
    if (!heads[h]) {
      bad = true;
    } else {
      const LogContent log = decode_log(halves[h].data(), sectors, *heads[h], dev.owner, width());
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
        v.mapped = r.mapped;
        if (r.mapped) v.places = r.places;
        if (r.seq == seqs_[r.logical]) v.replicas = replicas_[r.logical];
        for (auto& x : v.replicas) {
          if (x == d) break;
          if (x == kAbsent) {
            x = static_cast<std::uint8_t>(d);
            break;
          }
        }
        set_version(r.logical, v);
      }
    }
    if (bad) {
      ++lost;
      damaged += (damaged.empty() ? "" : ", ") + dev.io->name();
    }
  }
  // A record may be on those alone that cannot be asked.
  unknown_ = lost >= super_.replicas;
  if (!damaged.empty() && unknown_ && !salvage) {
    throw StorageError(damaged + ": refused, the log is damaged and its other copies are not here");
  }
  if (unknown_) {
    read_only_ = true;
    return forget_overwritten();
  }
  for (std::uint32_t l = 0; l < stripes(); ++l) {
    if (!mapped_[l]) continue;
    for (const Place& x : version(l).places) {
      if (x.device() == kAbsent) continue;
      if (x.device() >= devices_.size()) throw StorageError("a record names an unknown device");
      // A number that was reused cannot mean the forgotten device: no log names that any more.
      placer_->claim(x.device(), x.slot());
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
    lost += v.mapped && here < k() && here + away >= k();
  }
  if (lost == 0) return;
  if (!salvage) {
    throw StorageError(list_of(missing, "missing") + ": " + std::to_string(lost) +
                       " stripes lack redundancy and need it; nothing was changed");
  }
  read_only_ = true;
}

// A slot that two records name was given to the newer one: the other stripe has a newer record, on
// devices that are not here.
void Array::forget_overwritten() {
  std::map<std::uint64_t, std::uint32_t> owner;  // of a slot
  for (std::uint32_t l = 0; l < stripes(); ++l) {
    if (!mapped_[l]) continue;
    for (const Place& x : version(l).places) {
      if (x.device() == kAbsent) continue;
      const auto [it, fresh] = owner.try_emplace(x.word >> 32, l);
      if (fresh) continue;
      const std::uint32_t older = seqs_[it->second] < seqs_[l] ? it->second : l;
      mapped_[older] = false;
      if (older == l) break;
      it->second = l;
    }
  }
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
        if (d != kAbsent) of[d].push_back({v.seq, l, v.mapped, v.places});
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

Task<> Array::write_super(unsigned d, Super super, int* error) {
  super.index = static_cast<std::uint8_t>(d);
  super.device = super.table[d].id;
  super.size = super.table[d].size;
  super.slots = super.table[d].slots;
  super.half_sectors = super.table[d].half_sectors;
  super.data_offset = devices_[d]->data_offset;
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
    again = unpublished_ || !newly_failed_.empty();
  }
}

}  // namespace kumihimo::storage
