// SPDX-License-Identifier: Apache-2.0
//
// Which nodes are being evaluated at the moment, for a watchdog on another thread: a design that
// loops within one evaluation never comes back.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>

namespace kumihimo {

class StepWatch {
 public:
  // The step of a node lasts as long as this object; `node` must live longer.
  explicit StepWatch(const std::string& node);
  ~StepWatch();
  StepWatch(const StepWatch&) = delete;
  StepWatch& operator=(const StepWatch&) = delete;

  // The node whose step began first, and its seconds of wall time; any thread may ask.
  static std::optional<std::pair<std::string, double>> longest();

 private:
  const std::string& node_;
  std::chrono::steady_clock::time_point began_;
};

}  // namespace kumihimo
