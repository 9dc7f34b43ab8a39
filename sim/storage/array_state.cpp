// SPDX-License-Identifier: Apache-2.0
//
// State of an opened array, for another engine that continues with the same disks.
#include <utility>

#include "array_impl.hpp"
#include "hash.hpp"

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

std::uint64_t Array::fingerprint() {
  const std::lock_guard lock(m_);
  const auto super = encode(super_);
  std::uint64_t h = hash_of(super.data(), super.size());
  auto add = [&](std::uint64_t v) { h = mix(h, v); };
  auto add_version = [&](const Version& v) {
    add(v.seq);
    add(static_cast<std::uint64_t>(v.mapping));
    for (const Place& x : v.places) add(x.word);
    for (const std::uint8_t d : v.replicas) add(d);
  };
  for (const bool flag : {read_only_, unpublished_, unheard_, !newly_failed_.empty()}) add(flag);
  add(seq_);
  add(placer_->fingerprint());
  for (const auto& dev : devices_) {
    for (const std::uint64_t v : {std::uint64_t{dev->io != nullptr}, std::uint64_t{dev->offline},
                                  std::uint64_t{dev->unflushed}, std::uint64_t{dev->generation},
                                  std::uint64_t{dev->half}, std::uint64_t{dev->next}}) {
      add(v);
    }
  }
  for (std::uint32_t l = 0; l < stripes(); ++l) {
    add_version(version(l));
    add(is_pending_[l]);
    const auto it = superseded_.find(l);
    for (std::size_t i = 0; it != superseded_.end() && i < it->second.size(); ++i) {
      add_version(it->second[i]);
    }
  }
  for (const auto& places : to_free_) {
    for (const Place& x : places) add(x.word);
  }
  for (const std::uint32_t l : unrecordable_) add(l);
  for (const std::uint32_t l : repair_pending_) add(l);
  add(unreadable_.size());
  return h;
}

Array::StripeVersion Array::stripe_version(std::uint32_t logical) {
  const std::lock_guard lock(m_);
  if (logical >= stripes()) throw StorageError("there is no such stripe");
  const Version v = version(logical);
  return {v.seq, v.mapped(), v.places, v.replicas};
}

}  // namespace kumihimo::storage
