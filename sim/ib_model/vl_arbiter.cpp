// SPDX-License-Identifier: Apache-2.0
#include "vl_arbiter.hpp"

#include <bit>

namespace kumihimo::ib_model {

namespace {
bool eligible(const ArbEntry& e, unsigned lanes) { return e.weight != 0 && (lanes >> e.vl & 1); }
}  // namespace

bool WeightedRoundRobin::any(const ArbTable& table, unsigned lanes) {
  for (const ArbEntry& e : table) {
    if (eligible(e, lanes)) return true;
  }
  return false;
}

int WeightedRoundRobin::choose(const ArbTable& table, unsigned lanes) {
  if (left_ != 0 && eligible(table[at_], lanes)) return static_cast<int>(table[at_].vl);
  for (unsigned i = 1; i <= kArbEntries; ++i) {
    const unsigned index = (at_ + i) % kArbEntries;
    if (!eligible(table[index], lanes)) continue;
    at_ = index;
    left_ = table[index].weight;
    return static_cast<int>(table[index].vl);
  }
  return -1;
}

int VlArbiter::choose(const ArbTable& high, const ArbTable& low, unsigned high_limit,
                      unsigned lanes) {
  const bool low_any = WeightedRoundRobin::any(low, lanes);
  use_high_ =
      WeightedRoundRobin::any(high, lanes) && (high_limit == 255 || limit_ != 0 || !low_any);
  return use_high_ ? high_.choose(high, lanes) : low_.choose(low, lanes);
}

void VlArbiter::charge(unsigned blocks, unsigned high_limit) {
  if (use_high_) {
    high_.charge(blocks);
    limit_ -= limit_ < blocks ? limit_ : blocks;
  } else {
    low_.charge(blocks);
    limit_ = high_limit == 0 ? 1 : high_limit * 64;
  }
}

int InputArbiter::choose(std::uint64_t req, std::uint64_t open) {
  const auto first = [this](std::uint64_t of) {
    const std::uint64_t later = of & later_;
    return std::countr_zero(later != 0 ? later : of);
  };
  if (req == 0) return -1;
  const bool insist = passed_ == kPass;
  const std::uint64_t able = req & open;
  const int turn = first(req);
  if (!insist && able == 0) return -1;
  const int pick = insist ? turn : first(able);
  if ((open >> pick & 1) == 0) return -1;
  asked_ = static_cast<unsigned>(pick);
  in_turn_ = pick == turn;
  return pick;
}

void InputArbiter::served() {
  if (in_turn_) {
    later_ = ~((std::uint64_t{2} << asked_) - 1);
    passed_ = 0;
  } else if (passed_ != kPass) {
    ++passed_;
  }
}

}  // namespace kumihimo::ib_model
