// SPDX-License-Identifier: Apache-2.0
//
// Disks: attached to a node's port before start; accessed from outside, with faults, at any time.
#include <algorithm>

#include "base/rng.hpp"
#include "engine/engine.hpp"

namespace kumihimo {
namespace {

constexpr std::uint64_t kMostSectors = std::uint64_t{1} << 22;  // at once: 2 GiB
constexpr std::size_t kPiece = std::size_t{1} << 24;            // of a record in a recording

}  // namespace

std::uint32_t Engine::add_disk(const std::string& name, const End& port, DiskOptions options) {
  check_open("add_disk", true);
  NodeActor& n = node(port.actor);
  const std::uint32_t index = n.sata_index(port.port);
  if (n.has_device(index)) throw Error("port " + port_name(port.actor, index) + " has a disk");
  for (const JoinedDisk& d : disks_) {
    if (d.disk->name() == name) throw Error("the name '" + name + "' is used twice");
  }
  if (options.seed == 0) options.seed = random_at(seed_, disks_.size(), 40);
  options.away = n.away();
  auto disk = std::make_unique<Disk>(name, options);
  disk->attach(n.join_device(index, &Disk::step, disk.get()));
  disks_.push_back({std::move(disk), port.actor, index});
  return static_cast<std::uint32_t>(disks_.size() - 1);
}

Disk& Engine::disk(std::uint32_t id) const {
  if (id >= disks_.size()) throw Error("there is no disk number " + std::to_string(id));
  return *disks_[id].disk;
}

bool Engine::away(const JoinedDisk& d) const { return actor(d.node).away(); }

std::uint64_t Engine::disk_sectors(std::uint32_t id) const { return disk(id).sectors(); }

void Engine::check_sectors(const Disk& d, std::uint64_t lba, std::uint64_t count) const {
  if (count > kMostSectors) throw Error("disk '" + d.name() + "': too many sectors at once");
  if (lba > d.sectors() || count > d.sectors() - lba) {
    throw Error("disk '" + d.name() + "' has " + std::to_string(d.sectors()) + " sectors; " +
                std::to_string(lba) + "+" + std::to_string(count) + " is beyond its end");
  }
}

Bytes Engine::disk_read(std::uint32_t id, std::uint64_t lba, std::uint64_t count, bool cached) {
  Disk& d = disk(id);
  if (away(disks_[id])) throw Error("disk '" + d.name() + "' is in another rank");
  check_sectors(d, lba, count);
  Bytes data;
  call([&] { data = d.read(now_ps(), lba, count, cached); });
  return data;
}

void Engine::disk_write(std::uint32_t id, std::uint64_t lba, Bytes data) {
  const Disk& d = disk(id);
  if (data.size() % kSectorBytes != 0) {
    throw Error("disk '" + d.name() + "': whole sectors of 512 bytes are written");
  }
  check_sectors(d, lba, data.size() / kSectorBytes);
  for (std::size_t at = 0; at < data.size(); at += kPiece) {
    const auto from = data.begin() + static_cast<std::ptrdiff_t>(at);
    const auto n = static_cast<std::ptrdiff_t>(std::min(kPiece, data.size() - at));
    DiskEvent e{};
    e.disk = id;
    e.kind = DiskEvent::Kind::kWrite;
    e.a = lba + at / kSectorBytes;
    e.data.assign(from, from + n);
    change_disk(std::move(e));
  }
}

void Engine::disk_fault(std::uint32_t id, const DiskFault& fault, Ps at) {
  disk(id).check(fault);
  DiskEvent e{};
  e.at_ps = at;
  e.disk = id;
  e.kind = DiskEvent::Kind::kFault;
  e.fault = static_cast<std::uint32_t>(fault.kind);
  e.a = fault.a;
  e.b = fault.b;
  e.x = fault.x;
  change_disk(std::move(e));
}

// Before start the change is part of set-up, and executed at once.
void Engine::change_disk(DiskEvent d) {
  if (closed_) throw Error("disk: the engine is closed");
  call([&] {
    d.at_ps = std::max(d.at_ps, now_ps());
    apply(d);
    if (!started_) {
      d.setup = true;
      setup_.push_back({0, std::move(d)});
    } else if (recorder_) {
      recorder_->add({now_ps(), std::move(d)});
    }
  });
}

// Also from a recording, which may be damaged or of another cluster.
void Engine::apply(const DiskEvent& e) {
  Disk& d = disk(e.disk);
  if (e.kind == DiskEvent::Kind::kWrite) {
    check_sectors(d, e.a, e.data.size() / kSectorBytes);
    if (!away(disks_[e.disk])) d.write(now_ps(), e.a, e.data);
    return;
  }
  const DiskFault f{static_cast<DiskFaultKind>(e.fault), e.a, e.b, e.x};
  d.check(f);
  if (!away(disks_[e.disk])) d.fault(e.at_ps, f);
}

}  // namespace kumihimo
