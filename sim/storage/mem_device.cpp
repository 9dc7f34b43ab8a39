// SPDX-License-Identifier: Apache-2.0
#include "mem_device.hpp"

#include <algorithm>
#include <cerrno>
#include <random>
#include <utility>

#include "layout.hpp"

namespace kumihimo::storage {

MemDevice::MemDevice(std::string name, std::uint64_t size, std::shared_ptr<PowerDomain> power)
    : name_(std::move(name)), power_(std::move(power)), now_(size), safe_(size) {}

void MemDevice::submit(Io io) {
  if (too_late_ && io.op == Op::kRead) {
    {
      const std::lock_guard lock(power_->m);
      power_->owed.push_back(io.data);
    }
    io.finish(ETIMEDOUT);
    return;
  }
  io.finish(execute(io));
}

int MemDevice::execute(Io& io) {
  const std::lock_guard lock(power_->m);
  if (power_->off) return ENODEV;
  ++operations_;
  if (left_ == 0) return EIO;
  --left_;
  if (io.offset + io.data.size > now_.size()) return EIO;
  switch (io.op) {
    case Op::kRead: {
      const auto bad = bad_.lower_bound(io.offset / kSector);
      if (bad != bad_.end() && *bad * kSector < io.offset + io.data.size) return EIO;
      std::memcpy(io.data.data, &now_[io.offset], io.data.size);
      const auto upset = upset_.lower_bound(io.offset / kSector);
      if (upset == upset_.end() || upset->first * kSector >= io.offset + io.data.size) return 0;
      const bool wrong = upset->second.wrong;
      if (wrong) io.data.data[upset->first * kSector - io.offset] ^= 1;
      if (--upset->second.times == 0) upset_.erase(upset);
      return wrong ? 0 : EIO;
    }
    case Op::kWrite:
      return write(io);
    case Op::kFlush:
      ++flushes_;
      for (const std::uint64_t s : dirty_) {
        std::memcpy(&safe_[s * kSector], &now_[s * kSector], kSector);
      }
      dirty_.clear();
      return 0;
    case Op::kTrim:
      return 0;
  }
  return EINVAL;
}

int MemDevice::write(const Io& io) {
  if (io.offset % kSector || io.data.size % kSector) return EINVAL;
  for (const Slice& late : power_->owed) std::memset(late.data, 0xEE, late.size);
  power_->owed.clear();
  for (std::size_t at = 0; at < io.data.size; at += kSector) {
    if (power_->sectors_left == 0) {
      power_->off = true;
      return ENODEV;
    }
    const std::uint64_t s = (io.offset + at) / kSector;
    if (full_ && std::all_of(&now_[s * kSector], &now_[s * kSector] + kSector,
                             [](std::uint8_t b) { return b == 0; })) {
      return ENOSPC;
    }
    --power_->sectors_left;
    ++power_->written;
    std::memcpy(&now_[s * kSector], io.data.data + at, kSector);
    dirty_.insert(s);
    bad_.erase(s);
  }
  return 0;
}

void MemDevice::power_cycle(std::uint64_t seed) {
  const std::lock_guard lock(power_->m);
  std::mt19937_64 rng(seed);
  // Sometimes nearly all or nearly nothing was written back already.
  const unsigned odds = static_cast<unsigned>(rng() % 5);
  for (const std::uint64_t s : dirty_) {
    const bool kept = odds == 0 ? false : odds == 4 ? true : rng() % 4 < odds;
    auto& from = kept ? now_ : safe_;
    auto& to = kept ? safe_ : now_;
    std::memcpy(&to[s * kSector], &from[s * kSector], kSector);
  }
  dirty_.clear();
}

void MemDevice::corrupt(std::uint64_t offset, std::uint8_t mask) {
  const std::lock_guard lock(power_->m);
  now_.at(offset) ^= mask;
  safe_.at(offset) ^= mask;
}

void MemDevice::add_bad(std::uint64_t offset) {
  const std::lock_guard lock(power_->m);
  bad_.insert(offset / kSector);
}

void MemDevice::upset(std::uint64_t offset, unsigned times, bool wrong) {
  const std::lock_guard lock(power_->m);
  upset_[offset / kSector] = {times, wrong};
}

void MemDevice::set_full(bool full) {
  const std::lock_guard lock(power_->m);
  full_ = full;
}

void MemDevice::answer_too_late() { too_late_ = true; }

void MemDevice::fail_after(std::uint64_t operations) {
  const std::lock_guard lock(power_->m);
  left_ = operations;
}

void MemDevice::resize(std::uint64_t size) {
  now_.resize(size);
  safe_.resize(size);
  dirty_.clear();
}

void MemDevice::set_image(std::vector<std::uint8_t> image) {
  now_ = std::move(image);
  safe_ = now_;
  dirty_.clear();
}

}  // namespace kumihimo::storage
