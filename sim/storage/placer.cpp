// SPDX-License-Identifier: Apache-2.0
#include "placer.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "hash.hpp"

namespace kumihimo::storage {
namespace {

constexpr double kNewWeight = 0.25;  // of the latest measurement
constexpr std::size_t kRecent = 8;
constexpr double kBehind = 4;  // chunks

std::uint64_t cost_of(std::uint64_t rate_kbs) {
  return (std::uint64_t{1} << 40) / std::max<std::uint64_t>(rate_kbs, 1);
}

}  // namespace

void Placer::set_device(unsigned index, std::uint32_t slots, std::uint64_t rate_kbs) {
  if (devices_.size() <= index) devices_.resize(index + 1);
  Dev& d = devices_[index];
  d = Dev{};
  d.usable = true;
  d.slots = d.free = slots;
  d.rate = std::max<std::uint64_t>(rate_kbs, 1);
  d.cost = cost_of(d.rate);
  d.used.assign((slots + 63) / 64, 0);
  // A device that joins takes part from now on; it does not catch up what it never had.
  for (Dev& x : devices_) {
    x.given = 0;
    x.due = 0;
  }
  due_ = 0;
}

void Placer::set_usable(unsigned index, bool usable) { devices_[index].usable = usable; }

void Placer::set_rates(const std::vector<std::uint64_t>& rates_kbs) {
  for (std::size_t i = 0; i < devices_.size() && i < rates_kbs.size(); ++i) {
    devices_[i].rate = std::max<std::uint64_t>(rates_kbs[i], 1);
    devices_[i].cost = cost_of(devices_[i].rate);
    devices_[i].given = 0;
    devices_[i].due = 0;
    devices_[i].seconds = 0;
  }
  due_ = 0;
}

// In steps of a 64th, so that devices that are equally fast count as equal.
double Placer::pace(const Dev& d) const {
  const double exact = d.seconds > 0 ? d.seconds : chunk_ / (1e3 * static_cast<double>(d.rate));
  int exponent = 0;
  const double part = std::frexp(exact, &exponent);
  return std::ldexp(std::round(part * 128) / 128, exponent);
}

// A sixteenth to a whole chunk later by chance, if stripes are wider than one: devices that are
// equally fast must not always meet in the same stripes, or a rebuild would read from those alone.
std::uint64_t Placer::later(unsigned i) const {
  if (width_ == 1) return 0;
  const auto n = static_cast<std::uint32_t>(devices_[i].given);
  std::uint32_t h = (i + 1) * ((2 * n + 1) * 0x9E3779B1U);
  h = (h ^ h >> 15) * 0x85EBCA6BU;
  return (h ^ h >> 13) >> 28;
}

// When a device's next chunk is due. A device that could not take part for long does not catch up:
// it would be the only one then.
double Placer::due(const Dev& d) const {
  return std::max(d.due, due_ - kBehind * pace(d)) + pace(d);
}

bool Placer::before(unsigned a, unsigned b) const {
  const Dev &x = devices_[a], &y = devices_[b];
  if (dynamic_) {
    return due(x) + pace(x) * static_cast<double>(later(a)) / 16 <
           due(y) + pace(y) * static_cast<double>(later(b)) / 16;
  }
  // 64 bits would be over after some weeks of writing small chunks.
  __extension__ using Key = unsigned __int128;
  auto key = [&](unsigned i, const Dev& d) -> Key {
    return (16 * (Key{d.given} + 1) + later(i)) * d.cost;
  };
  return key(a, x) < key(b, y);
}

std::int64_t Placer::slack() const {
  const std::uint64_t m = physical_ > occupied_ ? physical_ - occupied_ : 0;
  std::uint64_t sum = 0;
  for (const Dev& d : devices_) {
    if (d.usable) sum += std::min<std::uint64_t>(d.free, m);
  }
  return static_cast<std::int64_t>(sum) - static_cast<std::int64_t>(width_ * m);
}

Placer::Outcome Placer::pick_stripe(unsigned least, std::vector<Pick>& out) {
  out.clear();
  std::vector<unsigned> free;
  for (unsigned i = 0; i < devices_.size(); ++i) {
    if (devices_[i].usable && devices_[i].free) free.push_back(i);
  }
  if (free.size() < least) return Outcome::kNoSpace;
  const std::size_t want = std::min<std::size_t>(width_, free.size());
  std::vector<unsigned> can = free;
  if (dynamic_) std::erase_if(can, [&](unsigned i) { return devices_[i].queue >= depth_; });
  if (can.size() < want) return Outcome::kQueuesFull;
  std::stable_sort(can.begin(), can.end(), [&](unsigned a, unsigned b) { return before(a, b); });
  // Devices that must take part in every stripe from now on, so that the promised room can be used.
  const std::uint64_t m = physical_ > occupied_ ? physical_ - occupied_ : 0;
  std::int64_t skipped = 0;
  for (const unsigned i : free) {
    const auto end = can.begin() + static_cast<std::ptrdiff_t>(want);
    skipped += devices_[i].free >= m && std::find(can.begin(), end, i) == end;
  }
  if (skipped > slack()) {
    can = free;
    std::stable_sort(can.begin(), can.end(),
                     [&](unsigned a, unsigned b) { return devices_[a].free > devices_[b].free; });
    for (std::size_t j = 0; j < want && dynamic_; ++j) {
      if (devices_[can[j]].queue >= depth_) return Outcome::kQueuesFull;
    }
  }
  can.resize(want);
  out.resize(want);
  for (std::size_t j = 0; j < want; ++j) {
    Pick& p = out[(j + count_) % want];
    p = {can[j], take_slot(can[j])};
    give(can[j]);
  }
  ++count_;
  ++occupied_;
  return Outcome::kPicked;
}

std::optional<Placer::Pick> Placer::pick_one(const std::vector<unsigned>& not_these,
                                             const std::vector<unsigned>& busy) {
  const std::uint64_t m = physical_ > occupied_ ? physical_ - occupied_ : 0;
  const std::int64_t spare = slack();
  std::optional<unsigned> best;
  for (unsigned i = 0; i < devices_.size(); ++i) {
    const Dev& d = devices_[i];
    if (!d.usable || !d.free) continue;
    if (std::find(not_these.begin(), not_these.end(), i) != not_these.end()) continue;
    if (spare <= 0 && d.free <= m) continue;  // its room is promised to whole stripes
    if (!best) {
      best = i;
      continue;
    }
    const double mine = (busy[i] + 1) * pace(d);
    const double least = (busy[*best] + 1) * pace(devices_[*best]);
    if (mine < least || (mine == least && due(d) < due(devices_[*best]))) best = i;
  }
  if (!best) return std::nullopt;
  const Pick p{*best, take_slot(*best)};
  give(*best);
  return p;
}

std::uint32_t Placer::take_slot(unsigned device) {
  Dev& d = devices_[device];
  std::size_t word = d.next / 64;
  std::uint64_t mask = ~std::uint64_t{0} << (d.next % 64);
  while (true) {
    const std::uint64_t room = ~d.used[word] & mask;
    if (room) {
      const auto slot = static_cast<std::uint32_t>(word * 64) +
                        static_cast<std::uint32_t>(std::countr_zero(room));
      if (slot < d.slots) {
        d.used[word] |= std::uint64_t{1} << (slot % 64);
        --d.free;
        d.next = slot + 1 == d.slots ? 0 : slot + 1;
        return slot;
      }
    }
    mask = ~std::uint64_t{0};
    word = word + 1 == d.used.size() ? 0 : word + 1;
  }
}

void Placer::give(unsigned device) {
  Dev& d = devices_[device];
  d.due = due(d);
  due_ = std::max(due_, d.due);
  ++d.given;
  ++d.queue;
  std::erase(recent_, device);
  recent_.insert(recent_.begin(), device);
  if (recent_.size() > kRecent) recent_.pop_back();
}

bool Placer::taken(unsigned device, std::uint32_t slot) const {
  return devices_[device].used[slot / 64] >> (slot % 64) & 1;
}

bool Placer::claim(unsigned device, std::uint32_t slot) {
  if (device >= devices_.size() || slot >= devices_[device].slots) {
    throw StorageError("the log names a slot that is not there");
  }
  if (taken(device, slot)) return false;
  devices_[device].used[slot / 64] |= std::uint64_t{1} << (slot % 64);
  --devices_[device].free;
  return true;
}

void Placer::release(unsigned device, std::uint32_t slot) {
  devices_[device].used[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
  ++devices_[device].free;
}

std::uint64_t Placer::fingerprint() const {
  std::uint64_t h = mix(occupied_, count_);
  for (const Dev& d : devices_) {
    h = mix(mix(mix(h, d.usable), d.next), d.given);
    h = hash_of(d.used.data(), d.used.size() * sizeof d.used[0], h);
  }
  for (const unsigned d : recent_) h = mix(h, d);
  return h;
}

void Placer::served(unsigned device, double seconds) {
  Dev& d = devices_[device];
  if (d.queue) --d.queue;
  if (seconds <= 0) return;
  d.seconds = d.seconds > 0 ? d.seconds + kNewWeight * (seconds - d.seconds) : seconds;
}

std::vector<std::uint64_t> static_shares(const std::vector<std::uint64_t>& rates_kbs,
                                         unsigned width, std::uint64_t stripes) {
  constexpr std::uint32_t kSlots = 1024;
  Placer placer(width, false, 0, kSlots, 4096);
  for (unsigned i = 0; i < rates_kbs.size(); ++i) placer.set_device(i, 2 * kSlots, rates_kbs[i]);
  std::vector<Placer::Pick> picks;
  for (std::uint64_t n = 0; n < stripes; ++n) {
    if (placer.pick_stripe(width, picks) != Placer::Outcome::kPicked) {
      throw StorageError("there are fewer devices than a stripe has chunks");
    }
    for (const auto& pick : picks) placer.release(pick.device, pick.slot);
    placer.stripe_released();
  }
  std::vector<std::uint64_t> out;
  for (unsigned i = 0; i < rates_kbs.size(); ++i) out.push_back(placer.given(i));
  return out;
}

}  // namespace kumihimo::storage
