// SPDX-License-Identifier: Apache-2.0
#include "disk/store.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace kumihimo {

DiskStore::DiskStore(const std::string& file, bool keep, std::uint64_t sectors)
    : path_(file), keep_(keep && !file.empty()), sectors_(sectors) {
  if (file.empty()) {
    if (sectors_ == 0) throw Error("a disk in memory needs a size");
    return;
  }
  const auto refuse = [&](const std::string& why) {
    if (fd_ >= 0) ::close(fd_);
    throw Error("disk file " + path_ + ": " + why);
  };
  fd_ = ::open(file.c_str(), keep_ ? O_RDWR | O_CREAT | O_CLOEXEC : O_RDONLY | O_CLOEXEC, 0666);
  if (fd_ < 0) refuse(std::strerror(errno));
  if (::flock(fd_, (keep_ ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0) {
    refuse("another disk or program uses it");
  }
  struct stat st{};
  if (::fstat(fd_, &st) != 0) refuse(std::strerror(errno));
  if (!S_ISREG(st.st_mode)) refuse("this is no ordinary file");
  const auto bytes = static_cast<std::uint64_t>(st.st_size);
  if (sectors_ == 0) sectors_ = bytes / kSectorBytes;
  if (sectors_ == 0) refuse("it is empty, and no size was given");
  // An empty file gets the disk's size; any other must already have it.
  if (bytes != 0 && bytes != sectors_ * kSectorBytes) {
    refuse("it has " + std::to_string(bytes) + " bytes, the disk " +
           std::to_string(sectors_ * kSectorBytes) + "; nothing was changed");
  }
  if (keep_ && ::ftruncate(fd_, static_cast<off_t>(sectors_ * kSectorBytes)) != 0) {
    refuse(std::strerror(errno));
  }
}

DiskStore::~DiskStore() {
  if (fd_ >= 0) ::close(fd_);
}

// Beyond the end of the file there are zeros.
void DiskStore::read_file(std::uint64_t lba, std::uint8_t* to, std::size_t sectors) const {
  const std::size_t want = sectors * kSectorBytes;
  std::size_t have = 0;
  while (have < want) {
    const auto at = static_cast<off_t>(lba * kSectorBytes + have);
    const ssize_t n = ::pread(fd_, to + have, want - have, at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && error_.empty()) error_ = "disk file " + path_ + ": " + std::strerror(errno);
    if (n <= 0) break;
    have += static_cast<std::size_t>(n);
  }
  std::memset(to + have, 0, want - have);
}

void DiskStore::read(std::uint64_t lba, Sector& to) const {
  const auto it = pages_.find(lba / kPageSectors);
  if (it != pages_.end()) {
    to = (*it->second)[lba % kPageSectors];
  } else if (fd_ >= 0) {
    read_file(lba, to.data(), 1);
  } else {
    to.fill(0);
  }
}

DiskStore::Page& DiskStore::page(std::uint64_t number) {
  auto& slot = pages_[number];
  if (!slot) {
    slot = std::make_unique<Page>();
    if (fd_ >= 0) {
      read_file(number * kPageSectors, slot->front().data(), kPageSectors);
    } else {
      for (Sector& s : *slot) s.fill(0);
    }
  }
  return *slot;
}

void DiskStore::write(std::uint64_t lba, const Sector& from) {
  hash_.word(lba);
  hash_.bytes(from.data(), from.size());
  if (!keep_) {
    page(lba / kPageSectors)[lba % kPageSectors] = from;
    return;
  }
  std::size_t have = 0;
  while (have < kSectorBytes) {
    const auto at = static_cast<off_t>(lba * kSectorBytes + have);
    const ssize_t n = ::pwrite(fd_, from.data() + have, kSectorBytes - have, at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      if (error_.empty()) error_ = "disk file " + path_ + ": " + std::strerror(errno);
      return;
    }
    have += static_cast<std::size_t>(n);
  }
}

void DiskStore::discard(std::uint64_t lba, std::uint64_t count) {
  hash_.word(~lba);
  hash_.word(count);
  if (keep_) {
    const auto at = static_cast<off_t>(lba * kSectorBytes);
    const auto bytes = static_cast<off_t>(count * kSectorBytes);
    const int mode = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
    if (::fallocate(fd_, mode, at, bytes) == 0) return;
    const Sector zeros{};
    for (std::uint64_t i = 0; i < count; ++i) write(lba + i, zeros);
    return;
  }
  for (const std::uint64_t end = lba + count; lba < end;) {
    const std::uint64_t number = lba / kPageSectors;
    const std::uint64_t upto = std::min(end, (number + 1) * kPageSectors);
    if (fd_ < 0 && upto - lba == kPageSectors) {
      pages_.erase(number);
    } else if (fd_ >= 0 || pages_.contains(number)) {
      Page& p = page(number);
      for (std::uint64_t s = lba; s < upto; ++s) p[s % kPageSectors].fill(0);
    }
    lba = upto;
  }
}

}  // namespace kumihimo
