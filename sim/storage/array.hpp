// SPDX-License-Identifier: Apache-2.0
//
// A storage array: stripes on devices of unequal speed, each written whole to a new place and
// entered in a log (docs/storage-layout.md). Coroutines throughout, so that the same code runs on
// files with a thread each, on disks in memory, and on disks in virtual time.
//
// Errors of devices are handled here: a chunk that is unreadable or has a wrong checksum is
// reconstructed and relocated; a device that fails a write or times out is marked failed, as long
// as the redundancy covers that. Beyond it nothing is persisted: the array is suspended, what can
// be read is right, everything else throws StorageError, and a start with all devices finds
// everything. A full file system fails no device: what needs its space throws NoSpaceError. What no
// device holds any more throws LostError.
#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "device.hpp"
#include "layout.hpp"
#include "placer.hpp"
#include "task.hpp"

namespace kumihimo::storage {

using DevicePtr = std::shared_ptr<Device>;

struct CreateOptions {
  std::string name = "array";
  unsigned chunk_log2 = 16;
  unsigned k = 1, p = 0;
  unsigned spares = 0;
  bool dynamic = true;
  std::uint64_t stripes = 0;  // 0: as many as fit
  std::vector<std::uint32_t> read_kbs, write_kbs;
  bool force = false;      // over disks that belong to an array
  std::uint64_t seed = 0;  // of the UUIDs; 0: by chance
};

struct OpenOptions {
  bool degraded = false;
  bool read_only = false;
  // Beyond the redundancy, or on so few devices that the others may have gone on without them:
  // start all the same, read only; what is not known to be the latest is an error.
  bool salvage = false;
  // These devices are the array from now on, failed and old ones among them: what is missing beyond
  // the redundancy is removed, and stripes that lose more than they can do without are recorded as
  // lost. With `read_only` nothing is written, and the array is as it would be.
  bool force = false;
  unsigned depth = 0;          // chunks in a device's queue, dynamic policy; 0: by their size
  unsigned read_errors = 64;   // after which a device is failed
  unsigned read_retries = 1;   // of a read that fails or gives other bytes than were written
  std::function<void()> pump;  // makes virtual time go on
};

struct DeviceStatus {
  unsigned index = 0;
  std::string name;
  std::string uuid;
  State state = State::kEmpty;
  bool present = false;
  std::uint32_t slots = 0, free = 0;
  std::uint32_t read_kbs = 0, write_kbs = 0;
  std::uint64_t chunks = 0;  // of live stripes
  std::uint64_t read_bytes = 0, written_bytes = 0;
  std::uint64_t read_errors = 0, write_errors = 0, checksum_errors = 0, timeouts = 0;
  std::uint64_t retries = 0, late = 0;  // reads begun again; reads that others answered in time
  std::uint64_t no_space = 0;           // writes for which its file system had no space
  std::uint64_t healed = 0;             // superblocks and logs found damaged and written again
};

struct Counters {
  std::uint64_t commits = 0, stripes_written = 0, checkpoints = 0;
  std::uint64_t repaired = 0;  // reconstructed chunks
  std::uint64_t degraded_reads = 0, degraded_writes = 0, lost_reads = 0;
  std::uint64_t retried_reads = 0;  // right when they were tried again
};

class Array {
 public:
  virtual ~Array();
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  static void create(const std::vector<DevicePtr>& devices, const CreateOptions& options,
                     const std::function<void()>& pump = {});
  static std::shared_ptr<Array> open(const std::vector<DevicePtr>& devices,
                                     const OpenOptions& options);

  const Super& super() const { return super_; }
  unsigned k() const { return super_.k; }
  unsigned p() const { return super_.p; }
  unsigned width() const { return super_.width(); }
  std::uint64_t chunk() const { return super_.chunk(); }
  std::uint64_t stripe_bytes() const { return super_.stripe_bytes(); }
  std::uint32_t stripes() const { return static_cast<std::uint32_t>(super_.stripes); }

  // Writes a logical stripe: k slices of a chunk each, and their checksums if they are known. Safe
  // after the next commit.
  virtual Task<> write_stripe(std::uint32_t logical, std::vector<Slice> data,
                              std::vector<std::uint32_t> crc);
  virtual Task<> unmap(std::uint32_t logical);
  // A verified data chunk; a slice of zeros where nothing was written.
  virtual Task<> read_chunk(std::uint32_t logical, unsigned position, Slice* out);
  virtual Task<> commit();
  virtual bool mapped(std::uint32_t logical);
  virtual std::uint64_t version_number(std::uint32_t logical);
  virtual bool has_uncommitted();
  bool is_suspended();  // more devices are lost than the redundancy covers
  // Less space is free than a commit would free: start one before there is none.
  bool short_of_space() const { return short_; }

  // Devices come and go. All of these end committed.
  // Refuses more failures than the redundancy covers, unless forced.
  Task<> fail(unsigned index, bool force = false);
  Task<> add(DevicePtr device, std::uint32_t read_kbs, std::uint32_t write_kbs, bool force,
             std::uint64_t seed = 0);  // of its UUID; 0: by chance
  Task<> drain(unsigned index);        // its chunks go elsewhere with the next rebuild
  Task<> set_rates(std::vector<std::uint32_t> read_kbs, std::vector<std::uint32_t> write_kbs);

  // Makes logical stripes whole that have lost chunks (or with `verify` reads and checks all), so
  // many at a time. `finish_rebuild` takes devices that hold nothing any more out of the table.
  virtual Task<> repair_pending();  // stripes in which a read found a bad chunk
  // Compares superblocks and logs with what memory knows, and writes damaged ones again.
  Task<> scrub_metadata();
  // Writes all of them from memory: before a clean end.
  Task<> rewrite_metadata();
  Task<> repair_range(std::uint32_t from, std::uint32_t to, unsigned at_a_time, bool verify);
  Task<> finish_rebuild();
  bool needs_repair(std::uint32_t logical);
  std::uint64_t degraded_stripes();

  std::vector<DeviceStatus> status();
  Counters counters();
  std::uint64_t free_stripes();
  bool read_only() const { return read_only_; }
  // Logical stripes that cannot be read: fewer than k readable chunks, or no record that is left.
  virtual std::vector<std::uint32_t> lost_stripes();
  virtual bool is_lost(std::uint32_t logical);
  // Sentences on what has happened to devices and data, oldest first, from that number on; the
  // number of the next one. Only the latest are kept.
  std::uint64_t notes(std::uint64_t from, std::vector<std::string>* out);
  void note(std::string sentence);
  std::vector<Place> places(std::uint32_t logical);

  // array_state.cpp: for another engine that continues with these disks.
  struct LogState {
    bool present = false;
    std::uint32_t owner = 0, generation = 0, half = 0, next = 0;
    std::uint64_t data_offset = 0;
  };
  struct StripeVersion {
    std::uint64_t seq = 0;
    bool mapped = false;
    std::vector<Place> places;
    std::array<std::uint8_t, 3> replicas{kAbsent, kAbsent, kAbsent};
  };
  std::vector<LogState> logs();
  std::uint64_t sequence();
  // Of what is known in memory: arrays with the same one, on the same disks, behave alike.
  std::uint64_t fingerprint();
  StripeVersion stripe_version(std::uint32_t logical);
  void run(Task<> task) { storage::run(std::move(task), pump_); }

 protected:
  // For an array whose stripes another engine keeps (a node); it has no devices here.
  explicit Array(Super super);

 private:
  struct Dev;
  struct Version {
    std::uint64_t seq = 0;
    Mapping mapping = Mapping::kUnmapped;
    std::vector<Place> places;
    std::array<std::uint8_t, 3> replicas{kAbsent, kAbsent, kAbsent};
    bool mapped() const { return mapping == Mapping::kMapped; }
    Record record(std::uint32_t logical) const { return {seq, logical, mapping, places}; }
  };
  struct Read {
    std::vector<Slice> chunk;
    std::vector<bool> good;
  };
  class StripeLock;
  friend class StripeLock;

  Array() = default;

  // array_recognize.cpp
  struct Candidate;
  struct Members;  // devices of the table that are not here, and those that are in spite of it
  static std::vector<Candidate> recognize(const std::vector<DevicePtr>& devices,
                                          const std::function<void()>& pump);
  Members take_members(const std::vector<Candidate>& found, const OpenOptions& options);
  void refuse_membership(const Members& members, const OpenOptions& options);

  // array_open.cpp
  void assemble(const std::vector<DevicePtr>& devices, const OpenOptions& options);
  void read_logs(const Members& members, const OpenOptions& options);
  bool read_log(unsigned d, bool trusted, std::vector<bool>* proven);
  void claim_slots();
  void leave_behind(const Members& members);
  void refuse_missing(const std::vector<unsigned>& missing, bool salvage);
  Task<> publish();
  Task<> write_super(unsigned d, Super super, int* error);
  Task<> start_logs();
  void set_device(unsigned d, DevicePtr io, std::uint64_t data_offset);

  // array.cpp
  void submit(unsigned d, Io io);
  void submit_pick(const Placer::Pick& to, Slice data, Batch& batch, int* error);
  void begin(Device* device, unsigned d, std::uint64_t incarnation, Io io, bool placed);
  bool is_current(const Placer::Pick& pick) const;       // under the lock
  void release_pick(const Placer::Pick& pick);           // under the lock
  void device_error(unsigned d, int error, Op op);       // under the lock
  void mark_failed(unsigned d, const std::string& why);  // under the lock
  unsigned lost_devices() const;                         // under the lock
  bool needed(unsigned d) const;                         // under the lock
  void refuse_suspended() const;                         // under the lock
  unsigned readable_chunks(const Version& v) const;      // under the lock
  void add_note(std::string sentence);                   // under the lock
  void drop_device(unsigned d, const std::string& why);  // under the lock
  bool any_offline() const;                              // under the lock
  bool must_publish() const;                             // under the lock
  void require_all_online() const;                       // under the lock
  bool readable(unsigned d) const;
  bool usable(unsigned d) const;
  Task<> read_chunk_at(Place from, Slice room, bool elsewhere, IoResult* result);

  // array_write.cpp
  Task<> write_locked(std::uint32_t logical, std::vector<Slice> data,
                      std::vector<std::uint32_t> crc);
  Task<> place_stripe(unsigned least, std::vector<Placer::Pick>* picks,
                      std::vector<unsigned>* recent);
  void install(std::uint32_t logical, Mapping mapping, std::vector<Place> places,
               const std::vector<unsigned>& recent);  // under the lock

  // array.cpp
  void set_version(std::uint32_t logical, const Version& v);
  Version version(std::uint32_t logical) const;
  void wake_space_waiter(std::unique_lock<std::mutex>& lock);

  // array_repair.cpp
  struct PriorRead {
    int position = -1;
    bool late = false;  // worth asking again, after all others
  };
  Task<> reconstruct(std::uint32_t logical, Version v, bool all, PriorRead prior, Read* out);
  Task<> repair(std::uint32_t logical, bool verify);
  [[noreturn]] static void throw_needs_repair(std::uint32_t logical);
  Task<> repair_worker(std::uint32_t* next, std::uint32_t to, bool verify,
                       std::exception_ptr* problem);

  // array_commit.cpp
  Task<> commit_once();
  Task<> write_records(std::map<std::uint32_t, Version>* todo, std::uint64_t limit);
  std::vector<Record> held_records(unsigned d, std::uint64_t limit);  // under the lock
  Task<> flush_device(unsigned d, int* error);
  Task<> log_device(unsigned d, std::vector<Record> records, std::uint64_t limit, int* error);
  Task<> checkpoint(unsigned d, std::vector<Record> records, int* error);
  Task<> write_device(unsigned d, std::uint64_t offset, Slice data, int* error);
  void choose_replicas(Version& v, const std::vector<unsigned>& recent) const;

  // array_scrub.cpp
  Task<> check_metadata(bool rewrite, std::uint64_t limit);
  Task<> super_is_right(unsigned d, const Super& published, bool* right);
  Task<> log_is_right(unsigned d, std::uint64_t limit, bool* right);
  Task<> read_device(unsigned d, std::uint64_t offset, Slice room, int* error);
  Super super_of(unsigned d, Super super) const;

  std::mutex m_;
  Super super_;
  std::function<void()> pump_;
  bool read_only_ = false;
  unsigned read_error_limit_ = 64, read_retries_ = 1;
  std::vector<std::unique_ptr<Dev>> devices_;
  std::uint64_t incarnations_ = 0;
  std::vector<DevicePtr> retired_;  // operations may still be under way
  std::unique_ptr<Placer> placer_;

  // The map: a version of each logical stripe.
  std::uint64_t seq_ = 0;
  std::vector<std::uint64_t> seqs_;
  std::vector<Mapping> mapping_;
  std::vector<Place> places_;
  std::vector<std::array<std::uint8_t, 3>> replicas_;

  // What the next commit does.
  std::vector<std::uint32_t> pending_;
  std::vector<bool> is_pending_;
  std::vector<std::vector<Place>> to_free_;
  // Versions that are no longer current but perhaps the last safe ones.
  std::unordered_map<std::uint32_t, std::vector<Version>> superseded_;
  bool committing_ = false;
  std::vector<std::coroutine_handle<>> commit_waiters_;
  std::uint64_t commits_begun_ = 0, commits_ended_ = 0;
  bool unpublished_ = false;
  std::uint64_t heard_events_ = 0;                        // that all devices have heard of
  std::vector<std::pair<unsigned, State>> newly_failed_;  // not published yet, and their states
  std::set<std::uint32_t> unrecordable_;  // whose current version has lost too much to be recorded
  std::exception_ptr commit_problem_;
  bool unheard_ = false;  // records were written that lost devices have not heard of
  enum class Metadata { kLeave, kCheck, kRewrite };
  Metadata metadata_ = Metadata::kLeave;  // what the next commit does with it, at its end

  // Waiting coroutines: for queue space, for a logical stripe.
  std::uint64_t space_ticket_ = 0;
  std::atomic<bool> short_ = false;
  unsigned in_flight_ = 0;  // stripes between being placed and being installed
  std::deque<std::coroutine_handle<>> space_waiters_;
  std::unordered_map<std::uint32_t, std::deque<std::coroutine_handle<>>> locks_;
  std::set<std::uint32_t> repair_pending_;

  // Stripes whose current version could not be read although all devices were there.
  std::unordered_map<std::uint32_t, std::uint64_t> unreadable_;  // its sequence number
  std::deque<std::string> notes_;
  std::uint64_t notes_begun_ = 0;  // number of the first one

  Counters count_;
};

}  // namespace kumihimo::storage
