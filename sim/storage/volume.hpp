// SPDX-License-Identifier: Apache-2.0
//
// The array as a block device of bytes: reads and writes of any place and length, from many
// threads. Coroutines, which go on where a device has answered: no thread waits for a disk. Each
// has a counterpart that waits, for callers that are none.
//
// A write that covers whole stripes goes to the devices at once. The rest is gathered in memory,
// stripe by stripe, until the stripe is full, memory gets short, or a flush asks for it; so a
// stripe is always written whole. What a flush has answered survives a power cut.
#pragma once

#include <atomic>
#include <condition_variable>
#include <list>
#include <map>
#include <thread>

#include "array.hpp"
#include "shard_lock.hpp"

namespace kumihimo::storage {

struct Extent {
  std::uint64_t length;
  bool data;  // false: reads as zeros
};

struct RebuildStatus {
  bool running = false;
  bool verify = false;  // a scrub
  std::uint32_t done = 0, total = 0;
  std::string problem;
};

class Volume {
 public:
  // `cache_bytes`: of gathered writes; `commit_s`: how old what is not flushed gets at most, 0:
  // any.
  Volume(std::shared_ptr<Array> array, std::size_t cache_bytes, double commit_s);
  ~Volume();
  Volume(const Volume&) = delete;
  Volume& operator=(const Volume&) = delete;

  std::uint64_t size() const { return array_->super().bytes(); }
  Array& array() { return *array_; }

  // Slices of `length` bytes in all; they stay as they are when the place is written again.
  Task<> read_task(std::uint64_t offset, std::uint64_t length, std::vector<Slice>* out);
  Task<> write_task(std::uint64_t offset, Slice data);
  Task<> zero_task(std::uint64_t offset, std::uint64_t length, bool exact);  // not exact: TRIM
  Task<> flush_task();
  std::vector<Slice> read(std::uint64_t offset, std::uint64_t length);
  void write(std::uint64_t offset, const Slice& data);
  void zero(std::uint64_t offset, std::uint64_t length, bool exact);
  void flush();
  std::vector<Extent> extents(std::uint64_t offset, std::uint64_t length);

  // Rebuild (or scrub, with `verify`) in the background at most so fast; 0: no limit.
  void start_rebuild(bool verify, double limit_mbs);
  void stop_rebuild();
  void wait_rebuild();
  RebuildStatus rebuild_status();
  void rebuild(bool verify, double limit_mbs);  // the same, in the caller's thread

 private:
  struct Dirty {
    Slice data;                          // a stripe
    std::vector<bool> valid;             // sectors
    std::atomic<std::size_t> count = 0;  // of them; make_room() looks without the stripe's lock
  };
  struct Part {
    std::uint32_t logical;
    std::uint64_t at, length;  // in the stripe
  };
  class Hold;  // locks of the stripes of a request

  std::vector<Part> parts(std::uint64_t offset, std::uint64_t length) const;
  void check(std::uint64_t offset, std::uint64_t length) const;
  std::shared_ptr<Dirty> find(std::uint32_t logical);
  void drop(std::uint32_t logical);
  Task<> complete(std::uint32_t logical, Dirty& d);
  bool cached(std::uint32_t logical, unsigned position, Slice* out);
  void keep(std::uint32_t logical, unsigned position, const Slice& chunk);
  Task<> put(Part part, const std::uint8_t* data);
  Task<> write_out(std::vector<std::uint32_t> logicals);
  Task<> write_parallel(std::vector<std::pair<std::uint32_t, std::vector<Slice>>> stripes);
  Task<> make_room();
  std::vector<Slice> cut(const Slice& stripe) const;
  void maintain();

  std::shared_ptr<Array> array_;
  std::size_t most_dirty_;
  double commit_s_;

  static constexpr std::size_t kShards = 256;
  ShardLock shards_[kShards];
  std::mutex m_;
  std::map<std::uint32_t, std::shared_ptr<Dirty>> dirty_;
  std::list<std::uint32_t> age_;  // of dirty stripes, oldest first

  // Data chunks read lately, for requests smaller than a chunk.
  struct Cached {
    std::uint32_t logical;
    unsigned position;
    std::uint64_t version;
    Slice chunk;
  };
  std::list<Cached> cached_;

  std::mutex thread_m_;
  std::condition_variable wake_;
  bool stop_ = false, stop_rebuild_ = false;
  RebuildStatus rebuild_status_;
  std::thread maintainer_, rebuilder_;
};

}  // namespace kumihimo::storage
