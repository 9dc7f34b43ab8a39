// SPDX-License-Identifier: Apache-2.0
#include "rank/lane_runs.hpp"

namespace kumihimo {
namespace {

constexpr std::size_t kRepeat = 4;  // equal blocks that are worth a run of their own

struct Run {
  std::size_t first, count;
  std::uint64_t step;
  bool equal;
};

class Runs {
 public:
  explicit Runs(const std::vector<kumi_block>& blocks) : b_(blocks) {}

  Run at(std::size_t first) const {
    Run run{first, 1, first + 1 < b_.size() ? step(first + 1) : 0, false};
    if (run.step > UINT32_MAX) run.step = 0;
    while (follows(run, first + run.count) && same(first, first + run.count)) ++run.count;
    run.equal = run.count >= kRepeat;
    if (run.equal) return run;
    while (follows(run, first + run.count) && !repeats(first + run.count)) ++run.count;
    return run;
  }

 private:
  std::uint64_t step(std::size_t i) const { return b_[i].t_ps - b_[i - 1].t_ps; }
  bool same(std::size_t a, std::size_t b) const {
    return b_[a].data == b_[b].data && b_[a].head == b_[b].head;
  }
  bool follows(const Run& run, std::size_t i) const {
    if (i >= b_.size() || step(i) != run.step) return false;
    const kumi_block& a = b_[run.first];
    return b_[i].flags == a.flags && b_[i].shift == a.shift && b_[i].err == a.err;
  }
  bool repeats(std::size_t first) const {
    if (first + kRepeat > b_.size()) return false;
    for (std::size_t i = 1; i < kRepeat; ++i) {
      if (!same(first, first + i)) return false;
    }
    return true;
  }

  const std::vector<kumi_block>& b_;
};

}  // namespace

void append_blocks(Bytes& to, const std::vector<kumi_block>& blocks) {
  const Runs runs(blocks);
  const std::size_t count_at = to.size();
  append(to, std::uint32_t{0});
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < blocks.size(); ++count) {
    const Run run = runs.at(i);
    const kumi_block& first = blocks[i];
    append(to, first.t_ps);
    append(to, static_cast<std::uint32_t>(run.step));
    append(to, static_cast<std::uint32_t>(run.count));
    append(to, static_cast<std::uint8_t>(run.equal));
    append(to, first.flags);
    append(to, first.shift);
    append(to, first.err);
    for (std::size_t k = i; k < i + (run.equal ? 1 : run.count); ++k) {
      append(to, blocks[k].data);
      append(to, blocks[k].head);
    }
    i += run.count;
  }
  patch(to, count_at, count);
}

}  // namespace kumihimo
