// SPDX-License-Identifier: Apache-2.0
//
// An endpoint driven from Python: sends frames at given times, queues received ones.
#pragma once

#include <iterator>
#include <utility>
#include <vector>

#include "net/endpoint.hpp"

namespace kumihimo {

class Script : public Endpoint {
 public:
  Script(std::string name, bool obey_pause, bool channel = false)
      : Endpoint(channel ? "channel" : "script", std::move(name), obey_pause, channel) {}

  // Between windows.
  void collect() {
    auto& from = arrived();
    kept_.insert(kept_.end(), std::make_move_iterator(from.begin()),
                 std::make_move_iterator(from.end()));
    from.clear();
  }
  std::vector<TimedFrame> take() { return std::exchange(kept_, {}); }

 private:
  std::vector<TimedFrame> kept_;
};

}  // namespace kumihimo
