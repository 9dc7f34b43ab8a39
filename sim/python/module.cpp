// SPDX-License-Identifier: Apache-2.0
#include "base/types.hpp"
#include "bindings.hpp"

NB_MODULE(_engine, m) {
  // A traceback may keep an engine alive until the interpreter exits; do not report that as a leak.
  nanobind::set_leak_warnings(false);
  m.doc() = "The cluster engine: virtual time, cables, switches, and the connection to Linux.";
  nanobind::exception<kumihimo::Error>(m, "EngineError", PyExc_RuntimeError);
  kumihimo::bind_engine(m);
  kumihimo::bind_recording(m);
  kumihimo::bind_node(m);
}
