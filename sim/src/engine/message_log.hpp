// SPDX-License-Identifier: Apache-2.0
//
// Messages of the run, from any thread. Messages beyond kMost are dropped.
#pragma once

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

#include "base/types.hpp"

namespace kumihimo {

class MessageLog {
 public:
  static constexpr std::size_t kMost = 20000;

  void add(Message m) {
    const std::lock_guard lock(mutex_);
    if (messages_.size() < kMost) messages_.push_back(std::move(m));
  }

  // Messages from index `first` on.
  std::vector<Message> since(std::size_t first) const {
    const std::lock_guard lock(mutex_);
    const auto from = std::min(first, messages_.size());
    return {messages_.begin() + static_cast<std::ptrdiff_t>(from), messages_.end()};
  }

 private:
  mutable std::mutex mutex_;
  std::vector<Message> messages_;
};

}  // namespace kumihimo
