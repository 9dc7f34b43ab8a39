// SPDX-License-Identifier: Apache-2.0
//
// Who drives the engine: one run, or calls in turn.
#pragma once

#include "engine/engine.hpp"

namespace kumihimo {

// Holds the right to drive; at the end it serves the calls that still wait.
//
// A run waits for a call that is driving at the moment (it is done in microseconds), and refuses to
// share with another run. A call does not wait: it looks at owns().
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
