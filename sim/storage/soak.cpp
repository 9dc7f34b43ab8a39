// SPDX-License-Identifier: Apache-2.0
//
// Rounds, in turn, each with as many faults at once as double parity can bear:
//   0: two disks are lost, each at any moment, also during the rebuild of the other;
//   1: one disk is lost, and in any stripe one chunk goes bad (a sector, or a bit flips);
//   2: reads of two disks fail often, and disks become ten times slower and fast again.
// A lost disk answers with errors, or not at all. At the end of a round a scrub makes all stripes
// whole, new disks take the places of lost ones, and all bytes are compared.
#include "soak.hpp"

#include <algorithm>
#include <cerrno>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "array_impl.hpp"
#include "sim_device.hpp"

namespace kumihimo::storage {
namespace {

constexpr unsigned kChunkLog2 = 12;
constexpr std::uint64_t kSize = 2U << 20;
constexpr std::uint64_t kPage = 4096;

// A disk in virtual time that can be broken.
class BreakableDevice : public Device {
 public:
  BreakableDevice(std::string name, std::shared_ptr<SimClock> clock, double rate, double timeout)
      : clock_(clock),
        inner_(std::move(name), kSize, std::move(clock), {rate, rate, 2, 20}),
        rate_(rate),
        timeout_(timeout) {}

  void submit(Io io) override {
    if (hung) return later(timeout_, std::move(io), ETIMEDOUT);
    if (dead) return later(1e-5, std::move(io), EIO);
    if (io.op == Op::kRead && read_fails) {
      read_fails = false;
      return later(1e-3, std::move(io), EIO);
    }
    const auto from = bad_.lower_bound(io.offset / kPage);
    const auto to = bad_.lower_bound((io.offset + io.data.size + kPage - 1) / kPage);
    if (from != to && io.op == Op::kRead) return later(2e-3, std::move(io), EIO);
    if (io.op == Op::kWrite) bad_.erase(from, to);
    inner_.submit(std::move(io));
  }
  std::uint64_t size() const override { return inner_.size(); }
  std::string name() const override { return inner_.name(); }
  double now() const override { return inner_.now(); }
  double rate() const { return rate_; }

  void slow(double factor) { inner_.change_rate(clock_->now(), factor); }
  void corrupt(std::uint64_t offset) { inner_.corrupt(offset, 0x10); }
  void add_bad(std::uint64_t offset) { bad_.insert(offset / kPage); }
  bool hung = false, dead = false, read_fails = false;

 private:
  void later(double seconds, Io io, int error) {
    clock_->at(clock_->now() + seconds,
               [io = std::move(io), error]() mutable { io.finish(error); });
  }

  std::shared_ptr<SimClock> clock_;
  SimDevice inner_;
  double rate_, timeout_;
  std::set<std::uint64_t> bad_;
};

class Soak {
 public:
  explicit Soak(const SoakRun& run) : run_(run), rng_(run.seed) {
    std::vector<DevicePtr> devices;
    CreateOptions create;
    for (unsigned i = 0; i < run_.ports; ++i) {
      devices.push_back(fresh());
      create.write_kbs.push_back(static_cast<std::uint32_t>(disks_.back()->rate() * 1e3));
    }
    create.read_kbs = create.write_kbs;
    create.chunk_log2 = kChunkLog2;
    create.k = run_.k;
    create.p = run_.p;
    create.spares = 2;
    create.stripes = std::max(run_.workers, run_.ports * 8);
    create.seed = run_.seed;
    Array::create(devices, create, pump_);
    OpenOptions open;
    open.read_errors = 1U << 30;
    open.depth = 2;
    open.pump = pump_;
    array_ = Array::open(devices, open);
    version_.assign(array_->stripes(), 0);
    spoilt_.assign(array_->stripes(), false);
    data_offset_ = geometry(kSize, kChunkLog2, array_->width()).data_offset;
  }

  SoakResult go() {
    for (unsigned round = 0; round < run_.rounds; ++round) play(round % 3);
    result_.virtual_s = clock_->now();
    result_.repaired = array_->counters().repaired;
    if (array_->counters().lost_reads) throw StorageError("a read was lost");
    return result_;
  }

 private:
  using Disk = std::shared_ptr<BreakableDevice>;

  struct Sleep {
    SimClock& clock;
    double seconds;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> h) {
      clock.at(clock.now() + seconds, [h] { h.resume(); });
    }
    void await_resume() const noexcept {}
  };

  Disk fresh() {
    constexpr double kRates[] = {540, 350, 150};
    const auto n = disks_.size();
    disks_.push_back(std::make_shared<BreakableDevice>("disk" + std::to_string(n), clock_,
                                                       kRates[n % 3], run_.timeout_s));
    return disks_.back();
  }

  std::uint32_t below(std::uint64_t n) { return static_cast<std::uint32_t>(rng_() % n); }

  // The bytes of a stripe follow from its number and how often it was written.
  std::vector<Slice> content(std::uint32_t logical) const {
    std::mt19937 bytes(logical * 7919U + version_[logical] * 104729U);
    std::vector<Slice> out;
    for (unsigned j = 0; j < run_.k; ++j) {
      Slice s = Slice::zeros(array_->chunk());
      for (std::size_t at = 0; version_[logical] && at < s.size; at += 4) {
        const auto word = static_cast<std::uint32_t>(bytes());
        std::memcpy(s.data + at, &word, 4);
      }
      out.push_back(std::move(s));
    }
    return out;
  }

  Task<> compare(std::uint32_t logical) {
    const auto want = content(logical);
    for (unsigned j = 0; j < run_.k; ++j) {
      Slice got;
      co_await array_->read_chunk(logical, j, &got);
      if (std::memcmp(got.data, want[j].data, got.size) != 0) {
        throw StorageError("stripe " + std::to_string(logical) + " has other bytes than written");
      }
      result_.bytes_compared += got.size;
    }
    ++result_.reads;
  }

  // The number of a disk's last name is where it is in disks_.
  Disk disk_of(unsigned device) {
    for (const DeviceStatus& s : array_->status()) {
      if (s.index == device && s.present) return disks_.at(std::stoul(s.name.substr(4)));
    }
    return nullptr;
  }

  // One chunk of a stripe of the caller's own, which nobody else writes, goes bad.
  void spoil(std::uint32_t logical) {
    if (spoilt_[logical] || !array_->mapped(logical)) return;
    const auto places = array_->places(logical);
    const Place at = places[below(places.size())];
    const Disk disk = at.device() == kAbsent ? nullptr : disk_of(at.device());
    if (!disk) return;
    const std::uint64_t offset = data_offset_ + at.slot() * array_->chunk();
    if (below(2)) {
      disk->corrupt(offset + below(array_->chunk()));
    } else {
      disk->add_bad(offset);
    }
    spoilt_[logical] = true;
    ++result_.bad_chunks;
  }

  Disk pick() {
    std::vector<Disk> well;
    for (const DeviceStatus& s : array_->status()) {
      if (s.state != State::kActive || !s.present) continue;
      const Disk d = disks_.at(std::stoul(s.name.substr(4)));
      if (!d->dead && !d->hung) well.push_back(d);
    }
    return well.at(below(well.size()));
  }

  void lose_one() {
    const Disk disk = pick();
    if (below(2)) {
      disk->hung = true;
      ++result_.hangs;
    } else {
      disk->dead = true;
      ++result_.deaths;
    }
    ++lost_;
  }

  void annoy() {
    if (below(3)) {
      flaky_[below(2)]->read_fails = true;
      ++result_.read_errors;
    } else {
      pick()->slow(below(2) ? 0.1 : 1.0);
      ++result_.slowed;
    }
  }

  void tick(unsigned kind) {
    ++ticks_;
    if (kind == 2 && ticks_ % 4 == 0) annoy();
    while (!losses_.empty() && ticks_ >= losses_.back()) {
      losses_.pop_back();
      lose_one();
    }
  }

  // Also gone when it ends with an error.
  struct Working {
    unsigned& count;
    ~Working() { --count; }
  };

  Task<> worker(unsigned me, unsigned kind) {
    const Working here{working_};
    for (unsigned i = 0; i < run_.operations; ++i) {
      const std::uint32_t logical =
          me + run_.workers * below((array_->stripes() - me - 1) / run_.workers + 1);
      const double began = clock_->now();
      if (below(2)) {
        ++version_[logical];
        co_await array_->write_stripe(logical, content(logical), {});
        spoilt_[logical] = false;
        ++result_.writes;
      } else {
        co_await compare(logical);
      }
      if (below(24) == 0) co_await array_->commit();
      double& longest = kind == 2 ? result_.longest_calm_s : result_.longest_s;
      longest = std::max(longest, clock_->now() - began);
      if (kind == 1 && below(4) == 0) spoil(logical);
      tick(kind);
    }
  }

  // Beside the requests: rebuilds as soon as a disk is lost.
  Task<> rebuilder() {
    unsigned seen = 0;
    while (working_) {
      Sleep sleep{*clock_, 2e-3};
      co_await sleep;
      if (lost_ == seen) continue;
      seen = lost_;
      co_await array_->repair_range(0, array_->stripes(), 4, false);
    }
  }

  Task<> requests(unsigned kind, std::exception_ptr* problem) {
    Batch batch;
    for (unsigned i = 0; i < run_.workers; ++i) start(batch, worker(i, kind), problem);
    start(batch, rebuilder(), problem);
    co_await batch;
  }

  Task<> compare_all() {
    for (std::uint32_t l = 0; l < array_->stripes(); ++l) co_await compare(l);
  }

  void play(unsigned kind) {
    const std::uint64_t all = std::uint64_t{run_.workers} * run_.operations;
    ticks_ = lost_ = 0;
    working_ = run_.workers;
    for (Disk& d : flaky_) d = pick();
    for (unsigned i = 0; i + kind < 2; ++i) losses_.push_back(1 + below(all * 3 / 4));
    std::sort(losses_.rbegin(), losses_.rend());
    std::exception_ptr problem;
    array_->run(requests(kind, &problem));
    if (problem) std::rethrow_exception(problem);
    for (const Disk& d : disks_) {
      d->read_fails = false;
      d->slow(1.0);
    }
    array_->run(array_->repair_range(0, array_->stripes(), 8, true));
    array_->run(array_->repair_range(0, array_->stripes(), 8, false));
    array_->run(array_->finish_rebuild());
    if (array_->degraded_stripes()) throw StorageError("stripes are not whole after the rebuild");
    std::fill(spoilt_.begin(), spoilt_.end(), false);
    for (; lost_; --lost_) {
      const Disk disk = fresh();
      const auto kbs = static_cast<std::uint32_t>(disk->rate() * 1e3);
      array_->run(array_->add(disk, kbs, kbs, false));
      ++result_.replaced;
    }
    array_->run(compare_all());
  }

  SoakRun run_;
  std::mt19937_64 rng_;
  std::shared_ptr<SimClock> clock_ = std::make_shared<SimClock>();
  std::function<void()> pump_ = [clock = clock_] {
    if (!clock->step()) throw StorageError("the run stands still: a request never ends");
  };
  std::vector<Disk> disks_;
  Disk flaky_[2];
  std::shared_ptr<Array> array_;
  std::uint64_t data_offset_ = 0;
  std::vector<std::uint32_t> version_;  // times that a stripe was written
  std::vector<bool> spoilt_;            // stripes with a bad chunk
  std::vector<std::uint64_t> losses_;   // after so many requests, the next one last
  std::uint64_t ticks_ = 0;
  unsigned lost_ = 0, working_ = 0;
  SoakResult result_;
};

}  // namespace

SoakResult soak(const SoakRun& run) {
  if (run.ports < run.k + run.p + 2 || run.p != 2) {
    throw StorageError("a soak needs double parity and two disks more than a stripe has chunks");
  }
  return Soak(run).go();
}

}  // namespace kumihimo::storage
