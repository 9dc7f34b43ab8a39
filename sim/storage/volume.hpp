// SPDX-License-Identifier: Apache-2.0
//
// The array as a block device of bytes: reads and writes of any place and length, from many
// threads. Coroutines, which go on where a device has answered: no thread waits for a disk. Each
// has a counterpart that waits, for callers that are none.
//
// Writes are gathered in memory, stripe by stripe, and answered. A thread writes them to the
// devices once there are some; a flush does, too; when memory is full, requests wait. A stripe is
// always written whole, so what is gathered of one that is not full is completed by reading. What a
// flush has answered survives a power cut.
//
// A part of a stripe that is lost cannot be written: that is an error, or, where the loss is found
// out later, one of the next flush, which each caller sees once; all else is durable then. While a
// file system is full, writes are refused at once (NoSpaceError).
#pragma once

#include <atomic>
#include <condition_variable>
#include <list>
#include <optional>
#include <thread>
#include <unordered_map>

#include "array.hpp"
#include "shard_lock.hpp"

namespace kumihimo::storage {

struct Extent {
  std::uint64_t length;
  bool data;  // false: reads as zeros
  bool lost;  // reads are errors
};

struct RebuildStatus {
  bool running = false;
  bool verify = false;  // a scrub
  std::uint32_t done = 0, total = 0;
  std::string problem;
};

struct VolumeStatus {
  std::size_t unwritten = 0;  // bytes of memory that gathered writes keep
  std::string problem;        // why some could not be written; until a flush succeeds
  std::uint64_t dropped = 0;  // writes to parts of stripes whose rest turned out to be lost
  std::string dropped_problem;
};

class Volume {
 public:
  // `cache_bytes`: of gathered writes; `commit_s`: how old what is not flushed gets at most, 0:
  // any, and there are no threads of its own: whole stripes are written at once, and a request that
  // finds the memory full makes room.
  Volume(std::shared_ptr<Array> array, std::size_t cache_bytes, double commit_s);
  ~Volume();
  Volume(const Volume&) = delete;
  Volume& operator=(const Volume&) = delete;

  std::uint64_t size() const { return array_->super().bytes(); }
  Array& array() { return *array_; }

  // Slices of `length` bytes in all; they stay as they are when the place is written again.
  Task<> read_task(std::uint64_t offset, std::uint64_t length, std::vector<Slice>* out);
  // Takes the bytes over: they must not change any more. `crc`: of each whole chunk of the volume
  // among them, or none.
  Task<> write_task(std::uint64_t offset, Slice data, std::vector<std::uint32_t> crc = {});
  Task<> zero_task(std::uint64_t offset, std::uint64_t length, bool exact);  // not exact: TRIM
  // Without waiting for anything; false: not now, it needs a write_task().
  bool write_at_once(std::uint64_t offset, const Slice& data);
  // `seen`: writes that were dropped and that the caller knows of.
  Task<> flush_task(std::uint64_t* seen);
  // Perhaps more than that.
  Task<> flush_range_task(std::uint64_t offset, std::uint64_t length, std::uint64_t* seen);
  std::uint64_t dropped();
  std::vector<Slice> read(std::uint64_t offset, std::uint64_t length);
  void write(std::uint64_t offset, const Slice& data);
  void zero(std::uint64_t offset, std::uint64_t length, bool exact);
  void flush();
  std::vector<Extent> extents(std::uint64_t offset, std::uint64_t length);
  VolumeStatus status();

  // Rebuild (or scrub, with `verify`) in the background, at most at this rate; 0: unlimited.
  void start_rebuild(bool verify, double limit_mbs);
  void stop_rebuild();
  void wait_rebuild();
  RebuildStatus rebuild_status();
  void rebuild(bool verify, double limit_mbs);  // the same, in the caller's thread

 private:
  struct Entry {
    std::uint32_t logical;
    std::uint64_t period;  // in which it came
  };
  // What is gathered of a stripe. It is changed under the stripe's lock, alone; `writing` and what
  // is below it also under the volume's.
  struct Lease;  // counts memory
  using LeasePtr = std::shared_ptr<Lease>;
  struct Dirty {
    Slice data;
    std::vector<bool> valid;               // sectors; not used when none is missing
    std::atomic<std::size_t> missing = 0;  // sectors; looked at without the stripe's lock
    bool writing = false;       // the bytes are on their way to the devices: a change is a copy
    std::uint64_t changes = 0;  // of the bytes
    std::vector<std::uint32_t> crc;                // of the chunks, if known
    std::vector<std::coroutine_handle<>> waiting;  // for the end of the write under way
    LeasePtr lease;
    bool queued = false;  // waits for being written; else it is on its way
    std::list<Entry>::iterator place;
  };
  using DirtyPtr = std::shared_ptr<Dirty>;
  struct Part {
    std::uint32_t logical;
    std::uint64_t at, length;  // in the stripe
  };
  class Hold;  // locks of the stripes of a request

  std::vector<Part> parts(std::uint64_t offset, std::uint64_t length) const;
  void check(std::uint64_t offset, std::uint64_t length) const;
  DirtyPtr find(std::uint32_t logical);
  DirtyPtr obtain(std::uint32_t logical);
  void queue_new(std::uint32_t logical, Dirty& d);  // under the lock, as the next three
  void queue_up(Dirty& d);
  void unqueue(Dirty& d);
  void erase(std::uint32_t logical);
  void copy(Dirty& d);
  Task<> complete(std::uint32_t logical, Dirty& d);
  bool cached(std::uint32_t logical, unsigned position, Slice* out);
  void keep(std::uint32_t logical, unsigned position, const Slice& chunk);
  bool put_now(Part part, const std::uint8_t* data);
  Task<> put(Part part, const std::uint8_t* data);
  void put_whole(std::uint32_t logical, Slice data, const LeasePtr& lease,
                 std::vector<std::uint32_t> crc);
  Task<> write_out(std::vector<std::uint32_t> logicals);
  Task<> write_and_commit(std::vector<std::uint32_t> logicals);
  Task<> write_some(const std::vector<std::uint32_t>* logicals, std::atomic<std::size_t>* next);
  Task<> write_one(std::uint32_t logical);
  void failed(const std::exception_ptr& problem);                       // under the lock
  void drop(std::uint32_t logical, const std::exception_ptr& problem);  // under the lock
  std::vector<std::coroutine_handle<>> take_full();                     // under the lock
  void refuse_full();
  void throw_dropped(std::uint64_t* seen);
  std::optional<std::uint32_t> oldest();  // under the lock
  void drain(std::uint64_t length);
  void kick();  // under the lock
  Task<> room();
  Task<> drain_some();
  void drain_loop();
  std::vector<Slice> cut(const Slice& stripe) const;
  Task<> commit();
  Task<> flush_older(std::uint64_t period);
  Task<> flush_old();
  void maintain();

  std::shared_ptr<Array> array_;
  std::atomic<std::size_t> bytes_ = 0;  // that gathered writes keep
  std::size_t most_bytes_;              // beyond, requests wait
  std::size_t most_workers_;            // stripes on their way to the devices at once
  double commit_s_;

  static constexpr std::size_t kShards = 256;
  ShardLock shards_[kShards];
  std::mutex m_;
  std::unordered_map<std::uint32_t, DirtyPtr> dirty_;
  std::list<Entry> queue_, writing_;  // all that is gathered, oldest first
  static constexpr std::uint64_t kAll = UINT64_MAX;
  std::uint64_t period_ = 0;          // the maintainer's: half of the time in which all gets safe
  std::uint64_t uncommitted_ = kAll;  // the oldest among what is written
  std::vector<std::coroutine_handle<>> full_;  // requests that wait for room
  std::uint64_t failures_ = 0;                 // of writes to the devices
  std::string write_problem_;                  // the latest of them
  std::atomic<bool> no_space_ = false;         // what it is
  std::uint64_t dropped_ = 0, flush_seen_ = 0;
  std::string dropped_problem_;
  std::condition_variable drain_wake_;
  bool kicked_ = false, stop_drain_ = false;
  std::size_t workers_ = 0, leave_ = 0;  // bytes with which the workers stop

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
  std::atomic<bool> commit_early_ = false;  // room is short
  RebuildStatus rebuild_status_;
  std::thread maintainer_, drainer_, rebuilder_;
};

}  // namespace kumihimo::storage
