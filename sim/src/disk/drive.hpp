// SPDX-License-Identifier: Apache-2.0
//
// The drive behind a disk's interface: medium and mechanics, write cache, bad sectors.
//
// All methods take the time, which never decreases. Reads become ready sector by sector; writes
// wait in the cache and reach the medium in an order chosen by the drive: nearest first on an HDD,
// any on an SSD.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "disk/cache.hpp"
#include "disk/profile.hpp"

namespace kumihimo {

struct DriveStats {
  std::uint64_t sectors_read = 0, sectors_written = 0;  // by the host
  std::uint64_t sectors_settled = 0;                    // written to the medium
  std::uint64_t sectors_lost = 0;                       // by power cuts
  std::uint64_t writes_dropped = 0;                     // by the fault
  std::uint64_t seeks = 0;
};

class DiskDrive {
 public:
  using Id = std::uint64_t;

  DiskDrive(DiskStore& store, const DiskProfile& profile, std::uint64_t seed)
      : store_(store), profile_(profile), seed_(seed) {}

  std::uint64_t sectors() const { return store_.sectors(); }
  bool rotating() const { return profile_.rotating; }

  // Processes events up to `now`; returns the time of the next one.
  void advance(Ps now);
  Ps next() const;

  // Starts a read. Its sectors 0..n-1 are ready at ready_at(n); kForever: not yet known.
  Id read(Ps now, std::uint64_t lba, std::uint64_t count);
  Ps ready_at(Id id, std::uint64_t n) const;
  std::optional<std::uint64_t> bad_in(Id id) const;  // first unreadable sector, once known
  Ps failed_at(Id id) const;                         // time at which that becomes known
  void forget(Id id) { reads_.erase(id); }
  void fetch(std::uint64_t lba, Sector& to) const;  // from the host's point of view

  // Accepts a write; returns its number in the order of writes.
  bool room(std::uint64_t count) const { return cache_.size() + count <= profile_.cache; }
  std::uint64_t limit() const { return profile_.cache; }
  std::uint64_t write(Ps now, std::uint64_t lba, const std::uint32_t* words, std::uint64_t count);
  // Whether the range, up to that write, is on the medium; if not, gives it priority.
  bool settled(std::uint64_t lba, std::uint64_t count, std::uint64_t order) const {
    return !cache_.waits(lba, count, order);
  }
  void urge(Ps now, std::uint64_t lba, std::uint64_t count);
  bool clean() const { return cache_.empty(); }
  std::uint64_t waiting() const { return cache_.size(); }
  void discard(std::uint64_t lba, std::uint64_t count);
  // First sector of the range that can be neither read nor written.
  std::optional<std::uint64_t> unwritable(std::uint64_t lba, std::uint64_t count) const;

  // Faults.
  void power_cut(Ps now);
  void slow(double factor) { factor_ = factor; }
  void bad(std::uint64_t lba, std::uint64_t count, bool permanent);
  void good(std::uint64_t lba, std::uint64_t count);
  void corrupt(std::uint64_t lba, std::uint64_t count);  // silently, on the medium
  void drop_writes(std::uint64_t count) { drop_ = count; }

  // From outside, between cycles: the medium, with or without unwritten cache content.
  void poke(std::uint64_t lba, const Sector& data);
  void look(std::uint64_t lba, Sector& to, bool cached) const;

  const DriveStats& stats() const { return stats_; }
  // Drops all reads: they were answered or aborted.
  void forget_reads() { reads_.clear(); }

 private:
  struct Read {
    std::uint64_t lba = 0, count = 0;
    Ps asked = 0;
    bool planned = false;
    Ps begin = 0;    // of its first sector under the head
    double per = 0;  // ps a sector
    std::optional<std::uint64_t> bad;
    Ps failed = 0;
  };
  struct Settling {
    std::uint64_t lba, count, written;
    Ps begin;
    double per;
    Ps at(std::uint64_t n) const { return begin + static_cast<Ps>(per * static_cast<double>(n)); }
  };
  struct Head {  // position after the last operation of its kind
    std::uint64_t lba = ~std::uint64_t{0};
    Ps end = 0;
    bool read = false;
  };

  static constexpr Ps kRecoveryPs = 2'000'000'000;  // retries at a bad sector
  static constexpr std::uint64_t kRun = 256;        // sectors written from the cache at once

  Head& head(bool write) { return heads_[write && !profile_.rotating ? 1 : 0]; }
  const Head& head(bool write) const { return heads_[write && !profile_.rotating ? 1 : 0]; }
  Ps& free_at(bool write) { return free_[write && !profile_.rotating ? 1 : 0]; }
  Ps free_at(bool write) const { return free_[write && !profile_.rotating ? 1 : 0]; }

  void begin_work(bool write, Ps now);
  double per_sector(bool write, std::uint64_t lba) const;
  bool streams(std::uint64_t lba) const;
  Ps passes(std::uint64_t lba, Ps now) const;
  Ps reach(Ps now, std::uint64_t lba, bool write) const;
  Ps scaled(Ps t) const { return static_cast<Ps>(static_cast<double>(t) * factor_); }
  void plan(Read& r, Ps now);
  void begin_settling(Ps now, const DiskCache::Run& run);
  std::optional<DiskCache::Run> pick_run() const;
  void settle(Ps now);
  void act(Ps at);
  void act_arm(Ps at);
  bool must_settle() const;

  DiskStore& store_;
  DiskProfile profile_;
  std::uint64_t seed_;
  double factor_ = 1;
  DiskCache cache_;
  std::map<Id, Read> reads_;
  std::vector<DiskCache::Run> urgent_;
  std::optional<Settling> settling_;
  Head heads_[2];
  Ps free_[2] = {};
  std::map<std::uint64_t, bool> bad_;  // sector -> permanent
  Id last_id_ = 0;
  std::uint64_t order_ = 0;
  std::uint64_t runs_ = 0;
  std::uint64_t corruptions_ = 0;
  std::uint64_t drop_ = 0;
  Ps now_ = 0;
  DriveStats stats_;
};

}  // namespace kumihimo
