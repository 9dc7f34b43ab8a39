// SPDX-License-Identifier: Apache-2.0
//
// The parts of the Python module, one per file.
#pragma once

#include <nanobind/nanobind.h>

#include "engine/engine.hpp"

namespace kumihimo {

void bind_engine(nanobind::module_& m);
void bind_ranks(nanobind::class_<Engine>& c);  // of bind_engine
void bind_recording(nanobind::module_& m);
void bind_gzip(nanobind::module_& m);
void bind_node(nanobind::module_& m);

}  // namespace kumihimo
