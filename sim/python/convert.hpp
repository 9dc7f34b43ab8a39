// SPDX-License-Identifier: Apache-2.0
//
// Conversions between types of the engine and of Python.
#pragma once

#include <nanobind/nanobind.h>

#include <vector>

#include "engine/engine.hpp"

namespace kumihimo {

// A dictionary with text keys, in type stubs too.
using Dict = nanobind::typed<nanobind::dict, nanobind::str, nanobind::any>;

Dict to_dict(const Stats& stats);
nanobind::int_ words_to_int(const std::vector<std::uint32_t>& words);
std::vector<std::uint32_t> int_to_words(const nanobind::int_& value);
Bytes to_bytes(const nanobind::bytes& data);
nanobind::bytes from_bytes(const Bytes& data);

// Called by the engine without the GIL: checks for signals, then calls `what`.
Tick make_tick(nanobind::object what, bool is_stop);

}  // namespace kumihimo
