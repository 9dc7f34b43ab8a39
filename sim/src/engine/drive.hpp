// SPDX-License-Identifier: Apache-2.0
//
// The right to drive the engine: held by one run, or by calls in turn.
#pragma once

#include "engine/engine.hpp"

namespace kumihimo {

// Holds the right to drive; when released, serves calls that still wait.
//
// A run waits for a call that is driving (which takes microseconds) and throws if another run is
// driving. A call does not wait: it checks owns().
class Engine::Drive {
 public:
  enum class Kind { kRun, kCall };

  explicit Drive(Engine& engine, Kind kind = Kind::kRun);
  ~Drive();
  Drive(const Drive&) = delete;
  Drive& operator=(const Drive&) = delete;

  bool owns() const { return owns_; }

 private:
  Engine& engine_;
  bool owns_ = true;
  bool nested_ = false;
};

}  // namespace kumihimo
