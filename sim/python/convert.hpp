// SPDX-License-Identifier: Apache-2.0
//
// Between the engine's types and Python's.
#pragma once

#include <nanobind/nanobind.h>

#include <vector>

#include "engine/engine.hpp"

namespace kumihimo {

nanobind::dict to_dict(const Stats& stats);
nanobind::object words_to_int(const std::vector<std::uint32_t>& words);
std::vector<std::uint32_t> int_to_words(const nanobind::object& value);
Bytes to_bytes(const nanobind::bytes& data);
nanobind::bytes from_bytes(const Bytes& data);

// Called by the engine without the GIL: looks for signals, then asks `what`.
Tick make_tick(nanobind::object what, bool is_stop);

}  // namespace kumihimo
