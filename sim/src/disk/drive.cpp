// SPDX-License-Identifier: Apache-2.0
#include "disk/drive.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/rng.hpp"

namespace kumihimo {
namespace {

enum Purpose : std::uint64_t { kJitter, kRunChoice, kCorruption };

}  // namespace

// ---- time on the medium -----------------------------------------------------------------------

double DiskDrive::per_sector(bool write, std::uint64_t lba) const {
  double rate = write ? profile_.write_rate : profile_.read_rate;
  if (profile_.rotating && profile_.zones > 1) {
    const double zone =
        std::floor(static_cast<double>(lba) / static_cast<double>(sectors()) * profile_.zones);
    rate *= 1 - (1 - profile_.inner_rate) * zone / (profile_.zones - 1);
  }
  return static_cast<double>(kSectorBytes) * 1e12 / rate * factor_;
}

// When the first sector of an operation started at `now` reaches the head.
Ps DiskDrive::reach(Ps now, std::uint64_t lba, bool write) const {
  const Head& h = head(write);
  if (!profile_.rotating) {
    // Runs that nobody awaits follow each other without a pause.
    return now + (write && !urgent_.empty() ? scaled(profile_.write_latency_ps) : 0);
  }
  if (lba == h.lba && now <= h.end) return h.end;
  const double turn = 60e12 / profile_.rpm * factor_;
  const double track = turn / per_sector(write, lba);  // sectors
  const double far = std::fabs(static_cast<double>(lba) - static_cast<double>(h.lba));
  Ps t = now;
  if (h.lba > sectors() || far >= track) {
    const double share = h.lba > sectors() ? 0.3 : far / static_cast<double>(sectors());
    const auto range = static_cast<double>(profile_.seek_max_ps - profile_.seek_min_ps);
    t += scaled(profile_.seek_min_ps + static_cast<Ps>(range * std::sqrt(share)));
  }
  const double angle = std::fmod(static_cast<double>(lba), track) / track;
  const double here = std::fmod(static_cast<double>(t), turn) / turn;
  const double wait = angle >= here ? angle - here : angle - here + 1;
  return t + static_cast<Ps>(wait * turn);
}

// Whether read-ahead of the last read covers this sector; an arm may also skip a few.
bool DiskDrive::streams(std::uint64_t lba) const {
  const Head& h = head(false);
  if (!h.read || lba < h.lba) return false;
  return lba - h.lba <= (profile_.rotating ? profile_.read_ahead : 0);
}

// When it does; sectors read earlier are in the buffer, as far as they fit.
Ps DiskDrive::passes(std::uint64_t lba, Ps now) const {
  const Head& h = head(false);
  const double per = per_sector(false, lba);
  const Ps ahead = static_cast<Ps>(per * static_cast<double>(profile_.read_ahead));
  const Ps at = h.end + static_cast<Ps>(per * static_cast<double>(lba - h.lba));
  return std::max(at, now > ahead ? now - ahead : 0);
}

void DiskDrive::plan(Read& r, Ps now) {
  Head& h = head(false);
  r.planned = true;
  r.per = per_sector(false, r.lba);
  if (streams(r.lba)) {
    r.begin = passes(r.lba, now);
  } else {
    ++stats_.seeks;
    r.begin = reach(std::max(now, free_at(false)), r.lba, false);
  }
  if (free_at(false) > now) r.begin = std::max(r.begin, free_at(false));
  const Ps end = r.begin + static_cast<Ps>(r.per * static_cast<double>(r.count));
  h = {r.lba + r.count, end, true};
  Ps free = std::max(now, end);
  for (auto b = bad_.lower_bound(r.lba); b != bad_.end() && b->first < r.lba + r.count; ++b) {
    if (cache_.find(b->first) != nullptr) continue;
    r.bad = b->first - r.lba;
    r.failed =
        std::max(now, r.begin + static_cast<Ps>(r.per * static_cast<double>(*r.bad))) + kRecoveryPs;
    free = r.failed;
    break;
  }
  free_at(false) = free;
}

// An idle mechanism cannot have started earlier.
void DiskDrive::begin_work(bool write, Ps now) {
  if (!settling_ || (!write && !profile_.rotating)) free_at(write) = std::max(free_at(write), now);
}

// ---- reads ------------------------------------------------------------------------------------

DiskDrive::Id DiskDrive::read(Ps now, std::uint64_t lba, std::uint64_t count) {
  advance(now);
  begin_work(false, now);
  stats_.sectors_read += count;
  const Id id = ++last_id_;
  Read& r = reads_[id];
  r.lba = lba;
  r.count = count;
  r.asked = now;
  bool cached = true;
  for (std::uint64_t i = 0; i < count && cached; ++i) cached = cache_.find(lba + i) != nullptr;
  if (cached) {
    r.planned = true;
    r.begin = now;
  } else if (!profile_.rotating) {
    const double extra = unit_at(seed_, id, kJitter) * static_cast<double>(profile_.jitter_ps);
    if (streams(lba)) {
      plan(r, now);
    } else {
      r.asked = now + scaled(profile_.latency_ps + static_cast<Ps>(extra));
    }
  }
  advance(now);
  return id;
}

Ps DiskDrive::ready_at(Id id, std::uint64_t n) const {
  const Read& r = reads_.at(id);
  if (!r.planned || (r.bad && n > *r.bad)) return kForever;
  return r.begin + static_cast<Ps>(r.per * static_cast<double>(n));
}

std::optional<std::uint64_t> DiskDrive::bad_in(Id id) const {
  const Read& r = reads_.at(id);
  return r.planned ? r.bad : std::nullopt;
}

Ps DiskDrive::failed_at(Id id) const { return reads_.at(id).failed; }

void DiskDrive::fetch(std::uint64_t lba, Sector& to) const { look(lba, to, true); }

// ---- writes -----------------------------------------------------------------------------------

std::uint64_t DiskDrive::write(Ps now, std::uint64_t lba, const std::uint32_t* words,
                               std::uint64_t count) {
  advance(now);
  begin_work(true, now);
  stats_.sectors_written += count;
  ++order_;
  if (drop_ > 0) {
    --drop_;
    ++stats_.writes_dropped;
    return order_;
  }
  Sector s;
  for (std::uint64_t i = 0; i < count; ++i, words += kSectorBytes / 4) {
    std::memcpy(s.data(), words, kSectorBytes);
    cache_.put(lba + i, s, order_);
  }
  advance(now);
  return order_;
}

void DiskDrive::urge(Ps now, std::uint64_t lba, std::uint64_t count) {
  advance(now);
  if (cache_.waits(lba, count, ~std::uint64_t{0})) urgent_.push_back({lba, count});
}

void DiskDrive::discard(std::uint64_t lba, std::uint64_t count) {
  cache_.erase(lba, count);
  store_.discard(lba, count);
}

// Next run to write: the urgent ones, else on an HDD the next under the head, on an SSD any.
std::optional<DiskCache::Run> DiskDrive::pick_run() const {
  if (cache_.empty()) return std::nullopt;
  for (const DiskCache::Run& u : urgent_) {
    const auto run = cache_.run_from(u.lba, kRun);
    if (run && run->lba >= u.lba && run->lba < u.lba + u.count) return run;
  }
  const Head& h = head(true);
  if (profile_.rotating) return cache_.run_from(h.lba, kRun);
  const std::uint64_t first = cache_.first();
  const std::uint64_t span = cache_.last() - first + 1;
  return cache_.run_from(first + random_at(seed_, runs_, kRunChoice) % span, kRun);
}

bool DiskDrive::must_settle() const {
  return !urgent_.empty() || cache_.size() * 2 > profile_.cache;
}

void DiskDrive::begin_settling(Ps now, const DiskCache::Run& run) {
  Settling s{run.lba, run.count, 0, reach(now, run.lba, true), per_sector(true, run.lba)};
  if (run.lba != head(true).lba) ++stats_.seeks;
  ++runs_;
  const Ps end = s.at(run.count);
  head(true) = {run.lba + run.count, end, false};
  free_at(true) = end;
  settling_ = s;
}

// Sectors that have passed are on the medium, even if power fails right after.
void DiskDrive::settle(Ps now) {
  if (!settling_) return;
  Settling& s = *settling_;
  for (; s.written < s.count && s.at(s.written + 1) <= now; ++s.written) {
    const std::uint64_t lba = s.lba + s.written;
    const Sector* data = cache_.find(lba);
    if (data == nullptr) continue;  // discarded meanwhile
    store_.write(lba, *data);
    ++stats_.sectors_settled;
    const auto b = bad_.find(lba);
    if (b != bad_.end() && !b->second) bad_.erase(b);  // reallocated
    cache_.erase(lba);
  }
  if (s.written < s.count) return;
  settling_.reset();
  std::erase_if(urgent_, [&](const DiskCache::Run& u) {
    return !cache_.waits(u.lba, u.count, ~std::uint64_t{0});
  });
}

// ---- background activity -------------------------------------------------------------------

Ps DiskDrive::next() const {
  Ps t = kForever;
  if (settling_) t = settling_->at(settling_->count);
  bool reading = false;
  for (const auto& [id, r] : reads_) {
    if (r.planned) continue;
    reading = true;
    if (!profile_.rotating) t = std::min(t, r.asked);
  }
  if (profile_.rotating) {
    if (!settling_ && (reading || !cache_.empty())) t = std::min(t, free_at(false));
  } else if (!settling_ && !cache_.empty()) {
    t = std::min(t, free_at(true));
  }
  return t;
}

void DiskDrive::advance(Ps now) {
  now_ = std::max(now_, now);
  for (Ps t = next(); t <= now_; t = next()) act(t);
  settle(now_);
}

void DiskDrive::act(Ps at) {
  settle(at);
  if (profile_.rotating) {
    act_arm(at);
    return;
  }
  // In the order in which their latencies end, not in the order of the requests.
  Read* first = nullptr;
  for (auto& [id, r] : reads_) {
    if (!r.planned && r.asked <= at && (first == nullptr || r.asked < first->asked)) first = &r;
  }
  if (first != nullptr) plan(*first, first->asked);
  if (!settling_ && !cache_.empty() && free_at(true) <= at) {
    if (const auto run = pick_run()) begin_settling(std::max(at, free_at(true)), *run);
  }
}

// The arm is free: picks the operation that it reaches first.
void DiskDrive::act_arm(Ps now) {
  if (settling_ || free_at(false) > now) return;
  Read* best = nullptr;
  Ps best_ps = kForever;
  for (auto& [id, r] : reads_) {
    if (r.planned) continue;
    const Ps t = streams(r.lba) ? passes(r.lba, now) : reach(now, r.lba, false);
    if (best == nullptr || t < best_ps) {
      best = &r;
      best_ps = t;
    }
  }
  const auto run = best == nullptr || must_settle() ? pick_run() : std::nullopt;
  if (run && (best == nullptr || reach(now, run->lba, true) < best_ps)) {
    begin_settling(now, *run);
  } else if (best != nullptr) {
    plan(*best, now);
  }
}

// ---- faults, and the world outside ------------------------------------------------------------

void DiskDrive::power_cut(Ps now) {
  advance(now);
  stats_.sectors_lost += cache_.size();
  cache_.clear();
  reads_.clear();
  urgent_.clear();
  settling_.reset();
  heads_[0] = heads_[1] = {};
  free_[0] = free_[1] = now_;
}

std::optional<std::uint64_t> DiskDrive::unwritable(std::uint64_t lba, std::uint64_t count) const {
  for (auto b = bad_.lower_bound(lba); b != bad_.end() && b->first < lba + count; ++b) {
    if (b->second) return b->first;
  }
  return std::nullopt;
}

void DiskDrive::bad(std::uint64_t lba, std::uint64_t count, bool permanent) {
  for (std::uint64_t i = 0; i < count; ++i) bad_[lba + i] = permanent;
}

void DiskDrive::good(std::uint64_t lba, std::uint64_t count) {
  bad_.erase(bad_.lower_bound(lba), bad_.lower_bound(lba + count));
}

// One bit of each sector.
void DiskDrive::corrupt(std::uint64_t lba, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    Sector s;
    store_.read(lba + i, s);
    const std::uint64_t r = random_at(seed_, corruptions_++, kCorruption);
    s[r % kSectorBytes] ^= static_cast<std::uint8_t>(1u << (r >> 32 & 7));
    store_.write(lba + i, s);
  }
}

void DiskDrive::poke(std::uint64_t lba, const Sector& data) {
  cache_.erase(lba);
  store_.write(lba, data);
}

void DiskDrive::look(std::uint64_t lba, Sector& to, bool cached) const {
  const Sector* waiting = cached ? cache_.find(lba) : nullptr;
  if (waiting != nullptr) {
    to = *waiting;
  } else {
    store_.read(lba, to);
  }
}

}  // namespace kumihimo
