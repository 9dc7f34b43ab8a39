// SPDX-License-Identifier: Apache-2.0
//
// Parts of the volume that only its own files need.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "array_impl.hpp"
#include "volume.hpp"

namespace kumihimo::storage {

// Locks the shards of the stripes of a request, in order, so that requests never wait in a ring.
class Volume::Hold {
 public:
  Hold(Volume& v, const std::vector<std::uint32_t>& logicals, bool alone) : v_(v), alone_(alone) {
    for (const std::uint32_t l : logicals) shards_.push_back(l % kShards);
    std::sort(shards_.begin(), shards_.end());
    shards_.erase(std::unique(shards_.begin(), shards_.end()), shards_.end());
  }
  ~Hold() {
    while (held_) v_.shards_[shards_[--held_]].release(alone_);
  }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

  Task<> take() {
    for (; held_ < shards_.size(); ++held_) co_await v_.shards_[shards_[held_]].wait(alone_);
  }

 private:
  Volume& v_;
  bool alone_;
  std::vector<std::size_t> shards_;
  std::size_t held_ = 0;
};

// Memory that gathered writes keep: a request's, as long as one stripe of it is left, or a copy.
struct Volume::Lease {
  Lease(Volume& v, std::size_t size) : volume(v), bytes(std::bit_ceil(size)) {
    volume.bytes_ += bytes;
  }
  ~Lease() { volume.bytes_ -= bytes; }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  Volume& volume;
  std::size_t bytes;  // as the pool of buffers counts
};

inline std::vector<std::uint32_t> logicals_of(const auto& parts) {
  std::vector<std::uint32_t> out;
  for (const auto& p : parts) out.push_back(p.logical);
  return out;
}

}  // namespace kumihimo::storage
