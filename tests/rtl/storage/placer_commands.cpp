// SPDX-License-Identifier: Apache-2.0
//
// The C++ array's placer behind text commands, one a line, so that the RTL's can be compared:
//   new WIDTH DYNAMIC DEPTH PHYSICAL | device INDEX SLOTS RATE | usable INDEX 0|1 | rates RATE...
//   pick LEAST (answer: picked DEVICE SLOT ... in the order of positions, or queues, or room)
//   release DEVICE SLOT | vacate | recent (answer: devices)
#include <iostream>
#include <memory>
#include <sstream>
#include <string>

#include "placer.hpp"

using kumihimo::storage::Placer;

int main() {
  std::unique_ptr<Placer> placer;
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream in(line);
    std::string what;
    in >> what;
    std::uint64_t a = 0, b = 0, c = 0, d = 0;
    if (what == "new") {
      in >> a >> b >> c >> d;
      placer = std::make_unique<Placer>(a, b, c, d, 4096);
    } else if (what == "device") {
      in >> a >> b >> c;
      placer->set_device(a, b, c);
    } else if (what == "usable") {
      in >> a >> b;
      placer->set_usable(a, b);
    } else if (what == "rates") {
      std::vector<std::uint64_t> rates;
      while (in >> a) rates.push_back(a);
      placer->set_rates(rates);
    } else if (what == "release") {
      in >> a >> b;
      placer->release(a, b);
    } else if (what == "vacate") {
      placer->stripe_released();
    } else if (what == "recent") {
      for (const unsigned i : placer->recent()) std::cout << i << ' ';
      std::cout << std::endl;
    } else if (what == "pick") {
      in >> a;
      std::vector<Placer::Pick> out;
      const auto outcome = placer->pick_stripe(a, out);
      std::cout << (outcome == Placer::Outcome::kPicked       ? "picked"
                    : outcome == Placer::Outcome::kQueuesFull ? "queues"
                                                              : "room");
      for (const Placer::Pick& p : out) std::cout << ' ' << p.device << ' ' << p.slot;
      std::cout << std::endl;
    } else {
      std::cerr << "unknown command: " << line << std::endl;
      return 1;
    }
  }
  return 0;
}
