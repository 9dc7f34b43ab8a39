// SPDX-License-Identifier: Apache-2.0
//
// Decodes and starts commands.
#include <algorithm>
#include <cstring>
#include <utility>

#include "base/rng.hpp"
#include "disk/ata_device.hpp"

namespace kumihimo {
namespace {

// Longest delay before a queued write's data is requested, for the drive's own order.
constexpr double kChoosePs = 5e6;

enum Opcode : std::uint8_t {
  kDataSetManagement = 0x06,
  kReadDmaExt = 0x25,
  kReadLogExt = 0x2F,
  kWriteDmaExt = 0x35,
  kWriteDmaFuaExt = 0x3D,
  kReadFpdma = 0x60,
  kWriteFpdma = 0x61,
  kDiagnostic = 0x90,
  kReadDma = 0xC8,
  kWriteDma = 0xCA,
  kStandbyImmediate = 0xE0,
  kIdleImmediate = 0xE1,
  kCheckPower = 0xE5,
  kFlushCache = 0xE7,
  kFlushCacheExt = 0xEA,
  kIdentify = 0xEC,
  kSetFeatures = 0xEF
};

}  // namespace

void AtaDevice::signature(bool interrupt) {
  fis::Registers r;
  r.error = 1;
  r.lba = 1;
  r.count = 1;
  send(fis::registers(r, interrupt), true);
}

void AtaDevice::finish(const fis::Command& c) {
  fis::Registers r;
  r.device = c.device;
  r.lba = c.lba;
  send(fis::registers(r, true), true);
}

void AtaDevice::refuse(const fis::Command& c, std::uint8_t error, std::uint8_t status) {
  ++stats_.errors;
  fis::Registers r;
  r.status = static_cast<std::uint8_t>(fis::kGood | fis::kError | status);
  r.error = error;
  r.device = c.device;
  r.lba = c.lba;
  r.count = c.count;
  send(fis::registers(r, true), true);
}

void AtaDevice::command(const fis::Command& c) {
  ++stats_.commands;
  const bool queued = c.opcode == kReadFpdma || c.opcode == kWriteFpdma;
  const bool reads_log = c.opcode == kReadLogExt && (c.lba & 0xFF) == 0x10;
  if (jobs_[kUnqueued]) return;  // the host ignored BSY
  if (queue_failed_ && !reads_log) {
    refuse(c, fis::kAbort);
    return;
  }
  if (!queued && under_way() > 0) {
    fis::Registers r;
    r.status = fis::kGood | fis::kError;
    r.error = fis::kAbort;
    r.device = c.device;
    r.lba = c.lba;
    r.count = c.count;
    log_ = error_log(true, 0, r);
    fail_queue(fis::registers(r, true));
    return;
  }
  if (queued) {
    queued_command(c);
    return;
  }
  Job j;
  j.command = c;
  j.lba = c.lba;
  const std::uint64_t sectors = c.count == 0 ? 65536 : c.count;
  switch (c.opcode) {
    case kReadDmaExt:
      j.kind = Kind::kRead;
      begin_transfer(std::move(j), sectors, true);
      break;
    case kWriteDmaExt:
    case kWriteDmaFuaExt:
      j.kind = Kind::kWrite;
      j.durable = c.opcode == kWriteDmaFuaExt;
      begin_transfer(std::move(j), sectors, true);
      break;
    case kReadDma:
    case kWriteDma:
      j.kind = c.opcode == kReadDma ? Kind::kRead : Kind::kWrite;
      begin_transfer(std::move(j), (c.count & 0xFF) == 0 ? 256 : c.count & 0xFF, false);
      break;
    case kFlushCache:
    case kFlushCacheExt:
      ++stats_.flushes;
      j.phase = Phase::kSettling;
      drive_.urge(now_, 0, drive_.sectors());
      jobs_[kUnqueued] = std::move(j);
      break;
    case kDataSetManagement:
      ++stats_.trims;
      if (!config_.identity.trim || (c.features & 1) == 0 || c.count == 0 ||
          c.count > kTrimBlocks) {
        refuse(c, fis::kAbort);
        break;
      }
      j.kind = Kind::kTrim;
      j.count = c.count;
      jobs_[kUnqueued] = std::move(j);
      break;
    case kIdentify:
      begin_block(c, {identify_block(config_.identity)});
      break;
    case kReadLogExt:
      read_log(c);
      break;
    case kSetFeatures:
      set_features(c);
      break;
    case kDiagnostic:
      ++stats_.others;
      signature(true);
      break;
    case kCheckPower: {
      ++stats_.others;
      fis::Registers r;
      r.count = 0xFF;  // active
      send(fis::registers(r, true), true);
      break;
    }
    case kStandbyImmediate:
      ++stats_.others;
      j.phase = Phase::kSettling;  // the cache is written first
      drive_.urge(now_, 0, drive_.sectors());
      jobs_[kUnqueued] = std::move(j);
      break;
    case kIdleImmediate:
      ++stats_.others;
      finish(c);
      break;
    default:
      ++stats_.others;
      refuse(c, fis::kAbort);
  }
}

void AtaDevice::begin_transfer(Job job, std::uint64_t sectors, bool ext) {
  const fis::Command c = job.command;
  if (!ext) job.lba = (c.lba & 0xFFFFFF) | static_cast<std::uint64_t>(c.device & 15) << 24;
  ++(job.kind == Kind::kRead ? stats_.reads : stats_.writes);
  if ((c.device & 0x40) == 0) {  // cylinders and heads
    refuse(c, fis::kAbort);
    return;
  }
  if (!in_range(job.lba, sectors)) {
    refuse(c, fis::kIdnf);
    return;
  }
  job.count = sectors;
  job.from = now_;
  if (job.kind == Kind::kRead) {
    job.read = drive_.read(now_, job.lba, sectors);
  } else {
    job.durable |= !config_.identity.write_cache;
    if (drive_.unwritable(job.lba, sectors)) {
      refuse(c, fis::kAbort, fis::kFault);
      return;
    }
  }
  jobs_[kUnqueued] = std::move(job);
}

void AtaDevice::queued_command(const fis::Command& c) {
  const unsigned tag = c.count >> 3 & 31;
  Job j;
  j.command = c;
  j.queued = true;
  j.number = stats_.commands;
  j.kind = c.opcode == kReadFpdma ? Kind::kRead : Kind::kWrite;
  j.lba = c.lba;
  j.count = c.features == 0 ? 65536 : c.features;
  j.from = now_;
  ++stats_.queued;
  ++(j.kind == Kind::kRead ? stats_.reads : stats_.writes);
  std::uint8_t error = 0, status = 0;
  if (tag >= config_.identity.queue_depth || jobs_[tag] || (c.device & 0x40) == 0) {
    error = fis::kAbort;
  } else if (!in_range(j.lba, j.count)) {
    error = fis::kIdnf;
  } else if (j.kind == Kind::kWrite && drive_.unwritable(j.lba, j.count)) {
    error = fis::kAbort;
    status = fis::kFault;
  }
  if (error != 0) {
    fis::Registers r;
    r.status = static_cast<std::uint8_t>(fis::kGood | fis::kError | status);
    r.error = error;
    r.device = c.device;
    r.lba = c.lba;
    r.count = c.count;
    log_ = error_log(false, tag, r);
    fail_queue(fis::registers(r, true));  // clears BSY
    return;
  }
  if (j.kind == Kind::kRead) {
    j.read = drive_.read(now_, j.lba, j.count);
  } else {
    j.durable = (c.device & 0x80) != 0 || !config_.identity.write_cache;
    j.from += static_cast<Ps>(kChoosePs * unit_at(config_.seed, j.number, 0));
  }
  jobs_[tag] = std::move(j);
  stats_.deepest = std::max<std::uint64_t>(stats_.deepest, under_way());
  fis::Registers r;
  r.device = 0x40;
  send(fis::registers(r, false), true);  // the host may send the next one
}

void AtaDevice::begin_block(const fis::Command& c, const std::vector<AtaBlock>& blocks) {
  ++stats_.others;
  Job j;
  j.kind = Kind::kBlock;
  j.command = c;
  j.count = blocks.size();
  for (const AtaBlock& b : blocks) j.words.insert(j.words.end(), b.begin(), b.end());
  jobs_[kUnqueued] = std::move(j);
}

void AtaDevice::read_log(const fis::Command& c) {
  const unsigned log = c.lba & 0xFF;
  const unsigned page = c.lba >> 8 & 0xFF;
  if ((log != 0x00 && log != 0x10) || page != 0 || c.count != 1) {
    ++stats_.others;
    refuse(c, fis::kAbort);
    return;
  }
  begin_block(c, {log == 0 ? log_directory() : log_});
  if (log == 0x10) queue_failed_ = false;
}

void AtaDevice::set_features(const fis::Command& c) {
  ++stats_.others;
  AtaIdentity& d = config_.identity;
  switch (c.features & 0xFF) {
    case 0x02:
      d.write_cache = true;
      break;
    case 0x82: {  // flushes the cache first
      d.write_cache = false;
      Job j;
      j.command = c;
      j.phase = Phase::kSettling;
      drive_.urge(now_, 0, drive_.sectors());
      jobs_[kUnqueued] = std::move(j);
      return;
    }
    case 0x03:  // transfer mode: all are accepted
      break;
    case 0x10:
    case 0x90:
      if ((c.count & 0xFF) != 0x02) {
        refuse(c, fis::kAbort);
        return;
      }
      d.auto_activate = (c.features & 0xFF) == 0x10;
      break;
    case 0x55:
    case 0xAA:
      d.look_ahead = (c.features & 0xFF) == 0xAA;
      break;
    default:
      refuse(c, fis::kAbort);
      return;
  }
  finish(c);
}

// Ranges: 48 bits of address, 16 of length; length zero is no range.
void AtaDevice::trim(const Job& job) {
  for (std::size_t i = 0; i + 1 < job.words.size(); i += 2) {
    const std::uint64_t lba = job.words[i] | static_cast<std::uint64_t>(job.words[i + 1] & 0xFFFF)
                                                 << 32;
    const std::uint64_t count = job.words[i + 1] >> 16;
    if (count > 0 && in_range(lba, count)) drive_.discard(lba, count);
  }
}

}  // namespace kumihimo
