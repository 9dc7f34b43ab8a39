// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include "base/types.hpp"
#include "bindings.hpp"
#include "node/step_watch.hpp"

NB_MODULE(_engine, m) {
  // A traceback may keep an engine alive until the interpreter exits; do not report that as a leak.
  nanobind::set_leak_warnings(false);
  m.doc() = "The cluster engine: virtual time, cables, switches, and the connection to Linux.";
  nanobind::exception<kumihimo::Error>(m, "EngineError", PyExc_RuntimeError);
  kumihimo::bind_engine(m);
  kumihimo::bind_recording(m);
  kumihimo::bind_gzip(m);
  kumihimo::bind_node(m);
  m.def("longest_step", &kumihimo::StepWatch::longest,
        "Of the nodes that are being evaluated now, the one that began first: name and seconds of "
        "wall time.");
}
