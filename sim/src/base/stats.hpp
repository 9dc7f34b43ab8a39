// SPDX-License-Identifier: Apache-2.0
//
// An ordered tree of named figures, converted to a dict for Python.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace kumihimo {

class Stats {
 public:
  using Leaf = std::variant<std::uint64_t, double, std::string>;
  struct Item {
    std::string name;
    Leaf leaf;
    std::unique_ptr<Stats> group;
  };

  void set(std::string name, std::uint64_t v) { items_.push_back({std::move(name), v, nullptr}); }
  void set(std::string name, double v) { items_.push_back({std::move(name), v, nullptr}); }
  void set(std::string name, std::string v) {
    items_.push_back({std::move(name), std::move(v), nullptr});
  }
  Stats& group(std::string name) {
    items_.push_back({std::move(name), std::uint64_t{0}, std::make_unique<Stats>()});
    return *items_.back().group;
  }
  const std::vector<Item>& items() const { return items_; }

 private:
  std::vector<Item> items_;
};

}  // namespace kumihimo
