// SPDX-License-Identifier: Apache-2.0
//
// Python: a single node, for RTL tests (class Node), and the description of a node library.
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>

#include "convert.hpp"
#include "disk_options.hpp"
#include "node/node_bench.hpp"

namespace nb = nanobind;

namespace kumihimo {

namespace {

constexpr const char* kKindNames[] = {"eth", "axis", "axil", "hdr", "axi", "lane", "sata", "ib"};

Dict describe(const NodeLibrary& library) {
  const kumi_design_info& info = library.info();
  nb::dict out;
  out["design"] = info.design;
  out["hash"] = info.hash;
  out["traced"] = info.traced != 0;
  nb::list clocks;
  for (uint32_t i = 0; i < info.n_clocks; ++i) clocks.append(info.clocks[i]);
  out["clocks"] = clocks;
  nb::list ports;
  for (uint32_t i = 0; i < info.n_ports; ++i) {
    const kumi_port_info& p = info.ports[i];
    nb::dict row;
    row["name"] = p.name;
    row["kind"] = kKindNames[p.kind];
    row["to_node"] = (p.dirs & KUMI_TO_NODE) != 0;
    row["from_node"] = (p.dirs & KUMI_FROM_NODE) != 0;
    row["rx_bits"] = p.rx_bits;
    row["tx_bits"] = p.tx_bits;
    row["clock"] = info.clocks[p.clock];
    ports.append(row);
  }
  out["ports"] = ports;
  nb::list pins;
  for (uint32_t i = 0; i < info.n_pins; ++i) {
    nb::dict row;
    row["name"] = info.pins[i].name;
    row["output"] = info.pins[i].is_output != 0;
    row["bits"] = info.pins[i].bits;
    pins.append(row);
  }
  out["pins"] = pins;
  return out;
}

int port_of(const NodeBench& node, const std::string& name) {
  const int index = node.library().find_port(name);
  if (index < 0) throw nb::key_error(("no port " + name).c_str());
  return index;
}

int pin_of(const NodeBench& node, const std::string& name) {
  const int index = node.library().find_pin(name);
  if (index < 0) throw nb::key_error(("no pin " + name).c_str());
  return index;
}

std::vector<uint32_t> int_to_words(const nb::int_& value, uint32_t bits) {
  nb::object mask = nb::int_(1);
  mask = mask.attr("__lshift__")(bits).attr("__sub__")(1);
  const nb::object cut = value.attr("__and__")(mask);
  const uint32_t words = (bits + 31) / 32;
  const nb::bytes raw = nb::cast<nb::bytes>(cut.attr("to_bytes")(words * 4, "little"));
  std::vector<uint32_t> out(words);
  std::memcpy(out.data(), raw.c_str(), words * 4);
  return out;
}

nb::typed<nb::dict, nb::str, std::uint64_t> stats_of(const NodeBench& node,
                                                     const std::string& name) {
  const kumi_port_stats& s = node.port(port_of(node, name)).stats;
  nb::dict out;
  out["rx_frames"] = s.rx_frames;
  out["rx_beats"] = s.rx_beats;
  out["rx_bytes"] = s.rx_bytes;
  out["tx_frames"] = s.tx_frames;
  out["tx_beats"] = s.tx_beats;
  out["tx_bytes"] = s.tx_bytes;
  out["tx_bad"] = s.tx_bad;
  out["rx_overflow"] = s.rx_overflow;
  out["tx_gap"] = s.tx_gap;
  out["rx_wait"] = s.rx_wait;
  out["protocol_errors"] = s.protocol_errors;
  out["lane_slips"] = s.lane_slips;
  out["lane_repeats"] = s.lane_repeats;
  out["lane_skips"] = s.lane_skips;
  out["lane_dark"] = s.lane_dark;
  return out;
}

int memory_of(const NodeBench& node, const std::string& name) {
  const int index = port_of(node, name);
  if (node.library().info().ports[index].kind != KUMI_PORT_AXI) {
    throw nb::key_error(("port " + name + " has no memory").c_str());
  }
  return index;
}

int lane_of(const NodeBench& node, const std::string& name) {
  const int index = port_of(node, name);
  const uint32_t kind = node.library().info().ports[index].kind;
  if (kind != KUMI_PORT_LANE && kind != KUMI_PORT_IB) {
    throw nb::key_error(("port " + name + " is not a lane").c_str());
  }
  return index;
}

int sata_port_of(NodeBench& node, const std::string& name) {
  const int index = port_of(node, name);
  if (node.library().info().ports[index].kind != KUMI_PORT_SATA) {
    throw nb::key_error(("port " + name + " is not a Serial ATA port").c_str());
  }
  return index;
}

Disk& disk_of(NodeBench& node, const std::string& name) { return node.disk(port_of(node, name)); }

std::optional<std::string> failure(const NodeBench& node) {
  std::string text;
  if (!node.failed(text)) return std::nullopt;
  return text;
}

}  // namespace

void bind_node(nb::module_& m) {
  m.def(
      "node_info", [](const std::string& path) { return describe(*NodeLibrary::open(path)); },
      nb::arg("path"), "Ports, pins and clocks of a node library.");

  nb::class_<BenchFrame>(m, "NodeFrame", "A frame that left a node.")
      .def_ro("t_first_ps", &BenchFrame::t_first_ps)
      .def_ro("t_last_ps", &BenchFrame::t_last_ps)
      .def_ro("user", &BenchFrame::user)
      .def_ro("id", &BenchFrame::id)
      .def_ro("dest", &BenchFrame::dest)
      .def_ro("bad", &BenchFrame::bad)
      .def_ro("beats", &BenchFrame::beats)
      .def_ro("users", &BenchFrame::users)
      .def_ro("beat_ps", &BenchFrame::beat_ps)
      .def_prop_ro("beat_bytes",
                   [](const BenchFrame& f) {
                     return std::vector<int>(f.beat_bytes.begin(), f.beat_bytes.end());
                   })
      .def_prop_ro("data",
                   [](const BenchFrame& f) { return nb::bytes(f.data.data(), f.data.size()); });

  nb::class_<NodeBench>(m, "Node", "A single node, driven from Python.")
      .def(nb::init<const std::string&, const std::map<std::string, uint64_t>&,
                    const std::map<std::string, uint64_t>&, uint64_t, const std::string&,
                    const std::string&>(),
           nb::arg("path"), nb::arg("periods_ps") = std::map<std::string, uint64_t>{},
           nb::arg("phases_ps") = std::map<std::string, uint64_t>{}, nb::arg("seed") = 1,
           nb::arg("trace") = "", nb::arg("name") = "dut")
      .def_prop_ro("info", [](const NodeBench& n) { return describe(n.library()); })
      .def_prop_ro("now_ps", &NodeBench::now_ps)
      .def_prop_ro("cycle", &NodeBench::cycle)
      .def_prop_ro("period_ps", &NodeBench::period_ps)
      .def_prop_ro("failed", &failure, "Text of the failure; None: no failure.")
      .def_prop_ro("protocol_errors", &NodeBench::protocol_errors, "Of all ports together.")
      .def_prop_ro("messages", &NodeBench::messages)
      .def("reset", &NodeBench::reset, nb::arg("cycles") = 16, nb::arg("settle") = 0)
      .def("run", &NodeBench::run, nb::arg("cycles") = 1, nb::call_guard<nb::gil_scoped_release>())
      .def("run_raw", &NodeBench::run_raw, nb::arg("cycles"),
           nb::call_guard<nb::gil_scoped_release>(),
           "Run without recording cycles and watched pins, for speed measurements.")
      .def("toggle", &NodeBench::toggle, nb::arg("cycles"),
           nb::call_guard<nb::gil_scoped_release>())
      .def(
          "run_until_frames",
          [](NodeBench& n, const std::string& port, uint64_t frames, uint64_t timeout) {
            const int index = port_of(n, port);
            const nb::gil_scoped_release release;
            return n.run_until_frames(index, frames, timeout);
          },
          nb::arg("port"), nb::arg("frames"), nb::arg("timeout_cycles"))
      .def("run_until_taken", &NodeBench::run_until_taken, nb::arg("timeout_cycles"),
           nb::call_guard<nb::gil_scoped_release>())
      .def(
          "push",
          [](NodeBench& n, const std::string& port, const nb::bytes& data,
             const std::vector<uint64_t>& users, uint32_t id, uint32_t dest, bool bad,
             uint64_t t_ps, uint32_t piece_bytes) {
            n.push(port_of(n, port), std::string(data.c_str(), data.size()), users, id, dest, bad,
                   t_ps, piece_bytes);
          },
          nb::arg("port"), nb::arg("frame"), nb::arg("users") = std::vector<uint64_t>{},
          nb::arg("id") = 0, nb::arg("dest") = 0, nb::arg("bad") = false, nb::arg("t_ps") = 0,
          nb::arg("piece_bytes") = 0)
      .def(
          "pop",
          [](NodeBench& n, const std::string& port) {
            nb::list out;
            for (BenchFrame& f : n.pop(port_of(n, port))) out.append(nb::cast(std::move(f)));
            return nb::typed<nb::list, BenchFrame>(out);
          },
          nb::arg("port"))
      .def(
          "taken",
          [](NodeBench& n, const std::string& port) {
            std::vector<std::pair<uint64_t, uint64_t>> out;
            for (const Span& s : n.taken(port_of(n, port))) {
              out.emplace_back(s.first_ps, s.last_ps);
            }
            return out;
          },
          nb::arg("port"),
          "Times of the first and last beat of each frame accepted since the last call.")
      .def(
          "waiting",
          [](const NodeBench& n, const std::string& port) { return n.waiting(port_of(n, port)); },
          nb::arg("port"))
      .def(
          "stall",
          [](NodeBench& n, const std::string& port, double rx, double tx, uint64_t seed) {
            n.stall(port_of(n, port), rx, tx, seed);
          },
          nb::arg("port"), nb::arg("rx") = 0.0, nb::arg("tx") = 0.0, nb::arg("seed") = 1)
      .def(
          "line",
          [](NodeBench& n, const std::string& port, double ps_per_byte, uint32_t overhead,
             uint32_t limit) { n.line(port_of(n, port), ps_per_byte, overhead, limit); },
          nb::arg("port"), nb::arg("ps_per_byte"), nb::arg("overhead") = 24,
          nb::arg("rx_limit_bytes") = 0)
      .def(
          "set_pin",
          [](NodeBench& n, const std::string& name, const nb::int_& value) {
            const int pin = pin_of(n, name);
            n.set_pin(pin, int_to_words(value, n.library().info().pins[pin].bits));
          },
          nb::arg("name"), nb::arg("value"))
      .def(
          "get_pin",
          [](const NodeBench& n, const std::string& name) {
            return words_to_int(n.get_pin(pin_of(n, name)));
          },
          nb::arg("name"))
      .def(
          "watch", [](NodeBench& n, const std::string& name) { n.watch(pin_of(n, name)); },
          nb::arg("name"))
      .def(
          "watched",
          [](NodeBench& n, const std::string& name, bool clear) {
            return n.watched(pin_of(n, name), clear);
          },
          nb::arg("pin"), nb::arg("clear") = false)
      .def(
          "axil",
          [](NodeBench& n, const std::string& port, bool write, uint32_t addr, uint32_t data,
             uint32_t strb) {
            kumi_axil_op op{};
            op.addr = addr;
            op.data = data;
            op.strb = static_cast<uint8_t>(strb);
            op.write = write ? 1 : 0;
            const int index = port_of(n, port);
            if (n.library().info().ports[index].kind != KUMI_PORT_AXIL) {
              throw nb::key_error(("port " + port + " is not AXI4-Lite").c_str());
            }
            const nb::gil_scoped_release release;
            op = n.axil(index, op);
            return std::pair<uint32_t, uint32_t>(op.data, op.resp);
          },
          nb::arg("port"), nb::arg("write"), nb::arg("addr"), nb::arg("data") = 0,
          nb::arg("strb") = 15, "Complete one operation: (data, resp).")
      .def(
          "lane_tie",
          [](NodeBench& n, const std::string& from, const std::string& to, uint64_t latency,
             uint64_t skew, double ber, uint64_t seed, bool noise) {
            LaneConfig c;
            c.seed = seed;
            c.latency_ps = latency;
            c.skew_ps = skew;
            c.ber = ber;
            n.lane_tie(lane_of(n, from), lane_of(n, to), c, noise);
          },
          nb::arg("source"), nb::arg("target"), nb::arg("latency_ps") = 0, nb::arg("skew_ps") = 0,
          nb::arg("ber") = 0.0, nb::arg("seed") = 1, nb::arg("noise") = false)
      .def(
          "lane_plug",
          [](NodeBench& n, const std::string& from, bool in) { n.lane_plug(lane_of(n, from), in); },
          nb::arg("source"), nb::arg("plugged"))
      .def(
          "ib_flip",
          [](NodeBench& n, const std::string& from, unsigned lane, unsigned bit) {
            n.ib_flip(lane_of(n, from), {lane, bit});
          },
          nb::arg("source"), nb::arg("lane"), nb::arg("bit"))
      .def(
          "lane_push",
          [](NodeBench& n, const std::string& port,
             const std::vector<std::pair<uint64_t, uint32_t>>& blocks, uint32_t shift) {
            if (shift < 1 || shift > KUMI_BLOCK_BITS) throw nb::value_error("shift is 1 to 66");
            n.lane_push(lane_of(n, port), blocks, shift);
          },
          nb::arg("port"), nb::arg("blocks"), nb::arg("shift") = KUMI_BLOCK_BITS)
      .def(
          "lane_keep", [](NodeBench& n, const std::string& port) { n.lane_keep(lane_of(n, port)); },
          nb::arg("port"))
      .def(
          "lane_take",
          [](NodeBench& n, const std::string& port) {
            nb::list out;
            for (const kumi_block& b : n.lane_take(lane_of(n, port))) {
              out.append(nb::make_tuple(b.t_ps, b.data, static_cast<unsigned>(b.head)));
            }
            return nb::typed<nb::list, nb::typed<nb::tuple, Ps, std::uint64_t, unsigned>>(out);
          },
          nb::arg("port"))
      .def(
          "memory",
          [](NodeBench& n, const std::string& port, uint64_t size, uint64_t latency,
             uint64_t jitter, double ps_per_byte, uint32_t flags) {
            kumi_port_config c{};
            c.mem_size = size;
            c.mem_latency_ps = latency;
            c.mem_jitter_ps = jitter;
            c.mem_ps_per_byte = ps_per_byte;
            c.mem_flags = flags;
            n.memory(memory_of(n, port), c);
          },
          nb::arg("port"), nb::arg("size") = 0, nb::arg("latency_ps") = 0, nb::arg("jitter_ps") = 0,
          nb::arg("ps_per_byte") = 0.0, nb::arg("flags") = 0)
      .def(
          "mem_read",
          [](const NodeBench& n, const std::string& port, uint64_t addr, uint64_t bytes) {
            const std::string data = n.mem_read(memory_of(n, port), addr, bytes);
            return nb::bytes(data.data(), data.size());
          },
          nb::arg("port"), nb::arg("addr"), nb::arg("size"))
      .def(
          "mem_write",
          [](NodeBench& n, const std::string& port, uint64_t addr, const nb::bytes& data) {
            n.mem_write(memory_of(n, port), addr, std::string(data.c_str(), data.size()));
          },
          nb::arg("port"), nb::arg("addr"), nb::arg("data"))
      .def(
          "mem_fault",
          [](NodeBench& n, const std::string& port, uint64_t addr, uint64_t bytes, bool on) {
            n.mem_fault(memory_of(n, port), addr, bytes, on);
          },
          nb::arg("port"), nb::arg("addr"), nb::arg("size"), nb::arg("on"))
      .def(
          "disk",
          [](NodeBench& n, const std::string& port, const std::string& name, const Dict& options) {
            const int index = sata_port_of(n, port);
            n.join_disk(index, name, to_disk_options(options));
            return n.disk(index).sectors();
          },
          nb::arg("port"), nb::arg("name"), nb::arg("options"),
          "Attaches a disk to a port; returns its number of sectors.")
      .def(
          "disk_remove",
          [](NodeBench& n, const std::string& port) { n.remove_disk(sata_port_of(n, port)); },
          nb::arg("port"), "Detaches the disk of a port.")
      .def(
          "disk_read",
          [](NodeBench& n, const std::string& port, uint64_t lba, uint64_t count, bool cached) {
            return from_bytes(disk_of(n, port).read(n.now_ps(), lba, count, cached));
          },
          nb::arg("port"), nb::arg("lba"), nb::arg("count"), nb::arg("cached"))
      .def(
          "disk_write",
          [](NodeBench& n, const std::string& port, uint64_t lba, const nb::bytes& data) {
            disk_of(n, port).write(n.now_ps(), lba, to_bytes(data));
          },
          nb::arg("port"), nb::arg("lba"), nb::arg("data"))
      .def(
          "disk_fault",
          [](NodeBench& n, const std::string& port, uint32_t kind, uint64_t a, uint64_t b, double x,
             std::optional<Ps> at) {
            const DiskFault f{static_cast<DiskFaultKind>(kind), a, b, x};
            disk_of(n, port).check(f);
            disk_of(n, port).fault(std::max<Ps>(at.value_or(0), n.now_ps()), f);
          },
          nb::arg("port"), nb::arg("kind"), nb::arg("a") = 0, nb::arg("b") = 0, nb::arg("x") = 0.0,
          nb::arg("at_ps") = nb::none())
      .def(
          "disk_stats",
          [](NodeBench& n, const std::string& port) {
            Stats s;
            disk_of(n, port).stats(s);
            return to_dict(s);
          },
          nb::arg("port"))
      .def(
          "disk_digest",
          [](NodeBench& n, const std::string& port) { return hex64(disk_of(n, port).digest()); },
          nb::arg("port"))
      .def("stats", &stats_of, nb::arg("port"))
      .def("trace", &NodeBench::trace, nb::arg("on"));
}

}  // namespace kumihimo
