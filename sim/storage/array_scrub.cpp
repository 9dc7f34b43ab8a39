// SPDX-License-Identifier: Apache-2.0
//
// Superblocks and logs against what memory knows: a scrub finds damage while all records are still
// known, not at the next start. Both run as the end of a commit, so that no log changes meanwhile.
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "array_impl.hpp"

namespace kumihimo::storage {

Task<> Array::scrub_metadata() {
  std::uint64_t limit = 0;
  {
    const std::lock_guard lock(m_);
    if (!read_only_) metadata_ = std::max(metadata_, Metadata::kCheck);
    limit = seq_;
  }
  if (read_only_) {
    co_await check_metadata(false, limit);
  } else {
    co_await commit();
  }
}

Task<> Array::rewrite_metadata() {
  {
    const std::lock_guard lock(m_);
    if (read_only_ || lost_devices() > p()) co_return;
    metadata_ = Metadata::kRewrite;
  }
  co_await commit();
}

Task<> Array::read_device(unsigned d, std::uint64_t offset, Slice room, int* error) {
  Batch batch;
  batch.add();
  Io io;
  io.op = Op::kRead;
  io.offset = offset;
  io.data = std::move(room);
  io.done = [&batch, error](IoResult r) {
    *error = r.error;
    batch.done();
  };
  submit(d, std::move(io));
  co_await batch;
}

Task<> Array::super_is_right(unsigned d, const Super& published, bool* right) {
  const Super mine = super_of(d, published);
  const auto bytes = encode(mine);
  *right = true;
  for (const std::uint64_t at : {std::uint64_t{0}, mine.size - kSuperBytes}) {
    const Slice got = Slice::make(kSuperBytes);
    int error = 0;
    co_await read_device(d, at, got, &error);
    *right &= !error && std::equal(bytes.begin(), bytes.end(), got.data);
  }
}

// Every record that this device must have is in its log, and nothing is behind its end.
Task<> Array::log_is_right(unsigned d, std::uint64_t limit, bool* right) {
  *right = false;
  const Dev& dev = *devices_[d];
  const std::uint32_t sectors = super_.table[d].half_sectors;
  const Slice half = Slice::make(std::size_t{sectors} * kSector);
  int error = 0;
  co_await read_device(d, kLogOffset + std::uint64_t{dev.half} * sectors * kSector, half, &error);
  if (error) co_return;
  const auto head = decode_head(half.data, dev.owner);
  if (!head || head->generation != dev.generation) co_return;
  const LogContent log = decode_log(half.data, sectors, *head, dev.owner, width());
  if (log.damaged || log.end < dev.next) co_return;
  std::unordered_map<std::uint32_t, std::uint64_t> latest;
  for (const Record& r : log.records) {
    std::uint64_t& seq = latest[r.logical];
    seq = std::max(seq, r.seq);
  }
  const std::lock_guard lock(m_);
  for (const Record& r : held_records(d, limit)) {
    const bool pending = is_pending_[r.logical];
    const auto it = latest.find(r.logical);
    if (!pending && (it == latest.end() || it->second < r.seq)) co_return;
  }
  *right = true;
}

// Of all devices; by `rewrite` all of it is written again. A problem of one keeps no other from it.
Task<> Array::check_metadata(bool rewrite, std::uint64_t limit) {
  std::string problem;
  // What all have heard of: a device that fails meanwhile is another event.
  Super published;
  while (true) {
    {
      const std::lock_guard lock(m_);
      published = super_;
      if (read_only_ || !must_publish()) break;
    }
    co_await publish();
  }
  for (unsigned d = 0; d < devices_.size(); ++d) {
    if (!readable(d)) continue;
    bool super_right = false, log_right = false;
    if (!rewrite) {
      co_await super_is_right(d, published, &super_right);
      co_await log_is_right(d, limit, &log_right);
    }
    if (super_right && log_right) continue;
    const std::string name = devices_[d]->io->name();
    const std::string what = super_right ? "its log"
                             : log_right ? "its superblock"
                                         : "its metadata";
    if (read_only_) {
      problem = name + ": " + what + " needs repair, and the array was opened for reading only";
      continue;
    }
    int error = 0;
    if (!super_right) co_await write_super(d, published, &error);
    if (!log_right && !error) {
      std::vector<Record> records;
      {
        const std::lock_guard lock(m_);
        records = held_records(d, limit);
      }
      co_await checkpoint(d, std::move(records), &error);
    }
    if (error) {
      problem = name + ": " + what + " cannot be written: " + std::strerror(error);
      continue;
    }
    if (rewrite) continue;
    const std::lock_guard lock(m_);
    devices_[d]->count.healed += !super_right + !log_right;
    add_note(name + ": " + what + " was damaged and was written again from memory");
  }
  bool announce = false;
  {
    const std::lock_guard lock(m_);
    announce = must_publish();
  }
  if (announce) co_await publish();
  if (!problem.empty()) throw StorageError(problem);
}

}  // namespace kumihimo::storage
