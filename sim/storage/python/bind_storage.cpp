// SPDX-License-Identifier: Apache-2.0
//
// Python: arrays, volumes, the NBD server, disks in memory with faults, and runs in virtual time.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "../array.hpp"
#include "../file_device.hpp"
#include "../measure.hpp"
#include "../mem_device.hpp"
#include "../nbd_server.hpp"
#include "../parity.hpp"
#include "../soak.hpp"
#include "../states.hpp"
#include "../volume.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace kumihimo::storage {

void bind_node(nb::module_& m);  // bind_node.cpp

namespace {

// With text keys, in type stubs too.
using Dict = nb::typed<nb::dict, nb::str, nb::any>;

Dict dict_of(const DeviceStatus& s) {
  nb::dict d;
  d["index"] = s.index;
  d["name"] = s.name;
  d["uuid"] = s.uuid;
  d["state"] = name_of(s.state);
  d["present"] = s.present;
  d["slots"] = s.slots;
  d["free"] = s.free;
  d["chunks"] = s.chunks;
  d["read_mbs"] = s.read_kbs / 1e3;
  d["write_mbs"] = s.write_kbs / 1e3;
  d["read_bytes"] = s.read_bytes;
  d["written_bytes"] = s.written_bytes;
  d["read_errors"] = s.read_errors;
  d["write_errors"] = s.write_errors;
  d["checksum_errors"] = s.checksum_errors;
  d["timeouts"] = s.timeouts;
  d["retries"] = s.retries;
  d["late"] = s.late;
  d["no_space"] = s.no_space;
  d["healed"] = s.healed;
  return d;
}

Dict info(Array& a) {
  const Super& s = a.super();
  const Counters c = a.counters();
  nb::dict d;
  d["uuid"] = text_of(s.array);
  d["name"] = s.name;
  d["bytes"] = s.bytes();
  d["chunk"] = s.chunk();
  d["k"] = static_cast<unsigned>(s.k);
  d["p"] = static_cast<unsigned>(s.p);
  d["policy"] = s.policy ? "dynamic" : "static";
  d["stripes"] = s.stripes;
  d["physical"] = s.physical;
  d["free_stripes"] = a.free_stripes();
  d["read_only"] = a.read_only();
  d["events"] = s.events;
  d["epoch"] = s.epoch;
  d["commits"] = c.commits;
  d["checkpoints"] = c.checkpoints;
  d["stripes_written"] = c.stripes_written;
  d["repaired"] = c.repaired;
  d["degraded_reads"] = c.degraded_reads;
  d["degraded_writes"] = c.degraded_writes;
  d["lost_reads"] = c.lost_reads;
  d["retried_reads"] = c.retried_reads;
  return d;
}

Slice slice_of(const nb::bytes& b) {
  Slice s = Slice::make(b.size());
  std::memcpy(s.data, b.c_str(), b.size());
  return s;
}

nb::bytes bytes_of(const std::vector<Slice>& slices) {
  std::size_t size = 0;
  for (const Slice& s : slices) size += s.size;
  std::string all;
  all.reserve(size);
  for (const Slice& s : slices) all.append(reinterpret_cast<const char*>(s.data), s.size);
  return nb::bytes(all.data(), all.size());
}

// Whatever may wait does it without the interpreter's lock.
template <class F>
auto unlocked(F&& f) {
  const nb::gil_scoped_release release;
  return f();
}

void bind_devices(nb::module_& m) {
  nb::class_<Device>(m, "Device")
      .def_prop_ro("name", &Device::name)
      .def_prop_ro("size", &Device::size);
  nb::class_<FileDevice, Device>(m, "FileDevice")
      .def(
          "__init__",
          [](FileDevice* self, const std::string& path, double timeout_s, double read_mbs,
             double write_mbs, bool writable, double late_s) {
            new (self) FileDevice(path, {timeout_s, late_s, read_mbs, write_mbs, writable});
          },
          "path"_a, "timeout_s"_a = FileOptions{}.timeout_s, "read_mbs"_a = 0.0,
          "write_mbs"_a = 0.0, "writable"_a = true, "late_s"_a = FileOptions{}.late_s)
      .def("hang", &FileDevice::hang)
      .def("resume", &FileDevice::resume)
      .def("die", &FileDevice::die)
      .def("set_timeout", &FileDevice::set_timeout, "seconds"_a)
      .def("set_rate", &FileDevice::set_rate, "read_mbs"_a, "write_mbs"_a);
  nb::class_<PowerDomain>(m, "PowerDomain")
      .def(nb::init<>())
      .def_prop_rw(
          "sectors_left",
          [](PowerDomain& p) {
            const std::lock_guard lock(p.m);
            return p.sectors_left;
          },
          [](PowerDomain& p, std::uint64_t sectors) {
            const std::lock_guard lock(p.m);
            p.sectors_left = sectors;
          })
      .def_prop_rw(
          "off",
          [](PowerDomain& p) {
            const std::lock_guard lock(p.m);
            return p.off;
          },
          [](PowerDomain& p, bool off) {
            const std::lock_guard lock(p.m);
            p.off = off;
          })
      .def_prop_ro("written", [](PowerDomain& p) {
        const std::lock_guard lock(p.m);
        return p.written;
      });
  nb::class_<MemDevice, Device>(m, "MemDevice")
      .def(nb::init<std::string, std::uint64_t, std::shared_ptr<PowerDomain>>(), "name"_a, "size"_a,
           "power"_a)
      .def("power_cycle", &MemDevice::power_cycle, "seed"_a)
      .def("corrupt", &MemDevice::corrupt, "offset"_a, "mask"_a)
      .def("add_bad", &MemDevice::add_bad, "offset"_a)
      .def("upset", &MemDevice::upset, "offset"_a, "times"_a = 1, "wrong"_a = false)
      .def("answer_too_late", &MemDevice::answer_too_late)
      .def("set_full", &MemDevice::set_full, "full"_a)
      .def("fail_after", &MemDevice::fail_after, "operations"_a)
      .def("resize", &MemDevice::resize, "size"_a)
      .def_prop_ro("operations", &MemDevice::operations)
      .def_prop_ro("flushes", &MemDevice::flushes)
      .def_prop_rw(
          "image",
          [](MemDevice& d) {
            return nb::bytes(reinterpret_cast<const char*>(d.image().data()), d.image().size());
          },
          [](MemDevice& d, const nb::bytes& b) {
            const auto* p = reinterpret_cast<const std::uint8_t*>(b.c_str());
            d.set_image({p, p + b.size()});
          });
}

void bind_array(nb::module_& m) {
  nb::class_<Array>(m, "Array")
      .def_static(
          "create",
          [](const std::vector<std::shared_ptr<Device>>& devices, const std::string& name,
             unsigned chunk_log2, unsigned k, unsigned p, unsigned spares, bool dynamic,
             std::uint64_t stripes, const std::vector<double>& read_mbs,
             const std::vector<double>& write_mbs, bool force, std::uint64_t seed) {
            CreateOptions o;
            o.name = name;
            o.chunk_log2 = chunk_log2;
            o.k = k;
            o.p = p;
            o.spares = spares;
            o.dynamic = dynamic;
            o.stripes = stripes;
            for (double r : read_mbs) o.read_kbs.push_back(static_cast<std::uint32_t>(r * 1e3));
            for (double r : write_mbs) o.write_kbs.push_back(static_cast<std::uint32_t>(r * 1e3));
            o.force = force;
            o.seed = seed;
            unlocked([&] { Array::create(devices, o); });
          },
          "devices"_a, "name"_a = "array", "chunk_log2"_a = 16, "k"_a = 1, "p"_a = 0,
          "spares"_a = 0, "dynamic"_a = true, "stripes"_a = 0, "read_mbs"_a = std::vector<double>{},
          "write_mbs"_a = std::vector<double>{}, "force"_a = false, "seed"_a = 0)
      .def_static(
          "open",
          [](const std::vector<std::shared_ptr<Device>>& devices, bool degraded, bool read_only,
             unsigned depth, unsigned read_errors, unsigned read_retries, bool salvage,
             bool force) {
            OpenOptions o;
            o.degraded = degraded;
            o.read_only = read_only;
            o.salvage = salvage;
            o.force = force;
            o.depth = depth;
            o.read_errors = read_errors;
            o.read_retries = read_retries;
            return unlocked([&] { return Array::open(devices, o); });
          },
          "devices"_a, "degraded"_a = false, "read_only"_a = false, "depth"_a = 0,
          "read_errors"_a = 64, "read_retries"_a = 1, "salvage"_a = false, "force"_a = false)
      .def("info", &info)
      .def("devices",
           [](Array& a) {
             nb::list out;
             for (const DeviceStatus& s : a.status()) out.append(dict_of(s));
             return nb::typed<nb::list, Dict>(out);
           })
      .def("commit", [](Array& a) { unlocked([&] { a.run(a.commit()); }); })
      .def(
          "fail",
          [](Array& a, unsigned i, bool force) { unlocked([&] { a.run(a.fail(i, force)); }); },
          "index"_a, "force"_a = false)
      .def(
          "drain", [](Array& a, unsigned i) { unlocked([&] { a.run(a.drain(i)); }); }, "index"_a)
      .def(
          "add",
          [](Array& a, const std::shared_ptr<Device>& d, double read_mbs, double write_mbs,
             bool force) {
            unlocked([&] {
              a.run(a.add(d, static_cast<std::uint32_t>(read_mbs * 1e3),
                          static_cast<std::uint32_t>(write_mbs * 1e3), force));
            });
          },
          "device"_a, "read_mbs"_a, "write_mbs"_a, "force"_a = false)
      .def(
          "repair",
          [](Array& a, std::uint32_t from, std::uint32_t to, bool verify) {
            unlocked([&] { a.run(a.repair_range(from, to, 1, verify)); });
          },
          "first"_a, "last"_a, "verify"_a = false)
      .def("repair_pending", [](Array& a) { unlocked([&] { a.run(a.repair_pending()); }); })
      .def("finish_rebuild", [](Array& a) { unlocked([&] { a.run(a.finish_rebuild()); }); })
      .def("degraded_stripes",
           [](Array& a) { return unlocked([&] { return a.degraded_stripes(); }); })
      .def("lost_stripes", [](Array& a) { return unlocked([&] { return a.lost_stripes(); }); })
      .def("scrub_metadata", [](Array& a) { unlocked([&] { a.run(a.scrub_metadata()); }); })
      .def("rewrite_metadata", [](Array& a) { unlocked([&] { a.run(a.rewrite_metadata()); }); })
      .def("suspended", &Array::is_suspended)
      .def(
          "notes",
          [](Array& a, std::uint64_t from) {
            std::vector<std::string> out;
            const std::uint64_t next = a.notes(from, &out);
            return std::make_pair(next, out);
          },
          "first"_a = 0)
      .def("mapped", &Array::mapped, "stripe"_a)
      .def(
          "places",
          [](Array& a, std::uint32_t l) {
            nb::list out;
            for (const Place& p : a.places(l))
              out.append(nb::make_tuple(p.device(), p.slot(), p.crc()));
            return nb::typed<nb::list, nb::typed<nb::tuple, unsigned, unsigned, unsigned>>(out);
          },
          "stripe"_a);
}

void bind_volume(nb::module_& m) {
  nb::class_<Volume>(m, "Volume")
      .def(nb::init<std::shared_ptr<Array>, std::size_t, double>(), "array"_a,
           "cache_bytes"_a = std::size_t{64} << 20, "commit_s"_a = 0.0)
      .def_prop_ro("size", &Volume::size)
      .def(
          "read",
          [](Volume& v, std::uint64_t offset, std::uint64_t length) {
            const auto slices = unlocked([&] { return v.read(offset, length); });
            return bytes_of(slices);
          },
          "offset"_a, "length"_a)
      .def(
          "write",
          [](Volume& v, std::uint64_t offset, const nb::bytes& data) {
            const Slice s = slice_of(data);
            unlocked([&] { v.write(offset, s); });
          },
          "offset"_a, "data"_a)
      .def(
          "zero",
          [](Volume& v, std::uint64_t offset, std::uint64_t length, bool exact) {
            unlocked([&] { v.zero(offset, length, exact); });
          },
          "offset"_a, "length"_a, "exact"_a = true)
      .def("flush", [](Volume& v) { unlocked([&] { v.flush(); }); })
      .def(
          "extents",
          [](Volume& v, std::uint64_t offset, std::uint64_t length) {
            nb::list out;
            for (const Extent& e : v.extents(offset, length)) {
              out.append(nb::make_tuple(e.length, e.data, e.lost));
            }
            return nb::typed<nb::list, nb::typed<nb::tuple, std::uint64_t, bool, bool>>(out);
          },
          "offset"_a, "length"_a)
      .def(
          "rebuild",
          [](Volume& v, bool verify, double limit) { unlocked([&] { v.rebuild(verify, limit); }); },
          "verify"_a = false, "limit_mbs"_a = 0.0)
      .def(
          "start_rebuild",
          [](Volume& v, bool verify, double limit) {
            unlocked([&] { v.start_rebuild(verify, limit); });
          },
          "verify"_a = false, "limit_mbs"_a = 0.0)
      .def("stop_rebuild", [](Volume& v) { unlocked([&] { v.stop_rebuild(); }); })
      .def("wait_rebuild", [](Volume& v) { unlocked([&] { v.wait_rebuild(); }); })
      .def("write_status",
           [](Volume& v) {
             const VolumeStatus s = v.status();
             nb::dict d;
             d["unwritten"] = s.unwritten;
             d["problem"] = s.problem;
             d["dropped"] = s.dropped;
             d["dropped_problem"] = s.dropped_problem;
             return Dict(d);
           })
      .def("rebuild_status", [](Volume& v) {
        const RebuildStatus s = v.rebuild_status();
        nb::dict d;
        d["running"] = s.running;
        d["verify"] = s.verify;
        d["done"] = s.done;
        d["total"] = s.total;
        d["problem"] = s.problem;
        return Dict(d);
      });
  nb::class_<NbdServer>(m, "NbdServer")
      .def(
          "__init__",
          [](NbdServer* self, const std::shared_ptr<Volume>& v, const std::string& unix_path,
             int tcp_port, bool read_only, unsigned max_connections) {
            new (self) NbdServer(v, {unix_path, tcp_port, read_only, max_connections});
          },
          "volume"_a, "unix_path"_a = "", "tcp_port"_a = -1, "read_only"_a = false,
          "max_connections"_a = NbdOptions{}.max_connections)
      .def_prop_ro("tcp_port", &NbdServer::tcp_port)
      .def("counters",
           [](NbdServer& s) {
             const NbdCounters c = s.counters();
             nb::dict d;
             d["connections"] = c.connections;
             d["requests"] = c.requests;
             d["read_bytes"] = c.read_bytes;
             d["written_bytes"] = c.written_bytes;
             d["errors"] = c.errors;
             d["broken"] = c.broken;
             d["refused"] = c.refused;
             return nb::typed<nb::dict, nb::str, std::uint64_t>(d);
           })
      .def("stop", [](NbdServer& s) { unlocked([&] { s.stop(); }); });
}

Dict bind_simulate(const std::vector<std::pair<double, double>>& rates, double command_us,
                   unsigned chunk_log2, unsigned k, unsigned p, bool dynamic, bool equal,
                   std::uint64_t stripes, unsigned window, unsigned depth, int slow_index,
                   double slow_after_s, double slow_factor, int fail_index) {
  SimRun r;
  for (const auto& [read, write] : rates) r.devices.push_back({read, write, command_us, 0});
  r.chunk_log2 = chunk_log2;
  r.k = k;
  r.p = p;
  r.dynamic = dynamic;
  r.equal = equal;
  r.stripes = stripes;
  r.window = window;
  r.depth = depth;
  r.slow_index = slow_index;
  r.slow_after_s = slow_after_s;
  r.slow_factor = slow_factor;
  r.fail_index = fail_index;
  const SimResult s = unlocked([&] { return simulate(r); });
  nb::dict d;
  d["write_s"] = s.write_s;
  d["read_s"] = s.read_s;
  d["rebuild_s"] = s.rebuild_s;
  d["user_bytes"] = s.user_bytes;
  d["lost_bytes"] = s.lost_bytes;
  d["chunks"] = s.chunks;
  d["degraded_after"] = s.degraded_after;
  return d;
}

Dict bind_soak(unsigned ports, unsigned rounds, unsigned workers, unsigned operations,
               double timeout_s, std::uint64_t seed) {
  SoakRun r;
  r.ports = ports;
  r.rounds = rounds;
  r.workers = workers;
  r.operations = operations;
  r.timeout_s = timeout_s;
  r.seed = seed;
  const SoakResult s = unlocked([&] { return soak(r); });
  nb::dict d;
  d["virtual_s"] = s.virtual_s;
  d["longest_s"] = s.longest_s;
  d["longest_calm_s"] = s.longest_calm_s;
  d["writes"] = s.writes;
  d["reads"] = s.reads;
  d["bytes_compared"] = s.bytes_compared;
  d["deaths"] = s.deaths;
  d["hangs"] = s.hangs;
  d["slowed"] = s.slowed;
  d["read_errors"] = s.read_errors;
  d["bad_chunks"] = s.bad_chunks;
  d["repaired"] = s.repaired;
  d["replaced"] = s.replaced;
  return d;
}

Dict bind_explore(unsigned disks, unsigned k, unsigned p, unsigned length, unsigned most_new,
                  std::uint64_t variation, unsigned parts, unsigned part, unsigned walks) {
  const StatesRun run{disks, k, p, length, most_new, variation, parts, part, walks};
  const StatesResult s = unlocked([&] { return explore_states(run); });
  nb::dict d;
  d["states"] = s.states;
  d["transitions"] = s.transitions;
  d["right"] = s.right;
  d["errors"] = s.errors;
  d["refused"] = s.refused;
  return d;
}

}  // namespace

NB_MODULE(_storage, m) {
  nb::set_leak_warnings(false);
  m.doc() = "Storage arrays on devices of unequal speed.";
  const auto error = nb::exception<StorageError>(m, "StorageError", PyExc_RuntimeError);
  nb::exception<LostError>(m, "LostError", error);
  nb::exception<NoSpaceError>(m, "NoSpaceError", error);
  bind_devices(m);
  bind_array(m);
  bind_volume(m);
  bind_node(m);
  m.def("simulate", &bind_simulate, "rates"_a, "command_us"_a = 0.0, "chunk_log2"_a = 16, "k"_a = 1,
        "p"_a = 0, "dynamic"_a = false, "equal"_a = false, "stripes"_a = 1600, "window"_a = 256,
        "depth"_a = 2, "slow_index"_a = -1, "slow_after_s"_a = 0.0, "slow_factor"_a = 0.5,
        "fail_index"_a = -1);
  m.def("soak", &bind_soak, "ports"_a = 16, "rounds"_a = 3, "workers"_a = 32, "operations"_a = 40,
        "timeout_s"_a = 0.5, "seed"_a = 1);
  m.def("explore_states", &bind_explore, "disks"_a, "k"_a, "p"_a, "length"_a = 3, "most_new"_a = 2,
        "variation"_a = 0, "parts"_a = 1, "part"_a = 0, "walks"_a = 0);
  m.def(
      "speed_test",
      [](const std::vector<std::shared_ptr<Device>>& devices, std::uint64_t bytes,
         std::uint32_t command, unsigned depth) {
        const auto speeds = unlocked([&] { return speed_test(devices, bytes, command, depth); });
        std::vector<std::pair<double, double>> out;
        for (const Speed& s : speeds) out.emplace_back(s.read_mbs, s.write_mbs);
        return out;
      },
      "devices"_a, "bytes"_a = std::uint64_t{32} << 20, "command"_a = 1U << 20, "depth"_a = 2);
  m.def(
      "sim_speed",
      [](double read_mbs, double write_mbs, double command_us, std::uint64_t bytes,
         std::uint32_t command) {
        auto clock = std::make_shared<SimClock>();
        const std::vector<DevicePtr> devices{std::make_shared<SimDevice>(
            "sim", bytes, clock, SimRates{read_mbs, write_mbs, command_us, 0})};
        const auto s = speed_test(devices, bytes, command, 2, [&] { clock->step(); });
        return std::make_pair(s[0].read_mbs, s[0].write_mbs);
      },
      "read_mbs"_a, "write_mbs"_a, "command_us"_a, "bytes"_a, "command"_a);
  m.def(
      "capacity",
      [](const std::vector<std::uint32_t>& slots, unsigned width, unsigned spares) {
        const Capacity c = capacity(slots, width, spares);
        return std::make_pair(c.stripes, c.physical);
      },
      "slots"_a, "width"_a, "spares"_a = 0);
  m.def(
      "static_shares",
      [](const std::vector<std::uint64_t>& rates_kbs, unsigned width, std::uint64_t stripes) {
        return unlocked([&] { return static_shares(rates_kbs, width, stripes); });
      },
      "rates_kbs"_a, "width"_a, "stripes"_a);
  m.def("crc32c", [](const nb::bytes& b) { return crc32c(b.c_str(), b.size()); }, "data"_a);
  m.def(
      "crc32c_table", [](const nb::bytes& b) { return crc32c_table(b.c_str(), b.size()); },
      "data"_a);
  m.def("gf_mul", &gf_mul, "a"_a, "b"_a);
  m.def(
      "checks",
      [](const std::vector<nb::bytes>& data) {
        std::vector<const std::uint8_t*> in;
        for (const auto& b : data) in.push_back(reinterpret_cast<const std::uint8_t*>(b.c_str()));
        const std::size_t n = data.at(0).size();
        std::string p(n, 0), q(n, 0);
        make_checks(in, reinterpret_cast<std::uint8_t*>(p.data()),
                    reinterpret_cast<std::uint8_t*>(q.data()), n);
        return nb::typed<nb::tuple, nb::bytes, nb::bytes>(
            nb::make_tuple(nb::bytes(p.data(), n), nb::bytes(q.data(), n)));
      },
      "data"_a);
  m.def(
      "restore",
      [](const std::vector<nb::bytes>& chunks, std::size_t k,
         const std::vector<std::size_t>& missing) {
        std::vector<std::string> copy;
        for (const auto& b : chunks) copy.emplace_back(b.c_str(), b.size());
        std::vector<std::uint8_t*> p;
        for (auto& c : copy) p.push_back(reinterpret_cast<std::uint8_t*>(c.data()));
        restore(p, k, missing, copy.at(0).size());
        nb::list out;
        for (const auto& c : copy) out.append(nb::bytes(c.data(), c.size()));
        return nb::typed<nb::list, nb::bytes>(out);
      },
      "chunks"_a, "k"_a, "missing"_a);
}

}  // namespace kumihimo::storage
