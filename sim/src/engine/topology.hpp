// SPDX-License-Identifier: Apache-2.0
//
// Connections of the engine's actors: cables, lane cables, disks.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "disk/disk.hpp"
#include "lane/lane_link.hpp"
#include "net/link.hpp"

namespace kumihimo {

struct Cable {
  std::string name;
  std::uint32_t actor[2];
  std::uint32_t port[2];
  std::unique_ptr<Link> link[2];  // ab, ba
  bool channel = false;
};

// Of lanes, or of InfiniBand ports.
struct LaneCable {
  std::string name;
  std::uint32_t actor[2];
  std::uint32_t port[2];
  bool noise;
  bool infiniband;
  double lane_rate_bps = 0;                  // InfiniBand: of the data of a lane, 8 of 10 bits
  std::vector<std::pair<Ps, Ps>> unplugged;  // as given
  std::unique_ptr<LaneLink> link[2];         // ab, ba; a loop has only ab
};

inline constexpr Ps kMinLatency = 1'000;  // 1 ns: 20 cm of cable

// Throw Error that names the cable.
void check_share(const std::string& cable, const char* what, double v);
void check_impairments(const std::string& cable, const Impairments& im);

struct JoinedDisk {
  std::unique_ptr<Disk> disk;
  std::uint32_t node, port;
};

}  // namespace kumihimo
