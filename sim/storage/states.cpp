// SPDX-License-Identifier: Apache-2.0
//
// Disks are pages that states share, so a state costs little to keep and to compare. A running
// array cannot be copied: it is made again from the disks as they were when it started, by the
// operations since. Two running arrays are equal if their disks and what they know in memory are.
#include "states.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "array.hpp"
#include "hash.hpp"
#include "volume.hpp"

namespace kumihimo::storage {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::uint64_t kSize = 216U << 10;  // of a disk
constexpr unsigned kChunkLog2 = 12;
constexpr unsigned kStripes = 6;
constexpr unsigned kLeastSectors = 6;  // before power is cut

struct Page {
  std::array<std::uint8_t, kPage> bytes{};
  mutable std::uint64_t hash = 0;  // 0: not known

  std::uint64_t hash_now() const {
    if (hash == 0) hash = hash_of(bytes.data(), kPage);
    return hash;
  }
};
using Pages = std::vector<std::shared_ptr<Page>>;  // null: zeros; what others share stays as it is

struct Power {
  std::uint64_t sectors_left = UINT64_MAX;
  bool off = false;
};

class PagedDevice : public Device {
 public:
  PagedDevice(std::string name, Pages pages, std::shared_ptr<Power> power)
      : pages(std::move(pages)), name_(std::move(name)), power_(std::move(power)) {}

  void submit(Io io) override { io.finish(execute(io)); }
  std::uint64_t size() const override { return kSize; }
  std::string name() const override { return name_; }
  double now() const override { return 0; }

  // Power is back: of the sectors that no flush covered, each is as it was or not.
  void power_cycle(std::uint64_t seed) {
    for (const auto& [sector, before] : unflushed_) {
      if (mix(seed, sector) % 2) continue;
      put(sector * kSector / kPage, sector * kSector % kPage, before.data(), kSector);
    }
    unflushed_.clear();
  }
  std::uint64_t hash() const {
    std::uint64_t h = pages.size();
    for (const auto& page : pages) h = mix(h, page ? page->hash_now() : 0);
    for (const auto& [sector, before] : unflushed_) {
      h = mix(mix(h, sector), hash_of(before.data(), kSector));
    }
    return h;
  }

  Pages pages;
  bool unplugged = false, full = false;

 private:
  using Sector = std::array<std::uint8_t, kSector>;

  int execute(Io& io) {
    if (unplugged || power_->off) return ENODEV;
    if (io.offset + io.data.size > kSize) return EIO;
    if (io.op == Op::kFlush) unflushed_.clear();
    if (io.op == Op::kRead)
      each_page(io, [&](std::size_t page, std::size_t at, std::uint8_t* data, std::size_t size) {
        if (pages[page])
          std::memcpy(data, &pages[page]->bytes[at], size);
        else
          std::memset(data, 0, size);
      });
    return io.op == Op::kWrite ? write(io) : 0;
  }
  int write(Io& io) {
    int error = 0;
    const std::size_t wanted = io.data.size / kSector;
    std::size_t n = 0;
    for (; n < wanted && !error; ++n) {
      const std::uint64_t sector = io.offset / kSector + n;
      const Sector old = get(sector);
      if (full && old == Sector{}) error = ENOSPC;  // it would be the first write there
      if (power_->sectors_left == 0) {
        power_->off = true;
        error = ENODEV;
      }
      if (error) break;
      --power_->sectors_left;
      unflushed_.try_emplace(sector, old);
    }
    io.data.size = n * kSector;
    each_page(io, [&](std::size_t page, std::size_t at, const std::uint8_t* data,
                      std::size_t size) { put(page, at, data, size); });
    return error;
  }
  template <class F>
  static void each_page(const Io& io, F f) {
    for (std::size_t at = 0; at < io.data.size;) {
      const std::size_t in_page = (io.offset + at) % kPage;
      const std::size_t size = std::min(io.data.size - at, kPage - in_page);
      f((io.offset + at) / kPage, in_page, io.data.data + at, size);
      at += size;
    }
  }
  Sector get(std::uint64_t sector) const {
    Sector out{};
    const auto& page = pages[sector * kSector / kPage];
    if (page) std::memcpy(out.data(), &page->bytes[sector * kSector % kPage], kSector);
    return out;
  }
  void put(std::size_t number, std::size_t at, const std::uint8_t* data, std::size_t size) {
    auto& page = pages[number];
    if (!page) {
      page = std::make_shared<Page>();
    } else if (page.use_count() > 1) {
      page = std::make_shared<Page>(*page);
    }
    std::memcpy(&page->bytes[at], data, size);
    page->hash = 0;
  }

  std::string name_;
  std::shared_ptr<Power> power_;
  std::map<std::uint64_t, Sector> unflushed_;  // as they were
};

// What the volume must hold; contents are numbers, 0: zeros.
struct Oracle {
  std::vector<std::uint64_t> flushed;
  std::vector<std::set<std::uint64_t>> maybe;  // written since
  std::map<unsigned, std::uint64_t> answered;  // since the start, and not flushed
  unsigned writes = 0;
};

enum class Do { kWrite, kFail, kUnplug, kPlug, kStart, kDegraded, kScrub, kReplace, kKill, kFull };
constexpr std::array<const char*, 10> kNames{
    "write", "fail",    "unplug", "plug",  "start", "start --degraded",
    "scrub", "replace", "kill",   "ENOSPC"};

struct Step {
  Do what;
  unsigned disk = 0;
};

// A state with no running array, and what came since it was started.
struct Node {
  std::vector<Pages> disks;
  std::vector<bool> unplugged;
  Oracle oracle;
  std::vector<Step> since;  // the first one starts it
};

[[noreturn]] void stall() { throw StorageError("nothing is left to wait for"); }

class Live {
 public:
  Live(const StatesRun& run, Node node) : run_(run), node_(std::move(node)), oracle_(node_.oracle) {
    for (std::size_t i = 0; i < node_.disks.size(); ++i) {
      add_disk(node_.disks[i]);
      devices.back()->unplugged = node_.unplugged[i];
    }
    const std::vector<Step> steps = std::exchange(node_.since, {});
    for (const Step& step : steps) apply(step);
  }

  void add_disk(Pages pages) {
    devices.push_back(std::make_shared<PagedDevice>("disk" + std::to_string(devices.size()),
                                                    std::move(pages), power_));
  }

  std::vector<Step> possible() const {
    std::vector<Step> out{{Do::kStart}, {Do::kDegraded}};
    for (unsigned d = 0; d < devices.size(); ++d) {
      out.push_back({devices[d]->unplugged ? Do::kPlug : Do::kUnplug, d});
    }
    if (!array) return out;
    for (const Do what : {Do::kWrite, Do::kScrub, Do::kKill, Do::kFull}) out.push_back({what});
    for (const DeviceStatus& s : array->status()) {
      if (s.name.empty() || s.state == State::kFailed) continue;
      out.push_back({Do::kFail, static_cast<unsigned>(std::stoul(s.name.substr(4)))});
    }
    if (devices.size() >= run_.disks + run_.most_new) return out;
    for (const DeviceStatus& s : array->status()) out.push_back({Do::kReplace, s.index});
    return out;
  }

  void apply(const Step& step) {
    node_.since.push_back(step);
    switch (step.what) {
      case Do::kUnplug:
      case Do::kPlug:
        devices[step.disk]->unplugged = step.what == Do::kUnplug;
        break;
      case Do::kStart:
      case Do::kDegraded:
        end();
        stopped();
        node_.since.push_back(step);
        try {
          OpenOptions options;
          options.degraded = step.what == Do::kDegraded;
          array = open(devices, options, &refused);
          volume = std::make_shared<Volume>(array, 64U << 10, 0);
          oracle_.answered.clear();
        } catch (const StorageError&) {
          ++refused;
        }
        break;
      default:
        running(step);
    }
    if (!array) stopped();
  }

  // Takes the disks as they are for the state that follows.
  void stopped() {
    volume = nullptr;
    array = nullptr;
    node_.disks.clear();
    node_.unplugged.clear();
    for (const auto& d : devices) {
      node_.disks.push_back(d->pages);
      node_.unplugged.push_back(d->unplugged);
    }
    node_.oracle = oracle_;
    node_.since.clear();
    tainted = false;
  }

  std::uint64_t key() const {
    std::uint64_t h = mix(devices.size(), array ? array->fingerprint() : 0);
    for (const auto& d : devices) h = mix(mix(h, d->hash()), d->unplugged);
    for (const std::uint64_t x : oracle_.flushed) h = mix(h, x);
    for (const auto& set : oracle_.maybe) {
      h = mix(h, set.size());
      for (const std::uint64_t x : set) h = mix(h, x);
    }
    h = mix(h, oracle_.writes);
    // What a volume still has in memory is not part of the fingerprint.
    if (tainted) {
      for (const Step& s : node_.since) h = mix(mix(h, static_cast<unsigned>(s.what)), s.disk);
    }
    return h;
  }

  // Opens the array on the disks that are plugged in, without those that it refuses by name.
  static std::shared_ptr<Array> open(const std::vector<std::shared_ptr<PagedDevice>>& all,
                                     OpenOptions options, std::uint64_t* refused) {
    std::vector<DevicePtr> left;
    for (const auto& d : all) {
      if (!d->unplugged) left.push_back(d);
    }
    options.pump = stall;
    while (true) {
      try {
        return Array::open(left, options);
      } catch (const StorageError& e) {
        const std::string why = e.what();
        const auto named = std::find_if(left.begin(), left.end(), [&](const DevicePtr& d) {
          return why.starts_with(d->name() + ": refused");
        });
        if (named == left.end() || left.size() == 1) throw;
        left.erase(named);
        ++*refused;
      }
    }
  }

  const Node& node() const { return node_; }
  const Oracle& oracle() const { return oracle_; }

  std::vector<std::shared_ptr<PagedDevice>> devices;
  std::shared_ptr<Array> array;
  std::shared_ptr<Volume> volume;
  std::uint64_t refused = 0;
  bool tainted = false;  // a request has failed since the start

 private:
  // A clean end, as far as it goes.
  void end() {
    if (!array) return;
    if (try_it([&] { volume->flush(); })) flushed();
    try_it([&] { array->run(array->rewrite_metadata()); });
  }

  void running(const Step& step) {
    const std::uint64_t chance = mix(mix(run_.variation, oracle_.writes), devices.size());
    switch (step.what) {
      case Do::kWrite:
        write();
        break;
      case Do::kFull: {
        const bool all = chance % 2;
        for (std::size_t d = 0; d < devices.size(); ++d) {
          devices[d]->full = all || d == chance / 2 % devices.size();
        }
        write();
        for (const auto& d : devices) d->full = false;
        break;
      }
      case Do::kKill:
        power_->sectors_left = kLeastSectors + chance % 60;
        write();
        *power_ = {};
        volume = nullptr;
        array = nullptr;
        for (std::size_t d = 0; d < devices.size(); ++d) devices[d]->power_cycle(mix(chance, d));
        oracle_.answered.clear();
        break;
      case Do::kFail:
        try_it([&] { array->run(array->fail(number_of(step.disk))); });
        break;
      case Do::kScrub:
        volume->rebuild(true, 0);
        break;
      default:  // replace
        add_disk(Pages(kSize / kPage));
        try_it([&] {
          array->run(array->add(devices.back(), 500000, 500000, false, devices.size()));
          for (const DeviceStatus& s : array->status()) {
            if (s.index == step.disk && s.state == State::kActive)
              array->run(array->drain(s.index));
          }
        });
        volume->rebuild(false, 0);
    }
  }

  unsigned number_of(unsigned disk) const {
    for (const DeviceStatus& s : array->status()) {
      if (s.name == devices[disk]->name()) return s.index;
    }
    return kMaxDevices;
  }

  template <class F>
  bool try_it(F f) {
    try {
      f();
      return true;
    } catch (const StorageError&) {
      tainted = true;
      return false;
    }
  }

  // Every other stripe whole, and a chunk of one of the others; then a flush.
  void write() {
    const unsigned n = ++oracle_.writes;
    const unsigned k = run_.k;
    for (unsigned s = n % 2; s < kStripes; s += 2) put(s * k, k, n);
    put((n + 1) % 2 * k + n / 2 % 3 * 2 * k + n % k, 1, n);
    if (try_it([&] { volume->flush(); })) flushed();
  }

  void put(unsigned first, unsigned count, unsigned n) {
    const Slice data = Slice::make(count * std::size_t{1} << kChunkLog2);
    for (unsigned i = 0; i < count; ++i) {
      const std::uint64_t content = mix(n, first + i);
      fill(data.data + (std::size_t{i} << kChunkLog2), content);
      oracle_.maybe[first + i].insert(content);
    }
    if (!try_it([&] { volume->write(std::uint64_t{first} << kChunkLog2, data); })) return;
    for (unsigned i = 0; i < count; ++i) oracle_.answered[first + i] = mix(n, first + i);
  }

  void flushed() {
    for (const auto& [chunk, content] : std::exchange(oracle_.answered, {})) {
      oracle_.flushed[chunk] = content;
      oracle_.maybe[chunk].clear();
    }
  }

 public:
  static void fill(std::uint8_t* chunk, std::uint64_t content) {
    for (std::size_t at = 0; at < std::size_t{1} << kChunkLog2; at += 8) {
      std::memcpy(chunk + at, &content, 8);
    }
  }

 private:
  const StatesRun& run_;
  std::shared_ptr<Power> power_ = std::make_shared<Power>();
  Node node_;
  Oracle oracle_;
};

class Explorer {
 public:
  explicit Explorer(const StatesRun& run) : run_(run) {}

  StatesResult explore() {
    Node first;
    first.disks.assign(run_.disks, Pages(kSize / kPage));
    first.unplugged.assign(run_.disks, false);
    first.oracle.flushed.assign(std::size_t{kStripes} * run_.k, 0);
    first.oracle.maybe.resize(first.oracle.flushed.size());
    Live live(run_, std::move(first));
    CreateOptions options;
    options.chunk_log2 = kChunkLog2;
    options.k = run_.k;
    options.p = run_.p;
    options.dynamic = false;
    options.seed = 1;
    Array::create({live.devices.begin(), live.devices.end()}, options, stall);
    for (const Do what : {Do::kStart, Do::kWrite, Do::kWrite}) live.apply({what});
    if (run_.walks) {
      const Node begin = live.node();
      for (unsigned i = 0; i < run_.walks; ++i) walk(begin, mix(run_.variation, i));
    } else {
      visit(live, 0);
    }
    return result_;
  }

 private:
  void visit(Live& live, unsigned length) {
    const unsigned left = run_.length - length;
    const auto [it, fresh] = seen_.try_emplace(live.key(), left);
    if (!fresh && it->second >= left) return;
    it->second = left;
    result_.states += fresh;
    const Node node = live.node();
    const std::vector<Step> steps = live.possible();
    if (fresh) check(live);
    live.volume = nullptr;
    live.array = nullptr;
    for (std::size_t i = 0; i < steps.size() && left; ++i) {
      if (length == 0 && i % run_.parts != run_.part) continue;
      path_.push_back(steps[i]);
      try {
        Live next(run_, node);
        next.apply(steps[i]);
        ++result_.transitions;
        result_.refused += next.refused;
        visit(next, length + 1);
      } catch (const Broken&) {
        throw;
      } catch (const StorageError& e) {
        broken(e.what());
      }
      path_.pop_back();
    }
  }

  void walk(const Node& begin, std::uint64_t seed) {
    Live live(run_, begin);
    path_.clear();
    try {
      for (unsigned i = 0; i < run_.length; ++i) {
        const std::vector<Step> steps = live.possible();
        path_.push_back(steps[mix(seed, i) % steps.size()]);
        live.apply(path_.back());
        ++result_.transitions;
        ++result_.states;
        check(live);
      }
    } catch (const Broken&) {
      throw;
    } catch (const StorageError& e) {
      broken(e.what());
    }
    result_.refused += live.refused;
  }

  class Broken : public StorageError {
   public:
    using StorageError::StorageError;
  };

  [[noreturn]] void broken(const std::string& what) const {
    std::string text;
    for (const Step& step : path_) {
      text += kNames[static_cast<unsigned>(step.what)];
      const bool one = step.what == Do::kFail || step.what == Do::kUnplug ||
                       step.what == Do::kPlug || step.what == Do::kReplace;
      text += (one ? " " + std::to_string(step.disk) : "") + ", ";
    }
    throw Broken(text + "then: " + what);
  }

  void check(Live& live) {
    if (live.array) compare(live.oracle(), *live.volume, "running", false);
    OpenOptions salvage;
    salvage.degraded = salvage.salvage = salvage.read_only = true;
    if (const auto left = reopen(live, salvage, false)) {
      compare(live.oracle(), *left, "what is left", false);
    }
    OpenOptions degraded;
    degraded.degraded = true;
    const auto all = reopen(live, degraded, true);
    if (!all) broken("with all disks it does not start: " + why_);
    compare(live.oracle(), *all, "with all disks", true);
    OpenOptions force;
    force.force = true;
    const auto forced = reopen(live, force, false);
    if (!forced) return;
    // On fewer it is the user who says that they are the latest.
    const auto here = forced->array().status();
    const auto present = std::count_if(here.begin(), here.end(), [](auto& s) { return s.present; });
    if (std::cmp_greater(present, run_.p)) compare(live.oracle(), *forced, "by force", false);
  }

  // On copies of the disks.
  std::shared_ptr<Volume> reopen(const Live& live, const OpenOptions& options, bool all) {
    std::vector<std::shared_ptr<PagedDevice>> copies;
    for (const auto& d : live.devices) {
      copies.push_back(
          std::make_shared<PagedDevice>(d->name(), d->pages, std::make_shared<Power>()));
      copies.back()->unplugged = d->unplugged && !all;
    }
    try {
      std::uint64_t refused = 0;
      return std::make_shared<Volume>(Live::open(copies, options, &refused), 64U << 10, 0);
    } catch (const StorageError& e) {
      why_ = e.what();
      return nullptr;
    }
  }

  void compare(const Oracle& oracle, Volume& volume, const std::string& where, bool whole) {
    Slice want = Slice::make(std::size_t{1} << kChunkLog2);
    for (unsigned i = 0; i < oracle.flushed.size(); ++i) {
      std::vector<Slice> got;
      try {
        got = volume.read(std::uint64_t{i} << kChunkLog2, want.size);
      } catch (const StorageError& e) {
        if (whole) broken(where + ", chunk " + std::to_string(i) + " is not there: " + e.what());
        ++result_.errors;
        continue;
      }
      auto is = [&](std::uint64_t content) {
        Live::fill(want.data, content);
        return std::memcmp(want.data, got.at(0).data, want.size) == 0;
      };
      const auto& maybe = oracle.maybe[i];
      if (!is(oracle.flushed[i]) && std::none_of(maybe.begin(), maybe.end(), is)) {
        broken(where + ", chunk " + std::to_string(i) + " is wrong");
      }
      ++result_.right;
    }
  }

  const StatesRun run_;
  StatesResult result_;
  std::unordered_map<std::uint64_t, unsigned> seen_;  // how far they were explored
  std::vector<Step> path_;
  std::string why_;
};

}  // namespace

StatesResult explore_states(const StatesRun& run) { return Explorer(run).explore(); }

}  // namespace kumihimo::storage
