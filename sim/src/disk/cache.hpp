// SPDX-License-Identifier: Apache-2.0
//
// Write cache: sectors not yet on the medium, lost when power is cut.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "disk/store.hpp"

namespace kumihimo {

class DiskCache {
 public:
  struct Run {
    std::uint64_t lba;
    std::uint64_t count;
  };

  bool empty() const { return sectors_.empty(); }
  std::uint64_t size() const { return sectors_.size(); }
  void put(std::uint64_t lba, const Sector& data, std::uint64_t order) {
    sectors_[lba] = {data, order};
  }
  const Sector* find(std::uint64_t lba) const {
    const auto it = sectors_.find(lba);
    return it == sectors_.end() ? nullptr : &it->second.data;
  }
  void erase(std::uint64_t lba) { sectors_.erase(lba); }
  void erase(std::uint64_t lba, std::uint64_t count) {
    sectors_.erase(sectors_.lower_bound(lba), sectors_.lower_bound(lba + count));
  }
  void clear() { sectors_.clear(); }

  // Whether the range holds unwritten sectors not newer than `order`.
  bool waits(std::uint64_t lba, std::uint64_t count, std::uint64_t order) const {
    for (auto it = sectors_.lower_bound(lba); it != sectors_.end() && it->first < lba + count;
         ++it) {
      if (it->second.order <= order) return true;
    }
    return false;
  }

  // The first run of unwritten sectors at or after lba; wraps around.
  std::optional<Run> run_from(std::uint64_t lba, std::uint64_t longest) const {
    if (sectors_.empty()) return std::nullopt;
    auto it = sectors_.lower_bound(lba);
    if (it == sectors_.end()) it = sectors_.begin();
    Run run{it->first, 0};
    while (it != sectors_.end() && it->first == run.lba + run.count && run.count < longest) {
      ++run.count;
      ++it;
    }
    return run;
  }
  std::uint64_t first() const { return sectors_.begin()->first; }
  std::uint64_t last() const { return sectors_.rbegin()->first; }

 private:
  struct Entry {
    Sector data;
    std::uint64_t order;  // of the write
  };
  std::map<std::uint64_t, Entry> sectors_;
};

}  // namespace kumihimo
