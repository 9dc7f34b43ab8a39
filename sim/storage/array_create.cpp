// SPDX-License-Identifier: Apache-2.0
//
// Creating an array, and adding a device to one.
#include <algorithm>
#include <cerrno>
#include <random>
#include <utility>

#include "array_impl.hpp"

namespace kumihimo::storage {
namespace {

bool has_array(const DevicePtr& device, const std::function<void()>& pump) {
  Slice bytes = Slice::make(kSuperBytes);
  return transfer(device, Op::kRead, 0, bytes, pump) == 0 && decode_super(bytes.data).magic;
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
  const auto head = encode_head(owner, {1, 0, 0, 0});
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

Task<> Array::add(DevicePtr device, std::uint32_t read_kbs, std::uint32_t write_kbs, bool force,
                  std::uint64_t seed) {
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
    std::mt19937_64 rng = generator(seed);
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
  const auto head = encode_head(devices_[d]->owner, {1, 0, 0, 0});
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
