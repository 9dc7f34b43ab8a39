// SPDX-License-Identifier: Apache-2.0
//
// The address table of a learning switch, with ageing in virtual time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "base/types.hpp"

namespace kumihimo {

class MacTable {
 public:
  explicit MacTable(Ps ageing_ps, std::size_t limit = 8192)
      : ageing_ps_(ageing_ps), limit_(limit) {}

  static std::uint64_t read(const std::uint8_t* p) {
    std::uint64_t v = 0;
    for (int i = 0; i < 6; ++i) v = v << 8 | p[i];
    return v;
  }
  static bool is_group(std::uint64_t mac) { return (mac >> 40) & 1; }

  // False when the table is full.
  bool learn(std::uint64_t mac, std::uint32_t port, Ps now) {
    const auto it = table_.find(mac);
    if (it != table_.end()) {
      moved_ += it->second.port != port;
      it->second = {port, now};
      return true;
    }
    if (table_.size() >= limit_) {
      std::erase_if(table_, [&](const auto& e) { return expired(e.second, now); });
      if (table_.size() >= limit_) return false;
    }
    table_.emplace(mac, Entry{port, now});
    return true;
  }

  // Port of the address, or -1.
  int find(std::uint64_t mac, Ps now) {
    const auto it = table_.find(mac);
    if (it == table_.end()) return -1;
    if (expired(it->second, now)) {
      table_.erase(it);
      ++aged_;
      return -1;
    }
    return static_cast<int>(it->second.port);
  }

  std::size_t size() const { return table_.size(); }
  std::uint64_t aged() const { return aged_; }
  std::uint64_t moved() const { return moved_; }

 private:
  struct Entry {
    std::uint32_t port;
    Ps seen;
  };
  bool expired(const Entry& e, Ps now) const { return now - e.seen > ageing_ps_; }

  Ps ageing_ps_;
  std::size_t limit_;
  std::unordered_map<std::uint64_t, Entry> table_;
  std::uint64_t aged_ = 0, moved_ = 0;
};

}  // namespace kumihimo
