// SPDX-License-Identifier: Apache-2.0
#include "node/step_watch.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

namespace kumihimo {
namespace {

std::mutex mutex;
std::vector<const StepWatch*> steps;  // at most one a thread

}  // namespace

StepWatch::StepWatch(const std::string& node)
    : node_(node), began_(std::chrono::steady_clock::now()) {
  const std::lock_guard lock(mutex);
  steps.push_back(this);
}

StepWatch::~StepWatch() {
  const std::lock_guard lock(mutex);
  std::erase(steps, this);
}

std::optional<std::pair<std::string, double>> StepWatch::longest() {
  const std::lock_guard lock(mutex);
  const auto first = std::min_element(
      steps.begin(), steps.end(),
      [](const StepWatch* a, const StepWatch* b) { return a->began_ < b->began_; });
  if (first == steps.end()) return std::nullopt;
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - (*first)->began_;
  return std::pair{(*first)->node_, spent.count()};
}

}  // namespace kumihimo
