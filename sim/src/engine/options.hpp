// SPDX-License-Identifier: Apache-2.0
//
// Options and results of the engine's calls: cables, runs, replays.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "net/link.hpp"

namespace kumihimo {

struct End {
  std::uint32_t actor;
  std::string port;
};

struct CableOptions {
  std::string name;
  double rate_bps = 10e9;
  Ps latency_ps = 500'000;
  Impairments ab, ba;
};

// A cable between two lanes or two InfiniBand ports, or from one back to itself.
struct LaneCableOptions {
  std::string name;
  Ps latency_ps = 500'000;
  Ps skew_ps = 0;                 // extra latency of this lane
  std::vector<Ps> lane_skews_ps;  // InfiniBand: of each lane, rounded to symbols; empty: none
  double ber_ab = 0, ber_ba = 0;
  bool noise = false;                        // a dark line is noise, else zeros
  std::vector<std::pair<Ps, Ps>> unplugged;  // from, to
};

struct ServeOptions {
  bool sleep_when_idle = true;
  double idle_share = 0.05;  // of the wall time is simulated while idle
  Ps until_ps = kForever;
};

struct ReplayResult {
  bool equal = true;      // all digests of the recording matched
  bool complete = false;  // the recording has its end marker
  Ps final_ps = 0;
  Ps differs_ps = 0;  // time of the first mismatch
  std::string digest, expected;
  std::uint64_t events = 0, checks = 0;
};

// A digest in a recording, and what it is here: as a whole, or of each node and disk of a part.
struct RecordedCheck {
  Ps t_ps;
  std::uint64_t expected, digest;
  std::vector<std::uint64_t> parts;
};

struct RecordedInfo {
  std::uint64_t events;  // carried out
  bool over;             // all of them
  bool complete;         // the recording has its end marker
};

struct TraceWindow {
  std::uint32_t node;
  Ps from;
  Ps to;
};

// Called about ten times per second of wall time by the driving thread; true ends the drive.
using Tick = std::function<bool(Ps now, Ps end)>;

}  // namespace kumihimo
