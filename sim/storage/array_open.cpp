// SPDX-License-Identifier: Apache-2.0
//
// Making an array, recognising its disks, reading their logs. Nothing is written before all checks
// are through.
#include <algorithm>
#include <cerrno>
#include <random>
#include <utility>

#include "array_impl.hpp"

namespace kumihimo::storage {
namespace {

constexpr std::uint64_t kQueueBytes = 128U << 10;

struct Candidate {
  DevicePtr device;
  Super super;
};

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

bool has_array(const DevicePtr& device, const std::function<void()>& pump) {
  Slice bytes = Slice::make(kSuperBytes);
  return transfer(device, Op::kRead, 0, bytes, pump) == 0 && decode_super(bytes.data).magic;
}

// The table's bytes: what devices with the same count of events must agree on.
std::vector<std::uint8_t> table_of(const Super& s) {
  const auto bytes = encode(s);
  return {bytes.begin() + 512, bytes.end()};
}

Uuid new_uuid(std::mt19937_64& rng) {
  Uuid id;
  for (auto& b : id) b = static_cast<std::uint8_t>(rng());
  id[6] = static_cast<std::uint8_t>((id[6] & 15) | 0x40);
  id[8] = static_cast<std::uint8_t>((id[8] & 63) | 0x80);
  return id;
}

std::mt19937_64 generator(std::uint64_t seed) {
  if (seed) return std::mt19937_64(seed);
  std::random_device chance;
  std::seed_seq words{chance(), chance(), chance(), chance(), chance(), chance()};
  return std::mt19937_64(words);
}

// Superblocks and an empty log on a disk that joins.
void format_device(const DevicePtr& device, const Super& super, const std::function<void()>& pump) {
  const auto owner = owner_of(super.array, super.device);
  const auto head = encode_head(owner, 1, 0, 0);
  const auto bytes = encode(super);
  Slice sector = Slice::make(kSector), block = Slice::make(kSuperBytes);
  std::memcpy(sector.data, head.data(), kSector);
  std::memcpy(block.data, bytes.data(), kSuperBytes);
  const std::uint64_t second = kLogOffset + std::uint64_t{super.half_sectors} * kSector;
  int error = transfer(device, Op::kWrite, second, Slice::zeros(kSector), pump);
  if (!error) error = transfer(device, Op::kWrite, kLogOffset, sector, pump);
  if (!error) error = transfer(device, Op::kFlush, 0, {}, pump);
  for (const std::uint64_t at : {std::uint64_t{0}, super.size - kSuperBytes}) {
    if (!error) error = transfer(device, Op::kWrite, at, block, pump);
    if (!error) error = transfer(device, Op::kFlush, 0, {}, pump);
  }
  if (error) throw StorageError(device->name() + ": cannot be written: " + std::strerror(error));
}

void check_options(const CreateOptions& o, std::size_t devices) {
  if (devices < 1 || devices > kMaxDevices) throw StorageError("an array has 1 to 128 devices");
  if (o.chunk_log2 < 12 || o.chunk_log2 > 22) throw StorageError("a chunk has 4 KiB to 4 MiB");
  if (o.k < 1 || o.p > 2 || o.k + o.p > kMaxWidth)
    throw StorageError("a stripe has 1 to 30 chunks");
  if (o.k + o.p + o.spares > devices) {
    throw StorageError("stripes of " + std::to_string(o.k + o.p) + " chunks and " +
                       std::to_string(o.spares) + " spare need more than " +
                       std::to_string(devices) + " devices");
  }
  if (o.p == 0 && o.k != 1) throw StorageError("without redundancy a stripe is one chunk");
}

}  // namespace

void Array::create(const std::vector<DevicePtr>& devices, const CreateOptions& o,
                   const std::function<void()>& pump) {
  check_options(o, devices.size());
  const unsigned width = o.k + o.p;
  std::mt19937_64 rng = generator(o.seed);
  Super s;
  s.array = new_uuid(rng);
  s.events = 1;
  s.chunk_log2 = static_cast<std::uint8_t>(o.chunk_log2);
  s.k = static_cast<std::uint8_t>(o.k);
  s.p = static_cast<std::uint8_t>(o.p);
  s.policy = o.dynamic;
  s.spares = static_cast<std::uint8_t>(o.spares);
  s.replicas =
      static_cast<std::uint8_t>(std::min<std::size_t>(devices.size(), std::max(2U, o.p + 1)));
  s.name = o.name.substr(0, 64);
  std::vector<std::uint32_t> slots;
  std::vector<Geometry> geometries;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const Geometry g = geometry(devices[i]->size(), o.chunk_log2, width);
    if (g.slots < 16) throw StorageError(devices[i]->name() + ": is too small");
    if (!o.force && has_array(devices[i], pump)) {
      throw StorageError(devices[i]->name() + ": belongs to an array already");
    }
    Entry e;
    e.id = new_uuid(rng);
    e.state = State::kActive;
    e.slots = g.slots;
    e.half_sectors = g.half_sectors;
    e.size = g.size;
    e.read_kbs = i < o.read_kbs.size() ? o.read_kbs[i] : 500000;
    e.write_kbs = i < o.write_kbs.size() ? o.write_kbs[i] : e.read_kbs;
    s.table.push_back(e);
    slots.push_back(g.slots);
    geometries.push_back(g);
  }
  const Capacity c = capacity(slots, width, o.spares);
  s.stripes = o.stripes ? o.stripes : c.stripes;
  s.physical = s.stripes + (c.physical - c.stripes);
  if (c.stripes < 1 || s.stripes > c.stripes) {
    throw StorageError("the devices hold " + std::to_string(c.stripes) + " stripes, not " +
                       std::to_string(s.stripes));
  }
  for (std::size_t i = 0; i < devices.size(); ++i) {
    s.index = static_cast<std::uint8_t>(i);
    s.device = s.table[i].id;
    s.size = geometries[i].size;
    s.half_sectors = geometries[i].half_sectors;
    s.slots = geometries[i].slots;
    s.data_offset = geometries[i].data_offset;
    format_device(devices[i], s, pump);
  }
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
  std::vector<unsigned> missing;
  for (unsigned d = 0; d < super_.table.size(); ++d) {
    const State s = super_.table[d].state;
    if ((s == State::kActive || s == State::kDraining) && !devices_[d]->io) missing.push_back(d);
  }
  if (!missing.empty()) {
    std::string list;
    for (const unsigned d : missing) list += (list.empty() ? "" : ", ") + std::to_string(d);
    if (missing.size() > p()) {
      throw StorageError("device " + list + " missing: more than the redundancy of " +
                         std::to_string(p()) + " covers");
    }
    if (!options.degraded) {
      throw StorageError("device " + list +
                         " missing: a degraded start must be asked for (--degraded)");
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
  read_logs(static_cast<unsigned>(missing.size()));
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

void Array::read_logs(unsigned missing) {
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
  if (!damaged.empty() && lost >= super_.replicas) {
    throw StorageError(damaged + ": refused, the log is damaged and its other copies are not here");
  }
  for (std::uint32_t l = 0; l < stripes(); ++l) {
    if (!mapped_[l]) continue;
    for (const Place& x : version(l).places) {
      if (x.device() == kAbsent) continue;
      if (x.device() >= devices_.size()) throw StorageError("a record names an unknown device");
      // A device that was forgotten and whose number was given anew cannot be meant.
      placer_->claim(x.device(), x.slot());
      ++devices_[x.device()]->chunks;
    }
    placer_->stripe_claimed();
  }
}

// All logs begin anew with what was found, so that nothing behind their ends can ever come back,
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
    again = unpublished_;
  }
}

Task<> Array::add(DevicePtr device, std::uint32_t read_kbs, std::uint32_t write_kbs, bool force) {
  if (read_only_) throw StorageError("the array was opened for reading only");
  if (!force && has_array(device, pump_)) {
    throw StorageError(device->name() + ": belongs to an array already");
  }
  const Geometry g = geometry(device->size(), super_.chunk_log2, width());
  if (g.slots < 16) throw StorageError(device->name() + ": is too small");
  unsigned d = 0;
  {
    const std::lock_guard lock(m_);
    require_all_online();
    while (d < super_.table.size() && super_.table[d].state != State::kEmpty) ++d;
    if (d == kMaxDevices) throw StorageError("an array has at most 128 devices");
    if (d == super_.table.size()) {
      super_.table.push_back({});
      devices_.push_back(std::make_unique<Dev>());
    } else {
      *devices_[d] = Dev{};
    }
    std::mt19937_64 rng = generator(0);
    Entry e;
    e.id = new_uuid(rng);
    e.slots = g.slots;
    e.half_sectors = g.half_sectors;
    e.size = g.size;
    e.read_kbs = read_kbs;
    e.write_kbs = write_kbs;
    super_.table[d] = e;  // state empty: nobody writes to it yet
    set_device(d, device, g.data_offset);
    devices_[d]->generation = 1;
    devices_[d]->next = 1;
  }
  // Its log first: from the moment it is announced it counts. It is not part of anything so far.
  const auto head = encode_head(devices_[d]->owner, 1, 0, 0);
  Slice sector = Slice::make(kSector);
  std::memcpy(sector.data, head.data(), kSector);
  int error = 0;
  co_await write_device(d, kLogOffset + std::uint64_t{g.half_sectors} * kSector,
                        Slice::zeros(kSector), &error);
  if (!error) co_await write_device(d, kLogOffset, sector, &error);
  if (!error) co_await flush_device(d, &error);
  if (error) {
    const std::lock_guard lock(m_);
    super_.table[d] = Entry{};
    retired_.push_back(std::move(devices_[d]->io));
    devices_[d]->io = nullptr;
    throw StorageError(device->name() + ": cannot be written: " + std::strerror(error));
  }
  Super first;
  {
    const std::lock_guard lock(m_);
    super_.table[d].state = State::kActive;
    placer_->set_device(d, g.slots, write_kbs);
    first = super_;
    ++first.events;  // as the others will have it
    unpublished_ = true;
  }
  // It learns first that it is in. If power fails before the others know, they start without it.
  co_await write_super(d, first, &error);
  co_await commit();
}

}  // namespace kumihimo::storage
