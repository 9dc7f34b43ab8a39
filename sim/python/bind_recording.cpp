// SPDX-License-Identifier: Apache-2.0
//
// Python: header and extent of a recording, without a cluster.
#include <nanobind/stl/string.h>

#include "base/hash.hpp"
#include "bindings.hpp"
#include "convert.hpp"
#include "record/recording.hpp"

namespace nb = nanobind;

namespace kumihimo {
namespace {

Dict recording_info(const std::string& path) {
  RecordingReader reader(path);
  std::uint64_t events = 0, frames = 0;
  Ps last = 0;
  std::string digest;
  while (auto e = reader.next()) {
    last = e->t_ps;
    if (const auto* c = std::get_if<CheckEvent>(&e->what)) {
      digest = hex64(c->digest);
    } else {
      ++events;
      frames += std::holds_alternative<FrameEvent>(e->what);
    }
  }
  nb::dict out;
  out["version"] = reader.version();
  out["metadata"] = reader.metadata();
  out["topology"] = reader.topology();
  out["events"] = events;
  out["frames"] = frames;
  out["last_ps"] = last;
  out["digest"] = digest;
  out["complete"] = reader.ended();
  return out;
}

}  // namespace

void bind_recording(nb::module_& m) {
  m.def("recording_info", &recording_info, nb::arg("path"), "Header and extent of a recording.");
}

}  // namespace kumihimo
