// SPDX-License-Identifier: Apache-2.0
//
// Python: the engine. The GIL is released while the engine works.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "convert.hpp"
#include "disk_options.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace kumihimo {
namespace {

// Called with the current and the next known time; the result is ignored.
using Progress = std::optional<nb::typed<nb::callable, nb::object(Ps, Ps)>>;
using StopTest = std::optional<nb::typed<nb::callable, bool()>>;
using Frames = nb::typed<nb::list, nb::typed<nb::tuple, Ps, nb::bytes>>;
using Messages =
    nb::typed<nb::list, nb::typed<nb::tuple, Ps, nb::bytes, bool, std::uint64_t, std::uint16_t>>;
using Notes = nb::typed<nb::list, nb::typed<nb::tuple, nb::str, Ps, nb::str, nb::str>>;
using Port = std::pair<std::uint32_t, std::string>;
using Released = nb::call_guard<nb::gil_scoped_release>;
using Periods = std::map<std::string, Ps>;

End end(const Port& p) { return {p.first, p.second}; }

void bind_impairments(nb::module_& m) {
  nb::class_<Impairments>(m, "Impairments", "What one direction of a cable does to frames.")
      .def(
          "__init__",
          [](Impairments* self, double loss, double ber, double duplicate, double reorder,
             std::uint32_t gap, Ps jitter, bool pass_bad) {
            new (self) Impairments{loss, ber, duplicate, reorder, gap, jitter, pass_bad};
          },
          "loss"_a = 0.0, "ber"_a = 0.0, "duplicate"_a = 0.0, "reorder"_a = 0.0,
          "reorder_gap"_a = 3, "jitter_ps"_a = 0, "pass_bad"_a = false)
      .def_rw("loss", &Impairments::loss)
      .def_rw("ber", &Impairments::ber)
      .def_rw("duplicate", &Impairments::duplicate)
      .def_rw("reorder", &Impairments::reorder)
      .def_rw("reorder_gap", &Impairments::reorder_gap)
      .def_rw("jitter_ps", &Impairments::jitter_ps)
      .def_rw("pass_bad", &Impairments::pass_bad);
}

bool choice(const std::string& what, const std::string& value, const char* yes, const char* no) {
  if (value == yes) return true;
  if (value == no) return false;
  throw nb::value_error((what + " is '" + no + "' or '" + yes + "', not '" + value + "'").c_str());
}

std::uint32_t add_node(Engine& e, const std::string& name, const std::string& path,
                       const Periods& periods, const std::string& trace, const Periods& phases,
                       std::uint64_t seed, std::uint32_t reset_cycles, std::uint32_t setup_cycles,
                       std::uint32_t rx_limit) {
  NodeOptions o;
  o.trace_path = trace;
  o.seed = seed;
  o.reset_cycles = reset_cycles;
  o.setup_cycles = setup_cycles;
  o.rx_limit_bytes = rx_limit;
  const nb::gil_scoped_release release;
  return e.add_node(name, path, periods, phases, o);
}

std::uint32_t add_switch(Engine& e, const std::string& name, std::uint32_t ports,
                         const std::string& mode, Ps latency, std::uint64_t queue_bytes, bool pause,
                         bool pfc, Ps ageing, const std::vector<double>& rates, std::uint64_t high,
                         std::uint64_t low, std::uint32_t max_frame,
                         std::vector<std::pair<std::uint64_t, std::uint32_t>> routes,
                         std::vector<std::uint32_t> flood) {
  SwitchOptions o;
  o.ports = ports;
  o.cut_through = choice("mode", mode, "cut-through", "store-and-forward");
  o.latency_ps = latency;
  o.queue_bytes = queue_bytes;
  o.pause = pause;
  o.pfc = pfc;
  o.ageing_ps = ageing;
  o.rate_bps = rates;
  o.high_bytes = high;
  o.low_bytes = low;
  o.max_frame = max_frame;
  o.routes = std::move(routes);
  o.flood = std::move(flood);
  return e.add_switch(name, o);
}

std::uint32_t connect(Engine& e, const Port& a, const Port& b, double rate, Ps latency,
                      const Impairments& ab, const Impairments& ba, const std::string& name) {
  CableOptions o;
  o.name = name;
  o.rate_bps = rate;
  o.latency_ps = latency;
  o.ab = ab;
  o.ba = ba;
  return e.connect(end(a), end(b), o);
}

void capture(Engine& e, const std::string& path, const std::optional<std::vector<Port>>& ports,
             const std::string& comment) {
  std::vector<End> ends;
  if (ports) {
    for (const Port& p : *ports) ends.push_back(end(p));
    if (ends.empty()) throw nb::value_error("capture: an empty list of ports");
  }
  e.capture(path, ends, comment);
}

template <class Callable>
nb::object object_of(const std::optional<Callable>& callable) {
  return callable ? nb::object(*callable) : nb::none();
}

std::string run(Engine& e, Ps ps, const Progress& progress) {
  const Tick tick = make_tick(object_of(progress), false);
  const nb::gil_scoped_release release;
  return e.run(ps, tick);
}

std::string serve(Engine& e, const StopTest& stop, const std::string& idle, std::optional<Ps> until,
                  double idle_share) {
  ServeOptions o;
  o.idle_share = idle_share;
  o.sleep_when_idle = choice("idle", idle, "sleep", "run");
  o.until_ps = until.value_or(kForever);
  const Tick tick = make_tick(object_of(stop), true);
  const nb::gil_scoped_release release;
  return e.serve(o, tick);
}

Dict replay(Engine& e, const std::string& path, const Progress& progress, bool other_libraries) {
  const Tick tick = make_tick(object_of(progress), false);
  ReplayResult r;
  {
    const nb::gil_scoped_release release;
    r = e.replay(path, tick, other_libraries);
  }
  nb::dict out;
  out["equal"] = r.equal;
  out["complete"] = r.complete;
  out["final_ps"] = r.final_ps;
  out["digest"] = r.digest;
  out["expected"] = r.expected;
  out["events"] = r.events;
  out["checks"] = r.checks;
  if (r.equal) {
    out["differs_ps"] = nb::none();
  } else {
    out["differs_ps"] = r.differs_ps;
  }
  return out;
}

Frames received(Engine& e, std::uint32_t script) {
  std::vector<TimedFrame> frames;
  {
    const nb::gil_scoped_release release;
    frames = e.received(script);
  }
  nb::list out;
  for (const TimedFrame& f : frames) out.append(nb::make_tuple(f.t_last, from_bytes(f.data)));
  return out;
}

Messages received_messages(Engine& e, std::uint32_t script) {
  std::vector<TimedFrame> frames;
  {
    const nb::gil_scoped_release release;
    frames = e.received(script);
  }
  nb::list out;
  for (const TimedFrame& f : frames) {
    out.append(nb::make_tuple(f.t_last, from_bytes(f.data), f.bad, f.user, f.id));
  }
  return out;
}

Notes messages(Engine& e, std::size_t since) {
  static const char* levels[] = {"info", "warning", "error"};
  nb::list out;
  for (const Message& m : e.messages(since)) {
    out.append(nb::make_tuple(levels[static_cast<int>(m.level)], m.t_ps, m.source, m.text));
  }
  return out;
}

Dict stats(Engine& e) {
  Stats s;
  {
    const nb::gil_scoped_release release;
    s = e.stats();
  }
  return to_dict(s);
}

void send(Engine& e, std::uint32_t script, const nb::bytes& frame, std::optional<Ps> at) {
  Bytes data = to_bytes(frame);
  const nb::gil_scoped_release release;
  e.send(script, std::move(data), at.value_or(0));
}

std::uint32_t add_host(Engine& e, const std::string& name, const Port& port,
                       const std::string& path) {
  return e.add_host(name, end(port), path);
}

}  // namespace

void bind_engine(nb::module_& m) {
  bind_impairments(m);
  nb::class_<Engine> c(m, "Engine", "A cluster in virtual time.");
  c.def(nb::init<unsigned, std::uint64_t>(), "threads"_a = 0, "seed"_a = 1)
      .def("add_node", &add_node, "name"_a, "path"_a, "periods_ps"_a, "trace"_a = "",
           "phases_ps"_a = Periods{}, "seed"_a = 0, "reset_cycles"_a = 16, "setup_cycles"_a = 0,
           "rx_limit_bytes"_a = 256 * 1024)
      .def("add_switch", &add_switch, "name"_a, "ports"_a = 8, "mode"_a = "store-and-forward",
           "latency_ps"_a = 322'000, "queue_bytes"_a = 131072, "pause"_a = false, "pfc"_a = false,
           "ageing_ps"_a = SwitchOptions{}.ageing_ps, "rate_bps"_a = std::vector<double>{},
           "high_bytes"_a = 0, "low_bytes"_a = 0, "max_frame"_a = SwitchOptions{}.max_frame,
           "routes"_a = SwitchOptions{}.routes, "flood"_a = SwitchOptions{}.flood)
      .def("add_tap", &Engine::add_tap, "name"_a, "fd"_a = -1, "pause"_a = false)
      .def("add_peer", &Engine::add_peer, "name"_a, "socket_path"_a = "", "listen"_a = true,
           "pause"_a = false)
      .def("add_host", &add_host, "name"_a, "port"_a, "socket_path"_a = "")
      .def("add_script", &Engine::add_script, "name"_a, "pause"_a = false)
      .def("connect", &connect, "a"_a, "b"_a, "rate_bps"_a = 10e9, "latency_ps"_a = 500'000,
           "ab"_a = Impairments{}, "ba"_a = Impairments{}, "name"_a = "")
      .def(
          "connect_lane",
          [](Engine& e, const Port& a, const Port& b, Ps latency, Ps skew, double ber_ab,
             double ber_ba, bool noise, const std::vector<std::pair<Ps, Ps>>& unplugged,
             const std::string& name, const std::vector<Ps>& lane_skews) {
            LaneCableOptions o{name, latency, skew, lane_skews, ber_ab, ber_ba, noise, unplugged};
            return e.connect_lane(end(a), end(b), o);
          },
          "a"_a, "b"_a, "latency_ps"_a = 500'000, "skew_ps"_a = 0, "ber_ab"_a = 0.0,
          "ber_ba"_a = 0.0, "noise"_a = false, "unplugged"_a = std::vector<std::pair<Ps, Ps>>{},
          "name"_a = "", "lane_skews_ps"_a = std::vector<Ps>{})
      .def(
          "flip",
          [](Engine& e, std::uint32_t cable, unsigned direction, unsigned lane, unsigned bit,
             std::optional<Ps> at) {
            const nb::gil_scoped_release release;
            e.flip(cable, direction, {lane, bit}, at.value_or(0));
          },
          "lane_cable"_a, "direction"_a = 0, "lane"_a = 0, "bit"_a = 0, "at_ps"_a = nb::none())
      .def(
          "plug",
          [](Engine& e, std::uint32_t cable, bool in, std::optional<Ps> at) {
            const nb::gil_scoped_release release;
            e.plug(cable, in, at.value_or(0));
          },
          "lane_cable"_a, "plugged"_a = true, "at_ps"_a = nb::none())
      .def(
          "plug_cable",
          [](Engine& e, std::uint32_t cable, bool in, std::optional<Ps> at) {
            const nb::gil_scoped_release release;
            e.plug_cable(cable, in, at.value_or(0));
          },
          "cable"_a, "plugged"_a = true, "at_ps"_a = nb::none())
      .def(
          "impair",
          [](Engine& e, std::uint32_t cable, const std::optional<Impairments>& ab,
             const std::optional<Impairments>& ba, std::optional<Ps> at) {
            const nb::gil_scoped_release release;
            e.impair(cable, ab ? &*ab : nullptr, ba ? &*ba : nullptr, at.value_or(0));
          },
          "cable"_a, "ab"_a = nb::none(), "ba"_a = nb::none(), "at_ps"_a = nb::none())
      .def(
          "reset_node",
          [](Engine& e, std::uint32_t node, std::optional<Ps> at) {
            const nb::gil_scoped_release release;
            e.reset_node(node, at.value_or(0));
          },
          "node"_a, "at_ps"_a = nb::none())
      .def("add_channel", &Engine::add_channel, "node"_a, "port"_a, "latency_ps"_a = 1'000'000)
      .def("capture", &capture, "path"_a, "ports"_a = nb::none(), "comment"_a = "")
      .def("record", &Engine::record, "path"_a, "metadata_json"_a = "{}")
      .def("start", &Engine::start, Released())
      .def("run", &run, "ps"_a, "progress"_a = nb::none())
      .def("serve", &serve, "stop"_a = nb::none(), "idle"_a = "sleep", "until_ps"_a = nb::none(),
           "idle_share"_a = ServeOptions{}.idle_share)
      .def("replay", &replay, "path"_a, "progress"_a = nb::none(), "other_libraries"_a = false)
      .def("stop", &Engine::stop, "End a run, serve or replay; from any thread.")
      .def("close", &Engine::close, Released())
      .def("axil_read", &Engine::axil_read, "node"_a, "addr"_a, "port"_a = "", Released())
      .def("axil_write", &Engine::axil_write, "node"_a, "addr"_a, "data"_a, "port"_a = "",
           "strb"_a = 15, "wait"_a = true, Released())
      .def(
          "pin",
          [](Engine& e, std::uint32_t node, const std::string& name) {
            std::vector<std::uint32_t> words;
            {
              const nb::gil_scoped_release release;
              words = e.pin(node, name);
            }
            return words_to_int(words);
          },
          "node"_a, "name"_a)
      .def(
          "set_pin",
          [](Engine& e, std::uint32_t node, const std::string& name, const nb::int_& value) {
            const auto words = int_to_words(value);
            const nb::gil_scoped_release release;
            e.set_pin(node, name, words);
          },
          "node"_a, "name"_a, "value"_a)
      .def(
          "set_memory",
          [](Engine& e, std::uint32_t node, const std::string& port, std::uint64_t size, Ps latency,
             Ps jitter, double ps_per_byte, std::uint32_t flags) {
            kumi_port_config c{};
            c.mem_size = size;
            c.mem_latency_ps = latency;
            c.mem_jitter_ps = jitter;
            c.mem_ps_per_byte = ps_per_byte;
            c.mem_flags = flags;
            e.set_memory(node, port, c);
          },
          "node"_a, "port"_a = "", "size"_a = 0, "latency_ps"_a = 0, "jitter_ps"_a = 0,
          "ps_per_byte"_a = 0.0, "flags"_a = 0)
      .def(
          "mem_read",
          [](Engine& e, std::uint32_t node, std::uint64_t addr, std::uint64_t bytes,
             const std::string& port) {
            Bytes data;
            {
              const nb::gil_scoped_release release;
              data = e.mem_read(node, addr, bytes, port);
            }
            return from_bytes(data);
          },
          "node"_a, "addr"_a, "bytes"_a, "port"_a = "")
      .def(
          "mem_write",
          [](Engine& e, std::uint32_t node, std::uint64_t addr, const nb::bytes& data,
             const std::string& port) {
            Bytes copy = to_bytes(data);
            const nb::gil_scoped_release release;
            e.mem_write(node, addr, std::move(copy), port);
          },
          "node"_a, "addr"_a, "data"_a, "port"_a = "")
      .def("mem_fault", &Engine::mem_fault, "node"_a, "addr"_a, "bytes"_a, "on"_a = true,
           "port"_a = "", Released())
      .def(
          "add_disk",
          [](Engine& e, const std::string& name, const Port& port, const Dict& options) {
            return e.add_disk(name, end(port), to_disk_options(options));
          },
          "name"_a, "port"_a, "options"_a = Dict())
      .def("disk_sectors", &Engine::disk_sectors, "disk"_a)
      .def(
          "disk_read",
          [](Engine& e, std::uint32_t disk, std::uint64_t lba, std::uint64_t count, bool cached) {
            Bytes data;
            {
              const nb::gil_scoped_release release;
              data = e.disk_read(disk, lba, count, cached);
            }
            return from_bytes(data);
          },
          "disk"_a, "lba"_a, "count"_a, "cached"_a = true)
      .def(
          "disk_write",
          [](Engine& e, std::uint32_t disk, std::uint64_t lba, const nb::bytes& data) {
            Bytes copy = to_bytes(data);
            const nb::gil_scoped_release release;
            e.disk_write(disk, lba, std::move(copy));
          },
          "disk"_a, "lba"_a, "data"_a)
      .def(
          "disk_fault",
          [](Engine& e, std::uint32_t disk, std::uint32_t kind, std::uint64_t a, std::uint64_t b,
             double x, std::optional<Ps> at) {
            const nb::gil_scoped_release release;
            e.disk_fault(disk, {static_cast<DiskFaultKind>(kind), a, b, x}, at.value_or(0));
          },
          "disk"_a, "kind"_a, "a"_a = 0, "b"_a = 0, "x"_a = 0.0, "at_ps"_a = nb::none())
      .def("send", &send, "script"_a, "frame"_a, "at_ps"_a = nb::none())
      .def("received", &received, "script"_a)
      .def("received_messages", &received_messages, "script"_a)
      .def("trace", &Engine::trace, "node"_a, "on"_a = true, Released())
      .def("trace_window", &Engine::trace_window, "node"_a, "from_ps"_a, "to_ps"_a, Released())
      .def("finish", &Engine::finish, Released())
      .def("complete_files", &Engine::complete_files,
           "Completes captures and recordings; what happens later is in neither.", Released())
      .def("flush", &Engine::flush, Released())
      .def("messages", &messages, "since"_a = 0)
      .def("stats", &stats)
      .def("digest", &Engine::digest, Released())
      .def("topology", &Engine::topology)
      .def_prop_ro("now_ps", &Engine::now_ps)
      .def_prop_ro("window_ps", &Engine::window_ps)
      .def_prop_ro("started", &Engine::started);
  bind_ranks(c);
  c.def(
      "load",
      [](Engine&, const std::string& path) {
        return Dict(
            nb::cast<nb::dict>(nb::module_::import_("kumihimo._engine").attr("node_info")(path)));
      },
      "path"_a, "Ports, pins and clocks of a node library.");
}

}  // namespace kumihimo
