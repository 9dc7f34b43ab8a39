// SPDX-License-Identifier: Apache-2.0
//
// Redundancy at work: degraded reads, chunks reconstructed on other devices (distributed
// spare), scrub, devices that fail, join and leave.
#include <algorithm>
#include <cerrno>
#include <utility>

#include "array_impl.hpp"
#include "parity.hpp"

namespace kumihimo::storage {

// Reads a stripe's chunks, checks them, and makes the others from them. Without `all` it reads no
// more than it needs. Throws when too few are good.
Task<> Array::reconstruct(std::uint32_t logical, Version v, bool all, PriorRead prior, Read* out) {
  out->chunk.assign(width(), {});
  out->good.assign(width(), false);
  std::vector<unsigned> order;
  {
    const std::lock_guard lock(m_);
    for (unsigned j = 0; j < width(); ++j) {
      out->chunk[j] = Slice::make(chunk());
      if (std::cmp_not_equal(j, prior.position) && readable(v.places[j].device())) {
        order.push_back(j);
      }
    }
    if (prior.late) order.push_back(static_cast<unsigned>(prior.position));
  }
  std::size_t asked = 0, good = 0;
  std::vector<IoResult> results(width());
  while (asked < order.size() && (all || good < k())) {
    const std::size_t upto = all ? order.size() : std::min(order.size(), asked + (k() - good));
    Batch batch;
    for (std::size_t i = asked; i < upto; ++i) {
      const unsigned j = order[i];
      start(batch, read_chunk_at(v.places[j], out->chunk[j], false, &results[j]));
    }
    co_await batch;
    for (std::size_t i = asked; i < upto; ++i) {
      const unsigned j = order[i];
      out->good[j] = !results[j].error;
      good += out->good[j];
    }
    asked = upto;
  }
  if (good < k()) {
    // Suspended, the missing devices may have it.
    const std::lock_guard lock(m_);
    if (lost_devices() <= p() && seqs_[logical] == v.seq &&
        unreadable_.emplace(logical, v.seq).second) {
      add_note("stripe " + std::to_string(logical) + ", bytes " +
               std::to_string(logical * stripe_bytes()) + "+" + std::to_string(stripe_bytes()) +
               ", is lost");
    }
    throw LostError("stripe " + std::to_string(logical) + " is lost: " + std::to_string(good) +
                    " good chunks, " + std::to_string(k()) + " needed");
  }
  std::vector<std::size_t> missing;
  std::vector<std::uint8_t*> chunks;
  for (unsigned j = 0; j < width(); ++j) {
    if (!out->good[j]) {
      // A failed device may still answer into the old buffer.
      out->chunk[j] = Slice::make(chunk());
      missing.push_back(j);
    }
    chunks.push_back(out->chunk[j].data);
  }
  if (missing.empty()) co_return;
  if (k() == 1) {
    const auto from = std::find(out->good.begin(), out->good.end(), true) - out->good.begin();
    for (const std::size_t j : missing) {
      std::memcpy(chunks[j], chunks[static_cast<std::size_t>(from)], chunk());
    }
  } else {
    restore(chunks, k(), missing, chunk());
  }
  // What was made from good chunks is right by arithmetic; its checksum proves the record, too.
  for (const std::size_t j : missing) {
    if (crc32c(chunks[j], chunk()) != v.places[j].crc()) {
      throw LostError("stripe " + std::to_string(logical) + " is lost: its parts disagree");
    }
  }
}

bool Array::needs_repair(std::uint32_t logical) {
  const std::lock_guard lock(m_);
  const Version v = version(logical);
  if (!v.seq) return false;
  for (const Place& x : v.places) {
    if (!usable(x.device())) return true;
  }
  std::size_t held = 0;
  for (const std::uint8_t d : v.replicas) held += usable(d);
  std::size_t can = 0;
  for (unsigned d = 0; d < devices_.size() && can < super_.replicas; ++d) can += usable(d);
  return held < can;
}

std::uint64_t Array::degraded_stripes() {
  std::uint64_t n = 0;
  for (std::uint32_t l = 0; l < stripes(); ++l) n += needs_repair(l);
  return n;
}

void Array::throw_needs_repair(std::uint32_t logical) {
  throw StorageError("stripe " + std::to_string(logical) +
                     " needs repair, and the array was opened for reading only");
}

// Makes one stripe whole: chunks on devices that are lost or leave, absent ones, and with `verify`
// bad ones, go to new places.
Task<> Array::repair(std::uint32_t logical, bool verify) {
  if (!verify && !needs_repair(logical)) co_return;
  StripeLock guard(*this, logical);
  co_await guard;
  const bool lacking = needs_repair(logical);
  if (!verify && !lacking) co_return;
  if (read_only_ && !verify) throw_needs_repair(logical);
  Version v;
  {
    const std::lock_guard lock(m_);
    v = version(logical);
    if (!v.mapped()) {
      // Only its record may need another log replica.
      if (v.seq && !verify) install(logical, v.mapping, {}, {});
      co_return;
    }
  }
  Read read;
  co_await reconstruct(logical, v, verify, {}, &read);
  std::vector<unsigned> move, members;
  bool again = false;
  {
    const std::lock_guard lock(m_);
    for (unsigned j = 0; j < width(); ++j) {
      const unsigned d = v.places[j].device();
      const bool wanted = usable(d) && (!verify || read.good[j]);
      if (!wanted) move.push_back(j);
      if (usable(d)) members.push_back(d);
    }
    if (move.empty() && verify) co_return;
    if (read_only_) throw_needs_repair(logical);
    unsigned others = 0;
    for (unsigned d = 0; d < devices_.size(); ++d) {
      others += usable(d) && std::find(members.begin(), members.end(), d) == members.end();
    }
    // Bad chunks on devices that work can go back to where they are; lost ones need a device.
    if (!move.empty() && others == 0) {
      std::erase_if(move, [&](unsigned j) { return !usable(v.places[j].device()); });
      if (move.empty()) co_return;
      again = true;
    }
    count_.repaired += move.size();
  }
  std::vector<Place> places = v.places;
  std::vector<Placer::Pick> picks;
  std::vector<unsigned> recent;
  bool fits = !again;
  {
    const std::lock_guard lock(m_);
    std::vector<unsigned> busy;
    for (const auto& dev : devices_) busy.push_back(dev->busy);
    for (std::size_t i = 0; i < move.size() && fits; ++i) {
      auto pick = placer_->pick_one(members, busy);
      fits = pick.has_value();
      if (!fits) break;
      ++busy[pick->device];
      pick->incarnation = devices_[pick->device]->incarnation;
      picks.push_back(*pick);
      members.push_back(pick->device);
    }
    recent = placer_->recent();
    if (!fits) {
      for (const auto& pick : picks) {
        placer_->release(pick.device, pick.slot);
        placer_->served(pick.device, 0);
      }
    }
  }
  if (!fits) {
    // No device outside the stripe has space: the whole stripe is placed again.
    std::vector<Slice> data(read.chunk.begin(), read.chunk.begin() + k());
    co_await write_locked(logical, std::move(data), {});
    co_return;
  }
  std::vector<int> errors(picks.size(), 0);
  Batch batch;
  for (std::size_t i = 0; i < picks.size(); ++i) {
    submit_pick(picks[i], read.chunk[move[i]], batch, &errors[i]);
  }
  co_await batch;
  const std::lock_guard lock(m_);
  const auto full = std::find_if(errors.begin(), errors.end(), is_no_space) - errors.begin();
  if (full < std::ssize(errors)) {
    const unsigned d = picks[static_cast<std::size_t>(full)].device;
    for (const auto& pick : picks) release_pick(pick);
    throw NoSpaceError("the file of device " + std::to_string(d) + " has no space left: stripe " +
                       std::to_string(logical) + " was not repaired");
  }
  std::vector<Place> left_behind = v.places;
  for (std::size_t i = 0; i < picks.size(); ++i) {
    if (errors[i] || !is_current(picks[i])) {
      release_pick(picks[i]);
      continue;
    }
    places[move[i]] = Place::make(v.places[move[i]].crc(), picks[i].slot, picks[i].device);
  }
  // Slots of chunks that stay must not be freed with the old version.
  for (std::size_t j = 0; j < places.size(); ++j) {
    if (places[j].word == v.places[j].word) {
      left_behind[j] = Place::make(v.places[j].crc(), 0, kAbsent);
    }
  }
  install(logical, Mapping::kMapped, std::move(places), recent);
  to_free_.back() = std::move(left_behind);
  placer_->stripe_claimed();  // the old version counts as a stripe until the commit
}

Task<> Array::repair_worker(std::uint32_t* next, std::uint32_t to, bool verify,
                            std::exception_ptr* problem) {
  while (true) {
    std::uint32_t l = 0;
    {
      const std::lock_guard lock(m_);
      if (*next >= to) co_return;
      l = (*next)++;
    }
    // A lost stripe does not prevent the repair of others.
    try {
      co_await repair(l, verify);
    } catch (const StorageError&) {
      if (!*problem) *problem = std::current_exception();
    }
  }
}

Task<> Array::repair_range(std::uint32_t from, std::uint32_t to, unsigned at_a_time, bool verify) {
  std::uint32_t next = from;
  to = std::min(to, stripes());
  std::vector<std::exception_ptr> problems(std::max(1U, at_a_time));
  Batch batch;
  for (std::exception_ptr& problem : problems) {
    start(batch, repair_worker(&next, to, verify, &problem), &problem);
  }
  co_await batch;
  throw_first(problems);
}

Task<> Array::repair_pending() {
  while (true) {
    std::uint32_t l = 0;
    {
      const std::lock_guard lock(m_);
      if (repair_pending_.empty()) co_return;
      l = *repair_pending_.begin();
      repair_pending_.erase(repair_pending_.begin());
    }
    co_await repair(l, true);
  }
}

// Devices that failed or leave and hold nothing any more are forgotten: one of them that comes back
// is no part of the array.
Task<> Array::finish_rebuild() {
  if (read_only_) co_return;
  co_await commit();
  std::vector<bool> held(kMaxDevices, false);
  {
    const std::lock_guard lock(m_);
    if (any_offline()) co_return;
    auto hold = [&](const Version& v) {
      for (const Place& x : v.places) {
        if (x.device() != kAbsent) held[x.device()] = true;
      }
      for (const std::uint8_t d : v.replicas) {
        if (v.seq && d != kAbsent) held[d] = true;
      }
    };
    for (std::uint32_t l = 0; l < stripes(); ++l) hold(version(l));
    // A version that was replaced since that commit may be what a start finds.
    for (const auto& [l, versions] : superseded_) {
      for (const Version& v : versions) hold(v);
    }
    for (unsigned d = 0; d < devices_.size(); ++d) {
      Entry& e = super_.table[d];
      if (held[d] || (e.state != State::kFailed && e.state != State::kDraining)) continue;
      e = Entry{};
      retired_.push_back(std::move(devices_[d]->io));
      devices_[d]->io = nullptr;
      unpublished_ = true;
    }
  }
  co_await commit();
}

Task<> Array::fail(unsigned index, bool force) {
  {
    const std::lock_guard lock(m_);
    require_all_online();
    if (index >= devices_.size() || super_.table[index].state == State::kEmpty) {
      throw StorageError("there is no device " + std::to_string(index));
    }
    if (readable(index) && !force && (lost_devices() >= p() || needed(index))) {
      throw StorageError("device " + std::to_string(index) + " must not fail: the redundancy of " +
                         std::to_string(p()) + " does not cover one more; stripes would be lost");
    }
    unsigned here = 0;
    for (unsigned d = 0; d < devices_.size(); ++d) here += usable(d);
    if (usable(index) && here <= k()) {
      throw StorageError("device " + std::to_string(index) +
                         " must not fail: the others are too few for a stripe");
    }
    mark_failed(index, "was failed by order");
  }
  co_await commit();
}

Task<> Array::drain(unsigned index) {
  {
    const std::lock_guard lock(m_);
    require_all_online();
    if (index >= devices_.size() || super_.table[index].state != State::kActive) {
      throw StorageError("device " + std::to_string(index) + " is not active");
    }
    unsigned here = 0;
    for (unsigned d = 0; d < devices_.size(); ++d) here += usable(d);
    if (here <= width()) {
      throw StorageError("device " + std::to_string(index) +
                         " cannot be drained: the others are too few for whole stripes");
    }
    super_.table[index].state = State::kDraining;
    placer_->set_usable(index, false);
    unpublished_ = true;
  }
  co_await commit();
}

Task<> Array::set_rates(std::vector<std::uint32_t> read_kbs, std::vector<std::uint32_t> write_kbs) {
  {
    const std::lock_guard lock(m_);
    require_all_online();
    std::vector<std::uint64_t> rates;
    for (std::size_t d = 0; d < devices_.size(); ++d) {
      if (d < read_kbs.size()) super_.table[d].read_kbs = read_kbs[d];
      if (d < write_kbs.size()) super_.table[d].write_kbs = write_kbs[d];
      rates.push_back(super_.table[d].write_kbs);
    }
    placer_->set_rates(rates);
    ++super_.epoch;
    unpublished_ = true;
  }
  co_await commit();
}

}  // namespace kumihimo::storage
