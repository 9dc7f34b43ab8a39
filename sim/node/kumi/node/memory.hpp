// SPDX-License-Identifier: Apache-2.0
//
// The memory behind an axi port: sparse pages, zero until written; ranges of bytes can be made
// faulty. The digest depends on the content only: a page of zeros counts like one never touched.
#pragma once

#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <memory>
#include <unordered_map>

namespace kumi::node {

class Memory {
 public:
  static constexpr uint64_t kPage = 4096;

  void read(uint64_t addr, uint8_t* to, uint64_t n) const {
    while (n != 0) {
      const uint64_t at = addr % kPage;
      const uint64_t piece = n < kPage - at ? n : kPage - at;
      const Page* page = find(addr / kPage);
      if (page != nullptr) {
        std::memcpy(to, page->bytes + at, piece);
      } else {
        std::memset(to, 0, piece);
      }
      addr += piece;
      to += piece;
      n -= piece;
    }
  }

  void write(uint64_t addr, const uint8_t* from, uint64_t n) {
    while (n != 0) {
      const uint64_t at = addr % kPage;
      const uint64_t piece = n < kPage - at ? n : kPage - at;
      std::memcpy(page(addr / kPage).bytes + at, from, piece);
      addr += piece;
      from += piece;
      n -= piece;
    }
  }

  void fault(uint64_t addr, uint64_t n, bool on) {
    const uint64_t end = n > ~addr ? ~uint64_t{0} : addr + n;
    // Ranges never touch: what overlaps is cut, then the new one joins its neighbours.
    auto next = faults_.lower_bound(addr);
    if (next != faults_.begin() && std::prev(next)->second > addr) {
      auto left = std::prev(next);
      const uint64_t left_end = left->second;
      left->second = addr;
      if (left_end > end) faults_[end] = left_end;
    }
    for (next = faults_.lower_bound(addr); next != faults_.end() && next->first < end;) {
      if (next->second > end) faults_[end] = next->second;
      next = faults_.erase(next);
    }
    if (on && addr < end) faults_[addr] = end;
  }

  bool faulty(uint64_t addr, uint64_t n) const {
    if (faults_.empty()) return false;
    const auto next = faults_.upper_bound(addr);
    if (next != faults_.end() && next->first - addr < n) return true;
    return next != faults_.begin() && std::prev(next)->second > addr;
  }

  uint64_t digest() {
    uint64_t sum = 0;
    for (auto& [number, page] : pages_) {
      if (page->changed) {
        page->hash = hash(number, page->bytes);
        page->changed = false;
      }
      sum += page->hash;
    }
    return sum;
  }

 private:
  struct Page {
    uint8_t bytes[kPage] = {};
    uint64_t hash = 0;
    bool changed = true;
  };

  const Page* find(uint64_t number) const {
    if (number == last_number_ && last_ != nullptr) return last_;
    const auto it = pages_.find(number);
    if (it == pages_.end()) return nullptr;
    last_ = it->second.get();
    last_number_ = number;
    return last_;
  }

  Page& page(uint64_t number) {
    if (number != last_number_ || last_ == nullptr) {
      auto& slot = pages_[number];
      if (!slot) slot = std::make_unique<Page>();
      last_ = slot.get();
      last_number_ = number;
    }
    last_->changed = true;
    return *last_;
  }

  static uint64_t hash(uint64_t number, const uint8_t* bytes) {
    uint64_t state = number * 0x9e3779b97f4a7c15u;
    bool any = false;
    for (uint64_t i = 0; i < kPage; i += 8) {
      uint64_t word;
      std::memcpy(&word, bytes + i, 8);
      any |= word != 0;
      state = (state ^ word) * 0xbf58476d1ce4e5b9u;
      state ^= state >> 29;
    }
    return any ? (state * 0x94d049bb133111ebu) ^ state >> 31 : 0;
  }

  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
  mutable Page* last_ = nullptr;  // accesses come in runs
  mutable uint64_t last_number_ = 0;
  std::map<uint64_t, uint64_t> faults_;  // first byte -> behind the last
};

}  // namespace kumi::node
