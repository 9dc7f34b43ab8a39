// SPDX-License-Identifier: Apache-2.0
//
// Python: an engine that holds a part of a cluster, and recorded input met on the way.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "base/hash.hpp"
#include "bindings.hpp"
#include "convert.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace kumihimo {
namespace {

using StopTest = std::optional<nb::typed<nb::callable, bool()>>;
using Released = nb::call_guard<nb::gil_scoped_release>;
using Checks =
    nb::typed<nb::list, nb::typed<nb::tuple, Ps, nb::str, nb::str, std::vector<std::uint64_t>>>;

std::string advance(Engine& e, Ps until, const StopTest& stop) {
  const Tick tick = make_tick(stop ? nb::object(*stop) : nb::none(), true);
  const nb::gil_scoped_release release;
  return e.advance(until, tick);
}

std::optional<std::uint32_t> answered(Engine& e, std::uint64_t ticket) {
  std::uint32_t data = 0;
  if (!e.answered(ticket, &data)) return std::nullopt;
  return data;
}

Checks take_checks(Engine& e) {
  nb::list out;
  for (const RecordedCheck& c : e.take_checks()) {
    out.append(nb::make_tuple(c.t_ps, hex64(c.expected), hex64(c.digest), c.parts));
  }
  return out;
}

Dict recorded(Engine& e) {
  const RecordedInfo info = e.recorded();
  nb::dict out;
  out["events"] = info.events;
  out["over"] = info.over;
  out["complete"] = info.complete;
  return out;
}

}  // namespace

void bind_ranks(nb::class_<Engine>& c) {
  c.def("place", &Engine::place, "rank"_a, "owners"_a,
        "Before the cluster: this engine runs what `owners` gives to `rank`.")
      .def("join", nb::overload_cast<std::uint32_t, int>(&Engine::join), "rank"_a, "fd"_a,
           "The socket to another rank.")
      .def("join_by_mpi", &Engine::join_by_mpi, "rank"_a, "shim"_a,
           "MPI to another rank, through a library that is initialised.")
      .def("advance", &advance, "until_ps"_a, "stop"_a = nb::none(),
           "Run until a time, in step with the other ranks: `done` or `stopped`.")
      .def("poll_outside", &Engine::poll_outside, "timeout_ms"_a,
           "Take what Linux and peers have sent, or wait for it.", Released())
      .def("is_quiet", &Engine::is_quiet, Released())
      .def("digests", &Engine::digests,
           "Of each node, then each disk, then each host; 0: in another rank.", Released())
      .def("tell_digests", &Engine::tell_digests, "of_all"_a, Released())
      .def("take_captured", [](Engine& e) { return from_bytes(e.take_captured()); })
      .def(
          "give_captured", [](Engine& e, const nb::bytes& b) { e.give_captured(to_bytes(b)); },
          "frames"_a)
      .def("write_captured", &Engine::write_captured, Released())
      .def("collect_entered", &Engine::collect_entered, "Rank 0 records.")
      .def("take_entered", [](Engine& e) { return from_bytes(e.take_entered()); })
      .def(
          "give_entered", [](Engine& e, const nb::bytes& b) { e.give_entered(to_bytes(b)); },
          "events"_a)
      .def("write_entered", &Engine::write_entered, Released())
      .def("post", &Engine::post, "node"_a, "addr"_a, "data"_a, "port"_a, "strb"_a, "write"_a,
           "Begin a register access, which `advance` carries out.", Released())
      .def("answered", &answered, "ticket"_a, "Data of an access; None: not yet.")
      .def("rank_stats", [](Engine& e) { return to_dict(e.rank_stats()); })
      .def("begin_replay", &Engine::begin_replay, "path"_a, "other_libraries"_a = false,
           "In place of start: runs meet the events of a recording at their times.", Released())
      .def("take_checks", &take_checks,
           "Digests of the recording that were met: time, recorded, found, of nodes and disks.")
      .def("recorded", &recorded, "How far the recording is.")
      .def("go_live", &Engine::go_live, "From now on the outside world gives the input.",
           Released());
}

}  // namespace kumihimo
