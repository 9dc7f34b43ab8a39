// SPDX-License-Identifier: Apache-2.0
//
// Content of a disk: in memory, in a sparse file, or in memory over a read-only file. Unwritten
// sectors are zero. The file is locked, so two disks cannot share one.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "base/hash.hpp"
#include "base/types.hpp"

namespace kumihimo {

inline constexpr std::size_t kSectorBytes = 512;
using Sector = std::array<std::uint8_t, kSectorBytes>;

class DiskStore {
 public:
  // file: empty for memory only. keep: writes go to the file. sectors 0: size of the file. Throws
  // Error.
  DiskStore(const std::string& file, bool keep, std::uint64_t sectors);
  ~DiskStore();
  DiskStore(const DiskStore&) = delete;
  DiskStore& operator=(const DiskStore&) = delete;

  std::uint64_t sectors() const { return sectors_; }
  void read(std::uint64_t lba, Sector& to) const;
  void write(std::uint64_t lba, const Sector& from);
  void discard(std::uint64_t lba, std::uint64_t count);  // reads as zero afterwards

  // Digest of all changes in order.
  std::uint64_t digest() const { return hash_.value(); }
  // Non-empty after a read or write error of the file.
  const std::string& error() const { return error_; }

 private:
  static constexpr std::uint64_t kPageSectors = 8;
  using Page = std::array<Sector, kPageSectors>;

  Page& page(std::uint64_t number);
  void read_file(std::uint64_t lba, std::uint8_t* to, std::size_t sectors) const;

  std::string path_;
  int fd_ = -1;
  bool keep_ = false;  // writes go to the file
  std::uint64_t sectors_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  ChainHash hash_;
  mutable std::string error_;
};

}  // namespace kumihimo
