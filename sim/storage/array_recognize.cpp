// SPDX-License-Identifier: Apache-2.0
//
// Recognising the disks of an array by their superblocks: which of them belong to it, which are
// missing, and whether they may start. Nothing is written here.
#include <algorithm>
#include <map>
#include <utility>

#include "array_impl.hpp"

namespace kumihimo::storage {
namespace {

std::uint64_t usable_size(const DevicePtr& device) { return device->size() / 4096 * 4096; }

std::string events_of(std::uint64_t events) { return std::to_string(events) + " events"; }

// The table's bytes: what devices with the same count of events must agree on.
std::vector<std::uint8_t> table_of(const Super& s) {
  const auto bytes = encode(s);
  return {bytes.begin() + 512, bytes.end()};
}

// Events that all devices knew of when the log of this one was begun.
std::uint64_t log_events(const DevicePtr& device, const Super& s,
                         const std::function<void()>& pump) {
  const auto owner = owner_of(s.array, s.device);
  Slice sector = Slice::make(kSector);
  std::uint64_t events = 0;
  for (const std::uint64_t half : {0, 1}) {
    const std::uint64_t at = kLogOffset + half * s.half_sectors * kSector;
    if (transfer(device, Op::kRead, at, sector, pump)) continue;
    if (const auto head = decode_head(sector.data, owner)) events = std::max(events, head->events);
  }
  return events;
}

// Disks that were written apart: says which of them agree, and refuses one that is wrong. Those are
// right that are more than the redundancy covers: the others cannot have gone on without them.
template <class Candidates>
[[noreturn]] void throw_split(const Candidates& found, std::size_t one, std::size_t other) {
  std::map<std::vector<std::uint8_t>, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < found.size(); ++i) groups[table_of(found[i].super)].push_back(i);
  std::string text, right;
  unsigned large = 0;
  for (const auto& [table, members] : groups) {
    std::string names;
    for (const std::size_t i : members) {
      names += (names.empty() ? "" : ", ") + found[i].device->name();
    }
    text += (text.empty() ? "" : " | ") + names + " (" + events_of(found[members[0]].super.events) +
            ")";
    if (members.size() <= found[members[0]].super.p) continue;
    ++large;
    right = names;
    if (std::find(members.begin(), members.end(), one) != members.end()) std::swap(one, other);
  }
  const std::string verdict =
      large == 1 ? right + " are more than may be missing, so they are right; leave the others out"
                 : "only you can know which of these sets was written last; leave one out";
  throw StorageError(found[one].device->name() + ": refused, it and " +
                     found[other].device->name() + " were each written without the other: " + text +
                     "; " + verdict);
}

}  // namespace

// Both copies of the superblock; the better one. Throws what is wrong with the disk.
std::vector<Array::Candidate> Array::recognize(const std::vector<DevicePtr>& devices,
                                               const std::function<void()>& pump) {
  std::vector<Candidate> found;
  for (const DevicePtr& device : devices) {
    const std::string name = device->name();
    if (device->size() < kLogOffset + 2 * kSuperBytes) {
      throw StorageError(name + ": refused, it is too small for a disk of an array");
    }
    Slice bytes = Slice::make(kSuperBytes);
    std::optional<Super> best;
    bool magic = false, bad = false;
    std::string why;
    for (const std::uint64_t at : {std::uint64_t{0}, usable_size(device) - kSuperBytes}) {
      const int error = transfer(device, Op::kRead, at, bytes, pump);
      if (error) {
        why = std::string("its superblock cannot be read: ") + std::strerror(error);
        bad = true;
        continue;
      }
      Decoded d = decode_super(bytes.data);
      if (d.magic || !magic) why = d.why.empty() ? why : d.why;
      magic |= d.magic;
      bad |= !d.super;
      if (d.super && (!best || d.super->events > best->events)) best = std::move(d.super);
    }
    if (!best) throw StorageError(name + ": refused, " + why);
    if (usable_size(device) < best->size) {
      throw StorageError(name + ": refused, it was cut: " + std::to_string(device->size()) +
                         " bytes, the array knows " + std::to_string(best->size));
    }
    const std::uint64_t events = log_events(device, *best, pump);
    // The second copy of a disk that grew is where it ended before.
    found.push_back({device, std::move(*best), events, bad && usable_size(device) == best->size});
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const Super &a = found[i].super, &b = found[j].super;
      const DevicePtr &one = found[i].device, &other = found[j].device;
      if (a.array != b.array) {
        throw StorageError(one->name() + ": refused, it belongs to array " + text_of(a.array) +
                           ", " + other->name() + " to " + text_of(b.array));
      }
      if (a.events == b.events && table_of(a) != table_of(b)) throw_split(found, i, j);
      if (a.device == b.device) {
        throw StorageError(one->name() + ": refused, it is a copy of " + other->name() + " (" +
                           events_of(a.events) + " and " + events_of(b.events) +
                           "); leave one of them out");
      }
    }
  }
  return found;
}

// Takes the state of the array from the newest disk, and the disks that belong to it.
Array::Members Array::take_members(const std::vector<Candidate>& found,
                                   const OpenOptions& options) {
  const auto newest = std::max_element(
      found.begin(), found.end(),
      [](const auto& a, const auto& b) { return a.super.events < b.super.events; });
  super_ = newest->super;
  super_.table.reserve(kMaxDevices);
  devices_.reserve(kMaxDevices);
  for (std::size_t d = 0; d < super_.table.size(); ++d) devices_.push_back(std::make_unique<Dev>());
  std::uint64_t written = 0;  // events that all had heard of when a log was begun
  for (const Candidate& f : found) written = std::max(written, f.log_events);
  Members members;
  for (const Candidate& f : found) {
    const unsigned d = f.super.index;
    const std::string name = f.device->name();
    const std::string behind = " (its " + events_of(f.super.events) + ", the array has " +
                               std::to_string(super_.events) + ")";
    const std::string again = "; start without it, then give the array a new disk for device " +
                              std::to_string(d) + ": this one with `kumi storage replace --force`";
    const bool known = d < super_.table.size() && super_.table[d].id == f.super.device &&
                       super_.table[d].state != State::kEmpty;
    if (!known) {
      throw StorageError(name + ": refused, the array no longer has it (removed)" + behind +
                         "; leave it out");
    }
    // One event behind is right only if the others have done nothing since they heard of it.
    const bool old = f.super.events + 1 < super_.events ||
                     (f.super.events < super_.events && written >= super_.events);
    if (super_.table[d].state == State::kFailed) {
      // Each says the other is out: both were written alone.
      const auto& theirs = f.super.table;
      const unsigned n = newest->super.index;
      if (n < theirs.size() && theirs[n].state == State::kFailed) {
        throw_split(found, static_cast<std::size_t>(&f - found.data()),
                    static_cast<std::size_t>(newest - found.begin()));
      }
      if (!options.force) {
        throw StorageError(name + ": refused, it is stale: the array went on without it" + behind +
                           again);
      }
      note(name + ": had failed as device " + std::to_string(d) + behind +
           "; it is taken in again");
      members.taken_in.push_back(d);
      super_.table[d].state = State::kActive;
    } else if (old) {
      if (!options.force) {
        throw StorageError(name + ": refused, it is an old copy" + behind + again);
      }
      note(name + ": is an old copy of device " + std::to_string(d) + behind +
           "; its records are ignored");
      members.old.push_back(d);
    }
    set_device(d, f.device, f.super.data_offset);
  }
  for (unsigned d = 0; d < super_.table.size(); ++d) {
    const State s = super_.table[d].state;
    if ((s == State::kActive || s == State::kDraining) && !devices_[d]->io) {
      members.missing.push_back(d);
    }
    if (s == State::kFailed) members.failed.push_back(d);
  }
  members.few = found.size() + members.failed.size() <= p();
  if (members.few && !members.missing.empty() && options.force) {
    note(
        "the disks that are here are at most as many as the redundancy: the others may have gone "
        "on without them, and then what is here is old");
  }
  return members;
}

// Whether these devices may start. Beyond the redundancy, or if the others may have gone on without
// them, they may for reading only.
void Array::refuse_membership(const Members& members, const OpenOptions& options) {
  if (options.force) return;
  const std::string missing = list_of(members.missing, "missing");
  const bool beyond = members.gone() > p();
  if (options.salvage) {
    read_only_ |= beyond || (members.few && !members.missing.empty());
    return;
  }
  if (beyond) {
    throw StorageError(missing + (missing.empty() || members.failed.empty() ? "" : ", ") +
                       list_of(members.failed, "failed") + ": more than the redundancy of " +
                       std::to_string(p()) + " covers (" + events_of(super_.events) +
                       "); nothing was changed");
  }
  if (members.missing.empty()) return;
  if (!options.degraded) {
    throw StorageError(missing + ": a degraded start must be asked for (--degraded)");
  }
  // Those that are here do not know whether the others went on without them.
  if (members.few) {
    throw StorageError(missing +
                       ": the array may have gone on without the devices that are here (" +
                       events_of(super_.events) +
                       "), which are at most as many as its redundancy; `kumi storage assemble "
                       "--force` makes them the array all the same");
  }
}

}  // namespace kumihimo::storage
