// SPDX-License-Identifier: Apache-2.0
//
// State of an opened array, for another engine that continues with the same disks.
#include <utility>

#include "array_impl.hpp"

namespace kumihimo::storage {

Array::Array(Super super) : super_(std::move(super)) {}

std::vector<Array::LogState> Array::logs() {
  const std::lock_guard lock(m_);
  std::vector<LogState> out;
  for (const auto& dev : devices_) {
    out.push_back(
        {dev->io != nullptr, dev->owner, dev->generation, dev->half, dev->next, dev->data_offset});
  }
  return out;
}

std::uint64_t Array::sequence() {
  const std::lock_guard lock(m_);
  return seq_;
}

Array::StripeVersion Array::stripe_version(std::uint32_t logical) {
  const std::lock_guard lock(m_);
  if (logical >= stripes()) throw StorageError("there is no such stripe");
  const Version v = version(logical);
  return {v.seq, v.mapped, v.places, v.replicas};
}

}  // namespace kumihimo::storage
